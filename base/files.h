// Files: read whole and up to a limit, written whole or not at all; folders for files of programs that we start; locks
// of folders.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace onceover::base {

/// Is the path "-", which means standard input or standard output?
bool is_standard_stream(const std::string& path);

/// The error that `read_file` reports before it reads anything, if there is one.
Result<void> check_readable(const std::string& path);

/// The content of a file of at most 1 GiB. A file that doesn't exist or can't be read is a usage error; a larger one is
/// malformed. A pipe or device is read once; later calls return the same content.
Result<std::string> read_file(const std::string& path);

/// Lets `write` fill a temporary file beside `path`, has the system put it on the disk, then renames it to `path`. If
/// anything fails, or the program is interrupted, `path` is unchanged and the temporary file is removed. If the program
/// is killed (SIGKILL, power failure), `path` is unchanged or complete, and a file `path`.XXXXXX may remain. A device
/// or a pipe is written directly. `write` returns false if it failed.
Result<void> write_file(const std::string& path, const std::function<bool(std::FILE*)>& write);

/// The file that `write_file` replaces: what `path` links to, whether or not it is there yet.
std::filesystem::path place_written(const std::string& path);

/// Writes the text with `write_file`.
Result<void> write_text(const std::string& path, const std::string& text);

/// Do both paths lead to the same regular file? It may not exist yet.
bool is_one_file(const std::string& a, const std::string& b);

/// Reports early whether `write_file` can write to `path`; an empty path is fine. Leaves nothing behind.
Result<void> check_writable(const std::string& path);

class RemovedOnInterrupt;

/// A folder for the files of a program that we start. It is removed with everything in it, also if the program is
/// interrupted.
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
  explicit ScratchFolder(const std::string& path);

  std::filesystem::path path_;
  std::unique_ptr<RemovedOnInterrupt> removed_;
};

/// While this object lives, no other process has a lock on the folder of the file `path`. Waits for one that has, and
/// throws `Stopped` if all work is to stop meanwhile. The system frees the lock of a process that dies. If the folder
/// can't be locked, this warns and goes on without. Leaves no file behind.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  explicit FolderLock(int folder) : folder_(folder) {}

  int folder_;  // a file descriptor; -1: none
};

/// Asks the system to back this memory by pages of 2 MiB, of which each takes one fault instead of 512. Only whole such
/// pages inside are meant; nothing happens where the system has none.
void prefer_large_pages(const void* begin, std::size_t bytes);

}  // namespace onceover::base
