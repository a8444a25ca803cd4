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
  bool bound = false;  // goes with `network`
};

/// The costly measures that these limits need.
Wanted wanted_by(std::span<const Limit> limits);

/// The measures of a judged schedule, without those that need a network. `staging` is known if the report judged it. If
/// the schedule isn't known to be well-formed, only the shape is known.
Measures measures_of(const Header& header, const Report& report);

/// The same for a program; if it isn't known to be well-formed, only its number of ranks is known.
Measures measures_of_program(const Header& header, const Report& report);

/// Adds what is measured of a well-formed schedule on a network, or why it isn't known. Its time is that of
/// `contention`.
void add_network(Measures& measures, const Schedule& schedule, const Network& network, Routing routing);

/// Adds the bound on the time of any schedule for that collective, or why it isn't known. Its time is that of
/// `time_bound`.
void add_bound(Measures& measures, const Header& header, const Network& network);

/// Does the report say that the schedule or program is well-formed?
bool is_well_formed(const Report& report);

/// Is the report about a plan of MSCCL++? A plan has no FIFOs, and its messages aren't counted in a row.
bool is_of_plan(const Report& report);

}  // namespace onceover::subjects
