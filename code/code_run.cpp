#include "code/code_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "code/explanation.h"
#include "code/shapes.h"
#include "live/matcher.h"

namespace onceover::code {

namespace {

using live::LiveCall;
using live::LiveRun;

constexpr std::size_t element_bytes = 8;

/// One of the calls that are made: each call of the options as often as it is repeated.
struct Attempt {
  std::shared_ptr<Record> record = nullptr;  // of the process that made it
  CallRecord* made = nullptr;                // null: not made
  Ended::How end = Ended::How::whole;
  std::vector<std::string> faults = {};
  SourceLine place = {};  // that the faults name
};

class CodeRuns {
 public:
  CodeRuns(const Executable& program, const Machine& machine, const live::Options& options, int orders, bool recovers)
      : program_(program),
        machine_(machine),
        options_(options),
        attempts_of_each_(options.repeats + orders),
        recovers_(recovers),
        matcher_(machine.ranks) {
    for (const LiveCall& call : options.calls) {
      calls_.insert(calls_.end(), static_cast<std::size_t>(options.repeats), {call});
      for (int order = 1; order <= orders; ++order) calls_.push_back({call, static_cast<unsigned>(order)});
    }
    attempts_.resize(calls_.size());
  }

  Result<std::vector<CodeRun>> run() {
    TRY(make_calls());
    std::vector<CodeRun> runs;
    for (std::size_t k = 0; k < options_.calls.size(); ++k)
      runs.push_back(judged(options_.calls[k], std::span(attempts_).subspan(k * count(), count())));
    return runs;
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(attempts_of_each_); }

  /// A call that ends the process is the last one in its record; the next process goes on behind it.
  Result<void> make_calls() {
    for (std::size_t first = 0; first < calls_.size();) {
      Ran ran = TRY(simulate(program_, machine_, calls_, first, options_.seconds));
      const auto record = std::make_shared<Record>(std::move(ran.record));
      for (CallRecord& made : record->calls) {
        const auto number = static_cast<std::size_t>(made.number);
        if (number < first || number >= calls_.size())
          return tl::unexpected(Failure{ExitCode::internal, "code: the ledger has a call that nobody asked for"});
        attempts_[number] = {record, &made};
        Told told = faults_of(made, *record, program_);
        attempts_[number].faults = std::move(told.lines);
        attempts_[number].place = std::move(told.place);
      }
      if (ran.end.how == Ended::How::whole) break;
      const std::size_t last = record->calls.empty() ? first : static_cast<std::size_t>(record->calls.back().number);
      Attempt& ended = attempts_[last];
      ended.end = ran.end.how;
      ended.faults = ended.made == nullptr ? std::vector<std::string>{} : ended.made->faults;
      Told told = end_text(ran.end, ended.made, *record, program_);
      ended.faults.insert(ended.faults.end(), told.lines.begin(), told.lines.end());
      ended.place = std::move(told.place);
      if (ran.end.how == Ended::How::hung || ran.end.how == Ended::How::full) break;
      first = last + 1;
    }
    return {};
  }

  CodeRun judged(const LiveCall& call, std::span<Attempt> attempts) {
    CodeRun run{{.call = call, .element_bytes = element_bytes, .repeats = attempts_of_each_, .report = {}}};
    for (const Attempt& attempt : attempts)
      if (attempt.made == nullptr || attempt.end != Ended::How::whole || !has_results(call, *attempt.made)) {
        run.judged.report = unfinished(attempt);
        run.place = attempt.place;
        return run;
      }
    live::Values values(machine_.ranks);
    std::vector<live::CallOutcome> outcomes;
    std::vector<std::string> told;  // each fault once, though the call is repeated
    for (const Attempt& attempt : attempts) {
      outcomes.push_back(Shapes(*attempt.record, values).outcome(*attempt.made));
      for (const std::string& fault : attempt.faults)
        if (std::find(told.begin(), told.end(), fault) == told.end()) told.push_back(fault);
      if (run.place.file.empty()) run.place = attempt.place;
    }
    outcomes[0].faults = told;
    for (std::size_t k = 1; k < outcomes.size(); ++k) outcomes[k].faults.clear();
    run.judged.report = judge(call, values, outcomes, options_.required);
    if (options_.match) {
      live::Matched matched = matcher_.match(call, values, outcomes[0]);
      run.judged.match = std::move(matched.json);
      run.judged.match_text = std::move(matched.text);
    }
    if (call.collective->reduces && (options_.json || options_.terms))
      run.judged.terms = terms_json(call, values, outcomes[0]);
    if (recovers_ || run.judged.report.verdict == Verdict::fail) {
      const Attempt& shown = attempts[first_wrong(call, values, outcomes)];
      run.schedule = recover(call, *shown.record, *shown.made);
      if (run.judged.report.verdict == Verdict::fail) {
        Told why = explanation(*run.schedule, *shown.made, *shown.record, program_);
        run.judged.notes = std::move(why.lines);
        if (run.place.file.empty()) run.place = std::move(why.place);
      }
    }
    return run;
  }

  /// Which attempt fails by itself; the first one if none does.
  std::size_t first_wrong(const LiveCall& call, const live::Values& values,
                          std::span<const live::CallOutcome> outcomes) const {
    for (std::size_t k = 0; k < outcomes.size(); ++k)
      if (judge(call, values, outcomes.subspan(k, 1), options_.required).verdict == Verdict::fail) return k;
    return 0;
  }

  /// Are all results there, as long as they should be? The code shares memory with what writes them down.
  static bool has_results(const LiveCall& call, const CallRecord& made) {
    for (Rank r = 0; r < call.ranks; ++r) {
      const auto& result = made.results[static_cast<std::size_t>(r)];
      std::size_t length = 0;
      for (const ElementRun& run : result.value_or(std::vector<ElementRun>{})) length += run.length;
      if (!result || length != wanted(call, r)) return false;
    }
    return true;
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
  const Machine& machine_;
  const live::Options& options_;
  int attempts_of_each_;
  bool recovers_;
  live::Matcher matcher_;
  std::vector<PlannedCall> calls_;
  std::vector<Attempt> attempts_;  // by call
};

}  // namespace

Result<std::vector<CodeRun>> run_code(const Executable& program, const Machine& machine, const live::Options& options,
                                      int orders, bool recovers) {
  return CodeRuns(program, machine, options, orders, recovers).run();
}

}  // namespace onceover::code
