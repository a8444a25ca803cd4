// All counterexamples of schedules become text here: a line with what is wrong, then lines with why. Each kind of fault
// has one function.
//
//   rank 2 ends with rank 0's contribution to block 1 twice
//   way 1: rank 0 -> 2 at step 0                              (and so on: its paths through the steps)

#include "verifier/counterexample.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace onceover::verifier {

namespace {

using Wrong = Counterexample;

/// "3", "3's block 5": a rank, and the block if it isn't the one that the counterexample is about.
std::string cell_text(Rank rank, std::optional<Block> block, const Names& names) {
  if (!block) return names.rank(rank);
  return fmt::format("{}{} {}", names.rank(rank), names.place(rank).empty() ? "'s block" : ", block", *block);
}

/// "-> 3 at step 1": a move of a path.
std::string leg_text(const Wrong::Leg& leg, const Names& names) {
  return fmt::format("-> {} at step {}", cell_text(leg.dst, leg.into, names), names.step(leg.step));
}

std::string path_text(const Wrong::Path& path, const Names& names) {
  std::string text = "rank " + names.rank(path.front().src);
  for (const auto& leg : path) text += " " + leg_text(leg, names);
  return text;
}

class Teller {
 public:
  explicit Teller(const Counterexample& counterexample) : c_(counterexample) {}

  std::vector<std::string> lines() {
    std::visit(*this, c_.what);
    if (!c_.owners.empty()) tell("it would pass with \"owners\": [{}]", shown_owners());
    for (const std::string& way : c_.ways) tell("this happens {}", way);
    if (const auto* told = std::get_if<Wrong::Told>(&c_.what)) tell_all(told->remedies);
    return std::move(lines_);
  }

  void operator()(const Wrong::Duplicate& it) {
    tell("rank {} ends with {} {}", rank(c_.rank), contribution(it.contributor), times_text(it.times));
    for (std::size_t k = 0; k < it.paths.size(); ++k) tell_way(k + 1, it.paths[k]);
    if (!it.paths.empty() && it.times > it.paths.size()) tell("and {} more ways", it.times - it.paths.size());
  }

  void operator()(const Wrong::Missing& it) {
    tell("rank {} ends without {}", rank(c_.rank), contribution(it.contributor));
    if (it.replaced_by) return tell_replacement(it);
    if (it.paths.empty())
      tell("it never leaves rank {}", rank(it.contributor));
    else
      tell("it comes as far as: {}", path_text(it.paths.front(), c_.names));
    if (c_.step)
      tell("but rank {} sent {} on without it, at step {}", rank(it.paths.front().back().dst), block(), step(*c_.step));
  }

  void operator()(const Wrong::WrongSource& it) {
    tell("rank {} ends with {} to block {} in {}", rank(c_.rank), of(it.contributor, "contribution"), it.other_block,
         block());
  }

  void operator()(const Wrong::Misplaced& it) {
    if (it.owner)
      tell("rank {} ends with the whole of block {}, which is rank {}'s, and not of {}, its own", rank(c_.rank),
           it.held, rank(*it.owner), block());
    else
      tell("rank {} ends with the whole of block {} in the place of {}", rank(c_.rank), it.held, block());
    tell_all(it.shown);
  }

  void operator()(const Wrong::NotHeld& it) {
    const auto& [at, src, dst, into] = it.leg;
    if (src == c_.rank)
      tell("at step {} rank {} sends {} to rank {} but holds none of it", step(at), rank(src), block(), rank(dst));
    else
      tell("at step {} rank {} reduces {} from rank {} into nothing: it holds none of it", step(at), rank(dst), block(),
           rank(src));
  }

  void operator()(const Wrong::Conflict& it) {
    if (it.is_clash)
      tell("at step {} two copies of the same value write {} on rank {}", step(*c_.step), block(), rank(c_.rank));
    else
      tell("at step {} two transfers write {} on rank {}, one of them a copy", step(*c_.step), block(), rank(c_.rank));
    for (const Wrong::Leg& leg : {it.leg, it.other}) tell("rank {} -> {}", rank(leg.src), rank(leg.dst));
  }

  void operator()(const Wrong::SelfTransfer&) {
    tell("at step {} rank {} sends {} to itself", step(*c_.step), rank(c_.rank), block());
  }

