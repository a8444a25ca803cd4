// Check: a subject and what is asked of it. Checks: those of a gate file, or the one that a claim is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "code/trials.h"
#include "live/live_call.h"
#include "subjects/limit.h"
#include "subjects/network_plan.h"
#include "subjects/option_values.h"

namespace onceover::units {

using subjects::Shape;  // not that of code

/// The kind of subject of a check.
enum class SubjectKind : std::uint8_t { algorithms, file, files, command, formula, code, launch };

constexpr unsigned bit(SubjectKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

/// The key that names a subject of this kind.
std::string_view name_of(SubjectKind kind);

/// Rows of a table by name, or all of them.
template <class Row>
struct Choices {
  std::vector<Row> named = {};
  bool all = false;

  bool are_given() const { return all || !named.empty(); }
};

/// Functions written over MPI, as `verify code` takes them.
struct CodeChoice {
  std::vector<std::string> paths = {};  // files and patterns; each file is judged by itself. Of a library: algorithms
  std::string library = {};             // empty: none
  std::string checkout = {};
  std::vector<std::string> values = {};  // of settings of the library's algorithms: "k=2..4"
  std::string function = {};
  const live::LiveCollective* collective = nullptr;  // null: an allreduce
  code::CodeOptions options = {};                    // its sources are what is linked: objects and libraries
};

/// A check with the defaults filled in. What the file doesn't give has the command line's default.
struct Check {
  std::string name;
  SubjectKind kind = SubjectKind::algorithms;
  Choices<const Algorithm*> algorithms = {};
  std::string file = {};
  std::vector<std::string> files = {};  // names and patterns; each file is a subject of its own
  std::string command = {};
  std::optional<Formula> peer = {};
  std::optional<Formula> steps = {};
  std::optional<OddRanks> odd = {};
  CodeChoice code = {};
  std::vector<std::string> launches = {};  // files and patterns of launches of GPU kernels
  std::optional<RankList> ranks = {};
  std::vector<Shape> tori = {};
  std::optional<Lanes> lanes = {};
  Choices<Collective> collectives = {};             // of a file or command at most one
  bool without_data = false;                        // collective = "none": of plans whose collective isn't known
  std::vector<std::vector<Setting>> settings = {};  // versions of the algorithm
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  std::vector<Limit> limits = {};
  NetworkOptions network = {};
  std::uint64_t budget = 0;                         // 0: the command line's default
  int timeout = 0;                                  // seconds that a command may run; 0: the command line's default
  std::optional<std::uint32_t> fifo = {};           // how many messages a program's connection holds
  std::optional<RankList> world = {};               // the numbers of ranks that files may be for
  std::optional<Written<MessageSizes>> sizes = {};  // of the messages for which plans are judged

  std::size_t offset = 0;                                   // of the check in the file
  std::size_t line = 1;                                     // of the check, from 1
  std::map<std::string, std::size_t, std::less<>> at = {};  // by key: of its value, which may be a default; and of
                                                            // each limit, by its text

  /// Does the schedule come from outside, and so name its collective itself?
  bool is_foreign() const { return is_about_files() || kind == SubjectKind::command; }

  bool is_about_files() const { return kind == SubjectKind::file || kind == SubjectKind::files; }
};

/// The checks of a file, each with a name of its own.
struct Checks {
  std::string name;  // the file's name, as the user gave it
  std::string text;
  std::vector<Check> checks = {};

  /// The line of a check's key or limit; that of the check itself if it lacks the key.
  std::size_t line_of(const Check& check, std::string_view key) const;

  /// The error `message` in the file, at that place; at that of the key which the message begins with, as "--root: ..".
  tl::unexpected<Failure> error(const Check& check, std::string_view key, std::string_view message) const;
};

}  // namespace onceover::units
