// When the waits of MSCCL XML's steps are over.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "formats/msccl_folding.h"
#include "formats/program.h"

namespace onceover::formats {

/// A thread block: what its steps say, and the first one's operation in the program; the others follow it.
struct MscclThread {
  OperationId begin = 0;
  std::vector<MscclStep> steps = {};
};

/// The operation whose end ends a wait for a step (`deps`) of one of the thread blocks of a gpu (`depid`): that of the
/// first step that tells, the step itself or one after it. A nop never tells. If there is none, the wait never ends,
/// and the answer is what is waited for, and why it doesn't come. O(steps).
tl::expected<OperationId, std::string> end_of_wait(const std::vector<MscclThread>& threads, std::int64_t thread,
                                                   std::int64_t step);

}  // namespace onceover::formats
