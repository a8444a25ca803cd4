#include "subjects/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
    Metric{"staging", "blocks that a rank holds for others at once, at most", Source::staging},
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

}  // namespace onceover::subjects
