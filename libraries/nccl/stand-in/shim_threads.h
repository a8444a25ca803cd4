// Stands in for the threads of a rank's blocks: one warp is one thread here, and one of them runs at a time, until it
// waits for a message, a barrier, or a value that another one sets. A block is a channel's; all are there at once.
//
// Stacks of threads lie on the rank's own one, so that what reads call frames finds its way.
#pragma once

#include <alloca.h>
#include <mpi.h>
#include <ucontext.h>

#include <cassert>
#include <cstdint>
#include <cstring>
#include <vector>

struct Thread {
  enum State { ready, receives, meets, polls, done };
  ucontext_t context;
  int block, index;
  State state;
  MPI_Request* request;  // if it waits for one
  int barrier;           // where it meets others
  const void* place;     // that it read last, and what was there
  int found;
};

// Static, since ranks that share a process would share an inline variable.
static std::vector<Thread>* threads;
static size_t running;
static ucontext_t whole_rank;
static void (*run_thread)(int block, int index);
static void (*enter_block)(int block);
static int threads_of_block;
static uint64_t random_bits;  // 0: blocks take turns in their order

/// The last thread of a block is the first to run.
inline size_t last_ready_of(int block) {
  for (size_t k = (size_t)(block + 1) * (size_t)threads_of_block; k-- > (size_t)block * (size_t)threads_of_block;)
    if ((*threads)[k].state == Thread::ready) return k;
  return threads->size();
}

inline size_t next_ready() {
  const int blocks = (int)threads->size() / threads_of_block;
  int first = 0;
  if (random_bits != 0) {
    random_bits = random_bits * 6364136223846793005u + 1442695040888963407u;
    first = (int)((random_bits >> 33) % (uint64_t)blocks);
  }
  for (int k = 0; k < blocks; ++k)
    if (const size_t found = last_ready_of((first + k) % blocks); found < threads->size()) return found;
  return threads->size();
}

/// Something happened that a thread may wait for.
inline void wake_polling() {
  for (Thread& each : *threads)
    if (each.state == Thread::polls) each.state = Thread::ready;
}

/// Waits for the first message of those that threads wait for. Without any, they wait for ever.
inline void await_message() {
  std::vector<MPI_Request> requests;
  std::vector<Thread*> waiting;
  for (Thread& each : *threads)
    if (each.state == Thread::receives) {
      requests.push_back(*each.request);
      waiting.push_back(&each);
    }
  assert(!requests.empty() && "no thread of the rank's blocks can go on");
  int which;
  MPI_Waitany((int)requests.size(), requests.data(), &which, MPI_STATUS_IGNORE);
  *waiting[(size_t)which]->request = MPI_REQUEST_NULL;
  waiting[(size_t)which]->state = Thread::ready;
}

/// Lets others run. Returns where this thread is ready again.
inline void pass_on() {
  size_t next;
  while ((next = next_ready()) == threads->size()) await_message();
  if (next == running) return;
  Thread& from = (*threads)[running];
  running = next;
  enter_block((*threads)[next].block);
  swapcontext(&from.context, &(*threads)[next].context);
}

/// Waits until the request is complete.
inline void await(MPI_Request* request) {
  if (threads == nullptr) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    return;
  }
  Thread& own = (*threads)[running];
  own.state = Thread::receives;
  own.request = request;
  pass_on();
  wake_polling();
}

/// Lets others run, and returns once something happened.
inline void await_change() {
  (*threads)[running].state = Thread::polls;
  pass_on();
}

/// Waits for all other threads of the block that there are among the first `count`.
inline void barrier_sync(int barrier, int count) {
  const int warps = (count + 31) / 32, block = (*threads)[running].block;
  std::vector<Thread*> there;
  for (Thread& each : *threads)
    if (each.block == block && each.state == Thread::meets && each.barrier == barrier) there.push_back(&each);
  if ((int)there.size() + 1 < warps) {
    (*threads)[running].state = Thread::meets;
    (*threads)[running].barrier = barrier;
    pass_on();
    return;
  }
  for (Thread* each : there) each->state = Thread::ready;
  (*threads)[running].state = Thread::ready;
  wake_polling();
  pass_on();
}

inline void __syncthreads() {
  if (threads != nullptr) barrier_sync(0, 32 * threads_of_block);
}

inline void begin_thread() {
  run_thread((*threads)[running].block, (*threads)[running].index * 32);
  (*threads)[running].state = Thread::done;
  wake_polling();
  for (const Thread& each : *threads)
    if (each.state != Thread::done) pass_on();  // which doesn't come back
  setcontext(&whole_rank);
}

/// Runs `run(block, thread)` for thread 0, 32, .. of each block. `enter` is called where a block's turn comes.
inline void run_blocks(int blocks, int warps, int order, void (*enter)(int), void (*run)(int, int)) {
  constexpr size_t bytes = 64 << 10;
  constexpr char unused = 0x5a;
  if (blocks * warps == 1) {
    enter(0);
    run(0, 0);
    return;
  }
  const size_t count = (size_t)blocks * (size_t)warps;
  std::vector<Thread> all(count);
  char* stacks = (char*)alloca(count * bytes + 16);
  stacks += 16 - (uintptr_t)stacks % 16;
  threads = &all;
  threads_of_block = warps;
  enter_block = enter;
  run_thread = run;
  random_bits = (uint64_t)order * 0x9e3779b97f4a7c15u;
  for (size_t k = 0; k < count; ++k) {
    Thread& each = all[k];
    each = {};
    each.block = (int)k / warps;
    each.index = (int)k % warps;
    getcontext(&each.context);
    each.context.uc_stack.ss_sp = stacks + k * bytes;
    each.context.uc_stack.ss_size = bytes;
    each.context.uc_link = nullptr;
    makecontext(&each.context, begin_thread, 0);
    memset(stacks + k * bytes, unused, 64);
  }
  running = next_ready();
  enter_block(all[running].block);
  swapcontext(&whole_rank, &all[running].context);
  for (size_t k = 0; k < count; ++k)
    for (int c = 0; c < 64; ++c) assert(stacks[k * bytes + (size_t)c] == unused && "a thread's stack is too small");
  threads = nullptr;
}

namespace cuda {
enum memory_order { memory_order_relaxed, memory_order_acquire, memory_order_release };
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block };

/// A thread that reads a value twice waits for another one.
template <class T, thread_scope>
class atomic_ref {
 public:
  explicit atomic_ref(T& value) : value_(value) {}
  T load(memory_order) {
    Thread& own = (*threads)[running];
    if (own.place == &value_ && own.found == value_) await_change();
    own.place = &value_;
    own.found = value_;
    return value_;
  }
  void store(T value, memory_order) {
    value_ = value;
    wake_polling();
  }

 private:
  T& value_;
};
}  // namespace cuda
