// The types and parsers of the options of subjects and networks. The command line and gate files use the same ones.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "network/routing.h"
#include "network/topology.h"
#include "schedules/catalogue.h"
#include "schedules/peer_schedule.h"
#include "verifier/verify.h"

namespace onceover::subjects {

/// A value, and how the user wrote it, for messages.
template <class T>
struct Written {
  T value;
  std::string text;
};

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

/// The most messages that --fifo lets a program's connection hold.
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

/// The value of --topology: a topology of the table with its settings, or a file. If the table lacks the name,
/// `is_file` in network_plan.cpp decides whether it is a file.
struct TopologyChoice {
  std::string text = "torus";
  tl::expected<TopologyRequest, std::string> request = TopologyRequest{.name = "torus", .shape = {}};

  /// Does the table have it?
  bool is_known() const;
};

/// Parse "ring,swing" into rows of the catalogue, each once, in that order; and "swing", for commands that take one.
Result<std::vector<const Algorithm*>> parse_algorithms(const std::string& text);
Result<std::vector<const Algorithm*>> parse_one_algorithm(const std::string& text);

/// "ring,swing".
std::string names_text(const std::vector<const Algorithm*>& rows);

/// Contenders separated by commas; versions of a contender joined by +.
using Contenders = std::vector<std::vector<const Algorithm*>>;

/// Parses "ring,swing+swing-latency", each once.
Result<Contenders> parse_contenders(const std::string& text);

/// Parses "7", "2..64", "3,5,7", "8..64:8", "2^1..2^14".
Result<RankList> parse_ranks(const std::string& text);

/// Parses one of the names of --require.
Result<std::string> parse_required(const std::string& text);
Result<std::string> parse_waived(const std::string& text);

/// Parses "4x6", the sides of --torus, two or more.
Result<Shape> parse_torus(const std::string& text);

/// Adds the tori of a list "4x6,2x2"; none may be there twice.
Result<void> parse_tori(const std::string& text, std::vector<Shape>& tori);

/// Parses "1" or "all".
Result<Lanes> parse_lanes(const std::string& text);

/// Parses "allreduce".
Result<Collective> parse_collective(const std::string& text);

/// --collective of a subject. "none" is about plans of MSCCL++ whose collective isn't known: their data isn't required.
struct AskedCollective : std::optional<Collective> {
  using std::optional<Collective>::optional;
  bool is_none = false;
};

/// Parses "allreduce" or "none".
Result<AskedCollective> parse_asked_collective(const std::string& text);

/// Parses the rank of --root.
Result<Rank> parse_root(const std::string& text);

/// Parses "name=value".
Result<Setting> parse_setting(const std::string& text);

/// Parse the formulas of --peer and --peer-steps: with the place of a mistake, and as options.
tl::expected<Formula, SourceError> read_peer_formula(std::string_view text);
tl::expected<Formula, SourceError> read_steps_formula(std::string_view text);
Result<Formula> parse_peer(const std::string& text);
Result<Formula> parse_steps(const std::string& text);

/// Parses "apart" or "as-written", of --odd.
Result<OddRanks> parse_odd(const std::string& text);

/// Parse "torus", "fat-tree:radix=16", or a file.
TopologyChoice topology_choice(const std::string& text);
Result<TopologyChoice> parse_topology_choice(const std::string& text);

/// Parses "minimal", "ecmp" or "dimension-order".
Result<Routing> parse_routing(const std::string& text);

/// Parses --network-ports, a whole number from 1 to 1024.
Result<Written<double>> parse_ports(const std::string& text);

/// Parses a number from `least` to `most`; the usage error names the option.
Result<double> parse_number(std::string_view flag, const std::string& text, double least, double most);

/// Parses the number of an option, from `least` to 10^12.
struct NumberParser {
  std::string_view flag;
  double least;

  Result<Written<double>> operator()(const std::string& text) const;
};

/// Parses a time such as "60s" or "5m" into seconds, from 1 s to 24 h; the usage error names the option.
Result<int> parse_seconds(std::string_view flag, const std::string& text);

/// Parses the time of --exec-time-limit into seconds.
Result<int> parse_exec_time_limit(const std::string& text);

/// Parses --fifo: how many messages a connection of a program holds.
Result<std::uint32_t> parse_fifo(const std::string& text);

/// "; 1Mi is 1048576 bytes, 1MB would be 1000000", if the text is a number with a decimal unit, else "".
std::string hint_at_units(std::string_view text);

/// Parses the bytes of a vector: 4096, 2Ki, 16Mi, 1GiB.
Result<std::uint64_t> parse_vector_bytes(const std::string& text);

/// Parses --sizes: sizes of messages in bytes, "1Mi", "1Ki..64Mi", "..64Mi" or "1Ki..".
Result<Written<MessageSizes>> parse_message_sizes(const std::string& text);

}  // namespace onceover::subjects
