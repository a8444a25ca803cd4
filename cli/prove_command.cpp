#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/generator.h"
#include "cli/rank_list.h"
#include "cli/second_solver.h"
#include "cli/subject.h"
#include "proofs/bounded.h"
#include "proofs/coq_writer.h"
#include "proofs/peer_proof.h"
#include "proofs/prove.h"
#include "proofs/smtlib.h"
#include "proofs/z3_solver.h"
#include "schedules/catalogue.h"
#include "schedules/closest.h"
#include "schedules/numbers.h"
#include "schedules/stop.h"
#include "verifier/verify.h"

namespace onceover::cli {

namespace {

using Theorems = std::vector<const Theorem*>;

Theorems all_theorems() {
  Theorems all;
  for (const Theorem& theorem : theorems()) all.push_back(&theorem);
  return all;
}

Result<Theorems> chosen(const ProveCommand& command) {
  const int ways = (command.theorem.empty() ? 0 : 1) + (command.algorithm.empty() ? 0 : 1) + (command.all ? 1 : 0);
  if (ways != 1) return usage_error("prove: say one of THEOREM, --algo NAME, --all and --peer FORMULA");
  if (command.all) return all_theorems();
  std::vector<std::string_view> names;
  if (!command.theorem.empty()) {
    if (const Theorem* theorem = find_theorem(command.theorem)) return with_uses({theorem});
    for (const Theorem& t : theorems()) names.push_back(t.id);
    return usage_error(fmt::format("prove: no theorem '{}'{}; there are {}", command.theorem,
                                   suggestion(command.theorem, names), fmt::join(names, ", ")));
  }
  if (find_algorithm(command.algorithm) == nullptr) {
    for (const Algorithm& row : catalogue()) names.push_back(row.name);
    return usage_error(fmt::format("--algo: no algorithm '{}'{} (see 'verify list')", command.algorithm,
                                   suggestion(command.algorithm, names)));
  }
  return theorems_for(command.algorithm);
}

/// The solvers named, as far as they are there; a note for those that aren't.
struct Solvers {
  std::vector<Solver> there;
  std::string note;
};

/// "Z3 4.8.12 and cvc5".
std::string names_of(const std::vector<Solver>& solvers) {
  std::vector<std::string> names;
  for (const Solver& solver : solvers) names.push_back(solver.name == "z3" ? z3_version() : solver.name);
  return fmt::format("{}", fmt::join(names, " and "));
}

Result<Solvers> solvers_named(const std::string& list) {
  Solvers solvers;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    begin = end + 1;
    if (name == "z3") {
      solvers.there.push_back(z3());
    } else if (name == "cvc5") {
      if (auto second = cvc5())
        solvers.there.push_back(*second);
      else
        solvers.note = "cvc5 is not installed (Debian: cvc5), so the verdict rests on Z3 alone";
    } else {
      constexpr std::array<std::string_view, 2> known{"z3", "cvc5"};
      return usage_error(
          fmt::format("--solver: no solver '{}'{}; there are z3 and cvc5", name, suggestion(name, known)));
    }
  }
  if (solvers.there.empty()) solvers.there.push_back(z3());
  return solvers;
}

Result<void> make_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return {};
  return usage_error(fmt::format("{}: cannot be made: {}", folder, std::strerror(errno)));
}

Result<void> write_text(const std::string& path, std::string_view text) {
  return write_file(path,
                    [&](std::FILE* file) { return std::fwrite(text.data(), 1, text.size(), file) == text.size(); });
}

Result<void> emit_smt2(const Theorems& theorems, const std::string& folder) {
  if (auto made = make_folder(folder); !made) return made;
  for (const Theorem* theorem : theorems)
    for (const Obligation& o : theorem->obligations) {
      const Questions questions = questions_of(o);
      for (const auto& [query, expected] :
           {std::pair(&questions.negation, Answer::unsatisfiable), std::pair(&questions.mutant, Answer::satisfiable),
            std::pair(&questions.hypotheses, Answer::satisfiable)}) {
        const std::string path = fmt::format("{}/{}.smt2", folder, query->name);
        if (auto written = write_text(path, smtlib(*query, expected)); !written) return written;
      }
    }
  return {};
}

