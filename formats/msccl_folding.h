// How the runtimes fold the steps of a thread block of MSCCL XML: nops into the step behind them, reductions together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// A step as the file has it.
struct MscclStep {
  Instruction instruction = Instruction::wait;
  ChunkRange source = {};
  ChunkRange target = {};
  bool waits = false;  // depid isn't -1
  bool tells = false;  // hasdep is 1
};

/// Where folding makes something else of a step than the file says.
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

/// What the runtimes do:
/// - A nop is no step. What it waits for, the next step that isn't one waits for, too, which must have a depid of its
///   own. It tells nobody (its hasdep is dropped), and at the end of a thread block it does nothing.
/// - Consecutive reductions (nops between them don't count) with the same buffers and dstoff, of which all but the
///   first have depid=-1 and all but the last hasdep=0, are one: of the count of the last, and begun when the first
///   may. (That no source is read between them would matter only if it were the target, which then counts twice either
///   way.)
/// - A flag counts steps: one for each that isn't a nop, and one for each wait but the last that it has from nops.
/// That is the same as what the file says, but for these faults, in the order of the steps. O(steps).
std::vector<FoldingFault> folding_faults(const std::vector<MscclStep>& steps);

}  // namespace onceover::formats
