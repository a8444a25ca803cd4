// A file is written beside its place first. It gets its name when it is complete and on the disk, so others see it
// change only at that rename. Links are followed before, so that a link stays a link.
//
// Example: out.svg is written as out.svg.Ab3xYz. If that fails, or the user interrupts it, the temporary file is
// removed and the old out.svg is unchanged.
//
// Pipes and devices can be neither read twice nor replaced. What was read from one is kept under its name, and output
// goes straight into it. A pipe may be silent for long, so a read waits for a second at most before it asks whether to
// stop.
//
// A read ends with the input, or beyond 1 GiB. At most 40 links are followed. O(bytes).

#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "base/interrupts.h"
#include "base/report_output.h"
#include "base/stop.h"

namespace onceover::base {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t largest_file = std::int64_t{1} << 30;

std::string reason() {
  return std::strerror(errno);
}

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// A temporary file, removed unless it is renamed.
class Temporary {
 public:
  explicit Temporary(const std::string& beside) : path_(beside + ".XXXXXX") {
    const auto held = hold_interrupts();
    descriptor_ = mkostemp(path_.data(), O_CLOEXEC);
    if (descriptor_ >= 0) removed_.emplace(path_);
  }
  ~Temporary() {
    const auto held = hold_interrupts();
    const int error = errno;
    if (descriptor_ >= 0 && !renamed_) unlink(path_.c_str());
    if (descriptor_ >= 0 && !is_open_) close(descriptor_);
    removed_.reset();
    errno = error;
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int descriptor() const { return descriptor_; }

  /// The file as a stream; closing the stream closes the file.
  Stream open() {
    Stream file(fdopen(descriptor_, "wb"), std::fclose);
    is_open_ = file != nullptr;
    return file;
  }

  bool rename_to(const std::string& path) {
    const mode_t mask = umask(0);
    umask(mask);
    renamed_ = chmod(path_.c_str(), 0666 & ~mask) == 0 && std::rename(path_.c_str(), path.c_str()) == 0;
    return renamed_;
  }

 private:
  std::string path_;
  int descriptor_;
  bool renamed_ = false, is_open_ = false;
  std::optional<RemovedOnInterrupt> removed_;
};

/// An open file; its number is -1 if it couldn't be opened.
class Input {
 public:
  explicit Input(const std::string& path) : number_(is_standard_stream(path) ? dup(STDIN_FILENO) : open_at(path)) {}
  ~Input() {
    if (number_ >= 0) close(number_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  int number() const { return number_; }

  /// Like `read`, but asks whether to stop while it waits, because a writer may be slow.
  ssize_t read(char* to, std::size_t size) const {
    pollfd there{number_, POLLIN, 0};
    do {
      stop_point();
    } while (poll(&there, 1, static_cast<int>(std::max<std::int64_t>(1, time_left(longest).count()))) == 0);
    return ::read(number_, to, size);
  }

 private:
  static constexpr std::chrono::milliseconds longest{1000};

  /// Doesn't wait for a pipe's writer; `read` does.
  static int open_at(const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

  int number_;
};

tl::unexpected<Failure> too_large(const std::string& path) {
  return tl::unexpected(Failure{ExitCode::malformed, fmt::format("{}: larger than 1 GiB", path)});
}

Result<std::string> read_stream(const std::string& path) {
  const Input file(path);
  if (file.number() < 0) return usage_error(fmt::format("{}: {}", path, reason()));
  std::string content;
  struct stat status {};
  if (fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= largest_file) {
    content.reserve(static_cast<std::size_t>(status.st_size));
    prefer_large_pages(content.data(), content.capacity());
  }
  std::array<char, 1 << 16> chunk;
  while (true) {
    const ssize_t n = file.read(chunk.data(), chunk.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return usage_error(fmt::format("{}: {}", path, reason()));
    if (n == 0) return content;
    content.append(chunk.data(), static_cast<std::size_t>(n));
    if (static_cast<std::int64_t>(content.size()) > largest_file) return too_large(path);
  }
}

/// What pipes and devices gave, by name: a second read may give nothing.
const Result<std::string>& read_once(const std::string& path) {
  static std::mutex one_at_a_time;
  static std::map<std::string, Result<std::string>> known;
  const std::lock_guard lock(one_at_a_time);
  const auto place = known.find(path);
  return place != known.end() ? place->second : known.emplace(path, read_stream(path)).first->second;
}

}  // namespace

bool is_standard_stream(const std::string& path) {
  return path == "-";
}

Result<void> check_readable(const std::string& path) {
  struct stat status {};
  if (is_standard_stream(path)) return {};
  if (stat(path.c_str(), &status) != 0) return usage_error(fmt::format("{}: {}", path, reason()));
  if (S_ISDIR(status.st_mode)) return usage_error(fmt::format("{}: is a directory; expected a file", path));
  if (access(path.c_str(), R_OK) != 0) return usage_error(fmt::format("{}: {}", path, reason()));
  return S_ISREG(status.st_mode) && status.st_size > largest_file ? too_large(path) : Result<void>{};
}

Result<std::string> read_file(const std::string& path) {
  if (auto readable = check_readable(path); !readable) return tl::unexpected(readable.error());
  struct stat status {};
  const bool is_regular = !is_standard_stream(path) && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  return is_regular ? read_stream(path) : read_once(path);
}

namespace {

/// Is the path a pipe or a device, which no file can replace?
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

/// The file that a link leads to, which may not exist yet. Writing there keeps the link.
fs::path behind_links(const fs::path& path) {
  constexpr int most_links = 40;
  std::error_code none;
  fs::path target = path;
  for (int k = 0; k < most_links && fs::is_symlink(target, none); ++k)
    target = target.parent_path() / fs::read_symlink(target, none);
  return target;
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
  Stream file = temporary.open();
  if (file == nullptr) return false;
  // The content must be on the disk before it gets the name.
  return write_all(file.get(), write) && fsync(temporary.descriptor()) == 0 && std::fclose(file.release()) == 0 &&
         temporary.rename_to(path);
}

}  // namespace

Result<void> write_text(const std::string& path, const std::string& text) {
  return write_file(path,
                    [&](std::FILE* file) { return std::fwrite(text.data(), 1, text.size(), file) == text.size(); });
}

bool is_one_file(const std::string& a, const std::string& b) {
  if (is_standard_stream(a) || is_standard_stream(b)) return a == b;
  if (is_special(a)) return false;
  std::error_code none;
  return fs::equivalent(a, b, none) || place_written(a) == place_written(b);
}

fs::path place_written(const std::string& path) {
  std::error_code none;
  return fs::weakly_canonical(fs::absolute(behind_links(path), none), none);
}

Result<void> check_writable(const std::string& path) {
  std::error_code ignored_error;
  if (path.empty() || is_standard_stream(path)) return {};
  if (fs::is_directory(path, ignored_error))
    return usage_error(fmt::format("{}: cannot be written: it is a folder", path));
  const bool writable =
      is_special(path) ? access(path.c_str(), W_OK) == 0 : Temporary(behind_links(path).string()).descriptor() >= 0;
  if (!writable) return usage_error(fmt::format("{}: cannot be written: {}", path, reason()));
  return {};
}

Result<void> write_file(const std::string& path, const std::function<bool(std::FILE*)>& write) {
  if (was_interrupted() && !is_standard_stream(path))
    return tl::unexpected(Failure{ExitCode::interrupted, fmt::format("{}: not written: interrupted", path)});
  if (is_standard_stream(path)) return print(write);
  const bool written = is_special(path) ? write_special(path, write) : write_whole(behind_links(path).string(), write);
  if (!written) return usage_error(fmt::format("{}: cannot be written: {}", path, reason()));
  return {};
}

Result<ScratchFolder> ScratchFolder::make() {
  const auto held = hold_interrupts();
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "onceover-XXXXXX").string();
  if (error || mkdtemp(path.data()) == nullptr)
    return tl::unexpected(Failure{ExitCode::internal, fmt::format("cannot make a temporary folder like {}", path)});
  return ScratchFolder(path);
}

ScratchFolder::ScratchFolder(const std::string& path)
    : path_(path), removed_(std::make_unique<RemovedOnInterrupt>(path)) {}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), removed_(std::move(other.removed_)) {}

Result<void> ScratchFolder::write(const std::string& name, std::string_view text) const {
  std::error_code ignored;
  std::filesystem::create_directories((path_ / name).parent_path(), ignored);
  std::ofstream written(file(name));
  written << text;
  if (written.close(); !written)
    return tl::unexpected(Failure{ExitCode::internal, fmt::format("cannot write {}", file(name))});
  return {};
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

void prefer_large_pages([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (at + page - 1) / page * page;
  const std::uintptr_t end = (at + bytes) / page * page;
  if (first < end) madvise(static_cast<char*>(const_cast<void*>(begin)) + (first - at), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace onceover::base
