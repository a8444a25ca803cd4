// What the user requires in addition to the defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "formats/program.h"
#include "verifier/property.h"

namespace onceover::subjects {

/// Up to this many block transfers and results, properties are judged that nobody requires.
inline constexpr std::uint64_t unrequired_up_to = 4'000'000;

/// A usage error if an id isn't a property's, or if a required bound isn't given.
Result<void> check_required(const std::vector<std::string>& ids, const Bounds& bounds);

/// The kind of subject that is judged.
enum class Form {
  schedule,
  program,       // of ranks: MSCCL XML
  bare_program,  // a program without data: GOAL
  plan,          // of MSCCL++
};

Form form_of(const Program& program);

/// A usage error if one of the properties doesn't apply to such a subject.
Result<void> check_fit(const std::vector<std::string>& ids, Form form);

}  // namespace onceover::subjects
