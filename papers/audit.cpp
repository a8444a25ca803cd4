#include "papers/audit.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "base/progress.h"
#include "base/resource_limits.h"
#include "proofs/prove.h"
#include "base/parallel.h"

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
    const auto needed = needed_for(claim);
    return std::all_of(needed.begin(), needed.end(), [&](const Theorem* t) { return proofs_.at(t->id).holds(); });
  }

  /// Those of the theorems that the claim names, and of all that these rest on.
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
    std::vector<const Theorem*> named;
    for (const std::string_view id : claim.theorems) named.push_back(find_theorem(id));
    return with_uses(named);
  }

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

Verdict verdict_on_refuted(Kind kind) {
  switch (kind) {
    case Kind::wording:
      return Verdict::imprecise;
    case Kind::measured:
      return Verdict::differs;
    case Kind::statement:
    case Kind::ours:
      break;
  }
  return Verdict::refuted;
}

Audited audited(const Claim& claim, const Proofs& proofs) {
  Finding said = try_all(claim.says);
  Finding corrected = try_all(claim.corrected);
  if (corrected.refutation) return {&claim, Verdict::unsettled, std::move(corrected.refutation)};
  if (claim.kind == Kind::ours && said.refutation) return {&claim, Verdict::unsettled, std::move(said.refutation)};
  for (const Finding* finding : {&said, &corrected})
    if (!finding->unknown.empty()) return {&claim, Verdict::unknown, {}, {}, finding->unknown};
  if (said.refutation) return {&claim, verdict_on_refuted(claim.kind), std::move(said.refutation)};
  if (claim.kind == Kind::ours) return {&claim, Verdict::finding};
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
    case Verdict::differs:
      return "differs";
    case Verdict::finding:
      return "finding";
    case Verdict::unknown:
      return "unknown";
    case Verdict::unsettled:
      return "unsettled";
  }
  return "";
}

std::string_view name(Level level) {
  switch (level) {
    case Level::kernel:
      return "kernel";
    case Level::solver:
      return "solver";
    case Level::tried:
      return "tried";
  }
  return "";
}

Level level_of(const Audited& audited) {
  if (audited.verdict != Verdict::proved) return Level::tried;
  return audited.claim->coq.empty() ? Level::solver : Level::kernel;
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
