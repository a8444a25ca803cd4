#include "base/utf8.h"

#include "base/json.h"

namespace onceover::base {

std::string readable(std::string_view text) {
  // JSON is UTF-8: writing and reading it puts replacement characters where they are needed.
  std::string valid = *Json::parse(Json(text).dump())->text();
  for (char& c : valid)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  return valid;
}

}  // namespace onceover::base
