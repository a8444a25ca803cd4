// Buffers of calls: how long they are and what they hold, as the code that judges calls says it; and the pages beside
// them that nobody may touch. When somebody does, the system's signal says which address was used, by which
// instruction. The address tells the buffer; the instruction is one of the user's code, or of a library that it called,
// or of the simulator's while it carries out an MPI call.
//
// Example: an allreduce of 3 elements, and a loop to `<= n` that reads element 3 of its send buffer. The buffer ends
// where the pages begin; so "reads 0 bytes behind its send buffer", at the line of the loop.

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

#include "code/runtime/ledger.h"
#include "live/live_call.h"

namespace {

namespace live = onceover::live;

live::LiveCall call_of(const onceover_call* call) {
  const auto all = live::live_collectives();
  const auto kind = static_cast<live::CallKind>(call->kind);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const live::LiveCollective& c) { return c.kind == kind; });
  return {.collective = &*found,
          .in_place = call->in_place != 0,
          .ranks = call->ranks,
          .root = call->root,
          .count = call->count,
          .layout = static_cast<live::Layout>(call->layout)};
}

constexpr std::size_t guard_bytes = std::size_t{1} << 20;
constexpr unsigned char pattern = 0xA5;
constexpr int segmentation_fault_exit = 139;

/// A buffer, and the pages around it.
struct Buffer {
  std::uint32_t rank;
  const char* name;
  std::size_t bytes;
  char* mapped;              // begins with a guard
  std::size_t usable_bytes;  // between the guards
  bool is_freed = false;     // memory of the code's own that it gave back, which nobody may touch
};

