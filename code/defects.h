// Defects of the simulator: what SimGrid lacks or gets wrong. Right code that meets one can't be judged, and doesn't
// fail.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "code/record.h"

namespace onceover::code {

/// What the simulator gets wrong, in words; `number` is one of onceover_defect.
///
/// The recorder asks which of them the installed simulator has (runtime/probes.c). Results that it loses are elements
/// that nobody can judge; all else about the call is judged.
std::string_view defect_text(int number);

/// The function that the program ended in since the simulator has none: "MPI_Mprobe".
std::optional<std::string> missing_function(const std::string& errors);

/// May a deadlock be the simulator's? It may if every rank that waits does so for a message that may be lost, or for a
/// rank that waits for one.
bool may_wait_for_lost(const CallRecord& made);

}  // namespace onceover::code
