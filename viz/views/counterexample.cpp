// counterexample: what goes wrong, in red, among all that happens, in grey.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verifier/verify.h"
#include "viz/time_chart.h"

namespace onceover {

namespace {

/// More block transfers than this aren't verified in passing.
constexpr std::uint64_t budget = 100'000'000;
constexpr std::size_t most_ranks_at_once = 32;

std::optional<Counterexample> found_by_verifier(const Schedule& schedule) {
  const Report report = verify(schedule, {.budget = budget});
  for (const PropertyResult& result : report.properties)
    if (result.required && result.counterexample) return result.counterexample;
  return std::nullopt;
}

using Leg = Counterexample::Leg;

/// The hops that the counterexample speaks of, with the number of the way that they are on.
std::vector<std::pair<Leg, std::size_t>> hops_of(const Counterexample& c) {
  std::vector<std::pair<Leg, std::size_t>> hops;
  for (std::size_t way = 0; way < c.paths.size(); ++way)
    for (const Leg& leg : c.paths[way]) hops.emplace_back(leg, way);
  // What the counterexample only names: the transfer that replaced, or that met something wrong.
  const std::optional<Rank> sender = c.replaced_by ? c.replaced_by : c.other_rank;
  if (c.step && sender) hops.emplace_back(Leg{*c.step, *sender, c.rank}, c.paths.size());
  return hops;
}

/// The line of a rank that waits: before its contribution leaves, between two hops, and where it ends up to the last
/// step.
std::vector<TimeChartLook::Held> waits_of(const Counterexample& c, StepRange steps) {
  std::vector<TimeChartLook::Held> held;
  for (std::size_t way = 0; way < c.paths.size() && c.contributor; ++way) {
    Rank at = *c.contributor;
    int since = steps.first;
    const auto wait_until = [&](int step) {
      for (; since < step; ++since) held.push_back({since, at, stroke_of_way(way)});
    };
    for (const Leg& leg : c.paths[way]) {
      wait_until(leg.step);
      at = leg.dst;
      since = std::max(leg.step + 1, steps.first);
    }
    if (c.kind == Counterexample::Kind::duplicate) wait_until(steps.end);
  }
  return held;
}

/// Large schedules are shown as far as the counterexample goes, and for the ranks that it meets.
DrawOptions thinned(DrawOptions options, const Schedule& schedule, const Counterexample& c) {
  std::set<Rank> ranks{c.rank};
  int last = c.final_step.value_or(c.step.value_or(0));
  for (const auto& [leg, way] : hops_of(c)) {
    ranks.insert(leg.src);
    last = std::max(last, leg.step);
  }
  if (!options.steps && schedule.steps() > 0) options.steps = {0, std::min(last, schedule.steps() - 1)};
  if (options.ranks.empty() && static_cast<std::size_t>(schedule.header().ranks) > most_ranks_at_once)
    options.ranks.assign(ranks.begin(), ranks.end());
  return options;
}

Drawn<std::string> draw_counterexample(const Schedule& schedule, const DrawOptions& options) {
  const auto found = options.counterexample ? options.counterexample : found_by_verifier(schedule);
  if (!found) return unsuitable("counterexample: there is none; the schedule holds what is required of it");
  const auto hops = hops_of(*found);
  if (hops.empty())
    return unsuitable(
        fmt::format("counterexample: it is about {}, not about ways through the steps; --view {} shows more",
                    name(found->kind), found->kind == Counterexample::Kind::different ? "term" : "time"));
  const DrawOptions shown = thinned(options, schedule, *found);
  auto selection = select(schedule, shown);
  if (!selection) return tl::unexpected(selection.error());
  if (selection->ranks.size() > most_ranks_at_once) selection->ranks = ranks_of(selection->messages);
  const auto way_of = [&](const Message& m) {
    return std::find_if(hops.begin(), hops.end(), [&](const auto& hop) {
      return hop.first == Leg{m.step, m.src, m.dst} && m.carries(found->block);
    });
  };
  // Red comes last, so that no grey covers it.
  std::stable_partition(selection->messages.begin(), selection->messages.end(),
                        [&](const Message& m) { return way_of(m) == hops.end(); });
  TimeChartLook look;
  look.has_blocks = false;
  look.held = waits_of(*found, selection->steps);
  std::erase_if(look.held, [&](const auto& held) {
    return !std::binary_search(selection->ranks.begin(), selection->ranks.end(), held.rank);
  });
  if (found->contributor) look.marked_above = {*found->contributor};
  look.marked_below = {found->rank};
  look.caption = describe(*found).front();
  look.stroke = [&](const Message& m) {
    const auto hop = way_of(m);
    return hop == hops.end() ? Stroke{palette::pale, "solid", 0.5} : stroke_of_way(hop->second);
  };
  return draw_time_chart(schedule.header(), *selection, shown, look);
}

}  // namespace

const View counterexample_view{
    .name = "counterexample",
    .summary = "the ways of what comes twice or not at all, in red over the steps",
    .heeds = "--ranks --steps",
    .draw = draw_counterexample,
};

}  // namespace onceover
