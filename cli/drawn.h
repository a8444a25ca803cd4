// Pictures that can't be drawn, as ends of a command.
#pragma once

#include <utility>

#include "base/exit_code.h"
#include "viz/drawn.h"

namespace onceover::cli {

/// 2 where the user can do something about it, 4 where it took too long, 5 else.
tl::unexpected<Failure> failure_of(const DrawError& error);

template <class T>
Result<T> passed_on(Drawn<T> drawn) {
  if (!drawn) return failure_of(drawn.error());
  return *std::move(drawn);
}

}  // namespace onceover::cli
