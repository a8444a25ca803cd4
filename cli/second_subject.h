// Beside: the second subject of a command, and what differs between the two.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "network/contention.h"
#include "subjects/run.h"
#include "subjects/subject.h"

namespace onceover::cli {

/// The options of an algorithm that stands beside a schedule with this header: the same collective, root and shape and,
/// if it has lanes, as many.
SubjectOptions options_beside(const Algorithm& row, const Header& header);

/// The second subject, which --beside names.
struct Second {
  Verification run;               // without a report, if it wasn't judged
  SchedulePtr schedule;           // of a program: its messages as steps
  std::uint64_t block_bytes = 0;  // of programs with sizes in bytes; 0: a block is a part of the vector
};

/// What --beside names, for as many ranks as the first subject, whose header this is: an algorithm, which gets the
/// collective of the first, its torus and, if it has lanes, all of them; or a file. A schedule isn't judged.
Result<Second> unjudged_beside(const std::string& text, const Header& header);

/// The same, judged; a program is judged as briefly as for any command that measures.
Result<Second> judged_beside(const std::string& text, const Header& header, const VerifyOptions& options);

/// What tables call both subjects: algorithms or files, which differ.
std::pair<std::string, std::string> names_beside(const Verification& one, const Verification& other);

/// A subject on its network.
struct Side {
  std::string name;
  const Schedule& schedule;
  const Contention& contention;
  std::uint64_t block_bytes;
};

/// A table of the hottest links, with the same step of both side by side, and a word on which carries more; steps in a
/// row that look the same share one. Loads are in vectors; in bytes if both sides have them. A usage error if only one
/// has.
Result<std::vector<std::vector<std::string>>> steps_beside(const Side& one, const Side& other);

}  // namespace onceover::cli
