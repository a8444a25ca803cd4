#include "code/code_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/rows.h"
#include "code/digits.h"
#include "code/explanation.h"
#include "code/trials.h"
#include "live/match.h"
#include "verifier/element_fault.h"

namespace onceover::code {

namespace {

using live::LiveCall;
using live::LiveRun;

constexpr std::size_t element_bytes = 8;

/// After so many crashes on a machine the rest isn't called: each takes a process of its own, and tells little more.
constexpr int most_crashes = 6;

/// One of the calls that are made: each call of the options as often as it is repeated.
struct Attempt {
  std::shared_ptr<Record> record = nullptr;  // of the process that made it
  CallRecord* made = nullptr;                // null: not made
  Ended::How end = Ended::How::whole;
  std::vector<std::string> faults = {};
  SourceLine place = {};                   // that the faults name
  std::vector<std::string> unjudged = {};  // why it didn't end, if the simulator is to blame and not the code
};

/// A call, as it is made again and again.
std::vector<PlannedCall> planned(const CallTries& tries, int repeats) {
  std::vector<PlannedCall> list;
  for (int k = 0; k < repeats; ++k)
    for (const Communicator communicator : tries.communicators)
      list.push_back({.call = tries.call, .communicator = communicator, .round = k, .environment = tries.environment});
  for (int order = 1; order <= tries.orders; ++order)
    list.push_back({.call = tries.call, .order = static_cast<unsigned>(order), .environment = tries.environment});
  return list;
}

/// What is special about the call's communicator.
std::vector<std::string> about(Communicator communicator) {
  switch (communicator) {
    case Communicator::world: return {};
    case Communicator::copy: return {"on a copy of MPI_COMM_WORLD"};
    case Communicator::backwards:
      return {"on a communicator whose ranks run backwards: rank r is rank p-1-r of MPI_COMM_WORLD"};
  }
  return {};
}

class CodeRuns {
 public:
  CodeRuns(const Executable& program, const CodeTrial& trial, const live::Options& options, bool recovers)
      : program_(program),
        trial_(trial),
        options_(options),
        windows_(program.digits == nullptr ? 1 : windows(*program.digits, trial.machine.ranks)),
        recovers_(recovers && program.digits == nullptr),
        matcher_(trial.machine.ranks) {
    for (const CallTries& tries : trial.calls) {
      const bool has_digits = program.digits != nullptr;
      const int repeats =
          has_digits ? std::max(tries.repeats, rounds(*program.digits, positions_of(tries.call))) : tries.repeats;
      firsts_.push_back(calls_.size());
      for (PlannedCall& each : planned(tries, repeats))
        for (each.window = 0; each.window < windows_; ++each.window) calls_.push_back(each);
    }
    firsts_.push_back(calls_.size());
    attempts_.resize(calls_.size());
  }

  Result<std::vector<CodeRun>> run() {
    TRY(make_calls());
    std::vector<CodeRun> runs;
    for (std::size_t k = 0; k < trial_.calls.size() && !is_left_out(k); ++k) {
      runs.push_back(judged(trial_.calls[k].call, firsts_[k], firsts_[k + 1] - firsts_[k]));
      const std::string& own = trial_.calls[k].setting;
      runs.back().judged.setting = own + (own.empty() || trial_.setting.empty() ? "" : ", ") + trial_.setting;
      if (trial_.judges_buffering) judge_buffering(k, runs.back());
    }
    if (!runs.empty()) runs.back().refuses_in_place = refused_;
    return runs;
  }

 private:
  /// Did the trial end at the call or before it, by what is no fault? A call that was made before counts.
  bool is_left_out(std::size_t k) const {
    if (refused_) return refusing_ < firsts_[k + 1];
    const Attempt& first = attempts_[firsts_[k]];
    return is_stopped_ && first.made == nullptr && first.end == Ended::How::whole;
  }

  /// Does the attempt show that the code can't do anything in place, which nobody asked for?
  bool is_refusal(std::size_t attempt) const {
    const auto tries = std::upper_bound(firsts_.begin(), firsts_.end(), attempt) - firsts_.begin() - 1;
    const CallRecord* made = attempts_[attempt].made;
    return trial_.calls[static_cast<std::size_t>(tries)].is_offered && made != nullptr && made->beyond &&
           made->beyond->text.find("MPI_IN_PLACE") != std::string::npos;
  }

