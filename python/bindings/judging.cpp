// Verdicts: what `verify` and `verify prove --peer` say, by the same functions and with the same limits.

#include <map>

#include "base/resource_limits.h"
#include "base/rows.h"
#include "proofs/query.h"
#include "python/bindings/subjects.h"
#include "subjects/peer_attempt.h"
#include "subjects/required.h"
#include "subjects/run.h"
#include "verifier/repair/repair.h"

namespace onceover::python {

namespace {

/// A verdict, and of a schedule what a picture needs.
struct Judged {
  Verification run;
  SchedulePtr schedule = {};
};

/// What the caller asks of a subject.
struct Asked {
  std::vector<std::string> required;
  std::vector<std::string> waived;
  Bounds bounds;
  std::uint64_t budget;
  int threads;
};

/// The bounds, given by the ids of their properties.
Bounds bounds_of(const std::map<std::string, std::uint64_t>& given) {
  Bounds bounds;
  for (const Property& property : properties())
    if (const auto bound = given.find(std::string(property.id)); property.bound && bound != given.end())
      bounds.*property.bound->number = bound->second;
  return bounds;
}

std::vector<std::string_view> bounded_properties() {
  std::vector<std::string_view> ids;
  for (const Property& property : properties())
    if (property.bound) ids.push_back(property.id);
  return ids;
}

Requirements names_in(const Asked& asked) {
  return {asked.required, asked.waived, asked.bounds};
}

VerifyOptions options_of(const Asked& asked) {
  or_raise(check_required(names_in(asked)));
  return {.threads = asked.threads,
          .budget = asked.budget,
          .required = asked.required,
          .waived = asked.waived,
          .bounds = asked.bounds,
          .unrequired_up_to = unrequired_up_to,
          .without_symmetry_up_to = unrequired_up_to};
}

/// The kernel's theorem about the schedule, if it is of the catalogue or of a formula.
std::optional<Citation> citation_of(const HeldSchedule& held, int threads) {
  switch (held.origin.kind) {
    case Origin::Kind::catalogue: return subjects::citation_of(*held.schedule, held.settings, threads);
    case Origin::Kind::formula: return subjects::citation_of(*held.schedule, *held.rule, threads);
    case Origin::Kind::file:
    case Origin::Kind::command: break;
  }
  return std::nullopt;
}

Judged judge(const HeldSchedule& held, const VerifyOptions& options) {
  Header header = held.schedule->header();
  header.owners.clear();
  Judged judged{{held.origin, std::move(header), verify(*held.schedule, options), held.notes, held.as}, held.schedule};
  if (judged.run.verdict() == Verdict::pass) judged.run.citation = citation_of(held, std::max(options.threads, 1));
  if (judged.run.verdict() == Verdict::fail)
    judged.run.repair = find_repair(*held.schedule, judged.run.report, options, usual_repair_budget);
  return judged;
}

Judged verify_schedule(const HeldSchedule& held, const Asked& asked) {
  const VerifyOptions options = options_of(asked);
  or_raise(check_fit(names_in(asked), Form::schedule));
  return without_gil([&] { return judge(held, options); });
}

Judged verify_program(const HeldProgram& held, const Asked& asked, std::optional<std::uint32_t> fifo) {
  VerifyOptions options = options_of(asked);
  options.fifo = fifo;
  or_raise(refuse_special(held.program->kind(), {.fifo = fifo.has_value()}));
  or_raise(check_fit(names_in(asked), held.program->form()));
  return Judged{or_raise(without_gil([&] { return held.program->judge({.verify = options}); }))};
}

/// Judges launches of GPU kernels, for these numbers of ranks and sizes, or for the description's if there are none.
Judged verify_launch(const HeldProgram& held, const Asked& asked, std::vector<Rank> ranks,
                     std::vector<std::int64_t> sizes, std::uint64_t seed) {
  const JudgeOptions options{.verify = options_of(asked),
                             .launches = {.ranks = std::move(ranks), .sizes = std::move(sizes), .seed = seed}};
  or_raise(check_fit(names_in(asked), held.program->form()));
  return Judged{or_raise(without_gil([&] { return held.program->judge(options); }))};
}

/// The counterexample's picture. If it is too large for a column, it is drawn for a page.
py::bytes draw_counterexample(const Judged& judged, const std::string& format) {
  if (judged.schedule == nullptr || judged.run.report.verdict != Verdict::fail)
    raise_usage("only a schedule that fails has a picture of a counterexample");
  DrawOptions options;
  options.repair = judged.run.repair;
  for (const PropertyResult& each : judged.run.report.properties)
    if (each.required && !options.counterexample) options.counterexample = each.counterexample;
  return picture_of(counterexample_view, *judged.schedule, std::move(options), format);
}

/// What is known about a formula for every p: texts, and the smallest p for which it is wrong.
py::dict prove(const std::string& peer, const std::optional<std::string>& steps,
               const std::optional<std::string>& odd) {
  PeerRule rule{or_raise(read_peer_formula(peer))};
  if (steps) rule.steps = or_raise(read_steps_formula(*steps));
  if (odd) rule.odd = or_raise(parse_odd(*odd));
  const PeerAttempt attempt = without_gil([&] { return attempt_peers(rule, {z3()}); });
  if (!attempt.unfinished.empty()) throw LimitRanOut(attempt.unfinished);
  py::list obligations;
  if (attempt.discharged)
    for (const Discharge& each : attempt.discharged->discharges)
      obligations.append(
          py::make_tuple(each.obligation->name, each.obligation->statement, each.trials.front().holds()));
  const auto& family = attempt.proof->family;
  py::dict found("verdict"_a = name(attempt.verdict), "domain"_a = attempt.domain, "solver"_a = z3_version(),
                 "family"_a = family ? std::optional(name(*family)) : std::nullopt,
                 "problem"_a = attempt.proof->problem, "obligations"_a = obligations);
  if (attempt.verdict == Verdict::pass) {
    found["concludes"] = attempt.proof->theorem->concludes;
    found["because"] = attempt.proof->theorem->argument;
  }
  if (attempt.wrong) {
    found["wrong_ranks"] = attempt.wrong->ranks;
    for (const PropertyResult& each : attempt.wrong->report.properties)
      if (each.required && each.counterexample && !found.contains("explanation"))
        found["explanation"] = describe(*each.counterexample);
  }
  return found;
}

}  // namespace

void add_judging(py::module_& module) {
  py::class_<Asked>(module, "Asked")
      .def(py::init([](std::vector<std::string> required, std::vector<std::string> waived,
                       const std::map<std::string, std::uint64_t>& bounds, std::uint64_t budget, int threads) {
             return Asked{std::move(required), std::move(waived), bounds_of(bounds), budget, threads};
           }),
           "required"_a, "waived"_a, "bounds"_a, "budget"_a, "threads"_a);
  py::class_<Judged>(module, "Judged")
      .def("to_json", [](const Judged& judged) { return dump(json_report({judged.run})); })
      .def(
          "text", [](const Judged& judged, bool full) { return text_report({judged.run}, full); }, "full"_a)
      .def("draw", draw_counterexample, "format"_a)
      .def("repaired", [](const Judged& judged) -> std::optional<HeldSchedule> {
        if (!judged.run.repair) return std::nullopt;
        return HeldSchedule{judged.run.repair->schedule, Origin(Origin::Kind::file, judged.run.origin.text)};
      });
  module.def("verify", verify_schedule, "schedule"_a, "asked"_a);
  module.def("verify_program", verify_program, "program"_a, "asked"_a, "fifo"_a);
  module.def("verify_launch", verify_launch, "program"_a, "asked"_a, "ranks"_a, "sizes"_a, "seed"_a);
  module.def("prove", prove, "peer"_a, "steps"_a, "odd"_a);
  module.def("bounded_properties", bounded_properties);
  module.def("properties",
             [] { return mapped(properties(), [](const Property& each) { return std::pair(each.id, each.asks); }); });
}

}  // namespace onceover::python
