// ExitCode: how the program ends. Result: a value, or the Failure that takes its place, with its place in the input.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/namespaces.h"

namespace onceover::base {

enum class ExitCode {
  ok = 0,         // all required properties hold
  violated = 1,   // a required property is violated
  usage = 2,      // a wrong option or name, or a file that doesn't exist
  malformed = 3,  // an input file breaks the rules of its format
  unknown = 4,    // a budget or a limit on time or memory ran out
  internal = 5,   // a bug of ours, or the system refused
  interrupted = 130,
};

/// A line of a file, as the user named it.
struct SourcePlace {
  std::string file;
  std::size_t line = 0;    // from 1; 0: none
  std::size_t column = 0;  // from 1; 0: none

  std::string text() const { return file + ":" + std::to_string(line); }  // "ci/gate.toml:7"
};

/// Why a command can't be carried out.
struct Failure {
  ExitCode code;
  std::string message;
  SourcePlace place = {};  // that the message is about
};

template <class T>
using Result = tl::expected<T, Failure>;

inline tl::unexpected<Failure> usage_error(std::string message) {
  return tl::unexpected(Failure{ExitCode::usage, std::move(message)});
}

}  // namespace onceover::base
