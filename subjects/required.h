// Properties, as users meet them: what they require of which kind of subject, and what a property means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/program.h"
#include "verifier/property.h"

namespace onceover::subjects {

/// Up to this many block transfers and results, properties are judged that nobody requires.
inline constexpr std::uint64_t unrequired_up_to = 4'000'000;

/// What the user asks of properties.
struct Requirements {
  const std::vector<std::string>& required;  // ids, besides those required by default
  const std::vector<std::string>& waived;    // ids of those required by default
  const Bounds& bounds;
};

/// A usage error if an id isn't a property's, if a required bound isn't given, or if a property is both required and
/// waived.
Result<void> check_required(const Requirements& asked);

/// The kind of subject that is judged.
enum class Form {
  schedule,
  program,       // of ranks: MSCCL XML
  bare_program,  // a program without data: GOAL
  plan,          // of MSCCL++
  launch,        // of GPU kernels
};

Form form_of(const Program& program);

/// A usage error if one of the properties doesn't apply to such a subject, if one is waived that isn't required of it
/// by default, or if nothing would be required.
Result<void> check_fit(const Requirements& asked, Form form);

/// The text of `verify explain` for a property.
std::string explanation(const Property& property);

}  // namespace onceover::subjects
