// Files in and out: read whole and in bounds, written whole or not at all.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "base/exit_code.h"

namespace onceover::base {

/// "-": standard input where a file is read, standard output where one is written.
bool is_standard_stream(const std::string& path);

/// What `read_file` says of a file before it reads any of it.
Result<void> check_readable(const std::string& path);

/// The content of a file of at most 1 GiB. A file that isn't there or isn't readable as one is a usage error. A pipe or
/// device is read once; each later call gives what the first did.
Result<std::string> read_file(const std::string& path);

/// Lets `write` fill a temporary file beside `path`, has the system put it on the disk, then renames it over `path`. If
/// anything fails, or the program is interrupted, `path` is as it was and the temporary is gone; if the program is
/// killed, by SIGKILL or as power goes, `path` is as it was or new and whole, and a temporary `path`.XXXXXX may stay. A
/// path that is a device or a pipe is written directly. `write` returns false if writing failed.
Result<void> write_file(const std::string& path, const std::function<bool(std::FILE*)>& write);

/// The text, written by `write_file`.
Result<void> write_text(const std::string& path, const std::string& text);

/// Do both names lead to one regular file, which may not be there yet?
bool is_one_file(const std::string& a, const std::string& b);

/// Says early what `write_file` would say: whether a file can be made at `path`, if there is one. Leaves nothing
/// behind.
Result<void> check_writable(const std::string& path);

}  // namespace onceover::base
