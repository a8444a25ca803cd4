// Which channels a block has is only known when all blocks are: one for each other block with which it exchanges
// signals, since the runtime doesn't say which of several blocks takes a signal. So at first each GPU has one block,
// and blocks that have too much are cut, until none has. That ends, because an operation alone has little enough.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/result.h"
#include "base/stop.h"
#include "formats/plan.h"
#include "formats/plan_file.h"
#include "formats/plan_sequences.h"

namespace onceover::formats {

namespace {

using I = PlanInstruction;

/// What passes the turn on takes this many operations: an acquire and a nop, a nop and a release.
constexpr std::int32_t operations_of_turn = 4;

/// Where the blocks of a GPU begin in its sequence; the first at 0.
using Cuts = std::vector<std::int32_t>;

std::int32_t block_of(const Cuts& cuts, std::int32_t position) {
  return static_cast<std::int32_t>(std::upper_bound(cuts.begin(), cuts.end(), position) - cuts.begin()) - 1;
}

/// The channels of a cut: for each handshake the block at either end, and which of the channels of the two GPUs it is.
class ChannelNumbers {
 public:
  ChannelNumbers(const std::vector<Handshake>& handshakes, const std::vector<Cuts>& cuts) {
    std::map<std::tuple<Rank, Rank, std::int32_t, std::int32_t>, std::int32_t> numbers;
    std::map<std::pair<Rank, Rank>, std::int32_t> counts;
    for (const Handshake& h : handshakes) {
      const std::int32_t from = block_of(cuts[static_cast<std::size_t>(h.from)], h.signal);
      const std::int32_t to = block_of(cuts[static_cast<std::size_t>(h.to)], h.wait);
      const auto [number, is_new] = numbers.try_emplace({h.from, h.to, from, to}, 0);
      if (is_new) number->second = counts[{h.from, h.to}]++;
      occurrence.push_back(number->second);
    }
    for (const auto& [pair, count] : counts) {
      std::int32_t& most = channels[std::minmax(pair.first, pair.second)];
      most = std::max(most, count);
    }
  }

  std::vector<std::int32_t> occurrence;                    // by handshake
  std::map<std::pair<Rank, Rank>, std::int32_t> channels;  // of two GPUs, the lower one first
};

Rank peer_of(const PlanOperation& o, const Handshake& h) {
  return o.instruction == I::signal ? h.to : h.from;
}

bool is_handshake(const PlanOperation& o) {
  return o.instruction == I::signal || o.instruction == I::wait;
}

/// Cuts the blocks of a GPU that have too much.
class PlanCutter {
 public:
  PlanCutter(const std::vector<PlanOperation>& sequence, const PlanSequences& all, const ChannelNumbers& numbers)
      : sequence_(sequence), all_(all), numbers_(numbers) {}

  Cuts cut(const Cuts& cuts) {
    const Cuts one = cut(cuts, most_block_operations);
    return one.size() == 1 ? one : cut(cuts, most_block_operations - operations_of_turn);
  }

 private:
  Cuts cut(const Cuts& before, std::int32_t most) {
    Cuts cuts;
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(sequence_.size()); ++k) {
      add(sequence_[static_cast<std::size_t>(k)]);
      const bool is_full = !cuts.empty() && (k - cuts.back() >= most || channels_.size() > most_block_channels ||
                                             buffers_.size() > most_block_channels);
      if (!is_full && !std::binary_search(before.begin(), before.end(), k)) continue;
      cuts.push_back(k);
      channels_.clear();
      buffers_.clear();
      add(sequence_[static_cast<std::size_t>(k)]);
    }
    return cuts.empty() ? Cuts{0} : cuts;
  }

  void add(const PlanOperation& o) {
    if (is_handshake(o))
      for (const std::int32_t id : o.ids)
        channels_.emplace(peer_of(o, all_.handshakes[static_cast<std::size_t>(id)]),
                          numbers_.occurrence[static_cast<std::size_t>(id)]);
    for (const PlanRange& range : o.targets)
      if (range.where == PlanRange::Where::remote) buffers_.emplace(range.ranks.front(), range.buffer);
  }

