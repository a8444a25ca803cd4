#include "subjects/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/lexical_cast.hpp>
#include <charconv>
#include <cmath>

#include "base/resource_limits.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "schedules/peer_schedule.h"
#include "subjects/rank_list.h"

namespace onceover::subjects {

namespace {

/// The most sides of a torus, as many as the largest machines have. Patterns multiply with each odd side.
constexpr std::size_t most_dimensions = 6;

tl::unexpected<Failure> no_name(const std::string& text) {
  return usage_error(text.empty() ? "--algo: expected the name of an algorithm, found nothing; see 'verify list'"
                                  : fmt::format("--algo: expected names in '{}', found none between two commas", text));
}

Result<const Algorithm*> parse_algorithm(std::string_view text) {
  if (const Algorithm* row = find_algorithm(text)) return row;
  return usage_error(fmt::format("--algo: no algorithm '{}'{} (see 'verify list')", text,
                                 suggestion(text, mapped(catalogue(), &Algorithm::name))));
}

Result<Formula> as_option(tl::expected<Formula, SourceError> formula) {
  if (!formula) return usage_error(formula.error().render());
  return *std::move(formula);
}

}  // namespace

std::string torus_text(const Shape& sides) {
  return fmt::format("{}", fmt::join(sides, "x"));
}

std::string_view name(Lanes lanes) {
  return lanes == Lanes::all ? "all" : "1";
}

std::map<std::string, std::string, std::less<>> by_name(const std::vector<Setting>& settings) {
  std::map<std::string, std::string, std::less<>> values;
  for (const Setting& setting : settings) values.emplace(setting.name, setting.value);
  return values;
}

Result<std::vector<const Algorithm*>> parse_algorithms(const std::string& text) {
  std::vector<const Algorithm*> rows;
  for (const std::string_view name : split(text, ',')) {
    if (name.empty()) return no_name(text);
    const auto row = TRY(parse_algorithm(name));
    add_new(rows, row);
  }
  return rows;
}

Result<std::vector<const Algorithm*>> parse_one_algorithm(const std::string& text) {
  if (text.find(',') != std::string::npos)
    return usage_error(fmt::format("--algo: this command takes one algorithm, found '{}'; run it once for each", text));
  return parse_algorithms(text);
}

std::string names_text(const std::vector<const Algorithm*>& rows) {
  return fmt::format("{}", fmt::join(mapped(rows, &Algorithm::name), ","));
}

Result<Contenders> parse_contenders(const std::string& text) {
  Contenders contenders;
  for (const std::string_view group : split(text, ',')) {
    if (group.empty()) return no_name(text);
    std::vector<const Algorithm*> versions;
    for (const std::string_view version : split(group, '+')) {
      const auto row = TRY(parse_algorithm(version));
      add_new(versions, row);
    }
    add_new(contenders, std::move(versions));
  }
  return contenders;
}

Result<RankList> parse_ranks(const std::string& text) {
  auto ranks = TRY(parse_rank_list(text));
  return RankList{std::move(ranks), text};
}

Result<std::string> parse_required(const std::string& text) {
  if (text.empty()) return usage_error("--require: expected the name of a property, found nothing");
  return text;
}

Result<std::string> parse_waived(const std::string& text) {
  if (text.empty()) return usage_error("--waive: expected the name of a property, found nothing");
  return text;
}

Result<Shape> parse_torus(const std::string& text) {
  Shape shape;
  std::int64_t product = 1;
  for (const std::string_view part : split(text, 'x')) {
    const auto side = parse_whole<std::int64_t>(part);
    if (!side || *side < 1 || *side > max_ranks)
      return usage_error(fmt::format("--torus: expected sides like 4x6 or 2x4x8, found '{}'", text));
    product = std::min<std::int64_t>(product * *side, std::int64_t{max_ranks} + 1);
    shape.push_back(static_cast<Rank>(*side));
  }
  if (product > max_ranks || shape.size() > most_dimensions)
    return usage_error(fmt::format("--torus: {} has more than {} ranks or {} sides", text, max_ranks, most_dimensions));
  if (shape.size() == 1)
    return usage_error(
        fmt::format("--torus: '{0}' is one side. {1}x{1} is a torus; {1},{1} would be two rings of {1}; a "
                    "line of {1} ranks is --p {1}",
                    text, shape.front()));
  return shape;
}

Result<void> parse_tori(const std::string& text, std::vector<Shape>& tori) {
  for (const std::string_view item : split(text, ',')) {
    const Shape shape = TRY(parse_torus(std::string(item)));
    if (!add_new(tori, shape)) return usage_error(fmt::format("--torus: {} is there twice", torus_text(shape)));
  }
  return {};
}

Result<Lanes> parse_lanes(const std::string& text) {
  for (const Lanes lanes : {Lanes::one, Lanes::all})
    if (name(lanes) == text) return lanes;
  return usage_error(fmt::format("--lanes: expected 1 or all, found '{}'", text));
}

Result<OddRanks> parse_odd(const std::string& text) {
  for (const OddRanks odd : odd_ranks)
    if (name(odd) == text) return odd;
  return usage_error(fmt::format("--odd: expected apart or as-written, found '{}'", text));
}

Result<Collective> parse_collective(const std::string& text) {
  if (const auto collective = collective_named(text)) return *collective;
  return no_such("--collective: no collective", text, mapped(contracts, &Contract::name));
}

Result<AskedCollective> parse_asked_collective(const std::string& text) {
  AskedCollective asked;
  asked.is_none = text == "none";
  if (!asked.is_none) asked.emplace(TRY(parse_collective(text)));
  return asked;
}

Result<Rank> parse_root(const std::string& text) {
  if (const auto root = parse_whole<Rank>(text); root && *root >= 0) return *root;
  return usage_error(fmt::format("--root: expected a rank, found '{}'", text));
}

Result<Setting> parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return usage_error(fmt::format("--set: expected name=value, found '{}'", text));
  return Setting{text.substr(0, equals), text.substr(equals + 1)};
}

