// What is compiled beside the code under test, and differs from function to function.
#pragma once

#include <string>
#include <string_view>

#include "code/executable.h"

namespace onceover::code {

/// "int my_allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)": what the function must be.
std::string declaration(const Sources& sources);

/// function.h declares the function for the user's files.
std::string function_header(const Sources& sources);

/// What the function is called where it is linked with the runtime, whose variables may have the user's name.
constexpr std::string_view tested_function = "onceover_tested";

/// tested.h declares it under that name, and says how the harness calls it.
std::string tested_header(const Sources& sources);

/// elements.h says what the collective's buffers hold.
std::string elements_header(const Sources& sources);

/// A function that stands in for MPI's and calls the one under test; what that calls in turn is MPI's own.
std::string stand_in(const Sources& sources);

}  // namespace onceover::code
