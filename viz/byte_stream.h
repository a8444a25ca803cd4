// ByteStream: whole numbers as bytes, for the scripts of pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::viz {

/// Numbers below 128 take a byte, each further 7 bits another one: the low bits first, with the highest bit set in all
/// bytes but the last. Signed numbers alternate: 0, -1, 1, -2, .. are 0, 1, 2, 3, ..
class ByteStream {
 public:
  void put(std::uint64_t number) {
    for (; number >= 128; number >>= 7) bytes_ += static_cast<char>((number & 127) | 128);
    bytes_ += static_cast<char>(number);
  }

  void put_signed(std::int64_t number) {
    put(number < 0 ? 2 * static_cast<std::uint64_t>(-(number + 1)) + 1 : 2 * static_cast<std::uint64_t>(number));
  }

  void append(const ByteStream& other) { bytes_ += other.bytes_; }

  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Base 64, with padding.
std::string base64(std::string_view bytes);

}  // namespace onceover::viz
