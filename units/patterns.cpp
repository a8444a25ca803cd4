// A pattern is matched name by name. What matches so far is a list of folders; each name replaces it by what matches in
// them.

#include "units/patterns.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

namespace onceover::units {

namespace {

namespace fs = std::filesystem;

/// Finds what matches, as far as folders can be read.
class PatternSearch {
 public:
  std::vector<std::string> files(const std::string& pattern) {
    std::vector<fs::path> matching{""};
    for (const fs::path& part : fs::path(pattern)) {
      const std::string name = part.string();
      std::vector<fs::path> next;
      for (const fs::path& folder : matching) {
        if (name == "**")
          add_folders(folder, next);
        else if (name.find_first_of("*?[") != std::string::npos)
          add_entries(folder, name, next);
        else
          add_entry(folder / part, next);
      }
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      matching = std::move(next);
    }
    std::vector<std::string> files;
    for (const fs::path& path : matching) {
      std::error_code error;
      if (!fs::is_directory(path, error)) files.push_back(path.string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  std::string unread;  // the first folder that can't be read, and why; or nothing

 private:
  /// A file in the place of a folder, or one that is gone by now, has no entries.
  void note(const fs::path& path, const std::error_code& error) {
    const bool is_no_folder = error == std::errc::not_a_directory || error == std::errc::no_such_file_or_directory;
    if (error && !is_no_folder && unread.empty()) unread = fmt::format("{}: {}", path.string(), error.message());
  }

  void add_entry(const fs::path& path, std::vector<fs::path>& to) {
    std::error_code error;
    if (fs::exists(path, error)) to.push_back(path);
    note(path, error);
  }

  /// Adds the entries of the folder that the name matches.
  void add_entries(const fs::path& folder, const std::string& name, std::vector<fs::path>& to) {
    std::error_code error;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
         at.increment(error)) {
      const std::string entry = at->path().filename().string();
      if (fnmatch(name.c_str(), entry.c_str(), FNM_PERIOD) == 0) to.push_back(folder / entry);
    }
    note(folder, error);
  }

  /// Adds the folder and all folders in it.
  void add_folders(const fs::path& folder, std::vector<fs::path>& to) {
    to.push_back(folder);
    for (std::size_t k = to.size() - 1; k < to.size(); ++k) {
      std::vector<fs::path> entries;
      add_entries(fs::path(to[k]), "*", entries);
      for (const fs::path& entry : entries) {
        std::error_code error;
        if (fs::symlink_status(entry, error).type() == fs::file_type::directory) to.push_back(entry);
      }
    }
  }
};

}  // namespace

tl::expected<std::vector<std::string>, std::string> files_matching(const std::string& pattern) {
  PatternSearch search;
  auto files = search.files(pattern);
  if (!search.unread.empty()) return tl::unexpected(std::move(search.unread));
  return files;
}

}  // namespace onceover::units
