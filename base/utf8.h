// Texts of others, such as what a command wrote, before they go into files that must be UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// `text` with a replacement character for what is no UTF-8, and for control characters but tabs and newlines.
inline std::string readable(std::string_view text) {
  using Json = nlohmann::json;
  auto valid = Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
  for (char& c : valid)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  return valid;
}

}  // namespace onceover::base
