#include "verifier/counterexample.h"

#include <fmt/format.h>

#include <tuple>

namespace onceover::verifier {

namespace {

std::string path_text(const Counterexample::Path& path) {
  std::string text = fmt::format("rank {}", path.front().src);
  for (const auto& leg : path) text += fmt::format(" -> {} at step {}", leg.dst, leg.step);
  return text;
}

std::string own_path_text(Rank rank, const Counterexample::Path& path) {
  return path.empty() ? fmt::format("rank {}'s own, held from the start", rank) : path_text(path);
}

std::string replaced_text(const Counterexample& c) {
  const Rank on = *c.replaced_on;
  const bool is_here = on == c.rank;
  return fmt::format("it was {} ({}) until a copy from rank {} replaced it{} at step {}",
                     is_here ? "there" : fmt::format("on rank {}", on), own_path_text(on, c.paths.front()),
                     *c.replaced_by, is_here ? "" : " there", *c.step);
}

std::vector<std::string> describe_duplicate(const Counterexample& c) {
  const std::string times = c.times == 2                      ? "twice"
                            : c.times >= Counterexample::many ? fmt::format("at least {} times", c.times)
                                                              : fmt::format("{} times", c.times);
  std::vector<std::string> lines{
      fmt::format("rank {} ends with rank {}'s contribution to block {} {}", c.rank, *c.contributor, c.block, times)};
  for (std::size_t k = 0; k < c.paths.size(); ++k)
    lines.push_back(fmt::format("way {}: {}", k + 1, own_path_text(c.rank, c.paths[k])));
  if (c.times > c.paths.size()) lines.push_back(fmt::format("and {} more ways", c.times - c.paths.size()));
  return lines;
}

std::vector<std::string> describe_missing(const Counterexample& c) {
  std::vector<std::string> lines{
      fmt::format("rank {} ends without rank {}'s contribution to block {}", c.rank, *c.contributor, c.block)};
  if (c.replaced_by)
    lines.push_back(replaced_text(c));
  else if (c.paths.empty())
    lines.push_back(fmt::format("it never leaves rank {}", *c.contributor));
  else
    lines.push_back(fmt::format("it comes as far as: {}", path_text(c.paths.front())));
  if (c.step && !c.replaced_by)
    lines.push_back(fmt::format("but rank {} sent block {} on without it, at step {}", c.paths.front().back().dst,
                                c.block, *c.step));
  return lines;
}

std::string transfer_text(const Counterexample::Path& path) {
  return fmt::format("rank {} -> {}", path.front().src, path.front().dst);
}

std::vector<std::string> describe_gap(const Counterexample& c) {
  return {fmt::format("block {}: what rank {} sends rank {} at step {} joins {} with {}, which are no neighbours",
                      c.block, *c.other_rank, c.rank, *c.step, c.shown[0], c.shown[1])};
}

std::vector<std::string> describe_different(const Counterexample& c) {
  std::vector<std::string> lines{fmt::format("the ranks end with {} different sums of block {}", c.times, c.block),
                                 fmt::format("rank {}: {}", c.rank, c.shown[0]),
                                 fmt::format("rank {}: {}", *c.other_rank, c.shown[1])};
  if (c.shown.size() == 4)
    lines.push_back(
        fmt::format("only rank {} adds up {}, only rank {} adds up {}", c.rank, c.shown[2], *c.other_rank, c.shown[3]));
  return lines;
}

std::vector<std::string> describe_scattered(const Counterexample& c) {
  std::vector<std::string> lines{"no order of the blocks makes these messages one run each"};
  lines.insert(lines.end(), c.shown.begin(), c.shown.end());
  return lines;
}

}  // namespace

bool Counterexample::simpler_than(const Counterexample& other) const {
  auto weight = [](const Counterexample& c) {
    std::size_t moves = 0;
    for (const Path& path : c.paths) moves += path.size();
    const bool is_unexplained = c.kind == Kind::missing && !c.paths.empty() && !c.step;
    const int made_at = c.kind == Kind::missing ? c.final_step.value_or(-1) : 0;
    return std::tuple(!c.is_destroyed, is_unexplained, c.is_destroyed ? *c.step : made_at, !c.replaced_by, moves);
  };
  return weight(*this) < weight(other);
}

std::string_view name(Counterexample::Kind kind) {
  switch (kind) {
    case Counterexample::Kind::duplicate:
      return "duplicate";
    case Counterexample::Kind::missing:
      return "missing";
    case Counterexample::Kind::not_held:
      return "not-held";
    case Counterexample::Kind::conflict:
      return "conflict";
    case Counterexample::Kind::self_transfer:
      return "self-transfer";
    case Counterexample::Kind::out_of_range:
      return "out-of-range";
    case Counterexample::Kind::gap:
      return "gap";
    case Counterexample::Kind::different:
      return "different";
    case Counterexample::Kind::already_held:
      return "already-held";
    case Counterexample::Kind::unused:
      return "unused";
    case Counterexample::Kind::ports:
      return "ports";
    case Counterexample::Kind::staging:
      return "staging";
    case Counterexample::Kind::scattered:
      return "scattered";
    case Counterexample::Kind::wrong_source:
      return "wrong-source";
    case Counterexample::Kind::unset:
      return "unset";
    case Counterexample::Kind::no_slot:
      return "no-slot";
    case Counterexample::Kind::starved:
      return "starved";
    case Counterexample::Kind::deadlock:
      return "deadlock";
    case Counterexample::Kind::race:
      return "race";
    case Counterexample::Kind::overwritten:
      return "overwritten";
  }
  return "";
}

std::vector<std::string> describe(const Counterexample& c) {
  if (!c.sentences.empty()) return c.sentences;
  switch (c.kind) {
    case Counterexample::Kind::duplicate:
      return describe_duplicate(c);
    case Counterexample::Kind::missing:
      return describe_missing(c);
    case Counterexample::Kind::not_held: {
      const auto& leg = c.paths.front().front();
      if (leg.src == c.rank)
        return {fmt::format("at step {} rank {} sends block {} to rank {} but holds none of it", leg.step, leg.src,
                            c.block, leg.dst)};
      return {fmt::format("at step {} rank {} reduces block {} from rank {} into nothing: it holds none of it",
                          leg.step, leg.dst, c.block, leg.src)};
    }
    case Counterexample::Kind::conflict:
      return {fmt::format("at step {} two transfers write block {} on rank {}, one of them a copy", *c.step, c.block,
                          c.rank),
              transfer_text(c.paths[0]), transfer_text(c.paths[1])};
    case Counterexample::Kind::self_transfer:
      return {fmt::format("at step {} rank {} sends block {} to itself", *c.step, c.rank, c.block)};
    case Counterexample::Kind::out_of_range:
      return {fmt::format("at step {} a transfer names rank {} and block {}, which aren't both there", *c.step, c.rank,
                          c.block)};
    case Counterexample::Kind::gap:
      return describe_gap(c);
    case Counterexample::Kind::different:
      return describe_different(c);
    case Counterexample::Kind::already_held:
      return {fmt::format("at step {} rank {} sends rank {} a value of block {} that it already holds", *c.step,
                          *c.other_rank, c.rank, c.block)};
    case Counterexample::Kind::unused:
      return {fmt::format("at step {} rank {} sends block {} to rank {}, and nobody uses it", *c.step, *c.other_rank,
                          c.block, c.rank)};
    case Counterexample::Kind::ports:
      return {fmt::format("at step {} rank {} {} {} messages; asked for: at most {}", *c.step, c.rank, c.shown[0],
                          c.times, c.allowed)};
    case Counterexample::Kind::staging:
      return {fmt::format("after step {} rank {} holds {} blocks for others; asked for: at most {}", *c.step, c.rank,
                          c.times, c.allowed)};
    case Counterexample::Kind::scattered:
      return describe_scattered(c);
    default:  // told above
      break;
  }
  return {};
}

}  // namespace onceover::verifier
