// A pattern is matched name by name. What matches so far is a list of folders; each name replaces it by what matches in
// them.

#include "gate/patterns.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

namespace onceover::gate {

namespace {

namespace fs = std::filesystem;

/// Adds the entries of the folder that the name matches.
void add_entries(const fs::path& folder, const std::string& name, std::vector<fs::path>& to) {
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end; at.increment(error)) {
    const std::string entry = at->path().filename().string();
    if (fnmatch(name.c_str(), entry.c_str(), FNM_PERIOD) == 0) to.push_back(folder / entry);
  }
}

/// Adds the folder and all folders in it.
void add_folders(const fs::path& folder, std::vector<fs::path>& to) {
  to.push_back(folder);
  for (std::size_t k = to.size() - 1; k < to.size(); ++k) {
    std::vector<fs::path> entries;
    add_entries(to[k], "*", entries);
    for (const fs::path& entry : entries) {
      std::error_code error;
      if (fs::symlink_status(entry, error).type() == fs::file_type::directory) to.push_back(entry);
    }
  }
}

}  // namespace

std::vector<std::string> files_matching(const std::string& pattern) {
  std::vector<fs::path> matching{""};
  for (const fs::path& part : fs::path(pattern)) {
    const std::string name = part.string();
    std::vector<fs::path> next;
    for (const fs::path& folder : matching) {
      std::error_code error;
      if (name == "**")
        add_folders(folder, next);
      else if (name.find_first_of("*?[") != std::string::npos)
        add_entries(folder, name, next);
      else if (fs::exists(folder / part, error))
        next.push_back(folder / part);
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

}  // namespace onceover::gate
