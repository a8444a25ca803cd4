// The steps of a thread block of MSCCL XML, as the runtimes run them: nops are folded into the step after them,
// reductions together, and a step may wait for one of another thread block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// A step as it is in the file.
struct MscclStep {
  Instruction instruction = Instruction::wait;
  ChunkRange source = {};
  ChunkRange target = {};
  bool waits = false;    // depid isn't -1
  bool signals = false;  // hasdep is 1
};

/// A step that folding turns into something other than the file says.
struct FoldingFault {
  enum class Kind : std::uint8_t {
    refused,  // the runtimes don't load the file; without their check it would mean what it says
    changed,  // they run something else
    dropped,  // they leave it out
  };
  Kind kind;
  std::size_t step;
  std::string_view attribute;
  std::string why;
};

/// Finds where folding changes a step. The runtimes fold like this:
/// - A nop isn't a step. The next step that isn't a nop also waits for what the nop waits for; that step must have a
///   depid of its own. Nothing can wait for a nop (its hasdep is dropped), and a nop at the end of a thread block does
///   nothing.
/// - Consecutive reductions become one if they have the same buffers and dstoff, all except the first have depid=-1,
///   and all except the last have hasdep=0; nops between them don't count. The one reduction has the count of the last
///   and begins when the first may. (A source that is read between them would matter only if it were the target, which
///   then counts twice either way.)
/// - A flag counts steps: one for each step that isn't a nop, and one for each wait except the last that it gets from
///   nops.
///
/// The result is what the file says, except for these faults, which come in the order of the steps. O(steps).
std::vector<FoldingFault> folding_faults(const std::vector<MscclStep>& steps);

/// A thread block: its steps, and the first one's operation in the program; the others follow that.
struct MscclThread {
  OperationId begin = 0;
  std::vector<MscclStep> steps = {};
};

/// The operation whose end ends a wait for step `step` (`deps`) of a gpu's thread block `thread` (`depid`). It is the
/// first step with hasdep=1 that isn't a nop, from that step on. If there is none, the wait never ends; the error says
/// what it waits for and why that never comes. O(steps).
tl::expected<OperationId, std::string> end_of_wait(const std::vector<MscclThread>& threads, std::int64_t thread,
                                                   std::int64_t step);

}  // namespace onceover::formats
