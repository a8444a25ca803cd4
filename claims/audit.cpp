#include "claims/audit.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "cli/progress.h"
#include "cli/resource_limits.h"
#include "proofs/prove.h"
#include "schedules/parallel.h"

namespace onceover::claims {

namespace {

int cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// What Z3 said of every theorem that the claims name.
class Proofs {
 public:
  explicit Proofs(const std::vector<const Claim*>& claims) {
    std::vector<const Theorem*> named;
    for (const Claim* claim : claims)
      for (const std::string_view id : claim->theorems) named.push_back(find_theorem(id));
    for (Proof& proof : prove(with_uses(named), {z3()}, cores())) proofs_.emplace(proof.theorem->id, std::move(proof));
  }

  /// Everything that the theorem rests on, too.
  bool all_hold(const Claim& claim) const {
    return std::all_of(claim.theorems.begin(), claim.theorems.end(), [&](std::string_view id) {
      const auto needed = with_uses({find_theorem(id)});
      return std::all_of(needed.begin(), needed.end(), [&](const Theorem* t) { return proofs_.at(t->id).holds(); });
    });
  }

  /// Those of the theorems that the claim names, and of all that these rest on.
  static std::vector<Obligations> obligations_of(const Claim& claim) {
    std::vector<Obligations> all;
    std::vector<const Theorem*> named;
    for (const std::string_view id : claim.theorems) named.push_back(find_theorem(id));
    for (const Theorem* theorem : with_uses(named)) {
      Obligations part{theorem->id, {}};
      for (const Obligation& o : theorem->obligations)
        if (o.source.find(claim.lemma) != std::string_view::npos) part.names.push_back(o.name);
      if (!part.names.empty()) all.push_back(std::move(part));
    }
    return all;
  }

 private:
  std::map<std::string_view, Proof> proofs_;
};

/// The first of the findings that settles the matter, or that nobody can tell.
Finding try_all(const std::vector<Evidence>& evidence) {
  Finding last;
  for (const Evidence& e : evidence) {
    Finding found = e.find();
    if (found.refutation) return found;
    if (!found.unknown.empty()) last = std::move(found);
  }
  return last;
}

Audited audited(const Claim& claim, const Proofs& proofs) {
  Finding said = try_all(claim.says);
  Finding corrected = try_all(claim.corrected);
  if (corrected.refutation) return {&claim, Verdict::unsettled, std::move(corrected.refutation)};
  for (const Finding* finding : {&said, &corrected})
    if (!finding->unknown.empty()) return {&claim, Verdict::unknown, {}, {}, finding->unknown};
  if (said.refutation)
    return {&claim, claim.kind == Kind::wording ? Verdict::imprecise : Verdict::refuted, std::move(said.refutation)};
  if (claim.theorems.empty()) return {&claim, Verdict::checked};
  if (!proofs.all_hold(claim)) return {&claim, Verdict::unknown, {}, {}, "Z3 did not discharge all obligations"};
  const bool is_provable =
      std::all_of(claim.says.begin(), claim.says.end(), [](const Evidence& e) { return e.is_provable; });
  return {&claim, is_provable ? Verdict::proved : Verdict::checked, {}, Proofs::obligations_of(claim)};
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved:
      return "proved";
    case Verdict::checked:
      return "checked";
    case Verdict::imprecise:
      return "imprecise";
    case Verdict::refuted:
      return "refuted";
    case Verdict::unknown:
      return "unknown";
    case Verdict::unsettled:
      return "unsettled";
  }
  return "";
}

std::vector<Audited> audit(const std::vector<const Claim*>& claims) {
  const Proofs proofs(claims);
  std::vector<Audited> all(claims.size());
  std::atomic<std::size_t> next = 0, done = 0;
  run_workers(cores(), [&](int) {
    for (std::size_t k = next++; k < claims.size(); k = next++) {
      cli::Progress::say(done++, claims.size(), claims[k]->id);
      auto within = cli::within_limits([&] {
        Audited settled = audited(*claims[k], proofs);
        stop_point();  // what was cut short may look like a refutation
        return settled;
      });
      all[k] = within ? std::move(*within) : Audited{claims[k], Verdict::unknown, {}, {}, within.error()};
    }
  });
  return all;
}

}  // namespace onceover::claims
