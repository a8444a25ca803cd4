// JSON values, built and read.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/namespaces.h"

namespace onceover::base {

/// A JSON value. Objects keep the order of their keys. json.cpp parses and writes it by nlohmann's library, whose
/// headers take longer to compile than the code that uses values. A list in braces is an object if every element is a
/// pair that begins with a text, and an array otherwise.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json(std::nullptr_t = nullptr) {}
  Json(std::same_as<bool> auto value) : value_(value) {}
  template <std::signed_integral Whole>
  Json(Whole value) {
    if (value < 0)
      value_ = static_cast<std::int64_t>(value);
    else
      value_ = static_cast<std::uint64_t>(value);
  }
  template <std::unsigned_integral Whole>
  requires(!std::same_as<Whole, bool>) Json(Whole value) : value_(static_cast<std::uint64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(std::initializer_list<Json> list);
  template <class Element>
  Json(const std::vector<Element>& list) : value_(Array(list.begin(), list.end())) {}
  template <class Element, class Order>
  Json(const std::map<std::string, Element, Order>& texts) : value_(Object(texts.begin(), texts.end())) {}

  static Json array(std::initializer_list<Json> list = {});
  static Json object();

  /// The value of a JSON text; nothing if the text is malformed. Of a repeated key the last value counts.
  static std::optional<Json> parse(std::string_view text);

  /// The value as text, on one line or with `indent` spaces for each level. Bytes that aren't UTF-8 become replacement
  /// characters. O(value).
  std::string dump(int indent = -1) const;

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  /// The value if it is of this kind, else null.
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const std::uint64_t* count() const { return std::get_if<std::uint64_t>(&value_); }
  const Array* elements() const { return std::get_if<Array>(&value_); }
  const Object* members() const { return std::get_if<Object>(&value_); }

  /// The text, or an empty one.
  std::string_view text_or_empty() const { return text() ? std::string_view(*text()) : ""; }

  /// The elements of an array; nothing else has any.
  Array::const_iterator begin() const { return elements() ? elements()->begin() : nothing().begin(); }
  Array::const_iterator end() const { return elements() ? elements()->end() : nothing().end(); }

  /// The value of a key; null if this isn't an object or lacks the key. O(keys).
  const Json* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  /// The value of a key, which is added if it is missing. This must be an object, or null, which becomes one. O(keys).
  Json& operator[](std::string_view key);

  /// The value of a key, or a null value. O(keys).
  const Json& operator[](std::string_view key) const;

  /// Takes over the other object's keys with their values.
  void update(const Json& other);

  /// The text of a value that isn't a container.
  std::string leaf_text() const;

  /// Element k, which this array must have.
  Json& operator[](std::size_t k) { return std::get<Array>(value_)[k]; }
  const Json& operator[](std::size_t k) const { return std::get<Array>(value_)[k]; }

  /// Appends an element to an array; null becomes an array first.
  void push_back(Json element);

  /// How many elements or keys; 0 for every other value.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  friend bool operator==(const Json& a, const Json& b) { return a.value_ == b.value_; }

 private:
  static const Array& nothing();

  // Whole numbers are unsigned unless they are negative.
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_ = nullptr;
};

/// A result as every command prints it: which program found it, then these members.
Json result_json(const Json& members = Json::object());

}  // namespace onceover::base