  /// The first attempt at the next call: the other attempts at a call that fails don't change its verdict.
  std::size_t behind(std::size_t attempt) const { return *std::upper_bound(firsts_.begin(), firsts_.end(), attempt); }

  /// A call that ends the process is the last one in its record; the next process goes on behind it.
  Result<void> make_calls() {
    int crashes = 0;
    for (std::size_t first = 0; first < calls_.size();) {
      Ran ran = TRY(simulate(program_, trial_.machine, calls_, first, options_.seconds));
      const auto record = std::make_shared<Record>(std::move(ran.record));
      for (CallRecord& made : record->calls) {
        const auto number = static_cast<std::size_t>(made.number);
        if (number < first || number >= calls_.size())
          return tl::unexpected(Failure{ExitCode::internal, "code: the ledger has a call that nobody asked for"});
        attempts_[number] = {record, &made};
        Notes notes = faults_of(made, *record, program_);
        attempts_[number].faults = std::move(notes.lines);
        attempts_[number].place = std::move(notes.place);
      }
      if (ran.end.how == Ended::How::whole) break;
      const std::size_t last = record->calls.empty() ? first : static_cast<std::size_t>(record->calls.back().number);
      Attempt& ended = attempts_[last];
      ended.end = ran.end.how;
      ended.faults = ended.made == nullptr ? std::vector<std::string>{} : ended.made->faults;
      Notes notes = end_text(ran.end, ended.made, *record, program_);
      const bool is_excused = TRY(is_simulators(ran.end, ended));
      if (is_excused && ended.made != nullptr) ended.unjudged = met_text(*ended.made, *record, program_).lines;
      auto& why = is_excused ? ended.unjudged : ended.faults;
      why.insert(why.end(), notes.lines.begin(), notes.lines.end());
      ended.place = notes.place;
      if (is_refusal(last)) {
        refused_ = ended.place;
        refusing_ = last;
        break;
      }
      if (ran.end.how == Ended::How::hung || ran.end.how == Ended::How::full) break;
      is_stopped_ = trial_.judges_buffering && ran.end.how == Ended::How::deadlock;
      if (is_stopped_) {
        ended.place = notes.buffered;
        break;
      }
      if (ran.end.how == Ended::How::crashed && ++crashes == most_crashes) break;
      first = is_excused ? last + 1 : behind(last);
    }
    return {};
  }

  /// Did the call end since the simulator lacks something, or gets it wrong?
  Result<bool> is_simulators(const Ended& end, const Attempt& ended) {
    if (end.how == Ended::How::lacking) return true;
    if (end.how != Ended::How::deadlock || ended.made == nullptr || !may_wait_for_lost(*ended.made)) return false;
    if (!loses_starts_) loses_starts_ = TRY(loses_starts(program_));
    return *loses_starts_;
  }

  /// Judges a call by its attempts, `count` from number `first` on.
  CodeRun judged(const LiveCall& call, std::size_t first, std::size_t count) {
    const auto attempts = std::span(attempts_).subspan(first, count);
    CodeRun run{
        {.call = call, .element_bytes = element_bytes, .repeats = static_cast<int>(count) / windows_, .report = {}}};
    std::vector<Attempt> whole;
    std::vector<std::size_t> numbers;  // of these attempts
    std::vector<std::string> unjudged;
    for (std::size_t k = 0; k < attempts.size(); ++k) {
      if (is_excused(attempts[k])) {
        unjudged = attempts[k].unjudged;
      } else if (is_finished(call, attempts[k])) {
        whole.push_back(attempts[k]);
        numbers.push_back(first + k);
      } else {
        run.judged.report = unfinished(attempts[k]);
        run.judged.notes = about(calls_[first + k].communicator);
        run.place = attempts[k].place;
        return run;
      }
    }
    if (!whole.empty() && (unjudged.empty() || program_.digits == nullptr)) judge_whole(whole, numbers, run);
    if (unjudged.empty() || run.judged.report.verdict == Verdict::fail) return run;
    run.judged.report.verdict = Verdict::unknown;
    run.judged.notes = unjudged;
    return run;
  }