/// All obligations, the inductions that build on them, and a script that has coqc check them.
Result<void> emit_coq(const std::string& folder) {
  if (auto made = make_folder(folder); !made) return made;
  std::string script =
      "#!/bin/sh\n# Checks all proofs; silent but for what they assume.\nset -eu\ncd \"$(dirname \"$0\")\"\n";
  auto write = [&](std::string_view name, std::string_view text) {
    script += fmt::format("coqc -q {}\n", name);
    return write_text(fmt::format("{}/{}", folder, name), text);
  };
  if (auto written = write("Obligations.v", coq_obligations(all_theorems())); !written) return written;
  for (const CoqFile& file : coq_files())
    if (auto written = write(file.name, file.text); !written) return written;
  return write_text(folder + "/check.sh", script);
}

std::string_view verdict_of(const Proof& proof) {
  return proof.holds() ? "proved" : proof.is_unknown() ? "unknown" : "fails";
}

std::string discharge_text(const Discharge& discharge) {
  std::string text;
  for (const Trial& trial : discharge.trials)
    text += fmt::format("    {:<24} {:<5} {:<8} {:6.0f} ms  {}\n", discharge.obligation->name, trial.solver,
                        trial.holds()        ? "holds"
                        : trial.is_unknown() ? "unknown"
                                             : "fails",
                        trial.seconds * 1000,
                        trial.holds() ? discharge.obligation->statement : std::string_view(trial.problem()));
  return text;
}

std::string discharges_text(const Proof& proof, bool full) {
  std::string text;
  for (const Discharge& discharge : proof.discharges) {
    const bool holds =
        std::all_of(discharge.trials.begin(), discharge.trials.end(), [](const Trial& t) { return t.holds(); });
    if (full || !holds) text += discharge_text(discharge);
  }
  return text;
}

std::string theorem_text(const Theorem& t) {
  return fmt::format("  assumes    {}\n  concludes  {}\n  because    {}\n  domain     {}\n  source     {}\n{}{}",
                     t.assumes, t.concludes, t.argument, t.domain, t.source,
                     t.uses.empty() ? "" : fmt::format("  uses       {}\n", fmt::join(t.uses, ", ")),
                     t.rows.empty() ? "" : fmt::format("  covers     {}\n", fmt::join(t.rows, ", "))) +
         (t.picture == nullptr ? "" : t.picture());
}

enum class Overall { proved, unknown, fails };

Overall overall(const std::vector<Proof>& proofs) {
  if (std::all_of(proofs.begin(), proofs.end(), [](const Proof& p) { return p.holds(); })) return Overall::proved;
  const bool refuted =
      std::any_of(proofs.begin(), proofs.end(), [](const Proof& p) { return !p.holds() && !p.is_unknown(); });
  return refuted ? Overall::fails : Overall::unknown;
}

std::string text_report(const std::vector<Proof>& proofs, const ProveCommand& command, const std::string& trust) {
  std::string text;
  std::size_t obligations = 0;
  for (const Proof& proof : proofs) {
    text += fmt::format("{:<8} {:<20} {}\n", verdict_of(proof), proof.theorem->id, proof.theorem->title);
    const bool in_full = command.full || proof.theorem->id == command.theorem;
    if (in_full) text += theorem_text(*proof.theorem);
    text += discharges_text(proof, in_full);
    obligations += proof.discharges.size();
  }
  switch (overall(proofs)) {
    case Overall::proved:
      return text +
             fmt::format(
                 "proved   {} obligations, each with a mutant that is refuted and hypotheses that can be met; {}\n",
                 obligations, trust);
    case Overall::unknown:
      return text + "unknown  a solver gave up\n";
    case Overall::fails:
      return text + "fails\n";
  }
  return text;
}

nlohmann::ordered_json json_report(const std::vector<Proof>& proofs, const std::string& trust) {
  using Json = nlohmann::ordered_json;
  Json json{{"schema_version", 1}, {"tool", {{"name", "onceover"}, {"version", ONCEOVER_VERSION}}}};
  json["trust"] = trust;
  json["theorems"] = Json::array();
  for (const Proof& proof : proofs) {
    const Theorem& t = *proof.theorem;
    Json obligations = Json::array();
    for (const Discharge& d : proof.discharges) {
      Json trials = Json::array();
      for (const Trial& trial : d.trials)
        trials.push_back({{"solver", trial.solver},
                          {"holds", trial.holds()},
                          {"negation", name(trial.negation.answer)},
                          {"mutant", name(trial.mutant.answer)},
                          {"hypotheses", name(trial.hypotheses.answer)},
                          {"problem", trial.problem()},
                          {"seconds", trial.seconds}});
      obligations.push_back({{"name", d.obligation->name}, {"statement", d.obligation->statement}, {"trials", trials}});
    }
    json["theorems"].push_back({{"id", t.id},
                                {"verdict", verdict_of(proof)},
                                {"title", t.title},
                                {"assumes", t.assumes},
                                {"concludes", t.concludes},
                                {"domain", t.domain},
                                {"uses", t.uses},
                                {"covers", t.rows},
                                {"obligations", obligations}});
  }
  return json;
}

