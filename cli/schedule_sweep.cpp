#include "cli/schedule_sweep.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "subjects/required.h"

namespace onceover::cli {

namespace {

Header without_owners(Header header) {
  header.owners.clear();
  return header;
}

}  // namespace

Sweep::Sweep(const std::vector<Subject>& subjects, const VerifyCommand& command)
    : subjects_(subjects),
      command_(command),
      wanted_(wanted_by(command.metric_limits.limits)),
      results_(subjects.size()) {}

Result<std::vector<Verification>> Sweep::run() {
  // The processes of a team gather their findings of one subject after the other.
  const bool many = command_.team == nullptr && subjects_.size() >= 2 * static_cast<std::size_t>(cores());
  run_workers(many ? cores() : 1, [&](int worker) {
    for (std::size_t k = next_++; k < stop_; k = next_++) judge(k, worker == 0, many ? 1 : 0);
  });
  std::vector<Verification> runs;
  for (std::size_t k = 0; k < std::min(stop_.load(), subjects_.size()); ++k) {
    Result<Judged>& result = *results_[k];
    // If there are several schedules, the others still count. A bad formula is bad for all of them, but it must not
    // hide a violation.
    const bool goes_on = goes_on_after(k);
    if (!result && !goes_on) {
      if (runs.empty() || overall(runs) != Verdict::fail) return tl::unexpected(result.error());
      warn(result.error().message);
      return runs;
    }
    if (result && std::holds_alternative<LeftOut>(*result))
      left_out_.push_back(std::get<LeftOut>(std::move(*result)));
    else
      runs.push_back(result ? std::get<Verification>(std::move(*result)) : failed_run(subjects_[k], result.error()));
  }
  if (runs.empty() && !left_out_.empty())
    return tl::unexpected(Failure{ExitCode::unknown, "nothing was judged; " + left_out_text(left_out_)});
  return runs;
}

/// Does a subject that makes no schedule leave the others to be judged, as one that is unknown? A formula that is too
/// large for one p isn't wrong.
bool Sweep::goes_on_after(std::size_t k) const {
  if (*results_[k]) return true;
  switch (subjects_[k].origin.kind) {
    case Origin::Kind::command: return subjects_.size() > 1;
    case Origin::Kind::formula: return results_[k]->error().code == ExitCode::unknown;
    case Origin::Kind::catalogue:
    case Origin::Kind::file: break;
  }
  return false;
}

void Sweep::judge(std::size_t k, bool may_draw, int threads) {
  const bool all_stop = command_.team == nullptr || agree_to_stop(*command_.team);
  auto judged = within_limits([&] { return run_of(k, may_draw, threads); });
  // Otherwise the other processes might wait for what this one found.
  if (!judged && !all_stop) throw LimitRanOut(judged.error());
  results_[k] = judged ? std::move(*judged) : Judged(unfinished_run(subjects_[k], judged.error()));
  if (judged) ++done_;
  const bool is_no_good = !goes_on_after(k);
  const auto* run = *results_[k] ? std::get_if<Verification>(&**results_[k]) : nullptr;
  const bool is_wrong = run != nullptr && run->verdict() == Verdict::fail;
  if (is_no_good || (is_wrong && command_.fail_fast)) stop_after(k);
}

Result<Sweep::Judged> Sweep::run_of(std::size_t k, bool may_draw, int threads) {
  const Subject& subject = subjects_[k];
  const auto made = TRY(subject.attempt());
  if (!made.schedule) return LeftOut{shape_text(subject.shape), made.why_not};
  VerifyOptions options{.threads = threads,
                        .budget = command_.budget,
                        .required = command_.required,
                        .waived = command_.waived,
                        .measured = wanted_.properties,
                        .bounds = command_.bounds,
                        .unrequired_up_to = command_.symmetry ? 0 : unrequired_up_to,
                        .without_symmetry_up_to = without_symmetry_up_to(),
                        .team = command_.team};
  if (may_draw)
    options.on_progress = [&](double part) {
      Progress::say((static_cast<double>(done_) + part) / static_cast<double>(subjects_.size()),
                    shape_text(subject.shape));
    };
  Verification run{subject.origin, without_owners(made.schedule->header()), verify(*made.schedule, options), made.notes,
                   made.as};
  TRY(limit(run, *made.schedule));
  cite(run, *made.schedule, subject, threads == 0 ? cores() : threads);
  const bool is_wrong = run.report.verdict == Verdict::fail;
  if (is_wrong) run.repair = TRY(repair_of(run, *made.schedule, options.threads));
  const bool is_drawn = !command_.counterexample_out.empty() && is_wrong;
  if (is_drawn || !command_.certificate.empty()) keep(k, made.schedule);
  return run;
}

Result<std::optional<Repair>> Sweep::repair_of(const Verification& run, const Schedule& schedule, int threads) const {
  const VerifyOptions options{.threads = threads,
                              .budget = command_.budget,
                              .required = command_.required,
                              .waived = command_.waived,
                              .bounds = command_.bounds};
  auto repair = find_repair(schedule, run.report, options, command_.repair ? most_repair_budget : usual_repair_budget);
  if (repair && !metric_limits_.empty()) TRY(limit(*repair, run, options));
  return repair;
}

/// Judges the limits of the schedule with the repair, too.
Result<void> Sweep::limit(Repair& repair, const Verification& run, VerifyOptions options) const {
  options.measured = wanted_.properties;
  Verification repaired{run.origin, run.header, verify(*repair.schedule, options)};
  TRY(limit(repaired, *repair.schedule));
  repair.verdict = repaired.verdict();
  for (const JudgedLimit& each : repaired.limits)
    if (each.finding.verdict == Verdict::fail) repair.still_fails.push_back(each.text);
  return {};
}

Result<void> Sweep::limit(Verification& run, const Schedule& schedule) const {
  if (metric_limits_.empty()) return {};
  const auto measures = TRY(measures_of(schedule, run.report, wanted_, command_.metric_limits.network));
  return judge_limits(run, metric_limits_, measures);
}

void Sweep::keep(std::size_t k, const SchedulePtr& schedule) {
  const std::lock_guard lock(keeping_);
  if (kept_ && kept_number_ < k) return;
  kept_ = schedule;
  kept_number_ = k;
}

/// Up to `unrequired_up_to`, every block is executed anyway, for properties that nobody requires.
std::uint64_t Sweep::without_symmetry_up_to() const {
  if (command_.no_symmetry) return UINT64_MAX;
  return command_.symmetry ? 0 : unrequired_up_to;
}

/// Subjects are taken in order, so all before k are finished or under way.
void Sweep::stop_after(std::size_t k) {
  std::size_t stop = stop_;
  while (k + 1 < stop && !stop_.compare_exchange_weak(stop, k + 1)) {
  }
}

}  // namespace onceover::cli
