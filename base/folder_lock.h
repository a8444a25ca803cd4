// FolderLock: one process at a time changes a file of a folder.
#pragma once

#include <string>

namespace onceover::base {

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

}  // namespace onceover::base
