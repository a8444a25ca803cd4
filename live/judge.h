// Judges what a running library left.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "live/element.h"
#include "verifier/verify.h"

namespace onceover::live {

/// The result of judging a call of a library.
struct LiveReport {
  Verdict verdict;                         // fail if a required property fails, or if there are `faults`
  std::vector<PropertyResult> properties;  // a counterexample's block is the element's position
  std::vector<std::string> faults = {};
};

/// Judges a call, made once or several times with the same data, by the properties that apply to it:
/// - exactly-once, required: each element holds the contributions that are due, each once, and of its own position;
/// - order-preserving, of reductions. If the operator was declared not to commute, it is required, and the sides of
///   sums must be in order as they are. Otherwise it suffices that the sides could be put in order;
/// - bitwise-reproducible, of allreduce: required, because MPI demands it (MPI 4.0, section 6.9.6);
/// - deterministic, of reductions called several times.
///
/// `required` names further required properties, `waived` those of the above that aren't. `repeats` isn't empty.
/// O(elements * log values), and O(terms) for each different value.
LiveReport judge(const LiveCall& call, const Values& values, std::span<const CallOutcome> repeats,
                 std::span<const std::string> required, std::span<const std::string> waived = {});

/// Is the property required of the call unless it is waived? Can it be judged at all?
bool is_required_by_default(const LiveCall& call, const Property& property);
bool is_judged(const LiveCall& call, const Property& property);

/// "the sum of element 3 of ranks 0..6": what an element of a result must hold.
std::string due_text(const LiveCall& call, const Due& due);

/// The values of a reduction by position in the vector, then by rank; nothing if a rank has no such element.
std::vector<std::vector<std::optional<std::size_t>>> columns(const LiveCall& call, const CallOutcome& outcome);

}  // namespace onceover::live
