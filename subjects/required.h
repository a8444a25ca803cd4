// What the user requires of a schedule besides the usual.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "formats/program.h"
#include "verifier/property.h"

namespace onceover::subjects {

/// Block transfers and results up to which properties are judged that nobody required.
inline constexpr std::uint64_t unrequired_up_to = 4'000'000;

/// A usage error where an id is no property's, or a bound that is required isn't given.
Result<void> check_required(const std::vector<std::string>& ids, const Bounds& bounds);

/// What is judged.
enum class Form {
  schedule,
  program,       // of ranks: MSCCL XML
  bare_program,  // one that doesn't say which data it moves: GOAL
};

Form form_of(const Program& program);

/// A usage error where one of the properties is none that what is judged could have.
Result<void> check_fit(const std::vector<std::string>& ids, Form form);

}  // namespace onceover::subjects