tl::expected<Formula, SourceError> read_peer_formula(std::string_view text) {
  return Formula::parse("--peer", text, peer_variables());
}

tl::expected<Formula, SourceError> read_steps_formula(std::string_view text) {
  return Formula::parse("--peer-steps", text, steps_variables());
}

Result<Formula> parse_peer(const std::string& text) {
  return as_option(read_peer_formula(text));
}

Result<Formula> parse_steps(const std::string& text) {
  return as_option(read_steps_formula(text));
}

bool TopologyChoice::is_known() const {
  const std::string_view topology = std::string_view(text).substr(0, text.find(':'));
  const auto rows = topologies();
  return std::any_of(rows.begin(), rows.end(), [&](const Topology& row) { return row.name == topology; });
}

TopologyChoice topology_choice(const std::string& text) {
  return {text, parse_topology(text)};
}

Result<TopologyChoice> parse_topology_choice(const std::string& text) {
  return topology_choice(text);
}

Result<Routing> parse_routing(const std::string& text) {
  for (const Routing r : routings)
    if (name(r) == text) return r;
  return no_such("--routing: no routing", text, mapped(routings, [](Routing r) { return name(r); }));
}

Result<Written<double>> parse_ports(const std::string& text) {
  auto ports = NumberParser{"--network-ports", 1}(text);
  if (!ports || ports->value != std::floor(ports->value) || ports->value > 1024)
    return usage_error(fmt::format("--network-ports: expected a whole number from 1 to 1024, found '{}'", text));
  return ports;
}

Result<double> parse_number(std::string_view flag, const std::string& text, double least, double most) {
  double value = 0;
  if (!boost::conversion::try_lexical_convert(text, value) || !std::isfinite(value) || value < least || value > most)
    return usage_error(fmt::format("{}: expected a number from {} to {}, found '{}'", flag, least, most, text));
  return value;
}

