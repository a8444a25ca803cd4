// The files on which a verdict rests, and whether they changed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"

namespace onceover::cli {

/// A state of a file that another state of it can't be taken for: identity, size and the times of its last changes.
/// Nothing: the file isn't there. Editors that write a new file and rename it change the identity.
using FileState = std::optional<std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::int64_t>>;

/// The commands, besides `verify` itself, whose lines can be watched.
inline constexpr std::array<std::string_view, 2> watched_commands{"gate", "code"};

/// Files by name.
using FileStates = std::map<std::string, FileState>;

/// The words of a command line of `verify`, `verify code` or `verify gate`, read.
class WatchedLine {
 public:
  /// A usage error for a line that can't be read or watched. Nothing if the line only asked for help, now printed.
  static Result<std::optional<WatchedLine>> read(const std::vector<std::string>& words);

  const std::vector<std::string>& words() const { return words_; }

  /// The files that the line names and, of a gate, its file names now, or, of code, its sources include now. A gate
  /// file that can't be read is the only file then.
  std::vector<std::string> files() const;

 private:
  std::vector<std::string> words_;
  std::vector<std::string> named_ = {};  // on the line
  std::string gate_ = {};                // the gate file; empty: there is none
  bool is_code_ = false;
  std::vector<std::string> headers_ = {};  // the folders where code's headers may be
};

/// Why one of the files can't be read again and again; empty if all can, or aren't there.
std::string why_unreadable(const std::vector<std::string>& files);

/// The state of each file. A file that is gone, or can't be looked at, has none.
FileStates states_of(const std::vector<std::string>& files);

}  // namespace onceover::cli
