// Selection files of libraries, such as MPICH's JSON: which algorithm they pick for which call, and whether it is meant
// for it. Nothing is run.
//
// Example: {"collective=allgather": {"comm_size=pow2": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
// "comm_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}}} picks one for every call, each meant for it. Without
// its last branch it picks none for p = 3.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "code/library.h"
#include "verifier/property.h"

namespace onceover::code {

/// What is wrong with some calls, or isn't known of them.
struct SelectionFault {
  Verdict verdict;
  SourcePlace place;
  std::string what;         // "picks allgather/recursive_doubling, which is meant for p power of two"
  std::string calls;        // "allgather, total_msg_size 1..524287"
  std::vector<Rank> ranks;  // ascending
};

/// A size that decides between algorithms.
struct SelectionChange {
  SourcePlace place;
  std::string calls;                // "allreduce, is_commutative=yes"
  std::string size;                 // "avg_msg_size<=8"
  std::vector<std::string> within;  // the algorithms of calls for which that holds
  std::vector<std::string> beyond;  // and of the others
  std::vector<Rank> ranks;          // ascending
};

struct Selection {
  std::string title;
  std::vector<Rank> ranks;                    // that were judged
  std::size_t picks = 0;                      // leaves of the file that some call reaches
  std::vector<std::string> collectives = {};  // that were judged
  std::vector<SelectionFault> faults = {};
  std::vector<SelectionChange> changes = {};  // of collectives that add up
  std::vector<std::string> not_tried = {};

  /// Unknown also if nothing was judged.
  Verdict verdict() const;
  std::string text() const;
  Json json() const;
};

/// Judges a selection file of MPICH, for calls within one group of ranks and with elements. A file that isn't one is
/// malformed. O(file * ranks).
Result<Selection> judge_selection(const Library& library, const std::string& file, const std::vector<Rank>& ranks);

}  // namespace onceover::code
