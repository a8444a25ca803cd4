#include "base/scratch_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

namespace onceover::base {

Result<ScratchFolder> ScratchFolder::make() {
  const auto held = hold_interrupts();
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "onceover-XXXXXX").string();
  if (error || mkdtemp(path.data()) == nullptr)
    return tl::unexpected(Failure{ExitCode::internal, fmt::format("cannot make a temporary folder like {}", path)});
  return ScratchFolder(path);
}

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

}  // namespace onceover::base
