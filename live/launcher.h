// How programs are started under an MPI of this machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/types.h"

namespace onceover::live {

/// One of our programs, beside the running one or on the PATH.
std::optional<std::string> find_program(const std::string& name);

/// Are all ranks of this library in one process of verify-mpi, rather than started by mpirun?
bool is_one_process(std::string_view library);

/// The program that starts ranks for an MPI: mpirun.openmpi or the like if Debian provides it, else mpirun. "default"
/// means plain mpirun.
std::optional<std::string> starter(const std::string& library);

/// A shell command that runs a program with several ranks on this machine, even more than it has cores. `settings` are
/// environment variables, NAME=value; in a simulation, options of the program.
std::string start_command(const std::string& library, Rank ranks, const std::vector<std::string>& settings,
                          const std::string& program_and_arguments);

}  // namespace onceover::live
