#include "subjects/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "proofs/theorem.h"

namespace onceover::subjects {

std::string subject_text(const Verification& run) {
  if (run.report.program && !run.report.program->has_data) return run.origin.text;
  const std::string what = run.header.algorithm.empty()
                               ? std::string(name(run.header.collective))
                               : fmt::format("{} {}", run.header.algorithm, name(run.header.collective));
  switch (run.origin.kind) {
    case Origin::Kind::catalogue:
      return what;
    case Origin::Kind::file:
    case Origin::Kind::command:
      return fmt::format("{} ({})", run.origin.text, what);
    case Origin::Kind::formula:
      return fmt::format("peer {} ({})", run.origin.text, what);
  }
  return what;
}

Verdict Verification::verdict() const {
  auto any = [&](Verdict v) {
    return report.verdict == v ||
           std::any_of(limits.begin(), limits.end(), [v](const JudgedLimit& l) { return l.finding.verdict == v; });
  };
  return any(Verdict::fail) ? Verdict::fail : any(Verdict::unknown) ? Verdict::unknown : Verdict::pass;
}

ExitCode exit_code(Verdict verdict) {
  return verdict == Verdict::pass ? ExitCode::ok : verdict == Verdict::fail ? ExitCode::violated : ExitCode::unknown;
}

Verdict overall(const std::vector<Verification>& runs) {
  auto any = [&](Verdict v) {
    return std::any_of(runs.begin(), runs.end(), [v](const Verification& run) { return run.verdict() == v; });
  };
  return any(Verdict::fail) ? Verdict::fail : any(Verdict::unknown) ? Verdict::unknown : Verdict::pass;
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

const Theorem* theorem_about(const Verification& run) {
  const bool is_row = run.origin.kind == Origin::Kind::catalogue && run.verdict() == Verdict::pass;
  return is_row ? proofs::theorem_about(run.header) : nullptr;
}

}  // namespace onceover::subjects
