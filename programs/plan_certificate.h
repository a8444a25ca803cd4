// Certificates of MSCCL++ plans that pass: an order of the operations, and what is known at each meeting.
// docs/certificate.md has the format; verify-check judges them.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "formats/plan.h"

namespace onceover::programs {

/// The certificate of a plan that passes, or why it has none. Time and memory: those of the clocks of all sizes.
tl::expected<std::string, std::string> plan_certificate(const ExecutionPlan& plan);

}  // namespace onceover::programs
