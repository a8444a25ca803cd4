// How the program ends.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/namespaces.h"

namespace onceover::base {

enum class ExitCode {
  ok = 0,         // all required properties hold
  violated = 1,   // one does not
  usage = 2,      // a flag, a name or a file that isn't there
  malformed = 3,  // an input file that can't be read as what it is
  unknown = 4,    // a budget or a limit on time or memory ran out
  internal = 5,   // a bug of ours, or the system refused
  interrupted = 130,
};

/// Why a command can't be carried out.
struct Failure {
  ExitCode code;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Failure>;

inline tl::unexpected<Failure> usage_error(std::string message) {
  return tl::unexpected(Failure{ExitCode::usage, std::move(message)});
}

}  // namespace onceover::base
