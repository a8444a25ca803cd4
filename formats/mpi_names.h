// Names for the functions of exported C files.
#pragma once

#include <optional>
#include <string>

#include "schedules/schedule.h"

namespace onceover::formats {

/// "swing_allreduce_p7": a name in C that different schedules rarely share, and that is never refused.
std::string mpi_function_name(const Header& header);

/// Why the text is no name for a function of the file: no identifier of C, or one that C, its library, MPI or the file
/// itself has; nothing if it is one.
std::optional<std::string> mpi_name_refusal(const std::string& name);

}  // namespace onceover::formats
