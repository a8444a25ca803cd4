#include "base/utf8.h"

#include "base/json.h"

namespace onceover::base {

std::string readable(std::string_view text) {
  // JSON is UTF-8: what is written as JSON and read again has replacement characters where it must.
  std::string valid = *Json::parse(Json(text).dump())->text();
  for (char& c : valid)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  return valid;
}

}  // namespace onceover::base
