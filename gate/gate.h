// What a gate file says: checks, each a subject with what is asked of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.h"
#include "subjects/measures.h"
#include "subjects/network_options.h"
#include "subjects/option_values.h"

namespace onceover::gate {

/// What a check is about.
enum class SubjectKind : std::uint8_t { algorithms, file, command, formula };

/// Rows of a table by name, or all of them.
template <class Row>
struct Choices {
  std::vector<Row> named = {};
  bool all = false;

  bool are_given() const { return all || !named.empty(); }
};

/// A check with the defaults filled in. What isn't given is as the command line would have it.
struct Check {
  std::string name;
  SubjectKind kind = SubjectKind::algorithms;
  Choices<const Algorithm*> algorithms = {};
  std::string file = {};
  std::string command = {};
  std::optional<Formula> peer = {};
  std::optional<Formula> steps = {};
  std::optional<RankList> ranks = {};
  std::vector<Shape> tori = {};
  std::optional<Lanes> lanes = {};
  Choices<Collective> collectives = {};             // of a file or command one name at most
  std::vector<std::vector<Setting>> settings = {};  // versions of the algorithm
  std::vector<std::string> required = {};
  std::vector<Limit> limits = {};
  NetworkOptions network = {};
  std::uint64_t budget = 0;                // 0: as the command line has it
  int timeout = 0;                         // seconds that a command may run; 0: as the command line has it
  std::optional<std::uint32_t> fifo = {};  // messages that a connection of a program holds

  std::size_t offset = 0;                                   // of the check in the file
  std::size_t line = 1;                                     // the same, as a person counts
  std::map<std::string, std::size_t, std::less<>> at = {};  // of the value of each key, which may be a default, and
                                                            // of each limit, under its text

  /// A schedule that comes from outside, and says itself which collective it is for.
  bool is_foreign() const { return kind == SubjectKind::file || kind == SubjectKind::command; }

  bool mentions(Metric::Source source) const;
};

/// A gate file, read. At least one check, each with a name of its own.
struct Gate {
  std::string name;  // of the file, as the user gave it
  std::string text;
  std::vector<Check> checks = {};

  /// The line of a key of the check, or of a limit; of the check itself where it hasn't got that.
  std::size_t line_of(const Check& check, std::string_view key) const;

  /// The error `message` in the file, at that place.
  tl::unexpected<Failure> error(const Check& check, std::string_view key, std::string_view message) const;
};

/// Reads the text of a gate file called `name`. What is wrong is said with line and column, and is a usage error.
Result<Gate> read_gate(const std::string& name, const std::string& text);

/// The checks as a gate file that says the same without defaults.
std::string config_text(const Gate& gate);

}  // namespace onceover::gate
