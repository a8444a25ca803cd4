// A text that a user gave us, and errors that point into it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// What is wrong where. Rendered, it is `name:line:column: message`, the line, and a caret below the column.
struct SourceError {
  std::string name;     // file name as the user gave it, or what stands for it
  std::size_t line;     // from 1
  std::size_t column;   // from 1, in bytes
  std::string message;  // unprintable bytes as '?'
  std::string excerpt;  // the line, or the part of a long one around the column; unprintable bytes as '?'
  std::size_t caret;    // position in the excerpt

  std::string render() const;
};

/// Is there nothing in it that a terminal takes for an order rather than a letter: control characters, line separators,
/// what turns the direction of text? O(text).
bool is_plain(std::string_view text);

/// The error `message` at byte `offset` of `text`. O(text).
SourceError source_error(std::string_view name, std::string_view text, std::size_t offset, std::string_view message);

}  // namespace onceover::base