  void operator()(const Wrong::OutOfRange&) {
    tell("at step {} a transfer names rank {} and block {}; there is no such rank or no such block", step(*c_.step),
         rank(c_.rank), *c_.block);
  }

  void operator()(const Wrong::Gap& it) {
    tell("{}: what rank {} sends rank {} at step {} joins {} with {}, which aren't neighbours", block(),
         rank(it.other_rank), rank(c_.rank), step(*c_.step), it.shown[0], it.shown[1]);
  }

  void operator()(const Wrong::Different& it) {
    tell("the ranks end with {} different sums of {}", it.times, block());
    for (std::size_t k = 0; k < 2; ++k) tell("rank {}: {}", rank(k == 0 ? c_.rank : it.other_rank), it.shown[k]);
    if (it.shown.size() == 4)
      tell("only rank {} adds up {}, only rank {} adds up {}", rank(c_.rank), it.shown[2], rank(it.other_rank),
           it.shown[3]);
  }

  void operator()(const Wrong::AlreadyHeld& it) {
    tell("at step {} rank {} sends rank {} a value of {} that it already holds", step(*c_.step), rank(it.other_rank),
         rank(c_.rank), block());
  }

  void operator()(const Wrong::Unused& it) {
    tell("at step {} rank {} sends {} to rank {}, and nobody uses it", step(*c_.step), rank(it.other_rank), block(),
         rank(c_.rank));
  }

  void operator()(const Wrong::Ports& it) {
    tell("at step {} rank {} {} {} messages; the limit is {}", step(*c_.step), rank(c_.rank), it.shown[0], it.times,
         it.allowed);
  }

  void operator()(const Wrong::Staging& it) {
    tell("after step {} rank {} holds {} blocks for others; the limit is {}", step(*c_.step), rank(c_.rank), it.times,
         it.allowed);
  }

  void operator()(const Wrong::NotEmptied& it) {
    if (it.is_sum)
      tell("at step {} rank {} begins to add up more for rank {}, while what it added up before leaves at step {}",
           step(*c_.step), rank(c_.rank), rank(it.other_rank), step(it.until));
    else
      tell("at step {} rank {} gets more to pass on from rank {}, while the last of what came before leaves at step {}",
           step(*c_.step), rank(c_.rank), rank(it.other_rank), step(it.until));
  }

  void operator()(const Wrong::Scattered& it) {
    tell("no order of the blocks makes these messages one run each");
    tell_all(it.shown);
  }

  void operator()(const Wrong::Told& it) { tell_all(it.lines); }

 private:
  template <class... Parts>
  void tell(fmt::format_string<Parts...> format, Parts&&... parts) {
    lines_.push_back(fmt::format(format, std::forward<Parts>(parts)...));
  }

  void tell_all(const std::vector<std::string>& lines) { lines_.insert(lines_.end(), lines.begin(), lines.end()); }

  std::string shown_owners() const {
    constexpr std::size_t most = 64;
    const bool are_all = c_.owners.size() <= most;
    const auto shown = std::span(c_.owners).first(std::min(c_.owners.size(), most));
    return fmt::format("{}{}", fmt::join(shown, ", "), are_all ? "" : ", ..");
  }

  std::string rank(Rank rank) const { return c_.names.rank(rank); }
  std::string step(int step) const { return c_.names.step(step); }

  /// "rank 3's contribution", or "the contribution of rank 3 (node 1, gpu 1)".
  std::string of(Rank rank, std::string_view what) const {
    const std::string place = c_.names.place(rank);
    return place.empty() ? fmt::format("rank {}'s {}", rank, what)
                         : fmt::format("the {} of rank {} {}", what, rank, place);
  }

  std::string own_path(Rank on, const Wrong::Path& path) const {
    if (!path.empty()) return path_text(path, c_.names);
    return (c_.names.place(on).empty() ? fmt::format("rank {}'s own", on) : "its own") + ", held from the start";
  }

  /// A path: a line, or if ranks or steps have names, a line for each move.
  void tell_way(std::size_t number, const Wrong::Path& path) {
    if (path.empty() || c_.names.empty()) return tell("way {}: {}", number, own_path(c_.rank, path));
    tell("way {}: rank {}", number, rank(path.front().src));
    for (const Wrong::Leg& leg : path) tell("  {}", leg_text(leg, c_.names));
  }

  /// "block 5", or "block 0 -> 1" for an alltoall.
  std::string block() const { return "block " + (c_.route ? text(*c_.route) : std::to_string(*c_.block)); }

