// What is measured of a judged schedule or program: the numbers that limits are about.
#pragma once

#include <span>
#include <string>

#include "network/network.h"
#include "network/routing.h"
#include "schedules/schedule.h"
#include "subjects/limit.h"
#include "verifier/verify.h"

namespace onceover::subjects {

/// What is measured only where somebody asks for it, since it costs more than the verdict.
struct Wanted {
  bool staging = false;
  bool network = false;
};

/// What has to be measured for these limits.
Wanted wanted_by(std::span<const Limit> limits);

/// The measures of a judged schedule, without those that need a network. `staging` is known where the report judged it.
/// Of a schedule that isn't known to be well-formed only the shape is known.
Measures measures_of(const Header& header, const Report& report);

/// The same of a program; of one that isn't known to be well-formed only the number of ranks is known.
Measures measures_of_program(const Header& header, const Report& report);

/// Adds the deficiencies of a well-formed schedule on a network; where there are none, why. Time as for `contention`.
void add_deficiencies(Measures& measures, const Schedule& schedule, const Network& network, Routing routing);

/// Says why there are no deficiencies.
void lack_deficiencies(Measures& measures, const std::string& why);

/// Was the schedule or program found to be well-formed?
bool is_well_formed(const Report& report);

}  // namespace onceover::subjects
