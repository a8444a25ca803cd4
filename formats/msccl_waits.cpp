#include "formats/msccl_waits.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::formats {

namespace {

bool tells_others(const MscclStep& step) {
  return step.tells && step.instruction != Instruction::wait;
}

std::string never(const std::vector<MscclStep>& steps, std::int64_t thread, std::int64_t step) {
  if (step >= static_cast<std::int64_t>(steps.size()))
    return fmt::format("step {} of thread block {}, which has {} steps", step, thread, steps.size());
  return fmt::format(
      "step {} of thread block {}, which tells nobody that it is done: hasdep is 0 there and in all "
      "later steps, or they are nops",
      step, thread);
}

}  // namespace

tl::expected<OperationId, std::string> end_of_wait(const std::vector<MscclThread>& threads, std::int64_t thread,
                                                   std::int64_t step) {
  const MscclThread& other = threads[static_cast<std::size_t>(thread)];
  const auto count = static_cast<std::int64_t>(other.steps.size());
  const auto teller = std::find_if(other.steps.begin() + std::min(step, count), other.steps.end(), tells_others);
  if (teller == other.steps.end()) return tl::unexpected(never(other.steps, thread, step));
  return other.begin + static_cast<OperationId>(teller - other.steps.begin());
}

}  // namespace onceover::formats
