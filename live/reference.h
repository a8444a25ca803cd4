// Reference: what a schedule computes, for comparison with what a library does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/live_call.h"
#include "schedules/catalogue.h"
#include "schedules/schedule.h"
#include "verifier/terms.h"

namespace onceover::live {

/// The terms of an element or a block, and the calls of the operator for it.
struct Computation {
  std::vector<Term> terms;           // of an allreduce the final ones, by rank; else the only term
  std::vector<std::uint32_t> joins;  // by rank: how often the operator is called for it
};

/// What a schedule computes; its blocks are in order.
struct Reference {
  std::string algorithm;
  std::string settings;   // "order=far, remainder=fold"; empty if all are preset
  std::string role;       // if the schedule is a part of the collective: "as a reduce, before a broadcast"
  int rank;               // rows with a lower one come first, the simplest of those that fit
  bool in_place = false;  // must each element have the terms of its own block?
  std::vector<Computation> blocks;
};

/// Settings of a row of the catalogue, by name.
using RowSettings = std::map<std::string, std::string, std::less<>>;

/// All settings of a row that may differ for this p, the presets first; some may be outside the row's domain.
std::vector<RowSettings> all_settings(const Algorithm& row, Rank ranks);

/// "order=far, remainder=fold"; empty if all are preset.
std::string settings_text(const RowSettings& settings);

/// Executes a schedule into terms of a table. If `root` isn't 0, ranks are counted from the root: rank r of the
/// schedule is rank r + root mod p. With `one_term`, the terms that ranks hold of a block become one, if they are the
/// same. Nothing if they aren't, or if a block has no defined result. O(block transfers).
std::optional<Reference> reference_of(const Schedule& schedule, bool one_term, Rank root, TermTable& terms);

/// What each row of the catalogue computes for this p, under each of its settings (for numbers and groups: those that
/// differ for this p). These are rows that offer the collective, and rows that are a part of it, such as a reduce
/// before a broadcast. Rows that are wrong as printed are left out.
std::vector<Reference> references(const LiveCall& call, TermTable& terms);

/// Translates a term into another table. O(sums).
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
