// Runs a program as machines would, in an order drawn at random: slow, and nothing shared with the verifier.
#pragma once

#include <cstdint>
#include <string>

#include "formats/program.h"
#include "namespaces.h"

namespace onceover::support {

/// Runs the program once with FIFOs of that depth (0: rendezvous) and compares what the ranks end with with what the
/// collective promises. Returns "" if all is right, else what is not: a deadlock, a message of another size, data that
/// isn't there, a result that isn't each contribution once. A race shows only in some orders.
std::string run_once(const Program& program, std::uint32_t depth, std::uint32_t seed);

}  // namespace onceover::support