Result<Written<double>> NumberParser::operator()(const std::string& text) const {
  const auto number = TRY(parse_number(flag, text, least, 1e12));
  return Written<double>{number, text};
}

Result<int> parse_seconds(std::string_view flag, const std::string& text) {
  constexpr std::chrono::hours longest(24);
  const auto time = parse_time_limit(text);
  if (!time || *time < std::chrono::seconds(1) || *time > longest || time->count() % 1000 != 0)
    return usage_error(
        fmt::format("{}: expected a time from 1s to 24h in whole seconds, such as 60s or 5m, found '{}'", flag, text));
  return static_cast<int>(time->count() / 1000);
}

Result<int> parse_exec_time_limit(const std::string& text) {
  return parse_seconds("--exec-time-limit", text);
}

Result<std::uint32_t> parse_fifo(const std::string& text) {
  const auto depth = parse_whole<std::uint32_t>(text);
  if (!depth || *depth > deepest_fifo)
    return usage_error(fmt::format("--fifo: expected 0 to {}, found '{}'", deepest_fifo, text));
  return *depth;
}

namespace {

/// "32", "2Ki", "512Mi", "4GiB"; nothing beyond 64 bits.
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  int shift = 0;
  if (text.ends_with("iB")) text.remove_suffix(1);
  for (const auto& [unit, by] : {std::pair<std::string_view, int>{"Ki", 10}, {"Mi", 20}, {"Gi", 30}})
    if (text.ends_with(unit)) {
      text.remove_suffix(unit.size());
      shift = by;
    }
  const auto number = parse_whole<std::uint64_t>(text);
  if (!number || *number > (UINT64_MAX >> shift)) return std::nullopt;
  return *number << shift;
}

}  // namespace

std::string hint_at_units(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view unit = text.substr(digits);
  if (unit.ends_with('B') || unit.ends_with('b')) unit.remove_suffix(1);
  constexpr std::string_view units = "KMG";
  const std::size_t place = unit == "k" ? 0 : unit.size() == 1 ? units.find(unit) : std::string_view::npos;
  const auto number = parse_whole<std::uint32_t>(text.substr(0, digits));
  if (!number || *number == 0 || place == std::string_view::npos) return "";
  std::uint64_t decimal = *number;
  for (std::size_t k = 0; k <= place; ++k) decimal *= 1000;
  return fmt::format("; {0}{1}i is {2} bytes, {3} would be {4}", *number, units[place],
                     std::uint64_t{*number} << (10 * (place + 1)), text, decimal);
}

Result<std::uint64_t> parse_vector_bytes(const std::string& text) {
  const auto number = parse_bytes(text);
  if (number && *number >= 1 && *number <= 1'000'000'000'000'000'000) return *number;
  return usage_error(fmt::format("--bytes: expected a number of bytes, such as 4096 or 1Mi, up to 10^18, found '{}'{}",
                                 text, hint_at_units(text)));
}

Result<Written<MessageSizes>> parse_message_sizes(const std::string& text) {
  constexpr std::string_view dots = "..";
  const std::size_t at = text.find(dots);
  const std::string first = text.substr(0, at);
  const std::string last = at == std::string::npos ? first : text.substr(at + dots.size());
  const bool is_any = at != std::string::npos;
  const auto least = is_any && first.empty() ? std::optional<std::uint64_t>(0) : parse_bytes(first);
  const auto most = is_any && last.empty() ? std::optional<std::uint64_t>(UINT64_MAX) : parse_bytes(last);
  if (!least || !most || *least > *most || (first.empty() && last.empty()))
    return usage_error(fmt::format("--sizes: expected bytes such as 1Mi, 1Ki..64Mi, ..64Mi or 1Ki.., found '{}'{}",
                                   text, hint_at_units(text)));
  return Written<MessageSizes>{{*least, *most}, text};
}

}  // namespace onceover::subjects
