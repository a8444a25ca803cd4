// Theorems about a run, for more than what the run itself settles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "proofs/routes/kernel.h"
#include "schedules/peer_schedule.h"
#include "schedules/schedule.h"

namespace onceover::subjects {

/// How a run's transfers stand to those of the theorem's function.
enum class Compared {
  all,        // they are the same, all of them
  none,       // they are too many, or a limit on time or memory ran out
  different,  // they aren't the same, so the theorem says nothing of the run
};

/// A theorem that Coq's kernel accepts about the row, or the peers, that a run is of.
struct Citation {
  const KernelTheorem* theorem;
  std::string_view domain;  // which runs, in words
  Compared compared;
  std::uint64_t transfers;  // of single blocks
  std::string why = {};     // where they differ, or why they weren't compared: a sentence without a full stop
};

/// The theorem about a schedule of the catalogue, made with these settings, compared with its transfers; nothing where
/// the kernel has accepted none. No verdict rests on it: where a limit ends the comparison, it is `none`.
std::optional<Citation> citation_of(const Schedule& schedule, const Settings& settings, int threads);

/// The same about the schedule of a rule.
std::optional<Citation> citation_of(const Schedule& schedule, const PeerRule& rule, int threads);

/// What comparing came to for the runs about which one theorem is cited.
struct Comparisons {
  std::size_t runs = 0;  // none of them different
  std::size_t same = 0;
  std::uint64_t transfers = 0;  // of those that are the same
  std::string why = {};         // the first of the others wasn't compared

  void add(const Citation& citation);

  /// ": this run's 84 transfers are those of its function", or ", but .."; `alone`: only one run is reported.
  std::string text(bool alone) const;
};

}  // namespace onceover::subjects
