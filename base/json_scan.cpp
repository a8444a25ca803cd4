#include "base/json_scan.h"

#include "base/json.h"

namespace onceover::base {

namespace {

/// May the byte be in a number, or in null, true or false?
bool is_in_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '+' || c == '-' || c == '.' || c == 'E';
}

}  // namespace

JsonScan::JsonScan(std::string_view text) : text_(text.data()) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  constexpr std::string_view no_tokens = "}";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = text.substr(0, text.find_last_not_of(" \n\r\t") + 1);
  if (!text.ends_with('}')) text_ = (text = no_tokens).data();
  at_ = text.data();
  last_ = &text.back();
}

// Escapes and UTF-8 are left to the library. What is no string isn't taken.
std::optional<std::string_view> JsonScan::unusual_string() {
  const char* end = at_;
  while (end < last_ && *end != '"') end += *end == '\\' ? 2 : 1;
  at_ = string_;
  if (end >= last_) return std::nullopt;
  const auto value = Json::parse({string_, static_cast<std::size_t>(end + 1 - string_)});
  if (!value) return std::nullopt;
  at_ = end + 1;
  decoded_ = *value->text();
  return decoded_;
}

bool JsonScan::skip() {
  int depth = 0;
  do {
    if (at_end()) return false;
    if (*at_ == '"') {
      if (!string()) return false;
    } else {
      if (*at_ == '{' || *at_ == '[') ++depth;
      if (*at_ == '}' || *at_ == ']') --depth;
      const bool is_word = is_in_word(*at_++);
      while (is_word && is_in_word(*at_)) ++at_;
    }
  } while (depth > 0);
  return depth == 0;
}

}  // namespace onceover::base
