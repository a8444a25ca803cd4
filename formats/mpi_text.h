// The text that all exported C files share: mpi/allreduce.c, embedded in the library.
#pragma once

#include <string_view>

#include "base/namespaces.h"

namespace onceover::formats::mpi_text {

extern const std::string_view before_tables;
extern const std::string_view after_tables;

}  // namespace onceover::formats::mpi_text
