// Files: read whole and up to a limit, written whole or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "base/exit_code.h"

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

}  // namespace onceover::base
