#include "schedules/source_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover {

namespace {

/// How much of a long line is shown before and after the column.
constexpr std::size_t context = 60;

std::string printable(std::string_view text) {
  std::string shown(text);
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = c == '\t' ? ' ' : '?';
  return shown;
}

}  // namespace

SourceError source_error(std::string_view name, std::string_view text, std::size_t offset, std::string_view message) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t last_newline = before.rfind('\n');
  const std::size_t line_begin = last_newline == std::string_view::npos ? 0 : last_newline + 1;
  const std::size_t line_end = std::min(text.find('\n', offset), text.size());
  const std::size_t shown_begin = std::max(line_begin, offset > context ? offset - context : 0);
  const std::size_t shown_end = std::min(line_end, offset + context);
  return {.name = std::string(name),
          .line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
          .column = 1 + offset - line_begin,
          .message = printable(message),
          .excerpt = printable(text.substr(shown_begin, shown_end - shown_begin)),
          .caret = offset - shown_begin};
}

std::string SourceError::render() const {
  return fmt::format("{}:{}:{}: {}\n  {}\n  {:>{}}", name, line, column, message, excerpt, '^', caret + 1);
}

}  // namespace onceover