  /// The contributor's part of the block. A block of an alltoall is the data of one rank.
  std::string contribution(Rank contributor) const {
    return c_.route ? block() : fmt::format("{} to {}", of(contributor, "contribution"), block());
  }

  void tell_replacement(const Wrong::Missing& it) {
    const Rank on = *it.replaced_on;
    const bool is_here = on == c_.rank;
    tell("it was {} ({}) until a copy from rank {} replaced it{} at step {}",
         is_here && !it.replaced_in ? "there" : "on rank " + cell_text(on, it.replaced_in, c_.names),
         own_path(on, it.paths.front()), rank(*it.replaced_by), is_here ? "" : " there", step(*c_.step));
  }

  const Counterexample& c_;
  std::vector<std::string> lines_;
};

template <class It>
FaultKind kind_of(const It& it) {
  if constexpr (std::is_same_v<It, Wrong::Told>)
    return it.kind;
  else
    return {It::kind, It::noun};
}

}  // namespace

std::string_view Counterexample::kind() const {
  return std::visit([](const auto& it) { return kind_of(it).name; }, what);
}

std::string_view Counterexample::noun() const {
  return std::visit([](const auto& it) { return kind_of(it).noun; }, what);
}

Counterexample::Facts Counterexample::facts() const {
  if (const auto* told = std::get_if<Told>(&what)) return told->facts;
  Facts facts;
  auto take = [&](const auto& it) {
    if constexpr (requires { it.contributor; }) facts.contributor = it.contributor;
    if (facts.contributor) facts.times = 0;
    if constexpr (requires { it.times; })
      if (it.times > 0) facts.times = it.times;
    if constexpr (requires { it.allowed; }) facts.allowed = it.allowed;
    if constexpr (requires { it.held; }) facts.held = it.held;
    if constexpr (requires { it.other_rank; }) facts.other_rank = it.other_rank;
    if constexpr (requires { it.replaced_by; }) facts.replaced_by = it.replaced_by;
    if constexpr (requires { it.replaced_on; }) facts.replaced_on = it.replaced_on;
    if constexpr (requires { it.replaced_in; }) facts.replaced_in = it.replaced_in;
    if constexpr (requires { it.is_destroyed; }) facts.is_destroyed = it.is_destroyed;
    if constexpr (requires { it.paths; }) facts.paths = it.paths;
    if constexpr (requires { it.leg; }) facts.paths.push_back({it.leg});
    if constexpr (requires { it.other; }) facts.paths.push_back({it.other});
    if constexpr (requires { it.shown; }) facts.shown.assign(it.shown.begin(), it.shown.end());
  };
  std::visit(take, what);
  return facts;
}

bool Counterexample::simpler_than(const Counterexample& other) const {
  auto weight = [](const Counterexample& c) {
    const Facts facts = c.facts();
    std::size_t moves = 0;
    for (const Path& path : facts.paths) moves += path.size();
    const bool is_missing = std::holds_alternative<Missing>(c.what);
    const bool is_unexplained = is_missing && !facts.paths.empty() && !c.step;
    const int made_at = is_missing ? c.final_step.value_or(-1) : 0;
    return std::tuple(!facts.is_destroyed, is_unexplained, facts.is_destroyed ? *c.step : made_at, !facts.replaced_by,
                      moves);
  };
  return weight(*this) < weight(other);
}

std::optional<Counterexample::Route> route_of(const Header& header, Block block) {
  if (header.collective != Collective::alltoall || block < 0 || block >= header.blocks) return std::nullopt;
  Counterexample::Route route{header.origin(block), header.owner(block)};
  const std::int64_t pairs = std::int64_t{header.ranks} * header.ranks;
  if (header.blocks > pairs) route.part = static_cast<Block>(block / pairs);
  return route;
}

std::string text(const Counterexample::Route& route) {
  const std::string part = route.part ? fmt::format(" (part {})", *route.part) : "";
  return fmt::format("{} -> {}{}", route.source, route.destination, part);
}

std::string times_text(std::uint64_t times) {
  return times == 2                      ? "twice"
         : times >= Counterexample::many ? fmt::format("at least {} times", times)
                                         : fmt::format("{} times", times);
}

std::vector<std::string> describe(const Counterexample& counterexample) {
  return Teller(counterexample).lines();
}

}  // namespace onceover::verifier
