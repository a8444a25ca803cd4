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

/// What becomes of an element or a block.
struct Fate {
  std::vector<Term> terms;           // of an allreduce at the end, by rank; else the one term that there is
  std::vector<std::uint32_t> joins;  // by rank: how often the operator is called for it
};

/// What a schedule computes, its blocks in order.
struct Reference {
  std::string algorithm;
  std::string settings;  // "order=far, remainder=fold"; empty where all are preset
  std::string role;      // where the schedule is a part of the collective: "as a reduce, before a broadcast"
  int rank;  // the lower, the sooner it is named: rows with settings, lanes, parameters, or for tori come later
  bool in_place = false;  // each element has to have the terms of its own block
  std::vector<Fate> blocks;
};

/// Executes a schedule into terms of a table. Ranks are counted from the root, if `root` isn't 0: rank r of the
/// schedule is rank r + root mod p. With `one_term` the ranks' terms of a block are one, where they are the same.
/// Nothing if they aren't, or a block has no defined result. O(block transfers).
std::optional<Reference> reference_of(const Schedule& schedule, bool one_term, Rank root, TermTable& terms);

/// What each row of the catalogue computes for this p, under each of its settings (of numbers and groups: those that
/// differ for this p): rows that offer the collective, and those that are a part of it, such as a reduce before a
/// broadcast. Rows that are wrong as printed are left out.
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
