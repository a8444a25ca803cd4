// JSON in texts of the user's, for readers that report line and column: JsonScan takes tokens one after the other,
// fast, for a reader that knows what it expects; PlacedJson is a value that knows where it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "base/source_text.h"

namespace onceover::base {

/// Takes tokens from a text that is one JSON object, and skips the space between them. It says nothing of errors: a
/// reader takes what it expects, and `place` says where that isn't there. A reader that takes every token up to the end
/// has read JSON, because each token is what JSON calls one, and because what follows a number or a string is a token,
/// too.
///
/// The closing bracket of the whole object is never taken. So there is always a byte to look at, and nothing is
/// compared with the end of the text. A text that doesn't end with such a bracket has no tokens.
///
/// It never looks back; each byte is read about once. Memory: that of the longest string with escapes.
class JsonScan {
 public:
  /// A byte order mark may precede the text.
  explicit JsonScan(std::string_view text);

  /// Takes a bracket, a comma or a colon, if it comes next.
  bool take(char mark) {
    skip_space();
    if (*at_ != mark || (mark == '}' && at_ == last_)) return false;
    ++at_;
    return true;
  }

  /// Does this mark come next? Also of the closing bracket of the whole object.
  bool is_next(char mark) {
    skip_space();
    return *at_ == mark;
  }

  /// Does only the closing bracket of the whole object remain?
  bool at_end() {
    skip_space();
    return at_ == last_;
  }

  /// The byte of the text where the next token begins, of the one taken last, and where the string taken last begins.
  std::size_t place() {
    skip_space();
    return static_cast<std::size_t>(at_ - text_);
  }
  std::size_t place_before() const { return static_cast<std::size_t>(at_ - text_) - 1; }
  std::size_t string_place() const { return static_cast<std::size_t>(string_ - text_); }

  /// Takes a whole number from `least` to `most`, which are from 0 to 2^31 - 1. Like JSON it takes "-0", and no zeros
  /// in front.
  std::optional<std::int32_t> whole(std::int64_t least, std::int64_t most) {
    skip_space();
    const bool is_negative = *at_ == '-';
    const char* digit = at_ + (is_negative ? 1 : 0);
    if (!is_digit(*digit) || (is_negative && *digit != '0')) return std::nullopt;
    std::int64_t value = *digit++ - '0';
    if (value != 0)
      for (; is_digit(*digit) && value <= most; ++digit) value = 10 * value + (*digit - '0');
    if (value < least || value > most || *digit == '.' || (*digit | ' ') == 'e') return std::nullopt;
    at_ = digit;
    return static_cast<std::int32_t>(value);
  }

  /// Takes a string; its value is valid until the next one is taken.
  std::optional<std::string_view> string() {
    if (!take('"')) return std::nullopt;
    string_ = at_ - 1;
    const char* end = at_;
    while (ordinary[static_cast<unsigned char>(*end)]) ++end;
    if (*end != '"') return unusual_string();
    const std::string_view value(at_, static_cast<std::size_t>(end - at_));
    at_ = end + 1;
    return value;
  }

  /// Takes a list, each of whose elements `take_element` takes.
  template <class TakeElement>
  bool list(TakeElement&& take_element) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do
      if (!take_element()) return false;
    while (take(','));
    return take(']');
  }

  /// Skips a value, of which it sees only strings and brackets; false if the text ends first.
  bool skip();

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  /// The bytes that stand for themselves in a string: not those of escapes, of characters outside ASCII, or of control.
  /// Without '}', because the text ends with it.
  static constexpr std::array<bool, 256> ordinary = [] {
    std::array<bool, 256> is{};
    for (std::size_t c = ' '; c < 128; ++c) is[c] = c != '"' && c != '\\' && c != '}';
    return is;
  }();

  void skip_space() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
  }

  std::optional<std::string_view> unusual_string();

  const char* text_;  // its begin
  const char* at_;
  const char* last_;  // the closing bracket; at_ is never beyond
  const char* string_ = nullptr;
  std::string decoded_;
};

/// A value with the byte at which it begins. Objects keep the order of their keys, which are all different.
class PlacedJson {
 public:
  using Array = std::vector<PlacedJson>;
  using Object = std::vector<std::pair<std::string, PlacedJson>>;

  /// A value of which readers need no more than its words: null, a negative number, a fraction.
  struct Other {
    std::string words;
  };
  using Value = std::variant<Other, bool, std::uint64_t, std::string, Array, Object>;

  PlacedJson(std::size_t offset, Value value) : offset_(offset), value_(std::move(value)) {}

  std::size_t offset() const { return offset_; }

  /// The value if it is of this kind, else null.
  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&value_);
  }
  template <class Kind>
  Kind* as() {
    return std::get_if<Kind>(&value_);
  }

  /// The value of a key; null if this isn't an object or lacks the key. O(keys).
  const PlacedJson* find(std::string_view key) const;

  /// The value in an error: "null", "12", "a list".
  std::string words() const;

 private:
  std::size_t offset_;
  Value value_;
};

/// Reads a text called `name`. A key may occur once in an object, and brackets may be nested `most_nested` deep;
/// nothing recurses while it reads. O(text), and O(keys^2) for each object.
tl::expected<PlacedJson, SourceError> read_placed_json(std::string_view name, std::string_view text,
                                                       std::size_t most_nested);

/// A token as an error names it: 12, "text", a list, ']'.
struct JsonToken {
  std::size_t offset;
  std::string words;
};

/// Where and why a text is not JSON.
struct JsonFault {
  std::size_t offset;
  std::string why;
};

/// The first token of a text that ends behind byte `at`, for readers that stopped there; or why the text isn't JSON up
/// to that token. O(at).
tl::expected<JsonToken, JsonFault> json_token_at(std::string_view text, std::size_t at);

}  // namespace onceover::base
