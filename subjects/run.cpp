#include "subjects/run.h"

#include <fmt/format.h>

#include "gpu/description_judge.h"
#include "proofs/theorem.h"

namespace onceover::subjects {

std::string subject_text(const Verification& run) {
  if (run.launches) return run.origin.text;
  if (run.report.program && !run.report.program->has_data) return run.origin.text;
  const bool has_own = run.report.program && !run.report.program->collective.empty();
  const std::string_view collective = has_own ? run.report.program->collective : name(run.header.collective);
  const std::string what =
      run.header.algorithm.empty() ? std::string(collective) : fmt::format("{} {}", run.header.algorithm, collective);
  switch (run.origin.kind) {
    case Origin::Kind::catalogue: return what;
    case Origin::Kind::file:
    case Origin::Kind::command: return fmt::format("{} ({})", run.origin.text, what);
    case Origin::Kind::formula: return fmt::format("peer {} ({})", run.origin.text, what);
  }
  return what;
}

std::string scope_of(const Verification& run) {
  return run.as.empty() ? run.report.scope : fmt::format("{}; {}", run.report.scope, run.as);
}

Verdict Verification::verdict() const {
  Verdict all = report.verdict;
  for (const JudgedLimit& limit : limits) all = worse(all, limit.finding.verdict);
  return all;
}

std::string headline(const PropertyResult& p) {
  return fmt::format("{}: {}", p.id, p.counterexample ? describe(*p.counterexample).front() : p.summary);
}

ExitCode exit_code(Verdict verdict) {
  return verdict == Verdict::pass ? ExitCode::ok : verdict == Verdict::fail ? ExitCode::violated : ExitCode::unknown;
}

Verdict overall(std::span<const Verification> runs) {
  Verdict all = Verdict::pass;
  for (const Verification& run : runs) all = worse(all, run.verdict());
  return all;
}

Verification unfinished_run(const Subject& subject, const std::string& why) {
  Report report{.verdict = Verdict::unknown, .scope = "nothing", .properties = {}, .metrics = {}};
  for (const Property& p : schedule_properties())
    report.properties.push_back({{Verdict::unknown, why}, p.id, p.required_by_default});
  Header header = subject.known;
  header.ranks = subject.ranks;
  header.shape = subject.shape;
  return {subject.origin, std::move(header), std::move(report), {}, {}};
}

Verification failed_run(const Subject& subject, Failure failure) {
  Verification run = unfinished_run(subject, failure.message);
  run.failure = std::move(failure);
  return run;
}

namespace {

bool has_passed(const Verification& run, Origin::Kind kind) {
  return run.origin.kind == kind && run.verdict() == Verdict::pass;
}

}  // namespace

void cite(Verification& run, const Schedule& schedule, const Subject& subject, int threads) {
  if (has_passed(run, Origin::Kind::catalogue)) run.citation = citation_of(schedule, subject.settings, threads);
  if (has_passed(run, Origin::Kind::formula)) run.citation = citation_of(schedule, *subject.rule, threads);
}

std::string shape_of(const Verification& run) {
  if (run.launches) return gpu::shapes_text(run.launches->report);
  const Header& h = run.header;
  const std::string shape = shape_text(h.sides());
  return h.lanes == 1 ? shape : fmt::format("{}, {} lanes", shape, h.lanes);
}

const Theorem* solver_theorem(const Verification& run) {
  return has_passed(run, Origin::Kind::catalogue) && !run.citation ? proofs::theorem_about(run.header) : nullptr;
}

}  // namespace onceover::subjects
