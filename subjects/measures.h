// Measures of a judged schedule or program: the numbers that limits are about.
#pragma once

#include <span>
#include <string>

#include "network/network.h"
#include "network/routing.h"
#include "schedules/schedule.h"
#include "subjects/limit.h"
#include "verifier/verify.h"

namespace onceover::subjects {

/// Measures that cost more than the verdict, so they are made only if they are asked for.
struct Wanted {
  bool staging = false;
  bool network = false;
};

/// The costly measures that these limits need.
Wanted wanted_by(std::span<const Limit> limits);

/// The measures of a judged schedule, without those that need a network. `staging` is known if the report judged it. If
/// the schedule isn't known to be well-formed, only the shape is known.
Measures measures_of(const Header& header, const Report& report);

/// The same for a program; if it isn't known to be well-formed, only its number of ranks is known.
Measures measures_of_program(const Header& header, const Report& report);

/// Adds the deficiencies of a well-formed schedule on a network, or why it has none. Its time is that of `contention`.
void add_deficiencies(Measures& measures, const Schedule& schedule, const Network& network, Routing routing);

/// Records why there are no deficiencies.
void lack_deficiencies(Measures& measures, const std::string& why);

/// Does the report say that the schedule or program is well-formed?
bool is_well_formed(const Report& report);

/// Is the report about a plan of MSCCL++? A plan has no FIFOs, and its messages aren't counted in a row.
bool is_of_plan(const Report& report);

}  // namespace onceover::subjects
