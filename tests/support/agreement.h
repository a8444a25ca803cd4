// Do the fast and the slow judge agree on a schedule, and is the counterexample true?
#pragma once

#include <string>

#include "namespaces.h"
#include "schedules/schedule.h"
#include "verifier/verify.h"

namespace onceover::support {

/// Judges the schedule with both engines and compares verdicts, numbers of violations, metrics, and the counterexample
/// with the transfers. Returns "" if all agree, else what does not.
std::string disagreement(const Schedule& schedule);

/// "" if every path of the counterexample can be walked in the schedule and its count is the reference's, else why not.
std::string falsehood(const Schedule& schedule, const Counterexample& counterexample);

/// The verdict on a property of the report.
Verdict verdict_of(const Report& report, std::string_view id);
const Counterexample& counterexample_of(const Report& report, std::string_view id);

}  // namespace onceover::support
