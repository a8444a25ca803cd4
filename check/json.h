// A JSON value. Numbers other than whole ones from 0 on, and null, are read and forgotten; strings keep their escapes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/cursor.h"

namespace check {

class Json {
 public:
  /// Reads a whole text, with brackets up to 16 deep.
  static Json read(const Text& text) {
    Cursor at(text);
    Json json = value(at, 16);
    blanks(at);
    if (!at.rest().empty()) at.malformed("expected the end of the file");
    return json;
  }

  const Json* find(std::string_view key) const {
    for (const auto& [name, value] : members_)
      if (name == key) return &value;
    return nullptr;
  }
  const Json& operator[](std::string_view key) const {
    const Json* found = find(key);
    if (found == nullptr) at_.malformed("a key is missing here: " + std::string(key));
    return *found;
  }

  /// Refuses keys that nothing looks at: a reader would think that they are judged.
  void only(std::initializer_list<std::string_view> keys) const {
    if (kind_ != Kind::object) wrong("an object");
    for (const auto& [name, value] : members_)
      if (std::find(keys.begin(), keys.end(), name) == keys.end()) value.refuse("nothing judges this key");
  }

  std::uint64_t number(std::uint64_t least, std::uint64_t most) const {
    if (kind_ != Kind::number || number_ < least || number_ > most) wrong("a number in its range");
    return number_;
  }
  std::string_view text() const {
    if (kind_ != Kind::text || text_.find('\\') != std::string_view::npos) wrong("a text without escapes");
    return text_;
  }
  bool truth() const {
    if (kind_ != Kind::truth) wrong("true or false");
    return number_ == 1;
  }
  const std::vector<std::pair<std::string_view, Json>>& list() const {
    if (kind_ != Kind::list) wrong("a list");
    return members_;
  }

  [[noreturn]] void wrong(std::string_view what) const { at_.malformed("expected " + std::string(what)); }
  [[noreturn]] void refuse(const std::string& why) const { at_.unproven(why); }
  [[noreturn]] void uncovered(std::string_view what) const { at_.unproven("not covered: " + std::string(what)); }

 private:
  enum class Kind : std::uint8_t { other, number, truth, text, list, object };

  explicit Json(const Cursor& at) : at_(at) {}

  static void blanks(Cursor& at) { at.pass_any_of(" \t\r\n"); }

  static std::string_view string(Cursor& at) {
    at.expect("\"");
    const std::string_view rest = at.rest();
    std::size_t length = 0;
    while (length < rest.size() && rest[length] != '"' && static_cast<unsigned char>(rest[length]) >= ' ')
      length += rest[length] == '\\' ? 2 : 1;
    at.pass(length);
    at.expect("\"");
    return rest.substr(0, length);
  }

  static Json value(Cursor& at, int depth) {
    blanks(at);
    Json json(at);
    if (depth == 0) at.malformed("too many brackets");
    const char first = at.rest().empty() ? ' ' : at.rest()[0];
    if (first == '{') {
      json.kind_ = Kind::object;
      json.read_members(at, depth, '}');
    } else if (first == '[') {
      json.kind_ = Kind::list;
      json.read_members(at, depth, ']');
    } else if (first == '"') {
      json.kind_ = Kind::text;
      json.text_ = string(at);
    } else if (at.skip("true")) {
      json.kind_ = Kind::truth, json.number_ = 1;
    } else if (at.skip("false")) {
      json.kind_ = Kind::truth;
    } else if (!at.skip("null")) {
      json.read_number(at);
    }
    return json;
  }

  void read_members(Cursor& at, int depth, char end) {
    at.pass(1);
    blanks(at);
    const std::string_view close = end == '}' ? "}" : "]";
    if (at.skip(close)) return;
    do {
      blanks(at);
      std::string_view key;
      if (end == '}') {
        key = string(at);
        if (find(key) != nullptr) at.malformed("this key stands twice");
        if (key.find('\\') != std::string_view::npos) at.malformed("expected a key without escapes");
        blanks(at);
        at.expect(":");
      }
      members_.emplace_back(key, value(at, depth - 1));
      blanks(at);
    } while (at.skip(","));
    at.expect(close);
  }

  void read_number(Cursor& at) {
    const std::string_view rest = at.rest();
    const std::size_t length = std::min(rest.find_first_not_of("0123456789+-.eE"), rest.size());
    if (rest.substr(0, length).find_first_not_of("0123456789") != std::string_view::npos) return at.pass(length);
    kind_ = Kind::number;
    number_ = at.number(0, UINT64_MAX);
  }

  Cursor at_;
  Kind kind_ = Kind::other;
  std::uint64_t number_ = 0;
  std::string_view text_;
  std::vector<std::pair<std::string_view, Json>> members_;
};

}  // namespace check
