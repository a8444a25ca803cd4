#include "formats/msccl_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace onceover::formats {

namespace {

class Folder {
 public:
  std::vector<FoldingFault> fold(const std::vector<MscclStep>& steps) {
    for (at_ = 0; at_ < steps.size(); ++at_)
      if (steps[at_].instruction == Instruction::wait)
        take_nop(steps[at_]);
      else
        take(steps[at_]);
    if (waiting_ > 0)
      find(FoldingFault::Kind::dropped, last_wait_, "depid",
           "depid: no step comes after this nop, so the runtimes drop its wait");
    return std::move(faults_);
  }

 private:
  void take_nop(const MscclStep& nop) {
    if (nop.waits) {
      ++waiting_;
      last_wait_ = at_;
    }
    if (nop.signals)
      find(FoldingFault::Kind::dropped, at_, "hasdep",
           "hasdep: the runtimes drop nops, so this one never tells that it is done");
  }

  void take(const MscclStep& step) {
    if (goes_on(step)) {
      check_fused(step);
    } else {
      if (waiting_ > 0 && !step.waits)
        find(FoldingFault::Kind::refused, at_, "depid",
             "depid: the nops before this step wait, so the runtimes require this step to wait, too; move the last "
             "wait here");
      const std::size_t waits = waiting_ + (step.waits ? 1 : 0);
      counted_ += waits > 0 ? waits - 1 : 0;
    }
    waiting_ = 0;
    if (step.signals && counted_ != at_)
      find(FoldingFault::Kind::changed, at_, "hasdep",
           fmt::format("hasdep: the runtimes count this step as {}, since nops that wait for nothing, or whose step "
                       "doesn't wait, don't count; who waits for step {} would wait for another",
                       counted_, at_));
    ++counted_;
    before_.reset();
    if (step.instruction == Instruction::reduce && !step.signals) before_ = step;
  }

  bool goes_on(const MscclStep& step) const {
    return before_ && step.instruction == Instruction::reduce && !step.waits &&
           step.target.buffer == before_->target.buffer && step.target.first == before_->target.first &&
           step.source.buffer == before_->source.buffer;
  }

  /// Checks a reduction that the runtimes join with the one before it.
  void check_fused(const MscclStep& step) {
    if (waiting_ > 0)
      find(FoldingFault::Kind::changed, last_wait_, "depid",
           "depid: the runtimes make the reductions around this nop one, which doesn't wait for it");
    if (step.target.count != before_->target.count)
      find(FoldingFault::Kind::changed, at_, "cnt",
           fmt::format("cnt: the runtimes make this reduction and that before it one, of {} chunk{}; that before it "
                       "has {}",
                       step.target.count, step.target.count == 1 ? "" : "s", before_->target.count));
  }

  void find(FoldingFault::Kind kind, std::size_t step, std::string_view attribute, std::string why) {
    faults_.push_back({kind, step, attribute, std::move(why)});
  }

  std::vector<FoldingFault> faults_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;  // the next step's number, as the flags count
  std::size_t waiting_ = 0;  // waits of nops since the last step
  std::size_t last_wait_ = 0;
  std::optional<MscclStep> before_;  // the step before, if a reduction may be joined with it
};

bool signals_others(const MscclStep& step) {
  return step.signals && step.instruction != Instruction::wait;
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

std::vector<FoldingFault> folding_faults(const std::vector<MscclStep>& steps) {
  return Folder().fold(steps);
}

tl::expected<OperationId, std::string> end_of_wait(const std::vector<MscclThread>& threads, std::int64_t thread,
                                                   std::int64_t step) {
  const MscclThread& other = threads[static_cast<std::size_t>(thread)];
  const auto count = static_cast<std::int64_t>(other.steps.size());
  const auto teller = std::find_if(other.steps.begin() + std::min(step, count), other.steps.end(), signals_others);
  if (teller == other.steps.end()) return tl::unexpected(never(other.steps, thread, step));
  return other.begin + static_cast<OperationId>(teller - other.steps.begin());
}

}  // namespace onceover::formats
