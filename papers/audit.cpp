#include "papers/audit.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "base/parallel.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/rows.h"
#include "proofs/query.h"

namespace onceover::papers {

namespace {

/// What Z3 says about every theorem that the claims name.
class Proofs {
 public:
  explicit Proofs(const std::vector<const Claim*>& claims) {
    std::vector<const Theorem*> named;
    for (const Claim* claim : claims)
      for (const std::string_view id : claim->theorems) named.push_back(find_theorem(id));
    for (Proof& proof : prove(with_uses(named), {z3()}, cores())) proofs_.emplace(proof.theorem->id, std::move(proof));
  }

  /// Do all theorems hold on which the claim rests?
  bool all_hold(const Claim& claim) const {
    const auto needed = needed_for(claim);
    return std::all_of(needed.begin(), needed.end(), [&](const Theorem* t) { return proofs_.at(t->id).holds(); });
  }

  /// The obligations of the theorems that the claim names, and of everything that these rest on.
  static std::vector<Obligations> obligations_of(const Claim& claim) {
    std::vector<Obligations> all;
    for (const Theorem* theorem : needed_for(claim)) {
      Obligations part{theorem->id, {}};
      for (const Obligation& o : theorem->obligations)
        if (o.source.find(claim.lemma) != std::string_view::npos) part.names.push_back(o.name);
      if (!part.names.empty()) all.push_back(std::move(part));
    }
    return all;
  }

 private:
  static std::vector<const Theorem*> needed_for(const Claim& claim) {
    return with_uses(mapped(claim.theorems, find_theorem));
  }

  std::map<std::string_view, Proof> proofs_;
};

/// The first finding that refutes the sentence; else one that couldn't be decided, if there is one.
ClaimFinding try_all(const std::vector<Evidence>& evidence) {
  ClaimFinding last;
  for (const Evidence& e : evidence) {
    ClaimFinding found = e.find();
    if (found.refutation) return found;
    if (!found.unknown.empty()) last = std::move(found);
  }
  return last;
}

ClaimVerdict verdict_on_refuted(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::wording: return ClaimVerdict::imprecise;
    case ClaimKind::measured: return ClaimVerdict::differs;
    case ClaimKind::statement:
    case ClaimKind::ours: break;
  }
  return ClaimVerdict::refuted;
}

Audited audited(const Claim& claim, const Proofs& proofs) {
  ClaimFinding said = try_all(claim.says);
  ClaimFinding corrected = try_all(claim.corrected);
  if (corrected.refutation) return {&claim, ClaimVerdict::unsettled, std::move(corrected.refutation)};
  if (claim.kind == ClaimKind::ours && said.refutation)
    return {&claim, ClaimVerdict::unsettled, std::move(said.refutation)};
  for (const ClaimFinding* finding : {&said, &corrected})
    if (!finding->unknown.empty()) return {&claim, ClaimVerdict::unknown, {}, {}, finding->unknown};
  if (said.refutation) return {&claim, verdict_on_refuted(claim.kind), std::move(said.refutation)};
  if (claim.kind == ClaimKind::ours) return {&claim, ClaimVerdict::finding};
  if (claim.theorems.empty() && claim.coq.empty()) return {&claim, ClaimVerdict::checked};
  if (!proofs.all_hold(claim)) return {&claim, ClaimVerdict::unknown, {}, {}, "Z3 did not discharge all obligations"};
  // Only the file itself says that a theorem is the sentence of a user's file.
  const bool is_provable =
      claim.file.empty() && (claim.coq_bounds || std::all_of(claim.says.begin(), claim.says.end(),
                                                             [](const Evidence& e) { return e.is_provable; }));
  return {&claim, is_provable ? ClaimVerdict::proved : ClaimVerdict::checked, {}, Proofs::obligations_of(claim)};
}

}  // namespace

std::string_view name(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::proved: return "proved";
    case ClaimVerdict::checked: return "checked";
    case ClaimVerdict::imprecise: return "imprecise";
    case ClaimVerdict::refuted: return "refuted";
    case ClaimVerdict::differs: return "differs";
    case ClaimVerdict::finding: return "finding";
    case ClaimVerdict::unknown: return "unknown";
    case ClaimVerdict::unsettled: return "unsettled";
  }
  return "";
}

std::string_view name(ClaimLevel level) {
  switch (level) {
    case ClaimLevel::kernel: return "kernel";
    case ClaimLevel::solver: return "solver";
    case ClaimLevel::tried: return "tried";
  }
  return "";
}

ClaimLevel level_of(const Audited& audited) {
  if (audited.verdict != ClaimVerdict::proved) return ClaimLevel::tried;
  return audited.claim->coq.empty() ? ClaimLevel::solver : ClaimLevel::kernel;
}

std::vector<Audited> audit(const std::vector<const Claim*>& claims) {
  const Proofs proofs(claims);
  std::vector<Audited> all(claims.size());
  std::atomic<std::size_t> next = 0, done = 0;
  run_workers(cores(), [&](int) {
    for (std::size_t k = next++; k < claims.size(); k = next++) {
      Progress::say(done++, claims.size(), claims[k]->id);
      auto within = within_limits([&] {
        Audited settled = audited(*claims[k], proofs);
        stop_point();  // what was cut short may look like a refutation
        return settled;
      });
      all[k] = within ? std::move(*within) : Audited{claims[k], ClaimVerdict::unknown, {}, {}, within.error()};
    }
  });
  return all;
}

}  // namespace onceover::papers
