// What schedules compute, to be compared with what libraries do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "live/live_call.h"
#include "schedules/catalogue.h"
#include "schedules/schedule.h"
#include "verifier/terms.h"

namespace onceover::live {

/// What becomes of an element or a block: on each rank its term at the end, or nothing where the rank has none, and how
/// often the operator is called for it.
struct Fate {
  std::vector<Term> terms;
  std::vector<std::uint32_t> joins;
};

/// What a schedule computes, its blocks in order.
struct Reference {
  std::string name;      // "rabenseifner", "binomial-tree, then a broadcast"
  std::string settings;  // "order=far, remainder=fold"; empty where all are preset
  std::vector<Fate> blocks;
};

/// Executes a schedule into terms of a table. Ranks are counted from the root, if `root` isn't 0: rank r of the
/// schedule is rank r + root mod p. Nothing if a block has no defined result. O(block transfers).
std::optional<Reference> reference_of(const Schedule& schedule, std::string name, Rank root, TermTable& terms);

/// What each row of the catalogue computes that offers the collective for this p, under each of its settings (of
/// numbers and groups: those that differ for this p), rows with preset settings first; and for allreduce each reduce
/// with a broadcast. Rows that are wrong as printed are left out.
std::vector<Reference> references(const LiveCall& call, TermTable& terms);

/// The term in another table. O(sums).
class Translation {
 public:
  Translation(const TermTable& from, TermTable& to) : from_(from), to_(to) {}

  Term operator()(Term term, Rank shift = 0);

 private:
  const TermTable& from_;
  TermTable& to_;
  std::vector<Term> known_;  // by id
};

}  // namespace onceover::live