ExitCode exit_code(Overall verdict) {
  switch (verdict) {
    case Overall::proved:
      return ExitCode::ok;
    case Overall::unknown:
      return ExitCode::unknown;
    case Overall::fails:
      return ExitCode::violated;
  }
  return ExitCode::internal;
}

Result<ExitCode> list_theorems() {
  std::string text;
  for (const Theorem& t : theorems()) text += fmt::format("{:<20} {} ({})\n", t.id, t.title, t.domain);
  if (auto printed = print(text); !printed) return tl::unexpected(printed.error());
  return ExitCode::ok;
}

/// The smallest p of the family's domain, up to 64, for which the checker finds the formula wrong.
std::optional<Rank> smallest_failure(const PeerRule& rule, std::optional<PeerFamily> family) {
  for (Rank p = 2; p <= 64; ++p) {
    if (family == PeerFamily::exclusive_or && !is_power_of_two(p)) continue;
    const auto made = make_peer_schedule(rule, Collective::reduce_scatter, p);
    if (made && verify(*made->schedule, {.threads = 1}).verdict == Verdict::fail) return p;
  }
  return std::nullopt;
}

/// What the checker says of the formula for one p.
std::string shown_failure(const PeerRule& rule, Rank p) {
  const auto made = make_peer_schedule(rule, Collective::reduce_scatter, p);
  const Report report = verify(*made->schedule, {.threads = 1});
  std::string text;
  for (const PropertyResult& property : report.properties) {
    if (!property.required || property.verdict != Verdict::fail) continue;
    for (const std::string& line : describe(*property.counterexample)) text += fmt::format("    {}\n", line);
    break;
  }
  return fmt::format("  for p = {} the checker finds the reduce-scatter wrong:\n{}", p, text);
}

/// One line for each p: is every rank reached from every other one, and by one sequence of steps only?
Result<ExitCode> prove_bounded(const ProveCommand& command, const PeerRule& rule) {
  if (!command.steps.empty()) return usage_error("prove --peer --p is for ceil(log2 p) steps; it has no --steps");
  const auto ranks = parse_rank_list(command.ranks);
  if (!ranks) return tl::unexpected(ranks.error());
  std::string text = fmt::format("peer {}, for all sequences of ceil(log2 p) steps\n", command.peer);
  Overall verdict = Overall::proved;
  for (const Rank p : *ranks) {
    const auto made = make_peer_schedule(rule, Collective::reduce_scatter, p);
    if (!made) return usage_error(made.error().render());
    if (stop_requested()) {
      text += fmt::format("  p = {} and above: {}\n", p, stop_reason());
      if (verdict == Overall::proved) verdict = Overall::unknown;
      break;
    }
    const Answer covers = ask_bounded(rule, p, Bounded::coverage).answer;
    const Answer unique = ask_bounded(rule, p, Bounded::uniqueness).answer;
    auto words = [](Answer answer, std::string_view yes, std::string_view no) {
      return answer == Answer::unsatisfiable ? yes : answer == Answer::satisfiable ? no : std::string_view("unknown");
    };
    text += fmt::format("  p = {}: {}; {}\n", p, words(covers, "every rank is reached", "some rank is never reached"),
                        words(unique, "by one sequence each", "some by several"));
    if (covers == Answer::satisfiable) verdict = Overall::fails;
    if (covers == Answer::unknown && verdict == Overall::proved) verdict = Overall::unknown;
  }
  text += verdict == Overall::proved
              ? fmt::format(
                    "proved   for p = {} only: with covering-peers the reduce-scatter is exactly once; trusted: {}\n",
                    rank_list_text(*ranks), z3_version())
          : verdict == Overall::fails ? "fails\n"
                                      : "unknown  the solver gave up\n";
  if (auto printed = print(text); !printed) return tl::unexpected(printed.error());
  return exit_code(verdict);
}

