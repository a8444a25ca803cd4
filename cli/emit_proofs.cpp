#include "cli/emit_proofs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"
#include "base/try.h"
#include "proofs/coq_writer.h"
#include "proofs/query.h"
#include "proofs/smtlib.h"

namespace onceover::cli {

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