struct Program {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

std::map<const char*, Buffer> buffers;  // by where they begin
std::map<std::uint32_t, Program> programs;
std::map<std::uint32_t, std::uint64_t> sites;
std::uint32_t running = 0;  // the rank that called MPI or began a call last
struct sigaction handler_before;

/// What the instruction did: an address in the rank's copy of the program, and is it a write? 0: not known.
struct Access {
  std::uintptr_t instruction = 0;
  std::uintptr_t returns_to = 0;  // if the instruction is in a function without a frame
  bool writes = false;
};

Access access_of([[maybe_unused]] const ucontext_t& context) {
  Access access;
#if defined(__x86_64__)
  const auto& registers = context.uc_mcontext.gregs;
  access.instruction = static_cast<std::uintptr_t>(registers[REG_RIP]);
  std::memcpy(&access.returns_to, reinterpret_cast<const void*>(registers[REG_RSP]), sizeof access.returns_to);
  access.writes = (registers[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
  access.instruction = context.uc_mcontext.pc;
  access.returns_to = context.uc_mcontext.regs[30];
#endif
  return access;
}

/// The site of an access: in the program, in a function that it called, or else of the rank's last call of MPI.
std::uint64_t site_of(const Access& access, std::uint32_t rank) {
  const Program& program = programs[rank];
  const auto is_inside = [&](std::uintptr_t at) { return at >= program.begin && at < program.end; };
  // A site is what a call returns to, which is behind the call.
  std::uint64_t at = 0;
  if (is_inside(access.instruction)) at = access.instruction + 1 - program.begin;
  if (at == 0 && is_inside(access.returns_to)) at = access.returns_to - program.begin;
  return at == 0 ? sites[rank] : onceover_site(rank, &at, 1);
}

/// MPI_IN_PLACE is an address on the last page, where nothing can be. Code that takes it for a buffer is written down.
/// The instruction is in the program, in a function that it called, or in MPI, where the rank was last.
void tell_in_place(const char* address, const Access& access) {
  constexpr std::uintptr_t page = 4096;
  if (reinterpret_cast<std::uintptr_t>(address) < ~page) return;
  std::uint32_t rank = running;
  for (const auto& [each, program] : programs)
    for (const std::uintptr_t at : {access.instruction, access.returns_to})
      if (at >= program.begin && at < program.end) rank = each;
  onceover_log_beyond(rank, site_of(access, rank), "takes MPI_IN_PLACE for a buffer");
  _exit(segmentation_fault_exit);
}

/// Writes down who used an address beside a buffer; does nothing if it is beside none.
void tell_access(const char* address, const Access& access) {
  for (const auto& [begin, buffer] : buffers) {
    if (address < buffer.mapped || address >= buffer.mapped + buffer.usable_bytes + 2 * guard_bytes) continue;
    const bool is_behind = address >= begin;
    const auto distance = is_behind ? address - (begin + buffer.bytes) : begin - address;
    char text[160];
    if (buffer.is_freed)
      std::snprintf(text, sizeof text, "%s memory that it has freed", access.writes ? "writes" : "reads");
    else
      std::snprintf(text, sizeof text, "%s memory %td bytes %s its %s", access.writes ? "writes" : "reads", distance,
                    is_behind ? "behind" : "before", buffer.name);
    onceover_log_beyond(buffer.rank, site_of(access, buffer.rank), text);
    _exit(segmentation_fault_exit);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const Access access = access_of(*static_cast<const ucontext_t*>(context));
  tell_access(static_cast<const char*>(info->si_addr), access);
  tell_in_place(static_cast<const char*>(info->si_addr), access);
  // The handler before gets the signal on return. Called from here, it would raise it for this one again, without an
  // end.
  sigaction(signal, &handler_before, nullptr);
  raise(signal);
}

void watch() {
  static bool is_watching = false;
  if (is_watching) return;
  is_watching = true;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &handler_before);
}

[[noreturn]] void run_out_of_memory() {
  std::fprintf(stderr, "onceover: out of memory\n");
  std::abort();
}

}  // namespace

void onceover_is_at(std::uint32_t rank, std::uint64_t site) {
  sites[rank] = site;
  running = rank;
}

void onceover_lies_at(uint32_t rank, const void* begin, const void* end) {
  running = rank;
  programs[rank] = {reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end)};
}

void* onceover_new_guarded(uint32_t rank, const char* name, size_t bytes, int ends_at_guard) {
  watch();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t usable = (bytes + page - 1) / page * page;
  void* const mapped =
      mmap(nullptr, usable + 2 * guard_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) run_out_of_memory();
  char* const inside = static_cast<char*>(mapped) + guard_bytes;
  if (usable > 0 && mprotect(inside, usable, PROT_READ | PROT_WRITE) != 0) run_out_of_memory();
  std::memset(inside, pattern, usable);
  char* const begin = ends_at_guard != 0 ? inside + (usable - bytes) : inside;
  buffers[begin] = {rank, name, bytes, static_cast<char*>(mapped), usable};
  return begin;
}

namespace {

/// Memory that the code has freed, the oldest first; as long as it is here, nobody may touch it.
std::deque<const char*> freed;
constexpr std::size_t most_freed = 512;
constexpr std::size_t most_allocated = 4096;  // the system has a limit for the parts of a process's memory
constexpr std::size_t largest = std::size_t{64} << 20;
constexpr std::size_t alignment = 16;
constexpr const char* allocated_name = "allocated memory";

bool is_allocated(const Buffer& buffer) {
  return buffer.name == allocated_name;
}

}  // namespace

void* onceover_allocate(uint32_t rank, size_t bytes) {
  if (buffers.size() >= most_allocated || bytes > largest) {
    void* const plain = std::malloc(bytes);
    if (plain != nullptr) std::memset(plain, onceover_unwritten_byte, bytes);
    return plain;
  }
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = onceover_new_guarded(rank, allocated_name, whole, 1);
  std::memset(memory, onceover_unwritten_byte, whole);
  return memory;
}

void* onceover_reallocate(uint32_t rank, void* memory, size_t bytes) {
  const auto found = buffers.find(static_cast<const char*>(memory));
  if (found == buffers.end() || !is_allocated(found->second))
    return memory == nullptr ? onceover_allocate(rank, bytes) : std::realloc(memory, bytes);
  void* const larger = onceover_allocate(rank, bytes);
  if (larger != nullptr) std::memcpy(larger, memory, std::min(bytes, found->second.bytes));
  onceover_release(memory);
  return larger;
}

void onceover_release(void* memory) {
  const auto found = buffers.find(static_cast<const char*>(memory));
  if (found == buffers.end() || !is_allocated(found->second) || found->second.is_freed) return std::free(memory);
  Buffer& buffer = found->second;
  buffer.is_freed = true;
  mprotect(buffer.mapped + guard_bytes, buffer.usable_bytes, PROT_NONE);
  madvise(buffer.mapped + guard_bytes, buffer.usable_bytes, MADV_DONTNEED);
  freed.push_back(found->first);
  if (freed.size() <= most_freed) return;
  onceover_free_guarded(const_cast<char*>(freed.front()));
  freed.pop_front();
}

void onceover_free_guarded(void* buffer) {
  const auto found = buffers.find(static_cast<const char*>(buffer));
  if (found == buffers.end()) return;
  munmap(found->second.mapped, found->second.usable_bytes + 2 * guard_bytes);
  buffers.erase(found);
}

int onceover_is_untouched_around(const void* buffer) {
  const auto found = buffers.find(static_cast<const char*>(buffer));
  if (found == buffers.end()) return 0;
  const auto& [begin, own] = *found;
  const char* const inside = own.mapped + guard_bytes;
  for (const char* at = inside; at < inside + own.usable_bytes; ++at)
    if ((at < begin || at >= begin + own.bytes) && static_cast<unsigned char>(*at) != pattern) return 0;
  return 1;
}

size_t onceover_given(const onceover_call* call, int rank) {
  return live::given(call_of(call), rank);
}

size_t onceover_wanted(const onceover_call* call, int rank) {
  return live::wanted(call_of(call), rank);
}

size_t onceover_room(const onceover_call* call, int rank) {
  return live::held_before(call_of(call), rank).size();
}

void onceover_held_before(const onceover_call* call, int rank, int64_t* positions) {
  for (const auto& position : live::held_before(call_of(call), rank)) *positions++ = position ? *position : -1;
}

void onceover_parts(const onceover_call* call, int rank, int is_sent, int* counts, int* begins) {
  const live::LiveCall described = call_of(call);
  if (described.collective->reduces()) {
    for (int r = 0; r < call->ranks; ++r) counts[r] = live::share(described, r);
    return;
  }
  for (const live::Part& part : (is_sent != 0 ? live::sent(described, rank) : live::received(described, rank)).parts) {
    *counts++ = part.count;
    *begins++ = static_cast<int>(part.begin);
  }
}
