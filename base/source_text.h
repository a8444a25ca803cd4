// Errors that point into a text of the user's, and such texts made fit to be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/namespaces.h"
#include "base/result.h"

namespace onceover::base {

/// What is wrong, and where. It is rendered as `name:line:column: message`, the line, and a caret below the column.
struct SourceError {
  std::string name;     // the file's name as the user gave it, or a substitute
  std::size_t line;     // from 1
  std::size_t column;   // from 1, in bytes
  std::string message;  // unprintable bytes as '?'
  std::string excerpt;  // the line, or the part of a long one around the column; unprintable bytes as '?'
  std::size_t caret;    // position in the excerpt

  std::string render() const;
};

/// The failure of an input that breaks the rules of its format.
Failure malformed(const SourceError& error);

/// Is the text free of characters that control a terminal: control characters, line separators, marks of text
/// direction, letters of no width? O(text).
bool is_plain(std::string_view text);

/// The error `message` at byte `offset` of `text`. O(text).
SourceError source_error(std::string_view name, std::string_view text, std::size_t offset, std::string_view message);

/// `text` with replacement characters for bytes that aren't UTF-8, and '?' for control characters except tabs and
/// newlines.
std::string readable(std::string_view text);

}  // namespace onceover::base
