// The machine: all ranks' streams, kernels and memory, under one schedule.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "gpu/engine.h"
#include "gpu/machine/arithmetic.h"
#include "gpu/machine/recorder.h"
#include "gpu/machine/state.h"
#include "gpu/memory/device_memory.h"
#include "gpu/schedule/choices.h"
#include "gpu/schedule/scheduler.h"

namespace onceover::gpu {

/// The bytes of each number that an instruction accesses. PTX orders no two numbers of a vector.
inline std::uint32_t scalar_bytes(const Code& code, std::uint32_t bytes) {
  return bytes < 16 && code.type.scalars > 1 ? bytes / code.type.scalars : bytes;
}

/// Runs a launch. A finding after which a thread can't go on ends the run.
class GpuMachine {
 public:
  GpuMachine(const Launch& launch, const RunOptions& options, LaunchCode code);

  GpuOutcome run();

  /// Before a run: follows what loads at these places (function, instruction) read. After it: those whose value was
  /// stored, or decided an address or a branch.
  using Places = std::set<std::pair<std::int32_t, std::int32_t>>;
  void follow(const Places& loads) { followed_ = loads; }
  const Places& used() const { return used_; }

  /// `examine`, before a run: find all conflicts of these cells. `doubtful`, after it: cells where a write of the value
  /// that was there already conflicted with another write. That one may have changed the value, and may not be alone.
  using Cells = std::unordered_set<std::uint64_t>;
  void examine(const Cells& cells) { examined_ = cells; }
  const Cells& doubtful() const { return doubtful_; }

 private:
  /// Which write a part of a load returned.
  struct PartRead {
    const CellSync* sync;
    std::uint8_t mask;
    std::size_t chosen;  // in sync->older
  };

  /// Thrown after a finding that ends the run.
  struct Ended {};

  /// Thrown if what follows is in another run, too.
  struct Redundant {};

  /// An access that is done once it is clear which others it depends on.
  struct FollowedAccess {
    std::vector<TrackedCell*> cells;
    bool is_strong = true;
    bool may_write = false;
    bool is_atomic = false;
    std::uint8_t mask = 15;   // of the bytes of a cell
    bool keeps_older = true;  // a read may return what was there before an earlier write
  };

  /// A strong access that this run has done.
  struct LoggedAccess {
    std::uint32_t thread;
    std::uint32_t count;  // of the thread's strong accesses
    std::size_t choice;   // to go on, in the tree
    bool writes;
  };

  struct DelayedThread {
    std::uint32_t thread;
    FollowedAccess access;
  };

  /// Kernels of a call that run one after the other.
  struct Queue {
    std::vector<std::size_t> kernels;  // RankCall::kernels
    std::size_t next = 0;
    std::unique_ptr<KernelState> running;
    std::size_t seats = 0;  // which of the rank's ranges of seats
    ClockPointer clock;     // what the end of the latest kernel knows
    ClockPointer reads;
    TraceClock trace;
  };

  /// What a rank's stream is at.
  struct Stream {
    std::uint32_t call = 0;
    std::vector<Queue> queues;
    ThreadSync sync;
    TraceClock trace;
    bool is_finished = false;
  };

  /// Where an address leads.
  struct Target {
    Region* region;
    std::uint64_t offset;
  };

  // The run (machine.cpp).
  void run_all();
  void run_warp(std::uint32_t warp);
  void run_in_lockstep(BlockState& block, std::uint32_t warp, std::uint32_t turn);
  void run_thread(BlockState& block, ThreadContext& thread, std::uint32_t turn);
  bool wake_all();
  bool wake_those_that_count();
  void go_on_waiting(ThreadContext& thread);
  /// The threads that haven't ended when none can go on: how many spin and wait, and the first of each.
  struct Stuck {
    std::size_t spins = 0;
    std::size_t waits = 0;
    const ThreadContext* spinning = nullptr;
    const ThreadContext* waiting = nullptr;
    const ThreadContext* counting = nullptr;  // the last in a loop that may end by itself, later
  };
  Stuck stuck_threads() const;
  void report_deadlock();
  void tell_spinning(GpuFinding& finding, const ThreadContext& thread, std::size_t spins) const;
  void record_waits();
  void set_state(ThreadContext& thread, ThreadState state);
  std::uint32_t warp_of(const ThreadContext& thread) const { return thread.id / 32; }
  BlockState& block_of(const ThreadContext& thread) { return *blocks_[seats_.seat_of(thread.id)]; }
  /// Null if its block, or a smaller one in its place, doesn't run.
  ThreadContext* thread_of(std::uint32_t id) {
    BlockState* block = blocks_[seats_.seat_of(id)].get();
    const std::uint32_t index = id % threads_per_seat_;
    return block == nullptr || index >= block->threads.size() ? nullptr : &block->threads[index];
  }

