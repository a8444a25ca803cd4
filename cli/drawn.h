// Turns pictures that can't be drawn into exit codes of a command.
#pragma once

#include <utility>

#include "base/exit_code.h"
#include "viz/drawn.h"

namespace onceover::cli {

/// Usage (2) if the user can do something about it, unknown (4) if it took too long, else internal (5).
tl::unexpected<Failure> drawing_failure(const DrawError& error);

template <class T>
Result<T> passed_on(Drawn<T> drawn) {
  if (!drawn) return drawing_failure(drawn.error());
  return *std::move(drawn);
}

}  // namespace onceover::cli
