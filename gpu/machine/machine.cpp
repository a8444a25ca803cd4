#include "gpu/machine/machine.h"

#include <algorithm>

#include "base/stop.h"
#include "gpu/launch/launch.h"

namespace onceover::gpu {
namespace {

std::vector<Rank> ranks_of_seats(const Launch& launch) {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < launch.ranks; ++rank)
    for (const int stream : streams_of(launch, rank))
      ranks.insert(ranks.end(), most_blocks(launch, rank, stream), rank);
  return ranks;
}

}  // namespace

GpuMachine::GpuMachine(const Launch& launch, const RunOptions& options, LaunchCode code)
    : launch_(launch),
      options_(options),
      decoded_(std::move(code)),
      memory_(launch),
      threads_per_seat_(threads_of_seat(launch)),
      seats_(threads_per_seat_, ranks_of_seats(launch), static_cast<std::uint32_t>(launch.ranks)),
      synchronization_(seats_, options.grants.kernel_boundary),
      scheduler_(options.schedule, std::max(1u, seats_.blocks() * threads_per_seat_ / 32), threads_per_seat_ / 32),
      generations_(seats_.seats(), 1),
      blocks_(seats_.blocks()),
      runnable_threads_(std::max(1u, seats_.blocks() * threads_per_seat_ / 32)),
      streams_(static_cast<std::size_t>(launch.ranks)) {
  std::uint32_t seat = 0;
  for (Rank rank = 0; rank < launch.ranks; ++rank) {
    std::vector<std::uint32_t>& first = first_seats_.emplace_back();
    for (const int stream : streams_of(launch, rank)) {
      first.push_back(seat);
      seat += most_blocks(launch, rank, stream);
    }
  }
  if (options.watched) recorder_ = std::make_unique<RunRecorder>(*options.watched);
  const CodeFunction& last = decoded_->functions.back();
  outcome_.ran.resize(last.first_site + launch.module->functions[last.function].instructions.size() + 1);
  const auto nothing = std::make_shared<const Clock>(seats_.seats());
  for (Stream& stream : streams_) {
    stream.sync.clock = stream.sync.reads = stream.sync.launch = nothing;
    stream.sync.now = {1, 0};
  }
}

GpuOutcome GpuMachine::run() {
  try {
    run_all();
  } catch (const Ended&) {
  } catch (const Redundant&) {
    outcome_.is_redundant = true;
  }
  if (tries_all()) settle_all();
  outcome_.terms = terms_;
  if (recorder_ != nullptr) outcome_.trace = recorder_->take();
  return std::move(outcome_);
}

void GpuMachine::run_all() {
  for (std::size_t buffer = 0; buffer < launch_.buffers.size(); ++buffer)
    if (!launch_.is_zeroed[buffer]) poison(buffer, 0);
  for (const MemoryWrite& initial : launch_.initial)
    put(initial.target == RelocationTarget::buffer ? memory_.buffer(initial.index) : memory_.variables(initial.rank),
        initial);
  for (Rank rank = 0; rank < launch_.ranks; ++rank) begin_call(rank);
  if (tries_all()) options_.choices->restart();
  std::uint64_t next_stop = 0;
  for (;;) {
    end_blocks();
    const auto warp = scheduler_.next();
    if (!warp) {
      outcome_.is_finished =
          std::all_of(streams_.begin(), streams_.end(), [](const Stream& stream) { return stream.is_finished; });
      if (outcome_.is_finished) return;
      if (tries_all() && !delayed_.empty()) throw Redundant();
      if (!tries_all() && wake_all()) continue;
      return report_deadlock();
    }
    if (!tries_all() && scheduler_.is_starved(*warp) && wake_those_that_count()) continue;
    if (tries_all())
      advance(first_running(*warp));
    else
      run_warp(*warp);
    if (outcome_.instructions < next_stop) continue;
    stop_point();
    next_stop = outcome_.instructions + 1'000'000;
    if (outcome_.instructions < options_.most_instructions) continue;
    outcome_.findings.push_back(finding_of(FindingKind::too_long, "the limit of instructions is reached"));
    return;
  }
}

void GpuMachine::run_warp(std::uint32_t warp) {
  const std::uint32_t first = warp * 32;
  BlockState& block = *blocks_[seats_.seat_of(first)];
  const std::uint32_t turn = scheduler_.turn();
  if (options_.grants.lockstep) return run_in_lockstep(block, warp, turn);
  const std::uint32_t begin = first % threads_per_seat_;
  const auto lanes = static_cast<std::uint32_t>(std::min<std::size_t>(32, block.threads.size() - begin));
  if (scheduler_.is_random()) {
    const std::uint32_t start = scheduler_.dice().below(lanes);
    for (std::uint32_t at = 0; at < lanes; ++at) {
      ThreadContext& thread = block.threads[begin + (start + at) % lanes];
      if (thread.state != ThreadState::runs) continue;
      run_thread(block, thread, turn);
      if (scheduler_.dice().below(2) == 0) return;
    }
    return;
  }
  for (std::uint32_t lane = 0; lane < lanes; ++lane) run_thread(block, block.threads[begin + lane], turn);
}

void GpuMachine::run_thread(BlockState& block, ThreadContext& thread, std::uint32_t turn) {
  for (; turn > 0 && thread.state == ThreadState::runs; --turn) step(block, thread);
}