  // All interleavings (all_interleavings.cpp).
  ThreadContext& first_running(std::uint32_t warp);
  void advance(ThreadContext& thread);
  std::optional<FollowedAccess> followed_access(BlockState& block, ThreadContext& thread, const Code& code);
  bool went_round_in_vain(ThreadContext& thread);
  void note_read_point(ThreadContext& thread);
  void settle(ThreadContext& thread);
  void settle_all();
  void delay_again(std::uint32_t id);
  void delay(ThreadContext& thread, const FollowedAccess& access);
  void access_followed(BlockState& block, ThreadContext& thread, const FollowedAccess& access, std::size_t choice);
  void check_places(const Code& code, const FollowedAccess& access);
  void log_access(ThreadContext& thread, const FollowedAccess& access, bool writes, const TraceClock& before,
                  std::size_t choice);
  void wake_delayed(ThreadContext& thread, const FollowedAccess& access, bool writes);
  const std::vector<bool>& needed_registers(const CodeFunction& function, std::uint32_t pc);
  std::size_t choose_write(const ThreadContext& thread, const TrackedCell& cell, std::uint8_t mask, std::size_t oldest);
  bool tries_all() const { return options_.choices != nullptr; }
  void order_matters(const char* why);

  // Streams (streams.cpp).
  void begin_call(Rank rank);
  void write(const MemoryWrite& write, Rank rank);
  void fill(std::size_t buffer, std::uint32_t call, Rank rank);
  void poison(std::size_t buffer, std::uint32_t call);
  void read(std::size_t buffer, std::uint32_t call, Rank rank);
  void access_all(Region& region, Rank rank, std::uint64_t offset, std::uint64_t bytes, bool is_write);
  void start_next(Rank rank, Queue& queue);
  void start_block(KernelState& kernel);
  std::unique_ptr<Region> unset_memory(const BlockState& block, std::string name, std::uint64_t bytes, bool is_tracked);
  void end_thread(BlockState& block, ThreadContext& thread);
  void end_block(std::uint32_t seat);
  void end_kernel(Rank rank, Queue& queue);
  void end_blocks();
  void end_call(Rank rank);
  static constexpr std::uint32_t first_stream_site = 0xFFFFFFF0;
  void put(Region& region, std::uint64_t offset, const Bytes& bytes);
  void put(Region& region, const MemoryWrite& write);
  void forget_writer(TrackedCell& cell);

  // Instructions (steps.cpp).
  void step(BlockState& block, ThreadContext& thread);
  const Value& value(BlockState& block, ThreadContext& thread, OperandRef reference) {
    const auto at = static_cast<std::int32_t>(reference);
    if (at >= 0) return thread.registers[at];
    if (at > first_asked) return code_.constants[static_cast<std::size_t>(-1 - at)];
    return asked_value(block, thread, code_.asked[static_cast<std::size_t>(first_asked - at)]);
  }
  const Value& asked_value(BlockState& block, ThreadContext& thread, const AskedOperand& asked);
  bool compute_plain(BlockState& block, ThreadContext& thread, const Code& code);
  void use_workspace(const BlockState& block, const ThreadContext& thread);
  Value special(BlockState& block, const ThreadContext& thread, ptx::SpecialRegister special) const;
  void set(ThreadContext& thread, OperandRef reference, const Value& value);
  void compute(BlockState& block, ThreadContext& thread, const Code& code);
  void compare(BlockState& block, ThreadContext& thread, const Code& code);
  void branch(ThreadContext& thread, std::int32_t target);
  void park(ThreadContext& thread);
  void call(BlockState& block, ThreadContext& thread, const Code& code);
  void leave(BlockState& block, ThreadContext& thread);
  static void copy_params(const Region* from, std::uint64_t from_offset, Region& to, std::uint64_t to_offset,
                          std::uint64_t bytes);
  void call_of_system(ThreadContext& thread, const std::string& name);
  void fence(ThreadContext& thread, const Code& code);
  void add_note(std::string note);
  void check_is_written(const ThreadContext& thread, const Value& value, const char* use);
  void load_param(BlockState& block, ThreadContext& thread, const Code& code);
  void store_param(BlockState& block, ThreadContext& thread, const Code& code);

