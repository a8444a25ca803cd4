// What the options of subjects and networks may be: a type each, and the one parser of its text. The command line and
// gate files read them alike, once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.h"
#include "network/routing.h"
#include "network/topology.h"
#include "schedules/catalogue.h"
#include "schedules/formula.h"

namespace onceover::subjects {

/// A value, and how the user wrote it, to be told again.
template <class T>
struct Written {
  T value;
  std::string text;
};

/// What an option was found to be, nothing where it wasn't given. A mistake in it is told by who needs the value, after
/// what has to be told before: that a file is malformed, say.
template <class T>
using Later = Result<std::optional<T>>;

/// Was the option given, with a value or with a mistake?
template <class T>
bool is_given(const Later<T>& option) {
  return !option || option->has_value();
}

/// The sides of a torus; a line has one.
using Shape = std::vector<Rank>;

/// "4x6".
std::string torus_text(const Shape& sides);

/// Numbers of ranks, ascending.
using RankList = Written<std::vector<Rank>>;

enum class Lanes : std::uint8_t { one, all };

/// "1" or "all".
std::string_view name(Lanes lanes);

inline constexpr std::array routings{Routing::minimal, Routing::ecmp, Routing::dimension_order};

/// Messages that a connection of a program may be said to hold.
inline constexpr std::uint32_t deepest_fifo = 1'000'000;

/// A parameter of an algorithm.
struct Setting {
  std::string name;
  std::string value;

  std::string text() const { return name + "=" + value; }
  friend bool operator==(const Setting&, const Setting&) = default;
};

/// Settings by their names. O(n log n).
std::map<std::string, std::string, std::less<>> by_name(const std::vector<Setting>& settings);

/// --topology: one of the table with its settings, or the name of a file. Which of them a name is that the table
/// doesn't have, the files say.
struct TopologyChoice {
  std::string text = "torus";
  tl::expected<TopologyRequest, std::string> request = TopologyRequest{.name = "torus", .shape = {}};

  /// Does the table have it?
  bool is_known() const;
};

/// "swing": a row of the catalogue.
Result<const Algorithm*> parse_algorithm(const std::string& text);

/// "ring,swing": rows of the catalogue, each once, in that order; none where the text is empty.
Result<std::vector<const Algorithm*>> parse_algorithms(const std::string& text);

/// What is compared: contenders separated by commas, versions of one joined by +.
using Contenders = std::vector<std::vector<const Algorithm*>>;

/// "ring,swing+swing-latency"; none where the text is empty.
Result<Contenders> parse_contenders(const std::string& text);

/// "7", "2..64", "3,5,7", "8..64:8", "2^1..2^14".
Result<RankList> parse_ranks(const std::string& text);

/// One of the names of --require.
Result<std::string> parse_required(const std::string& text);

/// "4x6": the sides of --torus.
Result<Shape> parse_torus(const std::string& text);

/// "1" or "all".
Result<Lanes> parse_lanes(const std::string& text);

/// "allreduce".
Result<Collective> parse_collective(const std::string& text);

/// "name=value".
Result<Setting> parse_setting(const std::string& text);

/// The formulas of --peer and --peer-steps; as options, and with the place of a mistake.
tl::expected<Formula, SourceError> read_peer_formula(std::string_view text);
tl::expected<Formula, SourceError> read_steps_formula(std::string_view text);
Result<Formula> parse_peer(const std::string& text);
Result<Formula> parse_steps(const std::string& text);

/// "torus", "fat-tree:radix=16", or a file.
TopologyChoice topology_choice(const std::string& text);
Result<TopologyChoice> parse_topology_choice(const std::string& text);

/// "minimal", "ecmp", "dimension-order".
Result<Routing> parse_routing(const std::string& text);

/// --network-ports: a whole number from 1 to 1024.
Result<Written<double>> parse_ports(const std::string& text);

/// A number from `least` to `most`, or a usage error that names the flag.
Result<double> parse_number(std::string_view flag, const std::string& text, double least, double most);

/// Parses the number of a flag, from `least` to 10^12.
struct NumberParser {
  std::string_view flag;
  double least;

  Result<Written<double>> operator()(const std::string& text) const;
};

/// A time such as "60s" or "5m", in seconds: a whole number from 1 s to 24 h, or a usage error that names the flag.
Result<int> parse_seconds(std::string_view flag, const std::string& text);

/// The time of --exec-time-limit, in seconds.
Result<int> parse_exec_time_limit(const std::string& text);

/// --fifo: messages that a connection of a program holds.
Result<std::uint32_t> parse_fifo(const std::string& text);

}  // namespace onceover::subjects
