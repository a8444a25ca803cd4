// Sweep: the judgement of several schedules.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/verify_command.h"
#include "subjects/limit.h"
#include "subjects/run.h"

namespace onceover::cli {

/// Judges the subjects: several at a time if there are many, each with all threads if there are few. The results are in
/// the order of the subjects. With `fail_fast`, those after a failure are left out.
///
/// Subjects are taken in order, each once, until there are no more or one stops those after it. Memory: the reports,
/// and one schedule for pictures.
///
/// Example: on 2 cores --p 2..64 is 63 subjects for two workers; --p 7 is one subject, with all threads. With
/// --fail-fast and a wrong p = 6, subjects beyond 6 that were judged meanwhile are left out.
class Sweep {
 public:
  /// Both must outlive the sweep.
  Sweep(const std::vector<Subject>& subjects, const VerifyCommand& command);

  /// The verdicts; an error if a subject can't be made, unless others still count, or if all are left out.
  Result<std::vector<Verification>> run();

  /// What commands said that they have no schedule for, in the order of the subjects.
  const std::vector<LeftOut>& left_out() const { return left_out_; }

  /// The schedule for outputs other than the report: the first that fails, or the only one; null if no such output was
  /// asked for. It is kept, because a command may print another schedule when it runs again.
  SchedulePtr kept() const { return kept_; }

 private:
  /// A verdict, or what there is none of.
  using Judged = std::variant<Verification, LeftOut>;

  void judge(std::size_t k, bool may_draw, int threads);
  Result<Judged> run_of(std::size_t k, bool may_draw, int threads);
  Result<std::optional<Repair>> repair_of(const Verification& run, const Schedule& schedule, int threads) const;
  Result<void> limit(Repair& repair, const Verification& run, VerifyOptions options) const;
  Result<void> limit(Verification& run, const Schedule& schedule) const;
  bool goes_on_after(std::size_t k) const;
  void keep(std::size_t k, const SchedulePtr& schedule);
  std::uint64_t without_symmetry_up_to() const;
  void stop_after(std::size_t k);

  const std::vector<Subject>& subjects_;
  const VerifyCommand& command_;
  const std::vector<Limit>& metric_limits_ = command_.metric_limits.limits;
  Wanted wanted_;
  std::vector<std::optional<Result<Judged>>> results_;
  std::vector<LeftOut> left_out_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<std::size_t> stop_ = subjects_.size();
  std::mutex keeping_;
  SchedulePtr kept_;
  std::size_t kept_number_ = 0;
};

}  // namespace onceover::cli