  // Memory (accesses.cpp).
  Target resolve(BlockState& block, ThreadContext& thread, const Code& code, std::uint64_t address, std::uint32_t bytes,
                 bool writes);
  std::uint64_t address_of(BlockState& block, ThreadContext& thread, const Code& code);
  void load(BlockState& block, ThreadContext& thread, const Code& code);
  void store(BlockState& block, ThreadContext& thread, const Code& code);
  void atomic(BlockState& block, ThreadContext& thread, const Code& code);
  void multimem(BlockState& block, ThreadContext& thread, const Code& code);
  void check_multimem(ThreadContext& thread, const Code& code, Region& region, std::uint64_t offset);
  void multimem_load(ThreadContext& thread, const Code& code, const Multicast& multicast, std::uint64_t offset);
  Value load_element(ThreadContext& thread, const Code& code, Target at, std::uint32_t bytes, Value* high = nullptr);
  void store_element(ThreadContext& thread, const Code& code, Target at, std::uint32_t bytes, const Value& value,
                     const Value* high);
  void load_wide(ThreadContext& thread, const Code& code, Target at, OperandRef to);
  void observe_latest(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes,
                      std::uint32_t scalar, Scope scope);
  void read_sync(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes, std::uint32_t scalar,
                 Order order, Scope scope);
  bool is_of(const CellSync& sync, std::uint8_t mask);
  bool are_morally_strong(const ThreadContext& thread, Scope scope, std::uint32_t bytes, std::uint32_t other,
                          Scope other_scope, std::uint32_t other_bytes) const;
  bool continues_sequence(const ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes,
                          Scope scope);
  bool holds(const Region& region, std::uint64_t offset, std::uint32_t bytes, const Value& value) const;
  const Releases& releases_of(Region& region, std::uint64_t offset, std::uint32_t bytes);
  void written(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes, std::uint32_t scalar,
               bool is_strong, Scope scope, const Releases& releases, bool continues, bool changes);
  void extend_sequence(const ThreadContext& thread, CellSync& sync, bool continues) const;
  void atomic_wide(ThreadContext& thread, const Code& code, Target at);
  Value update_element(ThreadContext& thread, const Code& code, Target at, std::uint32_t bytes, const Value& operand,
                       const Value* replacement);
  void track(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes, std::uint8_t flags,
             Scope scope, std::uint32_t scalar);
  void track(const ThreadSync& sync, std::uint32_t thread, std::uint32_t site, std::uint32_t call, Region& region,
             std::uint64_t offset, std::uint32_t bytes, std::uint8_t flags, Scope scope, std::uint32_t scalar);
  void note_load(ThreadContext& thread, Target at, const Value& value);
  void wake(TrackedCell& cell);
  Order order_of(const Code& code, const Region& region) const;
  Scope scope_of(const Code& code, const Region& region) const;

  // What loads read, followed (followed_loads.cpp).
  void mark(const ThreadContext& thread, Value& loaded);
  void use(const Value& value) {
    if (!followed_.empty() && !value.is_concrete()) use_marked(value);
  }
  void use_marked(const Value& value);

  // Older values (older_values.cpp).
  bool may_be_older(const Region& region) const { return options_.older_values && region.is_tracked(); }
  void remember_first(Region& region, std::uint64_t offset, std::uint32_t bytes);
  void remember(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes, std::uint32_t scalar,
                bool is_strong, Scope scope);
  Value load_older(ThreadContext& thread, const Code& code, Target load, std::uint32_t bytes, Value* high);
  void take_from(const OlderWrite& write, Target load, std::uint64_t at, std::uint32_t bytes, Value& low, Value* high);
  std::size_t oldest_allowed(const ThreadContext& thread, const TrackedCell& cell, std::uint8_t mask) const;
  bool is_whole(const CellSync& sync, std::uint8_t mask, std::size_t chosen) const;
  std::size_t chosen_write(ThreadContext& thread, TrackedCell& cell, std::uint8_t mask);
  void fence_visibility(ThreadContext& thread, Scope scope);

  // Barriers and warps (barriers.cpp).
  void come_to_barrier(BlockState& block, ThreadContext& thread, const Code& code);
  void check_gathered(BlockState& block, ThreadContext& thread);
  void enter_barrier(BlockState& block, ThreadContext& thread, std::uint32_t count);
  void choose_barrier(BlockState& block, ThreadContext& thread, const Code& code);
  void pass_on(ThreadContext& thread, ClockPointer& clock, ClockPointer& reads) const;
  void arrive(ThreadContext& thread, BarrierState& barrier);
  void check_barrier(BlockState& block, std::uint32_t number);
  void release_barrier(BlockState& block, std::uint32_t number);
  void reduce_at_barrier(BlockState& block, BarrierState& barrier);
  void arrive_in_cluster(BlockState& block, ThreadContext& thread, const Code& code);
  void wait_in_cluster(BlockState& block, ThreadContext& thread);
  void leave_cluster(BlockState& block, ThreadContext& thread);
  void check_cluster(BlockState& block, ClusterBarrier& barrier);
  void pass_cluster_barrier(ThreadContext& thread, const ClusterBarrier& barrier);
  std::uint64_t live_in_cluster(const BlockState& block) const;
  void wait_in_warp(BlockState& block, ThreadContext& thread, const Code& code);
  void check_warp(BlockState& block, ThreadContext& thread);
  /// What the threads of a warp bring to an operation that they do together, by lane.
  struct WarpOperands {
    std::array<Value, 32> values{};
    std::uint32_t present = 0;   // lanes that take part
    std::uint32_t true_for = 0;  // lanes whose predicate holds
    Value reduced = {};          // of redux

