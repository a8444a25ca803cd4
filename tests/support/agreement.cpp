#include "agreement.h"

#include <fmt/format.h>

#include <algorithm>

#include "plain_schedule.h"
#include "reference_engine.h"

namespace onceover::support {

namespace {

const PropertyResult& property(const Report& report, std::string_view id) {
  return *std::find_if(report.properties.begin(), report.properties.end(),
                       [&](const PropertyResult& p) { return p.id == id; });
}

/// Does the transfer move block x into block y?
bool has_move(const PlainTransfer& t, Block x, Block y) {
  for (std::size_t k = 0; k < t.blocks.size(); ++k)
    if (t.blocks[k] == x && t.landing(k) == y) return true;
  return false;
}

/// Does the transfer write the block?
bool has_block(const PlainTransfer& t, Block block) {
  for (std::size_t k = 0; k < t.blocks.size(); ++k)
    if (t.landing(k) == block) return true;
  return false;
}

/// How many transfers of the step are this leg, of a value that was in block `from`?
std::ptrdiff_t legs(const PlainSchedule& plain, const Counterexample::Leg& leg, Block from, Block into) {
  const auto& step = plain.steps.at(static_cast<std::size_t>(leg.step));
  return std::count_if(step.begin(), step.end(), [&](const PlainTransfer& t) {
    return t.src == leg.src && t.dst == leg.dst && has_move(t, from, into);
  });
}

/// Is there such a transfer into the block?
bool is_leg(const PlainSchedule& plain, const Counterexample::Leg& leg, Block into) {
  const auto& step = plain.steps.at(static_cast<std::size_t>(leg.step));
  return std::any_of(step.begin(), step.end(), [&](const PlainTransfer& t) {
    return t.src == leg.src && t.dst == leg.dst && has_block(t, into);
  });
}

/// Is what the rank holds of the block replaced by a copy after step `from` and before step `to` begins?
bool replaced_between(const PlainSchedule& plain, Rank rank, Block block, int from, int to) {
  for (int s = from + 1; s < to; ++s)
    for (const PlainTransfer& t : plain.steps.at(static_cast<std::size_t>(s)))
      if (t.dst == rank && t.op == Op::copy && has_block(t, block)) return true;
  return false;
}

/// Can the contribution walk this path, resting unharmed on every rank on the way?
std::string walk(const PlainSchedule& plain, const Counterexample& c, const Counterexample::Path& path, bool arrives) {
  Rank at = *c.facts().contributor;
  Block in = *c.block;
  int since = -1;
  for (const auto& leg : path) {
    const Block into = leg.into.value_or(*c.block);
    if (leg.src != at) return fmt::format("the path is broken before step {}", leg.step);
    if (leg.step <= since) return fmt::format("the path goes back in time at step {}", leg.step);
    if (legs(plain, leg, in, into) == 0)
      return fmt::format("no transfer {} -> {} at step {}", leg.src, leg.dst, leg.step);
    if (replaced_between(plain, at, in, since, leg.step)) return fmt::format("replaced before step {}", leg.step);
    at = leg.dst;
    in = into;
    since = leg.step;
  }
  if (!arrives) return "";
  if (at != c.rank || in != *c.block) return fmt::format("the path ends on rank {}", at);
  const auto end = static_cast<int>(plain.steps.size());
  return replaced_between(plain, at, *c.block, since, end) ? "replaced at the end" : "";
}

std::string false_count(const Schedule& schedule, const Counterexample& c) {
  const auto outcome = reference::execute(schedule);
  const auto& value = outcome.final_values[static_cast<std::size_t>(c.rank)][static_cast<std::size_t>(*c.block)];
  const Counterexample::Facts facts = c.facts();
  const std::uint64_t times = value ? (*value)[static_cast<std::size_t>(*facts.contributor)] : 0;
  if (!reference::must_hold(schedule.header(), c.rank, *c.block)) return "the rank need not hold the block";
  if (times == reference::wanted(schedule.header(), *facts.contributor, *c.block)) return "the contribution is right";
  if (times != facts.times) return fmt::format("says {} times, but it is {}", *facts.times, times);
  return "";
}

/// In how many ways the path can be walked: more than one where a transfer stands several times in its step.
std::ptrdiff_t ways(const PlainSchedule& plain, const Counterexample::Path& path, Block block) {
  std::ptrdiff_t product = 1;
  Block in = block;
  for (const auto& leg : path) {
    product *= legs(plain, leg, in, leg.into.value_or(block));
    in = leg.into.value_or(block);
  }
  return product;
}

std::string false_paths(const PlainSchedule& plain, const Counterexample& c) {
  const bool duplicate = c.kind() == Counterexample::Duplicate::kind;
  const auto [paths, times] = std::pair(c.facts().paths, c.facts().times);
  if (duplicate && paths.size() != std::min<std::uint64_t>(*times, Counterexample::shown_paths))
    return fmt::format("{} paths for {} times", paths.size(), *times);
  for (std::size_t k = 0; k < paths.size(); ++k) {
    if (auto why = walk(plain, c, paths[k], duplicate); !why.empty()) return why;
    if (std::count(paths.begin(), paths.end(), paths[k]) > ways(plain, paths[k], *c.block))
      return "a path stands too often";
    if (k > 0 && paths[k].size() < paths[k - 1].size()) return "paths are not by length";
  }
  return "";
}

/// What the rank holds of the block when that many steps are over, by the reference.
reference::Multiset held_after(const PlainSchedule& plain, int steps, Rank rank, Block block) {
  PlainSchedule begun = plain;
  begun.steps.resize(static_cast<std::size_t>(steps));
  const auto outcome = reference::execute(*listed(begun));
  return outcome.final_values[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block)];
}

/// Was the contribution there until that copy came, and not after it? Did the copy bring anything?
std::string false_replacement(const PlainSchedule& plain, const Counterexample& c) {
  const Counterexample::Facts facts = c.facts();
  if (!facts.replaced_by) return facts.replaced_on || facts.is_destroyed ? "something is replaced by nobody" : "";
  if (!facts.replaced_on || !c.step || facts.paths.size() != 1) return "a replacement has no place";
  const auto& step = plain.steps.at(static_cast<std::size_t>(*c.step));
  const Block in = facts.replaced_in.value_or(*c.block);
  const bool is_there = std::any_of(step.begin(), step.end(), [&](const PlainTransfer& t) {
    return t.src == *facts.replaced_by && t.dst == *facts.replaced_on && t.op == Op::copy && has_block(t, in);
  });
  if (!is_there) return "the copy that replaced it isn't there";
  if (in >= plain.header.blocks) return "";  // the reference doesn't say what scratch holds
  const auto before = held_after(plain, *c.step, *facts.replaced_on, *c.block);
  const auto after = held_after(plain, *c.step + 1, *facts.replaced_on, *c.block);
  const auto contributor = static_cast<std::size_t>(*facts.contributor);
  if (!before || (*before)[contributor] == 0) return "the contribution wasn't there before the copy";
  if (!after || (*after)[contributor] > 0) return "the contribution was there after the copy, too";
  const auto& path = facts.paths.front();
  const Rank end = path.empty() ? *facts.contributor : path.back().dst;
  if (end != *facts.replaced_on) return "the path doesn't end where the copy came";
  if (replaced_between(plain, end, *c.block, path.empty() ? -1 : path.back().step, *c.step))
    return "another copy came first";
  bool brought = false;
  const auto ranks = static_cast<std::size_t>(plain.header.ranks);  // what is foreign doesn't count
  for (std::size_t r = 0; r < ranks; ++r) brought = brought || ((*after)[r] > 0 && (*before)[r] == 0);
  return brought == facts.is_destroyed ? "a copy is said to bring something, or nothing, and it is otherwise" : "";
}

std::string false_transfer(const PlainSchedule& plain, const Counterexample& c) {
  const auto paths = c.facts().paths;
  for (const auto& path : paths)
    for (const auto& leg : path)
      if (!is_leg(plain, leg, leg.into.value_or(*c.block))) return "names a transfer that isn't there";
  const bool involved = paths.empty() || c.rank == paths[0][0].src || c.rank == paths[0][0].dst;
  return involved ? "" : "names a rank that has nothing to do with it";
}

/// Does the rank's result have data of another block?
std::string false_foreign(const Schedule& schedule, const Counterexample& c, const Counterexample::WrongSource& it) {
  const auto outcome = reference::execute(schedule);
  const auto& value = outcome.final_values[static_cast<std::size_t>(c.rank)][static_cast<std::size_t>(*c.block)];
  if (it.other_block == *c.block || it.other_block >= schedule.header().blocks) return "names no other block";
  return value && value->back() >= it.times && it.times > 0 ? "" : "there is no such data";
}

}  // namespace