  const std::vector<PlanOperation>& sequence_;
  const PlanSequences& all_;
  const ChannelNumbers& numbers_;
  std::set<std::pair<Rank, std::int32_t>> channels_;  // of the block so far
  std::set<std::pair<Rank, Buffer>> buffers_;
};

/// Cuts until no block has too much.
std::vector<Cuts> cut(const PlanSequences& sequences) {
  std::vector<Cuts> cuts(sequences.of_gpu.size(), Cuts{0});
  for (bool is_cut = true; is_cut;) {
    stop_point();
    const ChannelNumbers numbers(sequences.handshakes, cuts);
    is_cut = false;
    for (std::size_t r = 0; r < cuts.size(); ++r) {
      Cuts finer = PlanCutter(sequences.of_gpu[r], sequences, numbers).cut(cuts[r]);
      is_cut = is_cut || finer.size() > cuts[r].size();
      cuts[r] = std::move(finer);
    }
  }
  return cuts;
}

/// Makes the GPUs of a plan.
class GpuBuilder {
 public:
  GpuBuilder(const PlanSequences& sequences, const ChannelNumbers& numbers)
      : sequences_(sequences), numbers_(numbers) {}

  PlanGpu gpu(Rank rank, const Cuts& cuts) {
    PlanGpu gpu;
    first_.clear();
    for (Rank peer = 0; peer < static_cast<Rank>(sequences_.of_gpu.size()); ++peer) {
      const auto count = numbers_.channels.find(std::minmax(rank, peer));
      if (count == numbers_.channels.end()) continue;
      first_[peer] = static_cast<std::int32_t>(gpu.memory_channels.size());
      for (std::int32_t k = 0; k < count->second; ++k) gpu.memory_channels.push_back({peer, k});
    }
    const auto& sequence = sequences_.of_gpu[static_cast<std::size_t>(rank)];
    for (std::size_t b = 0; b < cuts.size() && !sequence.empty(); ++b) {
      const std::int32_t end = b + 1 < cuts.size() ? cuts[b + 1] : static_cast<std::int32_t>(sequence.size());
      gpu.blocks.push_back(block(sequence, cuts[b], end, static_cast<std::int32_t>(b), b + 1 == cuts.size()));
    }
    if (cuts.size() > 1) gpu.semaphores.assign(cuts.size() - 1, 0);
    return gpu;
  }

 private:
  PlanBlock block(const std::vector<PlanOperation>& sequence, std::int32_t first, std::int32_t end, std::int32_t number,
                  bool is_last) const {
    PlanBlock block;
    if (number > 0) {
      add(block, turn("sem_acquire", number - 1));
      add(block, turn("nop", -1));
    }
    for (std::int32_t k = first; k < end; ++k) add(block, with_channels(sequence[static_cast<std::size_t>(k)]));
    if (!is_last) {
      add(block, turn("nop", -1));
      add(block, turn("sem_release", number));
    }
    return block;
  }

  static PlanOperation turn(std::string_view word, std::int32_t semaphore) {
    PlanOperation o;
    o.instruction = plan_rule(word)->instruction;
    o.word = plan_rule(word)->word;
    if (semaphore >= 0) o.ids.push_back(semaphore);
    return o;
  }

  /// A nop after a nop does nothing.
  static void add(PlanBlock& block, PlanOperation o) {
    auto& operations = block.operations;
    if (o.instruction == I::nop && !operations.empty() && operations.back().instruction == I::nop) return;
    o.position = static_cast<std::int32_t>(operations.size());
    operations.push_back(std::move(o));
  }

