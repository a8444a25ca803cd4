#include "base/json_scan.h"

#include "base/json.h"

namespace onceover::base {

JsonScan::JsonScan(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  constexpr std::string_view no_tokens = "}";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = text.substr(0, text.find_last_not_of(" \n\r\t") + 1);
  if (!text.ends_with('}')) text = no_tokens;
  at_ = text.data();
  last_ = &text.back();
}

// Escapes and UTF-8 are left to the library.
std::optional<std::string_view> JsonScan::unusual_string(const char* begin) {
  const char* end = begin + 1;
  while (end < last_ && *end != '"') end += *end == '\\' ? 2 : 1;
  if (end >= last_) return std::nullopt;
  const auto value = Json::parse({begin, static_cast<std::size_t>(end + 1 - begin)});
  if (!value) return std::nullopt;
  at_ = end + 1;
  decoded_ = *value->text();
  return decoded_;
}

}  // namespace onceover::base