Verdict verdict_of(const Report& report, std::string_view id) {
  return property(report, id).verdict;
}

const Counterexample& counterexample_of(const Report& report, std::string_view id) {
  return *property(report, id).counterexample;
}

std::string falsehood(const Schedule& schedule, const Counterexample& c) {
  const PlainSchedule plain_schedule = plain(schedule);
  if (const auto* foreign = std::get_if<Counterexample::WrongSource>(&c.what))
    return false_foreign(schedule, c, *foreign);
  if (!c.facts().contributor) return false_transfer(plain_schedule, c);
  if (auto why = false_count(schedule, c); !why.empty()) return why;
  if (auto why = false_replacement(plain_schedule, c); !why.empty()) return why;
  return false_paths(plain_schedule, c);
}

std::string disagreement(const Schedule& schedule) {
  const reference::Outcome expected = reference::execute(schedule);
  const Report report = verify(schedule);
  const PropertyResult& well_formed = property(report, "well-formed");
  const PropertyResult& exactly_once = property(report, "exactly-once");
  if ((well_formed.verdict == Verdict::pass) != expected.well_formed) return "well-formed";
  if ((exactly_once.verdict == Verdict::pass) != expected.exactly_once) return "exactly-once";
  for (const PropertyResult* p : {&well_formed, &exactly_once}) {
    if ((p->verdict == Verdict::fail) != p->counterexample.has_value()) return "a fail without counterexample";
    if (!p->counterexample) continue;
    if (auto why = falsehood(schedule, *p->counterexample); !why.empty())
      return fmt::format("{}: {}", describe(*p->counterexample).front(), why);
  }
  if (expected.well_formed && exactly_once.violations != expected.wrong_results) return "number of wrong results";
  const bool has_face_fault =
      exactly_once.counterexample && exactly_once.counterexample->kind() == Counterexample::SelfTransfer::kind;
  if (has_face_fault) return "";
  if (well_formed.violations != expected.undefined_blocks) return "number of undefined blocks";
  Metrics metrics = report.metrics;
  metrics.term_depth = 0;
  if (!(metrics == reference::measure(schedule))) return "metrics";
  return "";
}

}  // namespace onceover::support
