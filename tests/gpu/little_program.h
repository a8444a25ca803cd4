// Little concurrent programs: a few threads that run straight on, for judges of the memory model.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gpu/engine.h"
#include "gpu/memory/synchronization.h"

namespace onceover::gpu {

enum class Action : std::uint8_t { load, store, add, exchange, reduce, fence, barrier };

/// One instruction. It accesses `words` words of four bytes from `word` on, each of which gets the value.
struct Step {
  Action action = Action::load;
  Order order = Order::weak;
  Scope scope = Scope::none;
  std::uint32_t word = 0;
  std::uint32_t words = 1;
  std::uint32_t value = 0;
  int condition = -1;  // a load or atomic of the thread before: the step runs if all that it read is `wanted`
  std::uint32_t wanted = 0;

  bool is_memory() const { return action != Action::fence && action != Action::barrier; }
  bool is_atomic() const { return action == Action::add || action == Action::exchange || action == Action::reduce; }
  bool writes() const { return action == Action::store || is_atomic(); }
  bool reads() const { return action == Action::load || is_atomic(); }
  /// Does it return what it read?
  bool returns() const { return reads() && action != Action::reduce; }
};

struct LittleThread {
  Rank rank = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::vector<Step> steps;
};

using LittleProgram = std::vector<LittleThread>;

/// The words that each step that returns something read, thread by thread; `unread` if it didn't run.
using Observed = std::vector<std::uint32_t>;
inline constexpr std::uint32_t unread = 0xFFFFFFFF;

/// A thread at "rank.block.thread", with steps as "st.release.sys.u32 x, 1; @0=1 ld.weak.u32 y; fence.sc.gpu; bar".
/// @0=1: if step 0 of the thread read 1. Locations x, y and z have two words, whose upper ones are x1, y1 and z1.
LittleThread little_thread(const std::string& place, const std::string& steps);

/// The same text again, a line a thread.
std::string text_of(const LittleProgram& program);

/// PTX that does this, and then stores what it read.
Launch launch_of(const LittleProgram& program);

struct EngineJudgement {
  std::set<Observed> seen;
  std::set<FindingKind> findings;
  std::string first;  // finding, with its accesses
  bool all_finished = true;
  std::uint64_t interleavings = 0;  // of an exploration
};

/// What the engine says under all starvations, first, last, in turns, and `seeds` random schedules with older values.
EngineJudgement run_by_engine(const LittleProgram& program, std::uint64_t seeds);

/// What it says under all interleavings. They must be at most 100,000.
EngineJudgement explore_by_engine(const LittleProgram& program);

}  // namespace onceover::gpu
