#include "cli/included_files.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "base/files.h"
#include "base/words.h"

namespace onceover::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_included = 1000;
constexpr std::uintmax_t most_bytes = 1 << 20;

std::string text_of(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > most_bytes) return "";
  return read_file(file).value_or("");
}

/// The name in a line such as `#include "ring.h"`; empty if it is none.
std::string_view name_in(std::string_view line) {
  const auto skip = [&](std::string_view word) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return {};
  const std::size_t end = line.find('"');
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

std::optional<std::string> included(std::string_view name, const std::string& includer,
                                    const std::vector<std::string>& folders) {
  std::error_code ignored;
  const auto at = [&](const fs::path& folder) { return (folder / name).lexically_normal().string(); };
  if (auto beside = at(fs::path(includer).parent_path()); fs::is_regular_file(beside, ignored)) return beside;
  for (const std::string& folder : folders)
    if (auto there = at(folder); fs::is_regular_file(there, ignored)) return there;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> with_included(std::vector<std::string> files, const std::vector<std::string>& folders) {
  std::set<std::string> known(files.begin(), files.end());
  for (std::size_t k = 0; k < files.size() && files.size() < most_included; ++k) {
    const std::string text = text_of(files[k]);
    for (const std::string_view line : split(text, '\n')) {
      const std::string_view name = name_in(line);
      if (name.empty()) continue;
      const auto file = included(name, files[k], folders);
      if (file && known.insert(*file).second) files.push_back(*file);
    }
  }
  return files;
}

}  // namespace onceover::cli