  PlanOperation with_channels(PlanOperation o) const {
    if (!is_handshake(o)) return o;
    for (std::int32_t& id : o.ids) {
      const Rank peer = peer_of(o, sequences_.handshakes[static_cast<std::size_t>(id)]);
      id = first_.at(peer) + numbers_.occurrence[static_cast<std::size_t>(id)];
    }
    return o;
  }

  const PlanSequences& sequences_;
  const ChannelNumbers& numbers_;
  std::map<Rank, std::int32_t> first_;  // by peer: the first channel to it
};

tl::unexpected<NotLowered> unfit(std::string why) {
  return tl::unexpected(NotLowered{NotLowered::Kind::unfit, std::move(why)});
}

tl::expected<std::string_view, NotLowered> collective_word(Collective collective) {
  switch (collective) {
    case Collective::allreduce: return "allreduce";
    case Collective::allgather: return "allgather";
    case Collective::reduce_scatter: return "reducescatter";
    default:
      return unfit(
          fmt::format("plans are made of allreduce, reduce-scatter and allgather, not of {}", name(collective)));
  }
}

tl::expected<void, NotLowered> check_size(const Header& header) {
  if (static_cast<std::size_t>(header.ranks) > most_plan_gpus)
    return unfit(fmt::format("{} GPUs are more than {}", header.ranks, most_plan_gpus));
  if (header.all_blocks() > most_plan_chunks)
    return unfit(fmt::format("the vector has {} chunks; {} are allowed", header.all_blocks(), most_plan_chunks));
  return {};
}

tl::expected<void, NotLowered> check_scratch(const Landings& landings) {
  for (std::size_t r = 0; r < landings.scratch_sizes.size(); ++r)
    if (landings.scratch_sizes[r] > most_plan_chunks)
      return unfit(fmt::format("GPU {} needs {} chunks of scratch; {} are allowed", r, landings.scratch_sizes[r],
                               most_plan_chunks));
  return {};
}

}  // namespace

tl::expected<ExecutionPlan, NotLowered> lower_for_mscclpp(const Schedule& schedule,
                                                          const PlanLoweringOptions& options) {
  const auto word = TRY(collective_word(schedule.header().collective));
  TRY(check_size(schedule.header()));
  const Program program = TRY(lower(schedule, {.style = ProgramStyle::requests, .in_place = options.in_place}));
  const auto landings = land(program, options.with_packets);
  if (!landings)
    return tl::unexpected(
        NotLowered{NotLowered::Kind::too_large,
                   fmt::format("{} operations of {} GPUs are too many", program.operations.size(), program.ranks)});
  TRY(check_scratch(*landings));
  const PlanSequences sequences = sequences_of(program, *landings, options.with_packets);
  const std::vector<Cuts> cuts = cut(sequences);
  const ChannelNumbers numbers(sequences.handshakes, cuts);
  ExecutionPlan plan{.name = program.name.empty() ? "schedule" : program.name,
                     .collective = std::string(word),
                     .has_packet_scratch = options.with_packets,
                     .in_place = options.in_place,
                     .has_two_halves = options.with_packets};
  GpuBuilder builder(sequences, numbers);
  const std::int32_t most_scratch = *std::max_element(landings->scratch_sizes.begin(), landings->scratch_sizes.end());
  for (std::size_t r = 0; r < cuts.size(); ++r) {
    if (cuts[r].size() > most_plan_blocks)
      return unfit(fmt::format("GPU {} needs {} thread blocks; {} are allowed", r, cuts[r].size(), most_plan_blocks));
    stop_point();
    plan.gpus.push_back(builder.gpu(static_cast<Rank>(r), cuts[r]));
    // A GPU finds the second half of another's scratch by the size of its own, so all have as much.
    const std::int32_t scratch = plan.has_two_halves ? most_scratch : landings->scratch_sizes[r];
    plan.gpus.back().chunks = {program.buffers[r].input, program.buffers[r].output, scratch};
  }
  return plan;
}

}  // namespace onceover::formats
