// The part of build/portable/verify that runs before all else: everything is loaded, so the files that launcher.c
// placed are closed or removed, and the environment is again as the user has it.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

extern char** environ;

namespace {

void close_all(const char* descriptors) {
  for (char* rest = nullptr;; descriptors = rest) {
    const long file = std::strtol(descriptors, &rest, 10);
    if (rest == descriptors) return;
    close(static_cast<int>(file));
  }
}

/// The files are named 0, 1, ..; nothing else is removed.
void remove_files_of(const std::string& folder) {
  for (int k = 0; unlink((folder + "/" + std::to_string(k)).c_str()) == 0; ++k) {
  }
  rmdir(folder.c_str());
}

[[gnu::constructor]] void settle() {
  for (char** each = environ; *each != nullptr; ++each)
    if (std::strncmp(*each, "-D_", 3) == 0) **each = 'L';
  const char* left = std::getenv("ONCEOVER_PORTABLE");
  if (left == nullptr) return;
  if (*left == ' ')
    close_all(left);
  else
    remove_files_of(left);
  unsetenv("ONCEOVER_PORTABLE");
}

}  // namespace
