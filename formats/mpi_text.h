// What every exported C file says, whatever the schedule: mpi/allreduce.c, made part of the library.
#pragma once

#include <string_view>

#include "base/namespaces.h"

namespace onceover::formats::mpi_text {

extern const std::string_view before_tables;
extern const std::string_view after_tables;

}  // namespace onceover::formats::mpi_text