  /// Judges a call by the attempts that came to their ends.
  void judge_whole(std::span<const Attempt> attempts, const std::vector<std::size_t>& numbers, CodeRun& run) {
    const std::size_t shown =
        program_.digits == nullptr ? judge_elements(attempts, run) : judge_numbers(attempts, numbers[0], run);
    take_faults(attempts, run);
    const Verdict verdict = run.judged.report.verdict;
    if (verdict == Verdict::fail) explain(attempts[shown], calls_[numbers[shown]].communicator, run);
    if (verdict == Verdict::unknown)
      run.judged.notes = met_text(*attempts[shown].made, *attempts[shown].record, program_).lines;
  }

  /// A deadlock is no fault: it says that the code relies on buffering.
  void judge_buffering(std::size_t k, CodeRun& run) const {
    const Attempt& attempt = attempts_[firsts_[k]];
    const bool waits = attempt.end == Ended::How::deadlock && !is_excused(attempt);
    live::LiveReport& report = run.judged.report;
    Finding finding{Verdict::pass, "all ranks end though no send is buffered"};
    if (waits) {
      report = {.verdict = Verdict::pass, .properties = {}};
      run.judged.notes.clear();
      run.unbuffered_wait = attempt.place;
      finding = {Verdict::fail, fmt::format("without buffering, {}", fmt::join(attempt.faults, "; "))};
    }
    const bool is_required = asks_for(options_.required, unbuffered_property);
    report.properties.push_back({std::move(finding), unbuffered_property.id, is_required});
    if (waits && is_required) report.verdict = Verdict::fail;
  }

  /// Which attempt shows best what is wrong.
  std::size_t judge_elements(std::span<const Attempt> attempts, CodeRun& run) {
    const LiveCall& call = run.judged.call;
    live::Values values(trial_.machine.ranks);
    std::vector<live::CallOutcome> outcomes;
    for (const Attempt& attempt : attempts) {
      outcomes.push_back(outcome_of(*attempt.made, *attempt.record, values));
      outcomes.back().faults.clear();  // reported with their lines, see take_faults
    }
    run.judged.report = judge(call, values, outcomes, options_.required, options_.waived);
    if (options_.match) {
      live::Matched matched = matcher_.match(call, values, outcomes[0]);
      run.judged.match = std::move(matched.json);
      run.judged.match_text = std::move(matched.text);
    }
    if (call.collective->reduces() && (options_.json || options_.terms))
      run.judged.terms = terms_json(call, values, outcomes[0]);
    const std::size_t shown = first_wrong(call, values, outcomes);
    const bool is_wrong = run.judged.report.verdict == Verdict::fail || !attempts[shown].faults.empty();
    if (recovers_ || is_wrong) run.schedule = recover(call, *attempts[shown].record, *attempts[shown].made);
    return shown;
  }

  std::size_t judge_numbers(std::span<const Attempt> attempts, std::size_t first, CodeRun& run) const {
    std::vector<DigitCall> made;
    for (std::size_t k = 0; k < attempts.size(); ++k) {
      const PlannedCall& planned = calls_[first + k];
      if (planned.window == 0)
        made.push_back({.number = static_cast<int>(first + k), .round = planned.round, .numbers = {}});
      auto& by_rank = made.back().numbers.emplace_back();
      for (const auto& of_rank : attempts[k].made->numbers) by_rank.push_back(*of_rank);
    }
    run.judged.report = judge_digits(run.judged.call, *program_.digits, made, options_.required, options_.waived);
    run.schedule = tl::unexpected(std::string("numbers don't show what messages hold"));
    return 0;
  }

  /// Adds the faults of all attempts, each once, though the call is repeated.
  static void take_faults(std::span<const Attempt> attempts, CodeRun& run) {
    auto& told = run.judged.report.faults;
    for (const Attempt& attempt : attempts) {
      for (const std::string& fault : attempt.faults) add_new(told, fault);
      if (run.place.file.empty()) run.place = attempt.place;
    }
    if (!told.empty()) run.judged.report.verdict = Verdict::fail;
  }

  /// An element that holds something else than what is due.
  static std::optional<ResultElement> wrong_element(const live::LiveReport& report) {
    for (const PropertyResult& p : report.properties)
      if (p.id == exactly_once_property.id && p.counterexample)
        if (const verifier::FaultyElement* element = verifier::faulty_element(*p.counterexample))
          return ResultElement{element->rank, element->index};
    return std::nullopt;
  }

