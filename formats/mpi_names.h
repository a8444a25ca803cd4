// Names for the functions of exported C files.
#pragma once

#include <optional>
#include <string>

#include "schedules/schedule.h"

namespace onceover::formats {

/// "swing_allreduce_p7": a name in C that is never refused and that different schedules rarely share.
std::string mpi_function_name(const Header& header);

/// Why the file's function can't have this name: it isn't an identifier of C, or C, its library, MPI or the file itself
/// has it. Nothing if it can.
std::optional<std::string> mpi_name_refusal(const std::string& name);

}  // namespace onceover::formats
