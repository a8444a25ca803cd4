// Guards for runtimes whose sends may end before they have read their data.
#pragma once

#include "formats/program.h"

namespace onceover::formats {

/// Adds, behind each plain send that other operations wait for, a copy of its first chunk into scratch memory of the
/// thread's own; they wait for the copy instead. All threads of the block meet at the end of a copy, but not at the end
/// of a send of LL. The program's threads must be ordered. O(operations + dependencies).
Program with_send_guards(const Program& program);

}  // namespace onceover::formats