Result<ExitCode> prove_formula(const ProveCommand& command) {
  const auto rule = rule_of(command.peer, command.steps);
  if (!rule) return tl::unexpected(rule.error());
  if (!command.ranks.empty()) return prove_bounded(command, *rule);
  const auto solvers = solvers_named(command.solvers);
  if (!solvers) return tl::unexpected(solvers.error());
  if (!solvers->note.empty()) warn(solvers->note);
  const auto proof = prove_peers(*rule);
  const std::string family =
      proof->family ? fmt::format("{}, {}", name(*proof->family), domain(*proof->family)) : "of no family";
  std::string text = fmt::format("peer {} ({})\n", command.peer, family);
  Overall verdict = Overall::unknown;
  if (proof->theorem) {
    Theorems needed;
    for (const std::string_view id : {"covering-peers", "time-reversal", "odd-ranks"})
      if (std::find(proof->theorem->uses.begin(), proof->theorem->uses.end(), id) != proof->theorem->uses.end())
        needed.push_back(find_theorem(id));
    needed.push_back(&*proof->theorem);
    const auto proofs = prove(needed, solvers->there, 1);
    verdict = overall(proofs);
    text += theorem_text(*proof->theorem);
    for (const Proof& each : proofs) text += discharges_text(each, command.full || !each.holds());
    if (verdict != Overall::proved) text += "  the invariant that fits the first steps is not proved for all of them\n";
  } else {
    text += fmt::format("  no proof: {}\n", proof->problem);
  }
  if (verdict != Overall::proved) {
    verdict = Overall::unknown;
    if (const auto p = smallest_failure(*rule, proof->family)) {
      text += shown_failure(*rule, *p);
      if (proof->family) verdict = Overall::fails;
    }
  }
  text +=
      verdict == Overall::proved
          ? fmt::format("proved   for {}, as far as the formula has values; trusted: {}, and the argument in words\n",
                        domain(*proof->family), names_of(solvers->there))
      : verdict == Overall::fails ? fmt::format("fails    not for {}\n", domain(*proof->family))
                                  : "unknown\n";
  if (auto printed = print(text); !printed) return tl::unexpected(printed.error());
  return exit_code(verdict);
}

}  // namespace

Result<ExitCode> run(const ProveCommand& command) {
  if (!command.peer.empty()) {
    if (!command.theorem.empty() || !command.algorithm.empty() || command.all || command.json ||
        !command.smt2_folder.empty() || !command.coq_folder.empty())
      return usage_error("prove --peer goes with --steps, --solver and --full only");
    return prove_formula(command);
  }
  if (!command.steps.empty() || !command.ranks.empty()) return usage_error("prove: --steps and --p go with --peer");
  if (command.theorem.empty() && command.algorithm.empty() && !command.all) {
    if (command.json) return usage_error("prove --json: say what: THEOREM, --algo NAME or --all");
    if (command.smt2_folder.empty() && command.coq_folder.empty()) return list_theorems();
    return usage_error("prove: say what: THEOREM, --algo NAME or --all");
  }
  const auto theorems = chosen(command);
  if (!theorems) return tl::unexpected(theorems.error());
  if (theorems->empty())
    return tl::unexpected(
        Failure{ExitCode::unknown, fmt::format("no theorem covers {}; 'verify prove' lists them", command.algorithm)});
  const auto solvers = solvers_named(command.solvers);
  if (!solvers) return tl::unexpected(solvers.error());
  if (!command.smt2_folder.empty())
    if (auto emitted = emit_smt2(*theorems, command.smt2_folder); !emitted) return tl::unexpected(emitted.error());
  if (!command.coq_folder.empty())
    if (auto emitted = emit_coq(command.coq_folder); !emitted) return tl::unexpected(emitted.error());
  if (!solvers->note.empty()) warn(solvers->note);
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const std::vector<Proof> proofs = prove(*theorems, solvers->there, threads);
  const std::string trust = fmt::format("trusted: {}, and the arguments in words", names_of(solvers->there));
  const std::string text =
      command.json ? json_report(proofs, trust).dump(2) + "\n" : text_report(proofs, command, trust);
  if (auto printed = print(text); !printed) return tl::unexpected(printed.error());
  return exit_code(overall(proofs));
}

}  // namespace onceover::cli