    std::uint32_t voted(VoteMode mode) const;
    std::uint32_t same_as(std::uint32_t lane) const;
  };

  void run_warp_operation(BlockState& block, std::vector<ThreadContext*>& members);
  WarpOperands operands_of(BlockState& block, const std::vector<ThreadContext*>& members);
  void set_warp_result(BlockState& block, ThreadContext& thread, const WarpOperands& warp);
  void shuffle(BlockState& block, ThreadContext& thread, const Code& code, const WarpOperands& warp);
  static bool are_same_operation(const ThreadContext& a, const ThreadContext& b);
  void synchronize_warp(std::vector<ThreadContext*>& members);

  // Findings (findings.cpp).
  AccessSite site_of(const AccessRecord& record) const;
  AccessSite site_of_code(std::uint32_t number) const;
  void place_thread(AccessSite& site, std::uint32_t thread) const;
  AccessSite site_of(const ThreadContext& thread) const;
  static GpuFinding finding_of(FindingKind kind, std::string sentence);
  [[noreturn]] void fail_at(const ThreadContext& thread, FindingKind kind, const Region& region, std::uint64_t offset,
                            std::string sentence);
  [[noreturn]] void fail(const ThreadContext& thread, FindingKind kind, std::string sentence);
  void report(const Conflict& conflict, const Region& region, std::uint64_t offset);
  void add_access(const AccessRecord& record, const AccessHistory::Knowledge& knowledge, Region& region,
                  std::uint64_t at, std::uint64_t distance);
  static std::uint64_t number_of_cell(const Region& region, std::uint64_t offset);
  static std::string name_of(const Region& region);
  std::string text_at(const AccessSite& site) const;

  const Launch& launch_;
  const RunOptions& options_;
  LaunchCode decoded_;
  const CodeModule& code_ = *decoded_;
  std::shared_ptr<ValueTerms> terms_ = std::make_shared<ValueTerms>();
  Arithmetic arithmetic_{*terms_};
  DeviceMemory memory_;
  std::uint32_t threads_per_seat_;
  BlockSeats seats_;
  Synchronization synchronization_;
  Scheduler scheduler_;
  std::vector<std::vector<std::uint32_t>> first_seats_;  // by rank, by stream
  std::vector<std::uint32_t> generations_;               // by seat, of the next block there
  std::vector<std::unique_ptr<BlockState>> blocks_;      // by seat; null where none runs
  std::vector<std::uint8_t> runnable_threads_;           // by warp
  std::vector<Stream> streams_;                          // by rank
  std::vector<std::uint32_t> ended_;                     // seats whose blocks have ended
  std::vector<Conflict> conflicts_;
  std::map<std::tuple<FindingKind, std::int64_t, std::int64_t, bool>, std::size_t> known_;
  Value scratch_[4];
  std::size_t scratch_at_ = 0;
  std::vector<std::uint32_t> counting_;  // threads that were parked in loops that count
  std::uint64_t progress_at_wake_ = ~std::uint64_t{0};
  std::uint64_t progress_ = 0;  // grows with each change that another thread may wait for
  std::uint64_t stores_ = 0;
  std::uint32_t switched_ = 0;        // sums that the switch made
  std::vector<PartRead> parts_read_;  // of the load that is under way
  std::map<std::pair<Scope, std::uint32_t>, ClockPointer>
      sc_fences_;  // by scope and rank or seat: what fence.sc made visible
  /// What is being stored, for the records of its cells.
  struct Storing {
    const Value* low = nullptr;  // null: nothing
    const Value* high = nullptr;
    bool is_unchanged = false;  // it is there already
  };
  Storing storing_;
  Cells examined_;
  Cells doubtful_;
  std::size_t races_kept_ = 0;  // in the outcome's findings
  std::size_t harmless_kept_ = 0;
  // Of all interleavings.
  std::map<const TrackedCell*, std::vector<LoggedAccess>> access_log_;
  std::map<const TrackedCell*, std::uint8_t> small_places_;  // bytes of words that small strong accesses are of
  std::vector<DelayedThread> delayed_;
  std::vector<DelayedThread> woken_;  // that haven't gone on yet
  std::map<const CodeFunction*, std::vector<std::vector<bool>>> needed_;
  TrackedCell all_fences_;  // stands for the order of fence.sc
  bool chose_older_ = false;
  Places followed_;
  Places used_;
  std::vector<bool> seen_terms_;           // in values that were used
  std::unique_ptr<RunRecorder> recorder_;  // null unless there is a trace
  GpuOutcome outcome_;
};

}  // namespace onceover::gpu
