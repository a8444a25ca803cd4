// A slow and obvious interpreter of tiny programs: tries all orders in which operations can happen. Shares no code with
// the verifier.
#pragma once

#include <cstddef>
#include <limits>

#include "formats/program.h"
#include "namespaces.h"

namespace onceover::support::reference {

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// What all orders come to.
struct Behaviour {
  bool too_large = false;    // more states than can be tried
  bool ends = true;          // in every order every operation is carried out, and every message is taken, in its size
  bool races = false;        // in some state two operations of a rank can be next that conflict
  bool reads_unset = false;  // in some order
  bool is_right = true;      // in every order that ends the outputs are what the collective promises
  bool is_reproducible = true;  // in every order that ends all ranks hold the same sums
};

/// Does an operation name chunks that its buffer hasn't got, or read and write chunks that overlap and aren't the same?
bool lacks_slots(const Program& program);

/// `depth`: messages that a connection holds; 0 is rendezvous. All slots must be there. Messages have one part each,
/// and `orders` wait for ends.
Behaviour interpret(const Program& program, std::size_t depth, std::size_t most_states = 10'000);

}  // namespace onceover::support::reference