  void explain(const Attempt& shown, Communicator communicator, CodeRun& run) const {
    run.judged.notes = about(communicator);
    Notes why = explanation(*run.schedule, wrong_element(run.judged.report), run.judged.call, *shown.made,
                            *shown.record, program_);
    run.judged.notes.insert(run.judged.notes.end(), why.lines.begin(), why.lines.end());
    if (run.place.file.empty()) run.place = std::move(why.place);
  }

  /// Which attempt fails by itself; the first one if none does.
  std::size_t first_wrong(const LiveCall& call, const live::Values& values,
                          std::span<const live::CallOutcome> outcomes) const {
    for (std::size_t k = 0; k < outcomes.size(); ++k)
      if (judge(call, values, outcomes.subspan(k, 1), options_.required, options_.waived).verdict == Verdict::fail)
        return k;
    return 0;
  }

  static bool is_excused(const Attempt& attempt) { return !attempt.unjudged.empty() && attempt.faults.empty(); }

  bool is_finished(const LiveCall& call, const Attempt& attempt) const {
    return attempt.made != nullptr && attempt.end == Ended::How::whole && has_results(call, *attempt.made);
  }

  /// Are all results there, as long as they should be? The code shares memory with what writes them down.
  bool has_results(const LiveCall& call, const CallRecord& made) const {
    for (Rank r = 0; r < call.ranks; ++r) {
      const auto index = static_cast<std::size_t>(r);
      std::optional<std::size_t> length;
      if (program_.digits != nullptr && made.numbers[index]) length = made.numbers[index]->size();
      if (program_.digits == nullptr && made.results[index]) length = length_of(*made.results[index]);
      if (length != wanted(call, r)) return false;
    }
    return true;
  }

  static std::size_t length_of(const std::vector<ElementRun>& runs) {
    std::size_t length = 0;
    for (const ElementRun& run : runs) length += run.length;
    return length;
  }

  /// Of a call that wasn't made, or didn't come to its end.
  static live::LiveReport unfinished(const Attempt& attempt) {
    const bool is_known = (attempt.made != nullptr || !attempt.faults.empty()) && attempt.end != Ended::How::full;
    live::LiveReport report{.verdict = is_known ? Verdict::fail : Verdict::unknown, .properties = {}};
    report.faults = attempt.faults;
    if (attempt.faults.empty())
      report.faults = {attempt.made == nullptr ? "not called: the call before it didn't end" : "it left no results"};
    return report;
  }

  const Executable& program_;
  const CodeTrial& trial_;
  const live::Options& options_;
  int windows_;  // of digits; 1 if elements aren't digits
  bool recovers_;
  live::Matcher matcher_;
  std::optional<bool> loses_starts_ = {};  // does the simulator? Tried where it matters
  std::vector<std::size_t> firsts_;        // by call: its first attempt; and their number
  bool is_stopped_ = false;                // did a send that waits end the trial?
  std::optional<SourceLine> refused_;      // where code took MPI_IN_PLACE for a buffer, if that ended the trial
  std::size_t refusing_ = 0;               // the attempt at which it did
  std::vector<PlannedCall> calls_;
  std::vector<Attempt> attempts_;  // by call
};

/// There was nothing to judge.
void leave_open(CodeRun& run) {
  if (run.judged.report.verdict != Verdict::pass) return;
  run.judged.report.verdict = Verdict::unknown;
  run.judged.notes.emplace_back("calls with 0 elements have no result to judge; name another --count, too");
}

}  // namespace

Result<std::vector<CodeRun>> run_code(const Executable& program, const CodeTrial& trial, const live::Options& options,
                                      bool recovers) {
  return CodeRuns(program, trial, options, recovers).run();
}

Result<std::vector<CodeRun>> run_code(const Executable& program, std::span<const CodeTrial> trials,
                                      const live::Options& options, bool recovers) {
  std::vector<CodeRun> all;
  for (std::size_t k = 0; k < trials.size(); ++k) {
    std::vector<CodeRun> runs = TRY(run_code(program, trials[k], options, recovers && k == 0));
    const bool passes = std::all_of(runs.begin(), runs.end(),
                                    [](const CodeRun& run) { return run.judged.report.verdict == Verdict::pass; });
    for (CodeRun& run : runs) all.push_back(std::move(run));
    if (!passes) break;
  }
  if (are_empty(options))
    for (CodeRun& run : all) leave_open(run);
  return all;
}

}  // namespace onceover::code
