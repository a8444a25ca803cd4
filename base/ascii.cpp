#include "base/ascii.h"

#include <algorithm>
#include <string>

namespace onceover::base {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The offset behind the quoted text that begins at `begin`. The end of the line or of the file ends such a text, too.
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

bool is_beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

/// The same for a text between triple quotes, which may span lines and may end with up to two quotes of its own. It
/// also ends before a letter beyond ASCII that follows a backslash and blanks, because toml++ tests whether that letter
/// is a blank.
std::size_t end_of_long_text(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string_view end(text.substr(begin, 3));
  for (std::size_t k = begin + 3; k < text.size(); ++k) {
    if (text[k] == '\\' && quote == '"') {
      const std::size_t next = std::min(text.find_first_not_of(" \t\r\n", k + 1), text.size());
      if (next < text.size() && is_beyond_ascii(text[next])) return next;
      k = next == k + 1 ? next : next - 1;
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

/// Walks through a file as toml++ does. A value that begins with neither a quote nor a bracket ends at the next blank,
/// comma, closing bracket or comment, so a quote inside it opens no text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<std::size_t> beyond_ascii() {
    std::size_t k = text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    while (k < text_.size()) {
      if (is_beyond_ascii(text_[k])) return k;
      k = after(k);
    }
    return std::nullopt;
  }

 private:
  /// The next position to look at after the character at k.
  std::size_t after(std::size_t k) {
    const char c = text_[k];
    if (c == '#') return std::min(text_.find('\n', k), text_.size());
    if (std::string_view(" \t\r\n,]}").find(c) != std::string_view::npos) {
      end_run(c);
    } else if (c == '=' && !is_value_ && !open_.ends_with('[')) {
      is_value_ = true;
      is_bare_ = false;
    } else if (!is_bare_ && (c == '"' || c == '\'')) {
      return end_of_text(text_, k);
    } else if (!is_bare_ && (c == '[' || c == '{')) {
      open_ += c;
      is_value_ = false;
    } else {
      is_bare_ = true;
    }
    return k + 1;
  }

  void end_run(char c) {
    is_bare_ = false;
    if (c == '\n' || c == ',' || c == ']' || c == '}') is_value_ = false;
    if ((c == ']' || c == '}') && !open_.empty()) open_.pop_back();
  }

  std::string_view text_;
  std::string open_;       // open brackets
  bool is_bare_ = false;   // within something that isn't in quotes
  bool is_value_ = false;  // after a key's '='
};

}  // namespace

std::optional<std::size_t> beyond_ascii(std::string_view text) {
  return Scanner(text).beyond_ascii();
}

}  // namespace onceover::base
