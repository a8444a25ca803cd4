#include "gate/cache.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/files.h"

namespace onceover::gate {

namespace {

namespace fs = std::filesystem;

/// Raise this number if the format of a measurement changes, or what is measured.
constexpr int format = 5;
constexpr std::string_view magic = "onceover-gate-cache";
constexpr std::size_t largest_entry = std::size_t{4} << 20;
constexpr std::uintmax_t largest_folder = std::uintmax_t{64} << 20;

/// The note of type NT_GNU_BUILD_ID in a segment of notes, in hexadecimal.
std::string build_id_in(const char* notes, std::size_t size) {
  constexpr std::string_view owner("GNU\0", 4);
  auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const std::size_t whole = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (whole > size) break;
    const char* name = notes + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && std::string_view(name, note.n_namesz) == owner) {
      std::string text;
      for (std::size_t k = 0; k < note.n_descsz; ++k)
        text += fmt::format("{:02x}", static_cast<unsigned char>(name[padded(note.n_namesz) + k]));
      return text;
    }
    notes += whole;
    size -= whole;
  }
  return "";
}

/// Adds the build id of a loaded object; the program itself comes first.
int add_build_id(dl_phdr_info* info, std::size_t, void* result) {
  auto& ids = *static_cast<std::vector<std::string>*>(result);
  // The kernel provides this object; it is not a file.
  if (std::string_view(info->dlpi_name).starts_with("linux-vdso")) return 0;
  std::string id;
  for (int k = 0; k < info->dlpi_phnum && id.empty(); ++k) {
    const auto& segment = info->dlpi_phdr[k];
    const auto* notes = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    if (segment.p_type == PT_NOTE) id = build_id_in(notes, segment.p_memsz);
  }
  ids.push_back(std::move(id));
  return 0;
}

/// The build ids that the linker gave this program and its libraries; empty if the program has none.
std::string build_ids() {
  std::vector<std::string> ids;
  dl_iterate_phdr(add_build_id, &ids);
  return ids.empty() || ids.front().empty() ? "" : fmt::format("{}", fmt::join(ids, " "));
}

std::string entry_text(const std::string& digest, const std::string& value) {
  return fmt::format("{} {} {} {}\n{}", magic, format, digest, sha256(value), value);
}

/// The value in an entry, if the entry is complete and belongs to the key with that digest.
std::optional<std::string> value_in(const std::string& entry, const std::string& digest) {
  const std::size_t head = entry.find('\n');
  if (head == std::string::npos) return std::nullopt;
  std::string value = entry.substr(head + 1);
  if (entry != entry_text(digest, value)) return std::nullopt;
  return value;
}

}  // namespace

std::string Cache::users_folder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && *xdg == '/') return std::string(xdg) + "/onceover";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/onceover" : "";
}

Cache::Cache(std::string folder) : folder_(std::move(folder)), builds_(build_ids()) {
  if (builds_.empty()) folder_.clear();
  if (!folder_.empty()) folder_ += "/gate";
}

std::string Cache::digest_of(const std::string& key) const {
  return sha256(fmt::format("{} {}\nonceover {}\nbuilds {}\n{}", magic, format, ONCEOVER_VERSION, builds_, key));
}

std::optional<Measurement> Cache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string digest = digest_of(key);
  std::ifstream file(path_of(digest), std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream entry;
  entry << file.rdbuf();
  const auto value = value_in(entry.str(), digest);
  if (!value) return std::nullopt;
  const auto json = Json::parse(*value);
  auto measurement = json ? measurement_from(*json) : std::nullopt;
  const std::lock_guard lock(mutex_);
  if (measurement) measurement->is_cached = !kept_.contains(digest);
  return measurement;
}

void Cache::keep(const std::string& key, const Measurement& measurement) {
  if (folder_.empty() || measurement.failure || measurement.verdict() == Verdict::unknown) return;
  const std::string value = to_json(measurement).dump();
  if (value.size() > largest_entry) return;
  const std::string digest = digest_of(key);
  const std::lock_guard lock(mutex_);
  std::error_code ignored;
  if (kept_.empty()) fs::create_directories(folder_, ignored);
  kept_.insert(digest);
  static_cast<void>(write_text(path_of(digest), entry_text(digest, value)));
}

void Cache::prune() const {
  if (kept_.empty()) return;
  struct File {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t size;
  };
  std::vector<File> files;
  std::uintmax_t total = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    std::error_code gone;
    File file{entry.path(), entry.last_write_time(gone), entry.file_size(gone)};
    if (gone || !entry.is_regular_file(gone)) continue;
    total += file.size;
    files.push_back(std::move(file));
  }
  if (total <= largest_folder) return;
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (total <= largest_folder / 2) break;
    std::error_code gone;
    fs::remove(file.path, gone);
    total -= file.size;
  }
}

std::string sha256(std::string_view text) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&context, digest.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace onceover::gate
