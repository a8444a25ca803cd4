#include "viz/byte_stream.h"

namespace onceover::viz {

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = (bits << 8 | static_cast<unsigned char>(byte)) & 0xffff;
    for (count += 8; count >= 6; count -= 6) out += letters[bits >> (count - 6) & 63];
  }
  if (count > 0) out += letters[bits << (6 - count) & 63];
  return out + std::string((4 - out.size() % 4) % 4, '=');
}

}  // namespace onceover::viz
