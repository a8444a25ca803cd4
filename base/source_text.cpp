#include "base/source_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"

namespace onceover::base {

namespace {

/// How many bytes of a long line are shown before and after the column.
constexpr std::size_t context = 60;

/// The number of bytes of the character at `at` if it must not be printed; else 0.
std::size_t order_at(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0U; };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;  // U+0080 to U+009F
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;                    // U+061C
  const bool is_unseen = byte(1) == 0x80 && (byte(2) == 0x8b || byte(2) == 0x8e || byte(2) == 0x8f);  // U+200B, E, F
  const bool is_separator = byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae;  // U+2028 to U+202E
  const bool is_isolate = byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;    // U+2066 to U+2069
  return byte(0) == 0xe2 && (is_unseen || is_separator || is_isolate) ? 3 : 0;
}

/// The number of bytes of the letter at `at`; 0 if it is cut off, or no UTF-8.
std::size_t letter_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (std::size_t k = 1; k < bytes; ++k)
    if (at + k >= text.size() || (static_cast<unsigned char>(text[at + k]) & 0xc0) != 0x80) return 0;
  return bytes;
}

std::string printable(std::string_view text) {
  std::string shown(text);
  for (std::size_t at = 0; at < text.size(); at += std::max<std::size_t>(letter_at(text, at), 1)) {
    if (const std::size_t bytes = order_at(text, at))
      shown.replace(at, bytes, bytes, text[at] == '\t' ? ' ' : '?');
    else if (letter_at(text, at) == 0)
      shown[at] = '?';
  }
  return shown;
}

}  // namespace

bool is_plain(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (order_at(text, at) > 0) return false;
  return true;
}

Failure malformed(const SourceError& error) {
  return {ExitCode::malformed, error.render(), {error.name, error.line, error.column}};
}

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

std::string readable(std::string_view text) {
  // JSON is UTF-8: writing and reading it puts replacement characters where they are needed.
  std::string valid = *Json::parse(Json(text).dump())->text();
  for (char& c : valid)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  return valid;
}

}  // namespace onceover::base
