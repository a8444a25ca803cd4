#include "subjects/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/result.h"
#include "base/rows.h"
#include "network/contention.h"
#include "network/least_time.h"
#include "schedules/numbers.h"
#include "subjects/network_plan.h"

namespace onceover::subjects {

namespace {

using Source = Metric::Source;

constexpr std::array rows{
    Metric{"p", "ranks", Source::shape, false},
    Metric{"dimensions", "sides of the torus; 1 on a line", Source::shape, false},
    Metric{"side_min", "the shortest of them", Source::shape, false},
    Metric{"side_max", "the longest of them", Source::shape, false},
    Metric{"lanes", "parts of the vector that go side by side", Source::shape, false},
    Metric{"blocks", "blocks of the vector; of a program its chunks", Source::shape, false},
    Metric{"steps", "steps", Source::transfers},
    Metric{"messages", "messages of all steps", Source::transfers},
    Metric{"block_transfers", "blocks in all messages", Source::transfers},
    Metric{"max_sends_per_rank_step", "messages that a rank sends in a step, at most", Source::transfers},
    Metric{"max_receives_per_rank_step", "messages that a rank receives in a step, at most", Source::transfers},
    Metric{"max_runs_per_message", "runs of neighbouring blocks in a message, at most", Source::transfers},
    Metric{"blocks_sent_min", "blocks sent by the rank that sends least", Source::transfers, false},
    Metric{"blocks_sent_max", "blocks sent by the rank that sends most", Source::transfers},
    Metric{"term_depth", "sums on the longest way into a result", Source::transfers},
    Metric{"staging",
           "blocks that a rank holds for others at once, at most",
           Source::property,
           true,
           {},
           &staging_property},
    Metric{"latency", "latency deficiency: steps / log2 p, rounded up to millionths", Source::network},
    Metric{"bandwidth", "bandwidth deficiency", Source::network},
    Metric{"congestion", "congestion deficiency", Source::network},
    Metric{"time", "time for large vectors, in vectors at the speed of a port", Source::network},
    Metric{"bound", "the least such time of any schedule on the network", Source::bound, false, "time"},
    Metric{"least_steps", "the least steps of any schedule whose ranks send and receive as many messages a step",
           Source::transfers, false, "steps"},
    Metric{"operations", "of a program: its operations", Source::program},
    Metric{"thread_blocks", "of MSCCL XML: its thread blocks", Source::program},
    Metric{"connections", "of MSCCL XML: pairs of ranks and channels that exchange messages", Source::program},
    Metric{"messages_in_a_row", "of a program: messages of the longest chain in which each waits for the one before",
           Source::program},
    Metric{"fifo_depth", "of a program: messages that a connection must hold at least", Source::program},
};

constexpr std::uint64_t link_budget = 10'000'000'000;

/// The latency deficiency of `steps` steps among p ranks. If log2 p is not whole, the result is rounded up, so that a
/// limit never holds only because of rounding. The floating-point error is far below the slack that is added.
Rational latency_of(int steps, Rank ranks) {
  if (is_power_of_two(ranks)) return Rational(steps, ceil_log2(ranks));
  constexpr long double slack = 1e-6L;
  const long double millionths = 1e6L * steps / std::log2(static_cast<long double>(ranks));
  return Rational(static_cast<std::int64_t>(std::floor(millionths + slack)) + 1, 1'000'000);
}

void know(Measures& measures, std::string_view name, const Rational& value) {
  measures.known.emplace(name, value);
}

void lack(Measures& measures, std::string_view name, const std::string& why) {
  measures.missing.emplace(name, why);
}

void lack_the_others(Measures& measures, const std::string& why) {
  for (const Metric& m : metrics())
    if (!measures.known.contains(m.name)) lack(measures, m.name, why);
}

void add_shape(Measures& measures, const Header& header) {
  const std::vector<Rank> sides = header.sides();
  know(measures, "p", header.ranks);
  know(measures, "dimensions", sides.size());
  know(measures, "side_min", *std::min_element(sides.begin(), sides.end()));
  know(measures, "side_max", *std::max_element(sides.begin(), sides.end()));
  know(measures, "lanes", header.lanes);
  know(measures, "blocks", header.blocks);
}

void add_transfers(Measures& measures, const Metrics& m) {
  know(measures, "steps", m.steps);
  know(measures, "messages", m.messages);
  know(measures, "block_transfers", m.block_transfers);
  know(measures, "max_sends_per_rank_step", m.max_sends_per_rank_step);
  know(measures, "max_receives_per_rank_step", m.max_receives_per_rank_step);
  know(measures, "max_runs_per_message", m.max_runs_per_message);
  know(measures, "blocks_sent_min", m.blocks_sent_min);
  know(measures, "blocks_sent_max", m.blocks_sent_max);
  know(measures, "term_depth", m.term_depth);
}

void add_properties(Measures& measures, const Report& report) {
  for (const Metric& row : metrics()) {
    const PropertyResult* found = row.judged_by == nullptr ? nullptr : report.find(*row.judged_by);
    if (found == nullptr) continue;
    if (const Finding::Peak* peak = found->peak())
      know(measures, row.name, peak->number);
    else
      lack(measures, row.name, found->summary);
  }
}

std::string no_bound(const Header& header) {
  return "no bound is known for " + std::string(name(header.collective));
}

/// In a step, data reaches as many more ranks as each rank sends messages, and a rank hears of as many more as it
/// receives. If not all ranks own a block, not all data must reach all ranks, nor come from all.
void add_least_steps(Measures& measures, const Header& header, const Metrics& m) {
  if (!is_bounded(header.collective)) return lack(measures, "least_steps", no_bound(header));
  const std::uint64_t sends = m.max_sends_per_rank_step, receives = m.max_receives_per_rank_step;
  const bool all_own = demand_of(header).all_own();
  const bool is_of_senders =
      header.collective == Collective::broadcast || (header.collective == Collective::allgather && !all_own);
  const bool is_of_receivers =
      header.collective == Collective::reduce || (header.collective == Collective::reduce_scatter && !all_own);
  const std::uint64_t messages = is_of_senders ? sends : is_of_receivers ? receives : std::min(sends, receives);
  if (header.ranks > 1 && messages == 0) return lack(measures, "least_steps", "nobody sends anything");
  know(measures, "least_steps", least_steps(header.ranks, static_cast<int>(messages)));
}

}  // namespace

std::span<const Metric> metrics() {
  return rows;
}

std::optional<std::size_t> metric_named(std::string_view name) {
  const auto* row = std::find_if(rows.begin(), rows.end(), [&](const Metric& m) { return m.name == name; });
  if (row == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(row - rows.begin());
}

std::string number_text(const Rational& number) {
  if (number.is_whole()) return number.str();
  if ((number * 1'000'000).is_whole()) return fmt::format("{}", static_cast<double>(number));
  return fmt::format("{} (about {:.6f})", number.str(), static_cast<double>(number));
}

void Wanted::add(const Metric& metric) {
  if (metric.judged_by != nullptr) add_new(properties, metric.judged_by);
  bound = bound || metric.source == Source::bound;
  network = network || bound || metric.source == Source::network;
}

bool is_well_formed(const Report& report) {
  const PropertyResult* found = report.find(well_formed_property);
  return found != nullptr && found->verdict == Verdict::pass;
}

Measures measures_of(const Header& header, const Report& report) {
  Measures measures;
  add_shape(measures, header);
  if (!is_well_formed(report)) {
    lack_the_others(measures, "the schedule is not known to be well-formed");
    return measures;
  }
  add_transfers(measures, report.metrics);
  for (const Metric& row : metrics())
    if (row.source == Metric::Source::program) lack(measures, row.name, "a schedule is no program");
  if (header.ranks == 1) lack(measures, "latency", "one rank has no optimum");
  add_least_steps(measures, header, report.metrics);
  add_properties(measures, report);
  return measures;
}

bool is_of_plan(const Report& report) {
  return report.find(balanced_property) != nullptr;
}

Measures measures_of_program(const Header& header, const Report& report) {
  Measures measures;
  know(measures, "p", header.ranks);
  if (!report.program) {
    lack_the_others(measures, "a launch of GPU kernels does not have it");
    return measures;
  }
  if (!is_well_formed(report)) {
    lack_the_others(measures, "the program is not known to be well-formed");
    return measures;
  }
  const Metrics& m = report.metrics;
  const ProgramMetrics& p = *report.program;
  know(measures, "messages", m.messages);
  know(measures, "operations", p.operations);
  if (!is_of_plan(report)) know(measures, "messages_in_a_row", p.rounds);
  if (p.threads > 0) know(measures, "thread_blocks", p.threads);
  if (p.fifo_depth) know(measures, "fifo_depth", *p.fifo_depth);
  if (p.has_data) {
    know(measures, "connections", p.connections);
    know(measures, "blocks", header.blocks);
    know(measures, "block_transfers", m.block_transfers);
    know(measures, "blocks_sent_min", m.blocks_sent_min);
    know(measures, "blocks_sent_max", m.blocks_sent_max);
  }
  // The data is followed only if the program ends.
  const bool is_followed = std::all_of(report.properties.begin(), report.properties.end(), [](const PropertyResult& r) {
    return !r.required || r.verdict == Verdict::pass;
  });
  if (p.has_data && is_followed) know(measures, "term_depth", m.term_depth);
  lack_the_others(measures, "this program does not have it");
  return measures;
}

void add_network(Measures& measures, const Schedule& schedule, const Network& network, Routing routing) {
  const auto found = contention(schedule, network, {.routing = routing, .budget = link_budget});
  if (!found) {
    for (const Metric& row : metrics())
      if (row.source == Metric::Source::network) lack(measures, row.name, found.error().text);
    return;
  }
  know(measures, "time", found->time / schedule.header().blocks);
  if (!found->exact) {
    for (const std::string_view name : {"latency", "bandwidth", "congestion"})
      lack(measures, name, "there is no optimum to compare with");
    return;
  }
  know(measures, "latency", latency_of(found->message_steps, schedule.header().ranks));
  know(measures, "bandwidth", found->exact->bandwidth);
  know(measures, "congestion", found->exact->congestion);
}

void add_bound(Measures& measures, const Header& header, const Network& network) {
  if (!is_bounded(header.collective)) return lack(measures, "bound", no_bound(header));
  if (header.ranks == 1) return know(measures, "bound", 0);
  const auto graph = port_graph(network);
  if (!graph) return lack(measures, "bound", graph.error());
  const auto bound = time_bound(*graph, demand_of(header), link_budget);
  if (!bound) return lack(measures, "bound", bound.error());
  know(measures, "bound", bound->vectors);
}

Result<Measures> measures_of(const Schedule& schedule, const Report& report, const Wanted& wanted,
                             const NetworkOptions& options) {
  Measures measures = measures_of(schedule.header(), report);
  if (!wanted.network || !is_well_formed(report)) return measures;
  const auto plan = plan_of(options);
  const auto network = TRY(make_network(options, plan, schedule.header()));
  add_network(measures, schedule, network, plan.routing);
  if (wanted.bound) add_bound(measures, schedule.header(), network);
  return measures;
}

}  // namespace onceover::subjects
