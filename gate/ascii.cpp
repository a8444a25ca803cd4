#include "gate/ascii.h"

#include <algorithm>

namespace onceover::gate {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// One past the end of the text in quotes that begins at `begin`; a line's end or the file's ends it, too.
std::size_t end_of_line_text(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t k = begin + 1; k < text.size(); ++k) {
    if (text[k] == '\\' && quote == '"')
      ++k;
    else if (text[k] == quote || text[k] == '\n')
      return k + 1;
  }
  return text.size();
}

/// The same for a text in three quotes on each side, which may have lines, and up to two quotes at its end.
std::size_t end_of_long_text(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string_view end(text.substr(begin, 3));
  for (std::size_t k = begin + 3; k < text.size(); ++k) {
    if (text[k] == '\\' && quote == '"') {
      ++k;
    } else if (text.substr(k, 3) == end) {
      k += 3;
      while (k < text.size() && text[k] == quote) ++k;
      return k;
    }
  }
  return text.size();
}

std::size_t end_of_text(std::string_view text, std::size_t begin) {
  const std::string_view three = text.substr(begin, 3);
  const bool is_long = three == "\"\"\"" || three == "'''";
  return std::min(text.size(), is_long ? end_of_long_text(text, begin) : end_of_line_text(text, begin));
}

}  // namespace

std::optional<std::size_t> beyond_ascii(std::string_view text) {
  std::size_t k = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  while (k < text.size()) {
    const char c = text[k];
    if (static_cast<unsigned char>(c) >= 0x80) return k;
    if (c == '"' || c == '\'')
      k = end_of_text(text, k);
    else if (c == '#')
      k = std::min(text.find('\n', k), text.size());
    else
      ++k;
  }
  return std::nullopt;
}

}  // namespace onceover::gate
