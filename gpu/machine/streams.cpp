#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/launch/launch.h"
#include "gpu/machine/machine.h"
#include "gpu/machine/numbers.h"

namespace onceover::gpu {
namespace {

/// Sites of streams, which aren't instructions.
constexpr std::uint32_t stream_writes = 0xFFFFFFF0;
constexpr std::uint32_t stream_reads = 0xFFFFFFF1;

}  // namespace

void GpuMachine::begin_call(Rank rank) {
  Stream& stream = streams_[static_cast<std::size_t>(rank)];
  if (stream.call == launch_.calls.size()) {
    stream.is_finished = true;
    return;
  }
  const RankCall& call = launch_.calls[stream.call].ranks[static_cast<std::size_t>(rank)];
  for (const MemoryWrite& write : call.writes) this->write(write, rank);
  for (const std::size_t buffer : call.fills) fill(buffer, stream.call, rank);
  for (const std::size_t buffer : call.poisons) {
    poison(buffer, stream.call);
    access_all(memory_.buffer(buffer), rank, 0, memory_.buffer(buffer).size(), true);
  }
  ++progress_;
  ++stream.sync.now.generation;
  stream.queues.clear();
  std::size_t seats = 0;
  for (const int number : streams_of(launch_, rank)) {
    Queue queue;
    queue.seats = seats++;
    for (std::size_t kernel = 0; kernel < call.kernels.size(); ++kernel)
      if (call.kernels[kernel].stream == number) queue.kernels.push_back(kernel);
    auto clock = std::make_shared<Clock>(*stream.sync.clock);
    clock->learn_generations(seats_.seat_of(seats_.stream_of(rank)), stream.sync.now.generation);
    queue.clock = clock;
    queue.reads = clock;
    queue.trace = stream.trace;
    if (options_.grants.kernel_boundary) {
      auto reads = std::make_shared<Clock>(*stream.sync.reads);
      reads->join(seats_, *clock);
      queue.reads = reads;
    }
    stream.queues.push_back(std::move(queue));
  }
  for (Queue& queue : stream.queues) start_next(rank, queue);
  if (call.kernels.empty()) end_call(rank);
}

void GpuMachine::start_next(Rank rank, Queue& queue) {
  if (queue.next == queue.kernels.size()) return;
  Stream& stream = streams_[static_cast<std::size_t>(rank)];
  const KernelRun& run =
      launch_.calls[stream.call].ranks[static_cast<std::size_t>(rank)].kernels[queue.kernels[queue.next++]];
  auto kernel = std::make_unique<KernelState>();
  kernel->run = &run;
  kernel->entry = &code_.functions[run.entry];
  if (kernel->entry->may_read_unset)
    add_note(fmt::format("{} may read a register that nothing has set; what it holds then is up to the machine",
                         launch_.module->functions[run.entry].name));
  kernel->rank = rank;
  kernel->call = stream.call;
  kernel->first_seat = first_seats_[static_cast<std::size_t>(rank)][queue.seats];
  kernel->launch = queue.clock;
  kernel->launch_reads = queue.reads;
  kernel->trace = kernel->end_trace = queue.trace;
  kernel->end = std::make_shared<Clock>(*queue.clock);
  kernel->end_reads = std::make_shared<Clock>(*queue.reads);
  const std::uint64_t bytes =
      std::max<std::uint64_t>(run.arguments.bytes.size(), launch_.module->functions[run.entry].parameter_bytes);
  kernel->arguments = std::make_unique<Region>("parameters", rank, 0, bytes, false, true);
  put(*kernel->arguments, 0, run.arguments);
  queue.running = std::move(kernel);
  KernelState& started = *queue.running;
  const auto blocks = static_cast<std::uint32_t>(run.grid.count());
  const std::uint32_t resident = options_.resident_blocks == 0 ? blocks : std::min(blocks, options_.resident_blocks);
  const auto cluster = static_cast<std::uint32_t>(run.cluster.count());
  for (std::uint32_t block = 0; block < blocks; ++block)
    seats_.set_cluster(started.first_seat + block, started.first_seat + block / cluster * cluster);
  started.live_blocks = blocks;
  while (started.next_block < resident) start_block(started);
}

void GpuMachine::start_block(KernelState& kernel) {
  const std::uint32_t index = kernel.next_block++;
  const std::uint32_t seat = kernel.first_seat + index;
  blocks_[seat] = std::make_unique<BlockState>();
  BlockState& block = *blocks_[seat];
  block.kernel = &kernel;
  block.seat = seat;
  block.index = index;
  block.generation = generations_[seat];
  const auto threads = static_cast<std::uint32_t>(kernel.run->block.count());
  block.live = threads;
  block.registers.resize(std::size_t{threads} * kernel.entry->slots);
  const std::uint64_t shared_bytes = kernel.entry->shared_bytes + kernel.run->dynamic_shared_bytes;
  block.shared = unset_memory(block, "shared memory of block " + std::to_string(index), shared_bytes, true);
  block.threads.resize(threads);
  for (std::uint32_t at = 0; at < threads; ++at) {
    ThreadContext& thread = block.threads[at];
    thread.id = seat * threads_per_seat_ + at;
    thread.index = at;
    thread.function = kernel.entry;
    thread.registers = block.registers.data() + std::size_t{at} * kernel.entry->slots;
    thread.sync.clock = thread.sync.launch = kernel.launch;
    thread.sync.reads = kernel.launch_reads;
    thread.trace = kernel.trace;
    thread.sync.now = {block.generation, 1};
    thread.state = ThreadState::ended;
    set_state(thread, ThreadState::runs);
  }
}

/// Memory of a block or a thread, which holds nothing.
std::unique_ptr<Region> GpuMachine::unset_memory(const BlockState& block, std::string name, std::uint64_t bytes,
                                                 bool is_tracked) {
  auto memory = std::make_unique<Region>(std::move(name), block.kernel->rank, 0, bytes, is_tracked, false);
  std::memset(memory->bytes(), 0xCD, bytes);
  const Lane nothing(terms_->unwritten(ElementType::u32, UINT32_MAX, 0, block.kernel->call), 0);
  std::fill_n(memory->lanes(), (bytes + 1) / 2, nothing);
  return memory;
}

void GpuMachine::end_thread(BlockState& block, ThreadContext& thread) {
  set_state(thread, ThreadState::ended);
  thread.frames.clear();
  ++progress_;
  --block.live;
  leave_cluster(block, thread);
  if (block.live == 0) {
    ended_.push_back(block.seat);
    return;
  }
  for (std::uint32_t barrier = 0; barrier < block.barriers.size(); ++barrier) check_barrier(block, barrier);
  const std::uint32_t first = thread.index / 32 * 32;
  for (std::uint32_t at = first; at < std::min<std::size_t>(first + 32, block.threads.size()); ++at) {
    ThreadContext& other = block.threads[at];
    if (other.state == ThreadState::at_warp) check_warp(block, other);
    if (other.state == ThreadState::gathers) check_gathered(block, other);
  }
}

void GpuMachine::end_blocks() {
  while (!ended_.empty()) {
    const std::uint32_t seat = ended_.back();
    ended_.pop_back();
    end_block(seat);
  }
}

void GpuMachine::end_block(std::uint32_t seat) {
  BlockState& block = *blocks_[seat];
  KernelState& kernel = *block.kernel;
  const Clock* latest = nullptr;
  const Clock* latest_reads = nullptr;
  std::vector<SingleWrite> observed;
  for (const ThreadContext& thread : block.threads) {
    observed.insert(observed.end(), thread.sync.observed.begin(), thread.sync.observed.end());
    join(kernel.end_trace, thread.trace);
    if (thread.sync.clock.get() != latest) kernel.end->join(seats_, *thread.sync.clock);
    if (thread.sync.reads.get() != latest_reads) kernel.end_reads->join(seats_, *thread.sync.reads);
    latest = thread.sync.clock.get();
    latest_reads = thread.sync.reads.get();
  }
  generations_[seat] = block.generation + 1;
  kernel.end->learn_writes(seats_, observed);
  kernel.end->learn_generations(seat, generations_[seat]);
  kernel.end_reads->learn_generations(seat, generations_[seat]);
  blocks_[seat].reset();
  if (kernel.next_block < kernel.run->grid.count()) start_block(kernel);
  if (--kernel.live_blocks > 0) return;
  const Rank rank = kernel.rank;
  for (Queue& queue : streams_[static_cast<std::size_t>(rank)].queues)
    if (queue.running.get() == &kernel) return end_kernel(rank, queue);
}

void GpuMachine::end_kernel(Rank rank, Queue& queue) {
  queue.running->end->forget_what_generations_cover(seats_);
  queue.running->end_reads->forget_what_generations_cover(seats_);
  queue.clock = queue.running->end;
  queue.trace = queue.running->end_trace;
  queue.reads = options_.grants.kernel_boundary ? ClockPointer(queue.running->end_reads) : queue.clock;
  queue.running.reset();
  start_next(rank, queue);
  const auto& queues = streams_[static_cast<std::size_t>(rank)].queues;
  if (std::all_of(queues.begin(), queues.end(), [](const Queue& each) { return each.running == nullptr; }))
    end_call(rank);
}

void GpuMachine::end_call(Rank rank) {
  Stream& stream = streams_[static_cast<std::size_t>(rank)];
  ClockJoin clock(seats_);
  ClockJoin reads(seats_);
  for (const Queue& queue : stream.queues) {
    clock.add(queue.clock);
    reads.add(queue.reads);
    join(stream.trace, queue.trace);
  }
  if (!stream.queues.empty()) {
    stream.sync.clock = clock.take();
    stream.sync.reads = options_.grants.kernel_boundary ? reads.take() : stream.sync.clock;
  }
  for (const std::size_t buffer : launch_.calls[stream.call].ranks[static_cast<std::size_t>(rank)].reads)
    read(buffer, stream.call, rank);
  ++stream.sync.now.generation;
  ++stream.call;
  begin_call(rank);
}

void GpuMachine::put(Region& region, std::uint64_t offset, const Bytes& bytes) {
  std::copy(bytes.bytes.begin(), bytes.bytes.end(), region.bytes() + offset);
  for (const Relocation& relocation : bytes.relocations) {
    const std::uint64_t address = memory_.address(relocation.target, relocation.index, relocation.rank) +
                                  static_cast<std::uint64_t>(relocation.addend);
    std::memcpy(region.bytes() + offset + relocation.at, &address, sizeof address);
  }
}

void GpuMachine::put(Region& region, const MemoryWrite& write) {
  std::uint64_t offset = write.offset;
  if (write.target == RelocationTarget::global) offset += memory_.offset_of_variable(write.index);
  const std::uint64_t end = offset + write.times * write.content.bytes.size();
  std::fill(region.lanes() + offset / 2, region.lanes() + (end + 1) / 2, Lane());
  for (std::uint64_t time = 0; time < write.times; ++time)
    put(region, offset + time * write.content.bytes.size(), write.content);
}

void GpuMachine::write(const MemoryWrite& write, Rank rank) {
  Region& region =
      write.target == RelocationTarget::buffer ? memory_.buffer(write.index) : memory_.variables(write.rank);
  put(region, write);
  const std::uint64_t start =
      write.offset + (write.target == RelocationTarget::global ? memory_.offset_of_variable(write.index) : 0);
  access_all(region, rank, start, write.times * write.content.bytes.size(), true);
}

void GpuMachine::fill(std::size_t buffer, std::uint32_t call, Rank rank) {
  Region& region = memory_.buffer(buffer);
  const ElementType type = launch_.buffers[buffer].type;
  const auto bytes = static_cast<std::uint32_t>(size_of(type));
  const ValueTerm first = terms_->leaves(type, buffer, region.size() / bytes, call);
  for (std::uint64_t element = 0; element < region.size() / bytes; ++element) {
    Value value = concrete(input_bits(type, buffer, element, call));
    arithmetic_.set_term(value, type, 0, static_cast<ValueTerm>(static_cast<std::uint64_t>(first) + element));
    region.store(element * bytes, bytes, value, *terms_);
  }
  access_all(region, rank, 0, region.size(), true);
}

void GpuMachine::poison(std::size_t buffer, std::uint32_t call) {
  Region& region = memory_.buffer(buffer);
  std::memset(region.bytes(), 0xA5, region.size());
  const ElementType type = launch_.buffers[buffer].type;
  std::fill_n(region.lanes(), (region.size() + 1) / 2, Lane(terms_->unwritten(type, buffer, 0, call), 0));
}

void GpuMachine::read(std::size_t buffer, std::uint32_t call, Rank rank) {
  Region& region = memory_.buffer(buffer);
  access_all(region, rank, 0, region.size(), false);
  const ElementType type = launch_.buffers[buffer].type;
  const auto bytes = static_cast<std::uint32_t>(size_of(type));
  HeldBuffer held{call, buffer, {}};
  for (std::uint64_t element = 0; element < region.size() / bytes; ++element) {
    const Value value = region.load(element * bytes, bytes, *terms_);
    held.elements.push_back({arithmetic_.term(value, type, 0), value.bits});
  }
  outcome_.held.push_back(std::move(held));
}

/// The stream accesses these bytes, weakly. Older values are gone then.
void GpuMachine::access_all(Region& region, Rank rank, std::uint64_t offset, std::uint64_t bytes, bool is_write) {
  const Stream& stream = streams_[static_cast<std::size_t>(rank)];
  const std::uint32_t thread = seats_.stream_of(rank);
  const std::uint32_t site = is_write ? stream_writes : stream_reads;
  const std::uint8_t flags = is_write ? AccessRecord::is_write : 0;
  if (!region.is_tracked()) return;
  for (std::uint64_t at = offset; at < offset + bytes;) {
    const std::uint64_t end = std::min(at / 4 * 4 + 4, offset + bytes);
    track(stream.sync, thread, site, stream.call, region, at, static_cast<std::uint32_t>(end - at), flags, Scope::none,
          static_cast<std::uint32_t>(end - at));
    if (is_write) forget_writer(region.cell(at));
    if (is_write && tries_all() && region.cell(at).sync != nullptr)
      region.cell(at).sync->trace = std::make_shared<const TraceClock>(stream.trace);
    at = end;
  }
}

void GpuMachine::forget_writer(TrackedCell& cell) {
  if (cell.sync == nullptr) return;
  cell.sync->releases = nullptr;
  cell.sync->is_strong = false;
  cell.sync->dropped += static_cast<std::uint32_t>(cell.sync->older.size());
  cell.sync->older.clear();
  wake(cell);
}

}  // namespace onceover::gpu
