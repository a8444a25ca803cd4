// toml++ parses, and its tree is copied into ours, which has the byte offset of each value.
//
// toml++ 3.3 has three weaknesses, which this file avoids before or after parsing:
// - It asserts that a key begins where one should, which a file may violate. Here the assertion is an exception, and
//   the place is found by trying which beginnings of the text it fails on.
// - Its tests for blanks are undefined for some letters beyond ASCII, so it never sees such letters outside of texts
//   and comments.
// - The tables of a dotted key, a.b.c, are nested and freed by recursion. A line has at most 1000 points, and values
//   are nested at most 16 deep, so the stack suffices.
//
// Example: "[[check]]\np = 7" becomes a table with the entry check, a list with one table at byte 0, whose entry p has
// its key at byte 10 and the number 7 at byte 14.
//
// Cost: O(text), and 4 bytes for each letter to look up places. toml++ counts columns in letters, not bytes, and asks
// for places in any order.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/toml.h"

// Here an assertion of toml++ is an exception.
namespace onceover::base {
struct NoKey {};
}  // namespace onceover::base
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : throw ::onceover::base::NoKey())
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 16
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wterminate"  // some of its functions are noexcept: there an assertion ends the program
#include <toml++/toml.h>
#pragma GCC diagnostic pop

namespace onceover::base {

namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 20;
constexpr std::ptrdiff_t most_points = 1000;

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
class AsciiScanner {
 public:
  explicit AsciiScanner(std::string_view text) : text_(text) {}

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

/// The offset of the first byte beyond ASCII that lies outside the texts and comments of a TOML file, where TOML allows
/// none. A byte order mark at the beginning is allowed. toml++ must never see such a byte: its tests for blanks are
/// undefined for some letters. Quoted keys behind a dot count as outside, and so does a letter that follows a backslash
/// and blanks in a text between triple quotes. The answer is exact up to the first error of syntax. O(text).
std::optional<std::size_t> beyond_ascii(std::string_view text) {
  return AsciiScanner(text).beyond_ascii();
}

/// Converts toml++'s lines and columns to bytes of a text. Made in O(text).
class Places {
 public:
  explicit Places(std::string_view text) : end_(text.size()) {
    bool begins_line = true;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const bool is_continuation = (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
      if (begins_line) lines_.push_back(letters_.size());
      if (begins_line || !is_continuation) letters_.push_back(static_cast<std::uint32_t>(at));
      begins_line = text[at] == '\n';
    }
    if (begins_line) lines_.push_back(letters_.size());
  }

  /// The byte at that position. O(1).
  std::size_t offset_of(toml::source_position position) const {
    if (position.line == 0 || position.line > lines_.size()) return end_;
    const std::size_t letter = lines_[position.line - 1] + std::max<std::size_t>(position.column, 1) - 1;
    return letter < letters_.size() ? letters_[letter] : end_;
  }

 private:
  std::size_t end_;
  std::vector<std::uint32_t> letters_;  // where each letter begins
  std::vector<std::size_t> lines_;      // the first letter of each line
};

/// Does toml++ miss a key in the text?
bool lacks_key(std::string_view text) try {
  static_cast<void>(toml::parse(text));
  return false;
} catch (const NoKey&) {
  return true;
}

/// Where toml++ stopped because a key is missing: the end of the shortest beginning of the text for which it does. It
/// reads from left to right, so it does so for every longer beginning, too. O(text log text).
std::size_t missing_key(std::string_view text) {
  std::size_t fine = 0;
  std::size_t lacking = text.size();
  while (fine + 1 < lacking) {
    const std::size_t middle = fine + (lacking - fine) / 2;
    (lacks_key(text.substr(0, middle)) ? lacking : fine) = middle;
  }
  return lacking - 1;
}

/// The beginning of the first line with too many points.
std::optional<std::size_t> line_of_points(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    if (std::count(line.begin(), line.end(), '.') > most_points) return begin;
    begin += line.size() + 1;
  }
  return std::nullopt;
}

/// Copies toml++'s tree.
class TreeCopier {
 public:
  explicit TreeCopier(const Places& places) : places_(places) {}

  TomlTable table(const toml::table& from) const {
    TomlTable copy;
    copy.entries.reserve(from.size());
    for (auto&& [key, value] : from)
      copy.entries.push_back({std::string(key.str()), places_.offset_of(key.source().begin), node(value)});
    return copy;
  }

 private:
  TomlValue node(const toml::node& from) const {
    const toml::source_position begin = from.source().begin;
    TomlValue copy{TomlMoment{}, places_.offset_of(begin), begin.line};
    from.visit([&](const auto& found) { fill(copy, found); });
    return copy;
  }

  void fill(TomlValue& copy, const toml::table& found) const { copy.content = table(found); }

  void fill(TomlValue& copy, const toml::array& found) const {
    TomlList list;
    list.reserve(found.size());
    for (const toml::node& item : found) list.push_back(node(item));
    copy.content = std::move(list);
  }

  template <class T>
  void fill(TomlValue& copy, const toml::value<T>& found) const {
    if constexpr (std::is_constructible_v<decltype(copy.content), std::in_place_type_t<T>, const T&>)
      copy.content.emplace<T>(found.get());
  }

  const Places& places_;
};

tl::expected<TomlTable, SourceError> parse(std::string_view name, std::string_view text) try {
  const Places places(text);
  const toml::parse_result parsed = toml::parse(text);
  if (parsed) return TreeCopier(places).table(parsed.table());
  return tl::unexpected(
      source_error(name, text, places.offset_of(parsed.error().source().begin), parsed.error().description()));
} catch (const NoKey&) {
  return tl::unexpected(
      source_error(name, text, missing_key(text), "expected a key: letters, digits, '_' and '-', or a text in quotes"));
}

}  // namespace

const TomlValue* TomlTable::find(std::string_view key) const {
  const auto entry = std::lower_bound(entries.begin(), entries.end(), key,
                                      [](const TomlEntry& e, std::string_view sought) { return e.key < sought; });
  return entry != entries.end() && entry->key == key ? &entry->value : nullptr;
}

std::string_view TomlValue::kind() const {
  constexpr std::string_view kinds[] = {
      "a table", "a list", "a text", "a whole number", "a number with a point", "true or false", "a date or time"};
  return kinds[content.index()];
}

bool TomlValue::is_list_of_tables() const {
  const TomlList* items = list();
  return items != nullptr && !items->empty() &&
         std::all_of(items->begin(), items->end(), [](const TomlValue& item) { return item.table() != nullptr; });
}

tl::expected<TomlTable, SourceError> read_toml(std::string_view name, std::string_view text, std::string_view what) {
  auto error = [&](std::size_t offset, std::string_view message) {
    return tl::unexpected(source_error(name, text, offset, message));
  };
  if (text.size() > most_bytes) return error(0, fmt::format("{} has at most {} bytes", what, most_bytes));
  if (const auto beyond = beyond_ascii(text))
    return error(*beyond,
                 "letters beyond ASCII stand in texts, in quotes, and in comments only, and not behind a backslash");
  if (const auto line = line_of_points(text))
    return error(*line, fmt::format("a line has at most {} points", most_points));
  return parse(name, text);
}

}  // namespace onceover::base
