#include "cli/proof_text.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/files.h"
#include "base/process.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/stop.h"
#include "base/text.h"
#include "proofs/coq_writer.h"
#include "proofs/query.h"
#include "proofs/smtlib.h"

namespace onceover::cli {

namespace {

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

std::string theorem_text(const KernelRow& row) {
  const KernelTheorem& t = *row.theorem;
  std::string text = fmt::format("kernel   {:<20} {}: {}\n  says       {}\n  in         {}\n", t.name, row.domain,
                                 names_of(row.collectives), t.says, place_of(t));
  for (const std::string_view line : split(t.coq, '\n')) text += fmt::format("             {}\n", line);
  return text;
}

Json theorem_json(const KernelRow& row) {
  const KernelTheorem& t = *row.theorem;
  return {{"algorithm", row.row},
          {"theorem", t.name},
          {"level", "kernel"},
          {"domain", row.domain},
          {"collectives", mapped(row.collectives, [](Collective c) { return name(c); })},
          {"place", place_of(t)},
          {"says", t.says},
          {"statement", t.coq}};
}

}  // namespace

std::string names_of(const std::vector<Solver>& solvers) {
  auto version = [](const Solver& solver) { return solver.name == "z3" ? z3_version() : solver.name; };
  return fmt::format("{}", fmt::join(mapped(solvers, version), " and "));
}

Result<std::vector<SolverName>> parse_solvers(const std::string& text) {
  constexpr std::array<std::string_view, 2> known{"z3", "cvc5"};  // in the order of SolverName
  std::vector<SolverName> solvers;
  for (const std::string_view solver : split(text, ',')) {
    const auto place = std::find(known.begin(), known.end(), solver);
    if (place == known.end())
      return usage_error(
          fmt::format("--solver: no solver '{}'{}; there are z3 and cvc5", solver, suggestion(solver, known)));
    add_new(solvers, static_cast<SolverName>(place - known.begin()));
  }
  return solvers;
}

Solvers solvers_there(const std::vector<SolverName>& asked) {
  Solvers solvers;
  for (const SolverName solver : asked) {
    const auto found = solver == SolverName::z3 ? std::optional(z3()) : cvc5();
    if (found)
      solvers.there.push_back(*found);
    else
      solvers.note = "cvc5 is not installed (Debian: cvc5), so the verdict rests on Z3 alone";
  }
  if (solvers.there.empty()) solvers.there.push_back(z3());
  return solvers;
}

std::string_view verdict_of(const Proof& proof) {
  return proof.holds() ? "proved" : proof.is_unknown() ? "unknown" : "fails";
}

ProofVerdict overall(const std::vector<Proof>& proofs) {
  if (std::all_of(proofs.begin(), proofs.end(), [](const Proof& p) { return p.holds(); })) return ProofVerdict::proved;
  const bool refuted =
      std::any_of(proofs.begin(), proofs.end(), [](const Proof& p) { return !p.holds() && !p.is_unknown(); });
  return refuted ? ProofVerdict::fails : ProofVerdict::unknown;
}

ExitCode exit_code(ProofVerdict verdict) {
  switch (verdict) {
    case ProofVerdict::proved: return ExitCode::ok;
    case ProofVerdict::unknown: return ExitCode::unknown;
    case ProofVerdict::fails: return ExitCode::violated;
  }
  return ExitCode::internal;
}

std::string kernel_text(const std::vector<const Algorithm*>& rows) {
  std::string text;
  for (const Algorithm* row : rows) {
    const auto theorems = kernel_rows_of(row->name);
    if (rows.size() > 1 && !theorems.empty()) text += fmt::format("{}\n", row->name);
    for (const KernelRow* each : theorems) text += theorem_text(*each);
  }
  if (text.empty()) return "";
  return text +
         "kernel   Coq's kernel accepts these statements, without axioms; trusted: the kernel, and "
         "proofs/coq/Semantics.v; replay: proofs/coq/check.sh\n";
}

Json kernel_json(const std::vector<const Algorithm*>& rows) {
  Json all = Json::array();
  for (const Algorithm* row : rows)
    for (const KernelRow* each : kernel_rows_of(row->name)) all.push_back(theorem_json(*each));
  return all;
}

std::string names_of(std::span<const Collective> collectives) {
  std::vector<std::string_view> names;
  for (const Collective c : collectives) names.push_back(name(c));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string levels_text(const Theorem& theorem) {
  auto level = [](const LevelPart& part) { return name(part.level); };
  return fmt::format("{}", fmt::join(mapped(levels(theorem), level), ", "));
}

Json levels_json(const Theorem& theorem) {
  auto json = Json::object();
  for (const LevelPart& part : levels(theorem)) json[std::string(name(part.level))] = part.what;
  return json;
}

std::string statement_text(const Theorem& t) {
  std::string parts;
  for (const LevelPart& part : levels(t)) parts += fmt::format("  {:<10} {}\n", name(part.level), part.what);
  return fmt::format("  assumes    {}\n  concludes  {}\n  because    {}\n{}  domain     {}\n  source     {}\n{}{}",
                     t.assumes, t.concludes, t.argument, parts, t.domain, t.source,
                     t.uses.empty() ? "" : fmt::format("  uses       {}\n", fmt::join(t.uses, ", ")),
                     t.rows.empty() ? "" : fmt::format("  covers     {}\n", fmt::join(t.rows, ", "))) +
         (t.picture == nullptr ? "" : t.picture());
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

namespace {

Result<void> make_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return {};
  return usage_error(fmt::format("{}: cannot be made: {}", folder, std::strerror(errno)));
}

Result<void> write_text(const std::string& path, std::string_view text) {
  return write_file(path,
                    [&](std::FILE* file) { return std::fwrite(text.data(), 1, text.size(), file) == text.size(); });
}

/// Writes the files, and a script that compiles them in this order.
Result<void> write_coq(const std::vector<CoqFile>& files, const std::string& folder) {
  TRY(make_folder(folder));
  std::string script =
      "#!/bin/sh\n# Checks all proofs; prints only what they assume.\nset -eu\ncd \"$(dirname \"$0\")\"\n";
  for (const CoqFile& file : files) {
    script += fmt::format("coqc -q -Q . Collectives {}\n", file.name);
    TRY(write_text(fmt::format("{}/{}", folder, file.name), file.text));
  }
  return write_text(folder + "/check.sh", script);
}

}  // namespace

Result<void> emit_smt2(const std::vector<const Theorem*>& theorems, const std::string& folder) {
  TRY(make_folder(folder));
  for (const Theorem* theorem : theorems)
    for (const Obligation& o : theorem->obligations) {
      const Questions questions = questions_of(o);
      for (const auto& [query, expected] :
           {std::pair(&questions.negation, Answer::unsatisfiable), std::pair(&questions.mutant, Answer::satisfiable),
            std::pair(&questions.hypotheses, Answer::satisfiable)}) {
        const std::string path = fmt::format("{}/{}.smt2", folder, query->name);
        TRY(write_text(path, smtlib(*query, expected)));
      }
    }
  return {};
}

Result<void> emit_coq(const std::string& folder) {
  std::vector<const Theorem*> all;
  for (const Theorem& theorem : theorems()) all.push_back(&theorem);
  const std::string obligations = coq_obligations(all);
  return write_coq({{"Obligations.v", obligations}}, folder);
}

Result<std::string> emit_coq(const PeerRule& rule, const PeerProof& proof, const std::string& folder) {
  const auto written = coq_proof(rule, proof);
  if (!written) return usage_error(fmt::format("--emit-coq: {}", written.error()));
  std::vector<CoqFile> files(coq_files().begin(), coq_files().end());
  files.push_back({"Formula.v", written->text});
  TRY(write_coq(files, folder));
  const std::string replay = fmt::format("'sh {}/check.sh' checks it", folder);
  if (written->assumed.empty()) return fmt::format("coq      {}/Formula.v leaves nothing to Z3: {}\n", folder, replay);
  return fmt::format("coq      {}/Formula.v assumes {}: the arithmetic is Z3's, the rest is Coq's; {}\n", folder,
                     fmt::join(written->assumed, ", "), replay);
}

}  // namespace onceover::cli
