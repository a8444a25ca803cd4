#include "gate/cache.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "cli/files.h"

namespace onceover::gate {

namespace {

namespace fs = std::filesystem;

/// What the format of a measurement, or what is measured, may change with.
constexpr int format = 1;
constexpr std::string_view magic = "onceover-gate-cache";
constexpr std::size_t largest_entry = std::size_t{4} << 20;
constexpr std::uintmax_t largest_folder = std::uintmax_t{64} << 20;

/// FNV-1a. For file names and to notice damage; nothing rests on its being different for different texts.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

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

/// The linker's digest of this program's content; empty where it left none.
std::string build_id() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        // The program itself comes first.
        for (int k = 0; k < info->dlpi_phnum; ++k) {
          const auto& segment = info->dlpi_phdr[k];
          if (segment.p_type != PT_NOTE) continue;
          const auto* notes = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
          auto& id = *static_cast<std::string*>(result);
          if (id.empty()) id = build_id_in(notes, segment.p_memsz);
        }
        return 1;
      },
      &found);
  return found;
}

std::string entry_text(const std::string& key, const std::string& value) {
  return fmt::format("{} {} {} {} {:016x}\n{}{}", magic, format, key.size(), value.size(), hash_of(value), key, value);
}

/// The value in an entry, if it is whole and of that key.
std::optional<std::string> value_in(const std::string& entry, const std::string& key) {
  const std::size_t head = entry.find('\n');
  if (head == std::string::npos || entry.size() < head + 1 + key.size()) return std::nullopt;
  std::string value = entry.substr(head + 1 + key.size());
  if (entry != entry_text(key, value)) return std::nullopt;
  return value;
}

}  // namespace

std::string Cache::users_folder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && *xdg == '/') return std::string(xdg) + "/onceover";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/onceover" : "";
}

Cache::Cache(std::string folder) : folder_(std::move(folder)), build_(build_id()) {
  if (build_.empty()) folder_.clear();
  if (!folder_.empty()) folder_ += "/gate";
}

std::string Cache::path_of(const std::string& full_key) const {
  return fmt::format("{}/{:016x}", folder_, hash_of(full_key));
}

std::optional<Measurement> Cache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string full_key = fmt::format("onceover {}\nbuild {}\n{}", ONCEOVER_VERSION, build_, key);
  std::ifstream file(path_of(full_key), std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream entry;
  entry << file.rdbuf();
  const auto value = value_in(entry.str(), full_key);
  if (!value) return std::nullopt;
  const auto json = nlohmann::ordered_json::parse(*value, nullptr, false);
  return json.is_discarded() ? std::nullopt : measurement_from(json);
}

void Cache::keep(const std::string& key, const Measurement& measurement) {
  if (folder_.empty() || measurement.failure || measurement.verdict() == Verdict::unknown) return;
  const std::string full_key = fmt::format("onceover {}\nbuild {}\n{}", ONCEOVER_VERSION, build_, key);
  const std::string value = to_json(measurement).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  if (full_key.size() + value.size() > largest_entry) return;
  const std::lock_guard lock(writing_);
  std::error_code ignored;
  if (!has_written_) fs::create_directories(folder_, ignored);
  has_written_ = true;
  static_cast<void>(cli::write_text(path_of(full_key), entry_text(full_key, value)));
}

void Cache::prune() const {
  if (!has_written_) return;
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

}  // namespace onceover::gate
