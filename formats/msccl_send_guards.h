// Programs for runtimes whose sends may end before they have read.
#pragma once

#include "formats/program.h"

namespace onceover::formats {

/// Behind each plain send that others wait for, a copy of its first chunk into scratch memory of the thread's own, for
/// which they wait instead: all threads of the block meet at its end, which a send of LL doesn't make them do. The
/// program's threads must be ordered. O(operations + orders).
Program with_send_guards(const Program& program);

}  // namespace onceover::formats
