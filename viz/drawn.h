// Drawn: a picture, or why there is none.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/namespaces.h"

namespace onceover::viz {

/// Why nothing was drawn, in a sentence for the user.
struct DrawError {
  enum class Kind {
    unsuitable,  // the view can't show this schedule
    too_large,   // not all of it at once, or not so that it can be read
    no_program,  // a program that is needed isn't installed
    slow,        // it took too long
    failed,      // it, or the system, refused
  };
  Kind kind;
  std::string message;
};

template <class T>
using Drawn = tl::expected<T, DrawError>;

/// The error of a view that can't show so much at once. What can be shown instead is found by trying (legible.h).
inline tl::unexpected<DrawError> too_large(std::string message) {
  return tl::unexpected(DrawError{DrawError::Kind::too_large, std::move(message)});
}

/// The error of a view that can't show its subject.
inline tl::unexpected<DrawError> unsuitable(std::string message) {
  return tl::unexpected(DrawError{DrawError::Kind::unsuitable, std::move(message)});
}

}  // namespace onceover::viz
