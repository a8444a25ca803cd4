// `verify prove`: theorems, by name or as those that algorithms rest on.

#include <fmt/format.h>

#include "base/json.h"
#include "base/parallel.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/stop.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/proof_text.h"

namespace onceover::cli {

namespace {

using Theorems = std::vector<const Theorem*>;

Theorems all_theorems() {
  Theorems all;
  for (const Theorem& theorem : theorems()) all.push_back(&theorem);
  return all;
}

/// The theorems that the rows rest on; unknown if one of them has none, and none from the kernel.
Result<Theorems> theorems_under(const std::vector<const Algorithm*>& rows) {
  Theorems all;
  for (const Algorithm* row : rows) {
    const Theorems about = theorems_for(row->name);
    if (about.empty() && kernel_rows_of(row->name).empty())
      return tl::unexpected(
          Failure{ExitCode::unknown, fmt::format("no theorem covers {}; 'verify prove' lists them", row->name)});
    all.insert(all.end(), about.begin(), about.end());
  }
  return with_uses(all);
}

Result<Theorems> chosen(const ProveCommand& command) {
  const int ways = (command.theorem ? 1 : 0) + (command.subject.algorithms.empty() ? 0 : 1) + (command.all ? 1 : 0);
  if (ways != 1) return usage_error("prove: say one of THEOREM, --algo NAME, --all and --peer FORMULA");
  if (command.all) return all_theorems();
  return command.theorem ? with_uses({command.theorem}) : theorems_under(command.subject.algorithms);
}

std::string proofs_text(const std::vector<Proof>& proofs, const ProveCommand& command, const std::string& trust) {
  std::string text;
  std::size_t obligations = 0;
  for (const Proof& proof : proofs) {
    text += fmt::format("{:<8} {:<20} {:<22} {}\n", verdict_of(proof), proof.theorem->id, levels_text(*proof.theorem),
                        proof.theorem->title);
    const bool in_full = command.full || proof.theorem == command.theorem;
    if (in_full) text += statement_text(*proof.theorem);
    text += discharges_text(proof, in_full);
    obligations += proof.discharges.size();
  }
  switch (overall(proofs)) {
    case ProofVerdict::proved:
      return text + fmt::format("proved   {} obligations, each also checked to be falsifiable and not vacuous; {}\n",
                                obligations, trust);
    case ProofVerdict::unknown:
      return text + fmt::format("unknown  {}\n", stop_requested() ? stop_reason() : "a solver gave up");
    case ProofVerdict::fails: return text + "fails\n";
  }
  return text;
}

Json proofs_json(const std::vector<Proof>& proofs, const ProveCommand& command, const std::string& trust) {
  Json json = result_json({{"trust", trust}});
  if (!command.subject.algorithms.empty()) json["kernel"] = kernel_json(command.subject.algorithms);
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
                                {"levels", levels_json(t)},
                                {"uses", t.uses},
                                {"covers", t.rows},
                                {"obligations", obligations}});
  }
  return json;
}

Result<ExitCode> list_theorems() {
  std::string text;
  for (const Theorem& t : theorems()) text += fmt::format("{:<20} {} ({})\n", t.id, t.title, t.domain);
  TRY(print(text));
  return ExitCode::ok;
}

}  // namespace

Result<const Theorem*> parse_theorem(const std::string& text) {
  if (const Theorem* theorem = find_theorem(text)) return theorem;
  if (find_algorithm(text) != nullptr)
    return usage_error(fmt::format("prove: '{}' is an algorithm, not a theorem; write --algo {}", text, text));
  return no_such("prove: no theorem", text, mapped(theorems(), &Theorem::id));
}

void describe(const CommandApp& app, ProveCommand& command) {
  app.group(subject_group);
  app.add_parsed("THEOREM", command.theorem, parse_theorem, "The theorem to prove; 'verify prove' alone lists them");
  SubjectOptions& subject = command.subject;
  app.add_parsed("--algo NAME", subject.algorithms, parse_algorithms,
                 "Prove the theorems that algorithms of the catalogue rest on, of one or several: a,b");
  app->add_flag("--all", command.all, "Prove all theorems");
  app.add_parsed("--peer FORMULA", subject.peer, parse_peer,
                 "Prove your own algorithm, a formula for the peer of rank r in step s, for every p");
  for (const char* name : {"peer-steps", "odd"})
    app.add(*row_with(subject_options(), &Option<SubjectOptions>::name, name), subject);
  app.add_parsed("--p LIST", subject.ranks, parse_ranks,
                 "Prove --peer for these numbers of ranks only, by bit-vectors: 7, 2..64");
  app.group("Solvers");
  app.add_parsed("--solver LIST", command.solvers, parse_solvers, "The solvers that must agree: z3 or z3,cvc5")
      ->default_str("z3");
  app.group(output_group);
  app->add_flag("--full", command.full, "Print every obligation");
  add_json(app, command.json);
  app.add_option("--emit-smt2 DIR", command.smt2_folder, "Write the solvers' queries into this folder, as SMT-LIB 2");
  app.add_option("--emit-coq DIR", command.coq_folder,
                 "Write all obligations into this folder, for coqc; with --peer, the formula's proof");
}

Result<ExitCode> run(const ProveCommand& command) {
  if (command.subject.peer) {
    if (command.theorem || !command.subject.algorithms.empty() || command.all || command.json.is_wanted() ||
        !command.smt2_folder.empty())
      return usage_error("prove --peer goes with --p, --peer-steps, --odd, --solver, --full and --emit-coq only");
    if (command.subject.ranks && !command.coq_folder.empty())
      return usage_error("prove --emit-coq: a formula's proof for Coq is for every p; leave out --p");
    return prove_formula(command);
  }
  if (command.subject.steps || command.subject.odd || command.subject.ranks)
    return usage_error("prove: --peer-steps, --odd and --p go with --peer");
  if (!command.theorem && command.subject.algorithms.empty() && !command.all) {
    if (command.json.is_wanted()) return usage_error("prove: JSON of what? Say THEOREM, --algo NAME or --all");
    if (command.smt2_folder.empty() && command.coq_folder.empty()) return list_theorems();
    return usage_error("prove: emit what? Say THEOREM, --algo NAME or --all");
  }
  const auto theorems = TRY(chosen(command));
  const std::string kernel = kernel_text(command.subject.algorithms);
  TRY(check(command.json));
  if (theorems.empty() && !(command.smt2_folder.empty() && command.coq_folder.empty()))
    return usage_error(
        fmt::format("prove: {} has no obligations to emit; see proofs/coq", names_text(command.subject.algorithms)));
  const Solvers solvers = solvers_there(command.solvers);
  if (!command.smt2_folder.empty()) TRY(emit_smt2(theorems, command.smt2_folder));
  if (!command.coq_folder.empty()) TRY(emit_coq(command.coq_folder));
  if (!solvers.note.empty()) warn(solvers.note);
  const int threads = cores();
  const std::vector<Proof> proofs = prove(theorems, solvers.there, threads);
  const std::string trust = fmt::format("trusted: {}, and the arguments in words", names_of(solvers.there));
  return after_output(exit_code(overall(proofs)),
                      give_result(
                          command.json, [&] { return proofs_json(proofs, command, trust).dump(2) + "\n"; },
                          [&] { return kernel + (proofs.empty() ? "" : proofs_text(proofs, command, trust)); }));
}

Runner add_prove(CLI::App& app) {
  return run_with<ProveCommand>(app);
}

}  // namespace onceover::cli
