#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/files.h"
#include "base/report_output.h"
#include "base/stop.h"

namespace onceover::base {

namespace {

constexpr std::chrono::milliseconds between_tries(5);

std::string folder_of(const std::string& path) {
  return place_written(path).parent_path().string();
}

/// Waits for the lock; false if there can be none.
bool is_locked(int folder) {
  while (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    stop_point();
    std::this_thread::sleep_for(between_tries);
  }
  return folder >= 0;
}

}  // namespace

FolderLock::FolderLock(const std::string& path)
    : FolderLock(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!is_locked(folder_))
    warn(fmt::format("{}: cannot be locked: {}; what others write there at the same time may be lost", folder_of(path),
                     std::strerror(errno)));
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) close(folder_);
}

}  // namespace onceover::base
