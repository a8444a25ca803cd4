// The calls of a unit differ in their number of elements. A property's finding is the worst of all calls, with the
// first counterexample. What is no property, such as a deadlock, is a fault, which is a rule of its own.
//
// Example: a ring that begins its allgather with the wrong block, at p = 2: the calls with 1, 2, 3 and 1000 elements
// fail exactly-once. The finding is that of 1 element, at the line of the send.

#include "units/code_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "code/code_report.h"
#include "code/code_run.h"
#include "code/digits.h"
#include "code/library.h"
#include "code/trials.h"
#include "subjects/limit.h"

namespace onceover::units {

namespace {

const live::LiveCollective& collective_of(const CodeChoice& code, const code::LibraryRow* row) {
  if (row != nullptr) return *row->collective;
  return code.collective == nullptr ? live::live_collectives().front() : *code.collective;
}

/// What the row's domain asks for besides the check.
code::DomainCalls domain_of(const code::CodeOptions& options, const code::LibraryRow& row) {
  return code::domain_calls(row, options.calls, options.asked.is_quick);
}

Result<live::Options> calls_of(const Check& check, const code::LibraryRow* row, Rank ranks) {
  const code::CodeOptions& options = check.code.options;
  live::CallWords calls = options.calls;
  calls.given.push_back({"collective", std::string(collective_of(check.code, row).name)});
  if (row != nullptr)
    for (Setting& each : domain_of(options, *row).calls.given) calls.given.push_back(std::move(each));
  for (const std::string& id : check.required) calls.given.push_back({"require", id});
  for (const std::string& id : check.waived) calls.given.push_back({"waive", id});
  return code::call_options(calls.words(), ranks, options.asked.is_quick);
}

code::Asked asked_of(const code::CodeOptions& options, const code::LibraryRow* row) {
  code::Asked asked = options.asked;
  asked.has_digits = options.sources.digits != nullptr;
  if (row == nullptr) return asked;
  code::DomainCalls domain = domain_of(options, *row);
  asked.avoids_in_place = domain.avoids_in_place;
  if (!asked.hosts) asked.hosts = std::move(domain.hosts);
  return asked;
}

code::Sources sources_of(const Unit& unit) {
  const CodeChoice& code = unit.check->code;
  code::Sources sources = code.options.with_elements();
  sources.files.insert(sources.files.begin(), unit.source);
  sources.function = code.function;
  sources.collective = &collective_of(code, nullptr);
  return sources;
}

Result<code::Executable> built_of(const Unit& unit) {
  const CodeChoice& code = unit.check->code;
  if (!unit.row) return code::build(sources_of(unit));
  const code::Library library = TRY(code::Library::open(code.library, code.checkout));
  const code::Sources sources = TRY(library.sources(*unit.row, code.options.with_elements()));
  auto built = code::build(sources);
  if (!built) return tl::unexpected(library.explained(built.error(), *unit.row));
  return built;
}

class CodeMeasuring {
 public:
  CodeMeasuring(const Unit& unit, const Wanted& wanted, int threads)
      : unit_(unit), check_(*unit.check), wanted_(wanted), threads_(threads) {}

  Measurement measure(Programs& programs) {
    if (const auto done = judge(programs); !done) result_.failure = done.error();
    return std::move(result_);
  }

 private:
  Result<void> judge(Programs& programs) {
    const CodeChoice& code = check_.code;
    const code::LibraryRow* row = unit_.row ? &*unit_.row : nullptr;
    const Rank ranks = unit_.subject.ranks->value.front();
    const auto program = TRY(programs.of(unit_));
    const live::Options options = TRY(calls_of(check_, row, ranks));
    const code::Asked asked = asked_of(code.options, row);
    const auto trials = TRY(code::trials(asked, options, ranks));
    std::vector<code::SettingValues> choices{{}};
    if (row != nullptr) choices = TRY(code::Library::choices(*row, code.values));
    std::vector<code::CodeRun> runs;
    std::size_t last = 0;  // where those by the last choice of values begin
    for (const code::SettingValues& values : choices) {
      for (code::CodeRun& run : runs) run.schedule.reset();
      last = runs.size();
      auto some = TRY(code::run_code(*program, with_values(trials, {&values, 1}), options, true));
      std::move(some.begin(), some.end(), std::back_inserter(runs));
    }
    for (const code::CodeRun& run : runs) take(run);
    const code::KnownOfCode known = code::known_of(runs);
    result_.scope = code::scope_text(asked, options, std::array{ranks}, known);
    result_.not_tried = code::not_tried(asked, options, known);
    if (row != nullptr) take_scope(*row, ranks, choices);
    result_.collective = collective_of(code, row).collective();
    return take_schedule(runs[last + options.calls.size() - 1]);
  }

