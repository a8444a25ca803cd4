// A folder for the files of a program that we start.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/exit_code.h"
#include "base/interrupts.h"

namespace onceover::base {

/// A folder that is removed with everything in it, also if the program is interrupted.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  /// Writes a file in it, or in a folder below, which is made.
  Result<void> write(const std::string& name, std::string_view text) const;

 private:
  explicit ScratchFolder(const std::string& path) : path_(path), removed_(std::make_unique<RemovedOnInterrupt>(path)) {}

  std::filesystem::path path_;
  std::unique_ptr<RemovedOnInterrupt> removed_;
};

}  // namespace onceover::base