/// The threads that are least far run first, all those at one place together.
void GpuMachine::run_in_lockstep(BlockState& block, std::uint32_t warp, std::uint32_t turn) {
  const std::uint32_t begin = warp * 32 % threads_per_seat_;
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(begin + 32, block.threads.size()));
  for (; turn > 0; --turn) {
    const ThreadContext* least = nullptr;
    for (std::uint32_t at = begin; at < end; ++at) {
      const ThreadContext& thread = block.threads[at];
      if (thread.state != ThreadState::runs) continue;
      const bool is_deeper = least != nullptr && thread.frames.size() > least->frames.size();
      const bool is_before = least != nullptr && thread.frames.size() == least->frames.size() && thread.pc < least->pc;
      if (least == nullptr || is_deeper || is_before) least = &thread;
    }
    if (least == nullptr) return;
    const std::uint32_t pc = least->pc;
    const std::size_t depth = least->frames.size();
    for (std::uint32_t at = begin; at < end; ++at) {
      ThreadContext& thread = block.threads[at];
      if (thread.state == ThreadState::runs && thread.pc == pc && thread.frames.size() == depth) step(block, thread);
    }
  }
}

void GpuMachine::set_state(ThreadContext& thread, ThreadState state) {
  if (thread.state == state) return;
  const std::uint32_t warp = warp_of(thread);
  if (thread.state == ThreadState::runs && --runnable_threads_[warp] == 0) scheduler_.remove(warp);
  if (state == ThreadState::runs && ++runnable_threads_[warp] == 1) scheduler_.add(warp);
  thread.state = state;
}

/// Lets a parked thread go round its loop some times more.
void GpuMachine::go_on_waiting(ThreadContext& thread) {
  thread.patience = 2000;
  thread.has_had_patience = true;
  set_state(thread, ThreadState::runs);
}

/// Lets threads in loops that count go on before those that starve: such loops may end. Were there any?
bool GpuMachine::wake_those_that_count() {
  std::vector<std::uint32_t> counting;
  counting.swap(counting_);
  bool any = false;
  for (const std::uint32_t id : counting) {
    ThreadContext* thread = thread_of(id);
    if (thread == nullptr || thread->state != ThreadState::parked) continue;
    go_on_waiting(*thread);
    any = true;
  }
  return any;
}

/// Lets all parked threads go on, since their loops may count. False if that has just been tried in vain.
bool GpuMachine::wake_all() {
  if (progress_ == progress_at_wake_) return false;
  progress_at_wake_ = progress_;
  bool any = false;
  for (const auto& block : blocks_) {
    if (block == nullptr) continue;
    for (ThreadContext& thread : block->threads) {
      if (thread.state != ThreadState::parked) continue;
      go_on_waiting(thread);
      any = true;
    }
  }
  return any;
}

void GpuMachine::record_waits() {
  for (const auto& block : blocks_) {
    if (block == nullptr) continue;
    for (const ThreadContext& thread : block->threads) {
      if (thread.state == ThreadState::ended) continue;
      TracedWait wait{.site = site_of(thread), .spins = thread.state == ThreadState::parked};
      if (wait.spins && thread.spin_region != nullptr) {
        wait.site.instruction = static_cast<std::int32_t>(thread.function->code[thread.spin_pc].source);
        wait.site.action = text_at(wait.site);
        wait.memory = name_of(*thread.spin_region);
        wait.offset = thread.spin_offset;
        wait.value = thread.spin_bits;
      }
      recorder_->wait(std::move(wait));
    }
  }
}

GpuMachine::Stuck GpuMachine::stuck_threads() const {
  Stuck stuck;
  for (const auto& block : blocks_) {
    if (block == nullptr) continue;
    for (const ThreadContext& thread : block->threads) {
      if (thread.state == ThreadState::parked) {
        if (stuck.spins++ == 0) stuck.spinning = &thread;
        if (thread.counts) stuck.counting = &thread;
      } else if (thread.state != ThreadState::ended) {
        if (stuck.waits++ == 0) stuck.waiting = &thread;
      }
    }
  }
  return stuck;
}

void GpuMachine::report_deadlock() {
  if (recorder_ != nullptr) record_waits();
  const Stuck stuck = stuck_threads();
  GpuFinding finding = finding_of(stuck.counting != nullptr ? FindingKind::too_long : FindingKind::deadlock, "");
  if (stuck.counting != nullptr) {
    finding.first = site_of(*stuck.counting);
    finding.sentence = "a loop waits and counts, and goes on after 2000 rounds that saw no change";
    outcome_.findings.push_back(std::move(finding));
    return;
  }
  if (stuck.spinning != nullptr) tell_spinning(finding, *stuck.spinning, stuck.spins);
  if (stuck.spinning != nullptr && stuck.waiting != nullptr) finding.second = site_of(*stuck.waiting);
  if (stuck.spinning == nullptr && stuck.waiting != nullptr) finding.first = site_of(*stuck.waiting);
  if (stuck.waits > 0) {
    if (!finding.sentence.empty()) finding.sentence += ", and ";
    finding.sentence +=
        std::to_string(stuck.waits) + (stuck.waits == 1 ? " thread waits" : " threads wait") + " at a barrier";
  }
  outcome_.findings.push_back(std::move(finding));
}

void GpuMachine::tell_spinning(GpuFinding& finding, const ThreadContext& thread, std::size_t spins) const {
  finding.first = site_of(thread);
  if (thread.function->code.size() > thread.spin_pc)
    finding.first.instruction = static_cast<std::int32_t>(thread.function->code[thread.spin_pc].source);
  finding.first.action = text_at(finding.first);
  finding.sentence = std::to_string(spins) + (spins == 1 ? " thread spins" : " threads spin") + " forever";
  if (thread.spin_region == nullptr) return;
  finding.memory = name_of(*thread.spin_region);
  finding.offset = thread.spin_offset;
  finding.sentence += "; the first reads " + std::to_string(thread.spin_bits) + " there";
}

}  // namespace onceover::gpu
