// When the waits of MSCCL XML's steps end.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "formats/msccl_folding.h"
#include "formats/program.h"

namespace onceover::formats {

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