  /// What was tried of an algorithm of a library, and what was not.
  void take_scope(const code::LibraryRow& row, Rank ranks, std::span<const code::SettingValues> choices) {
    if (!row.settings.empty()) result_.scope += "; " + code::tried_text(choices);
    const std::vector<Rank>& asked = check_.ranks->value;  // of which `ranks` is one
    const auto left_out = code::not_tried(row, asked);
    result_.not_tried.insert(result_.not_tried.end(), left_out.begin(), left_out.end());
    // Once for all units of the algorithm.
    const auto first = std::find_if(asked.begin(), asked.end(), [&](Rank p) { return contains(row.ranks, p); });
    if (const std::string text = code::left_out_text(row, asked); !text.empty() && *first == ranks)
      result_.notes.push_back(fmt::format("{}: not tried: {}", row.name, text));
  }

  void take(const code::CodeRun& run) {
    const live::LiveReport& report = run.judged.report;
    bool is_told = false;  // why the call is wrong
    result_.take_unrequired(report.properties);
    for (const PropertyResult& p : report.properties) {
      if (!p.required) continue;
      PropertyFinding finding = found(std::string(p.id), p.verdict, p.summary, run);
      if (p.counterexample && p.verdict == Verdict::fail) finding.counterexample = describe(*p.counterexample);
      is_told = tell(std::move(finding), run, is_told);
    }
    for (const std::string& fault : report.faults)
      is_told = tell(found(std::string(fault_rule), report.verdict, fault, run), run, is_told);
    if (report.verdict != Verdict::pass && !is_told)
      tell(found(std::string(fault_rule), report.verdict, "the call doesn't pass", run), run, false);
  }

  static PropertyFinding found(std::string id, Verdict verdict, const std::string& summary, const code::CodeRun& run) {
    PropertyFinding finding{std::move(id), verdict, summary};
    if (verdict == Verdict::pass) return finding;
    finding.file = run.place.file;
    finding.line = static_cast<std::size_t>(std::max(run.place.line, 0));
    return finding;
  }

  /// Takes a finding on a call; the first that isn't a pass is explained. Was there one yet?
  bool tell(PropertyFinding finding, const code::CodeRun& run, bool is_told) {
    const bool is_pass = finding.verdict == Verdict::pass;
    if (!is_pass) {
      auto& lines = finding.counterexample;
      if (lines.empty()) lines.push_back(finding.summary);
      lines.push_back(fmt::format("in {} of {}", run.judged.call.name(), counted(run.judged.call.count, "element")));
      if (!is_told) lines.insert(lines.end(), run.judged.notes.begin(), run.judged.notes.end());
    }
    keep(std::move(finding));
    return is_told || !is_pass;
  }

  /// Of several findings on one property, the first of the worst stays.
  void keep(PropertyFinding finding) {
    for (PropertyFinding& known : result_.properties) {
      if (known.id != finding.id) continue;
      if (worse(known.verdict, finding.verdict) != known.verdict) known = std::move(finding);
      return;
    }
    result_.properties.push_back(std::move(finding));
  }

  Result<void> take_schedule(const code::CodeRun& run) {
    if (!run.schedule || !*run.schedule) {
      const std::string why = run.schedule ? run.schedule->error() : "the last call didn't come to its end";
      for (const Metric& metric : metrics()) result_.measures.missing[std::string(metric.name)] = "no schedule: " + why;
      return {};
    }
    const Schedule& schedule = *(*run.schedule)->schedule;
    VerifyOptions asked{.threads = threads_};
    if (check_.budget > 0) asked.budget = check_.budget;
    asked.measured = wanted_.properties;
    result_.measures = TRY(measures_of(schedule, verify(schedule, asked), wanted_, check_.network));
    return {};
  }

  const Unit& unit_;
  const Check& check_;
  Wanted wanted_;
  int threads_;
  Measurement result_;
};

}  // namespace

Result<void> check_calls(const Check& check, const code::LibraryRow* row, Rank ranks) {
  const CodeChoice& code = check.code;
  const live::Options options = TRY(calls_of(check, row, ranks));
  if (code::are_empty(options))
    return usage_error("--count: a call with 0 elements has no result to judge; name another, too");
  const code::Asked asked = asked_of(code.options, row);
  TRY(code::trials(asked, options, ranks));
  if (asked.has_digits) TRY(code::check_digits(options));
  return {};
}

Result<std::shared_ptr<const code::Executable>> Programs::of(const Unit& unit) {
  Program* program = nullptr;
  {
    const std::lock_guard lock(mutex_);
    program = &programs_[fmt::format("{}/{}/{}", unit.check->name, unit.source, unit.row ? unit.row->name : "")];
  }
  const std::lock_guard lock(program->mutex);
  if (!program->built) {
    // What a user's command builds may be the same for several files.
    std::unique_lock building(building_, std::defer_lock);
    if (!unit.check->code.options.sources.build.empty()) building.lock();
    auto built = built_of(unit);
    if (built)
      program->built = std::make_shared<const code::Executable>(std::move(*built));
    else
      program->built = tl::unexpected(built.error());
  }
  return *program->built;
}

Measurement measure_code(const Unit& unit, const Wanted& wanted, int threads, Programs& programs) {
  return CodeMeasuring(unit, wanted, threads).measure(programs);
}

}  // namespace onceover::units
