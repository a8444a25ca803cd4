#include "cli/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/interrupts.h"

namespace onceover::cli {

namespace {

constexpr std::int64_t largest_file = std::int64_t{1} << 30;

std::string reason() {
  return std::strerror(errno);
}

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// A file that is removed unless it was renamed.
class Temporary {
 public:
  explicit Temporary(const std::string& beside) : path_(beside + ".XXXXXX") {
    const auto held = hold_interrupts();
    descriptor_ = mkstemp(path_.data());
    if (descriptor_ >= 0) removed_.emplace(path_);
  }
  ~Temporary() {
    const auto held = hold_interrupts();
    const int error = errno;
    if (descriptor_ >= 0 && !renamed_) unlink(path_.c_str());
    removed_.reset();
    errno = error;
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int descriptor() const { return descriptor_; }

  bool rename_to(const std::string& path) {
    const mode_t mask = umask(0);
    umask(mask);
    renamed_ = chmod(path_.c_str(), 0666 & ~mask) == 0 && std::rename(path_.c_str(), path.c_str()) == 0;
    return renamed_;
  }

 private:
  std::string path_;
  int descriptor_;
  bool renamed_ = false;
  std::optional<RemovedOnInterrupt> removed_;
};

}  // namespace

Result<std::string> read_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return usage_error(fmt::format("{}: {}", path, reason()));
  if (S_ISDIR(status.st_mode)) return usage_error(fmt::format("{}: is a directory; expected a file", path));
  const Stream file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return usage_error(fmt::format("{}: {}", path, reason()));
  std::string content;
  char chunk[1 << 16];
  while (const std::size_t n = std::fread(chunk, 1, sizeof chunk, file.get())) {
    content.append(chunk, n);
    if (static_cast<std::int64_t>(content.size()) > largest_file)
      return tl::unexpected(Failure{ExitCode::malformed, fmt::format("{}: larger than 1 GiB", path)});
  }
  if (std::ferror(file.get())) return usage_error(fmt::format("{}: {}", path, reason()));
  return content;
}

namespace {

/// Devices and pipes can't be replaced by a file; they are written to as they are.
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

/// The file that a link leads to, so that the link stays.
std::string behind_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> target(realpath(path.c_str(), nullptr), std::free);
  return target ? target.get() : path;
}

bool write_all(std::FILE* file, const std::function<bool(std::FILE*)>& write) {
  return file != nullptr && write(file) && std::fflush(file) == 0;
}

bool write_special(const std::string& path, const std::function<bool(std::FILE*)>& write) {
  Stream file(std::fopen(path.c_str(), "wb"), std::fclose);
  return write_all(file.get(), write) && std::fclose(file.release()) == 0;
}

bool write_whole(const std::string& path, const std::function<bool(std::FILE*)>& write) {
  Temporary temporary(path);
  if (temporary.descriptor() < 0) return false;
  Stream file(fdopen(temporary.descriptor(), "wb"), std::fclose);
  // The content has to be on the disk before the name is its.
  return write_all(file.get(), write) && fsync(temporary.descriptor()) == 0 && std::fclose(file.release()) == 0 &&
         temporary.rename_to(path);
}

}  // namespace

Result<void> write_text(const std::string& path, const std::string& text) {
  return write_file(path,
                    [&](std::FILE* file) { return std::fwrite(text.data(), 1, text.size(), file) == text.size(); });
}

bool is_one_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::file_status status = fs::status(a, none);
  if (fs::exists(status) && !fs::is_regular_file(status)) return false;
  return fs::equivalent(a, b, none) || fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
}

Result<void> check_writable(const std::string& path) {
  const bool writable =
      is_special(path) ? access(path.c_str(), W_OK) == 0 : Temporary(behind_links(path)).descriptor() >= 0;
  if (!writable) return usage_error(fmt::format("{}: cannot be written: {}", path, reason()));
  return {};
}

Result<void> write_file(const std::string& path, const std::function<bool(std::FILE*)>& write) {
  const bool written = is_special(path) ? write_special(path, write) : write_whole(behind_links(path), write);
  if (!written) return usage_error(fmt::format("{}: cannot be written: {}", path, reason()));
  return {};
}

}  // namespace onceover::cli
