// Result: a value, or the Failure that takes its place, with its place in the input. TRY passes a failure on. ExitCode:
// how the program ends.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

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

template <class Value, class Error>
Value value_of(tl::expected<Value, Error>&& result) {
  if constexpr (!std::is_void_v<Value>) return *std::move(result);
}

}  // namespace onceover::base

/// The value of a tl::expected. If it holds an error, the enclosing function returns that error. For results without a
/// value, use it as a statement: TRY(check(x));
#define TRY(...)                                                                 \
  __extension__({                                                                \
    auto result_of_try = (__VA_ARGS__);                                          \
    if (!result_of_try) return tl::unexpected(std::move(result_of_try).error()); \
    ::onceover::base::value_of(std::move(result_of_try));                        \
  })
