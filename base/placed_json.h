// PlacedJson: a JSON value that knows where it is in its text, for readers that report line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "base/source_text.h"

namespace onceover::base {

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
