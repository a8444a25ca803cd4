#include "cli/output_files.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/try.h"

namespace onceover::cli {

Result<void> check_distinct(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written) {
  std::vector<NamedFile> taken;
  for (const NamedFile& file : read)
    if (!is_standard_stream(file.path)) taken.push_back(file);
  for (const NamedFile& output : written) {
    for (const NamedFile& other : taken)
      if (!output.path.empty() && !other.path.empty() && is_one_file(output.path, other.path))
        return usage_error(fmt::format("{} and {} name one file", other.option, output.option));
    taken.push_back(output);
  }
  return {};
}

}  // namespace onceover::cli
