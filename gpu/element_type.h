// The types of elements in buffers of GPU kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::gpu {

enum class ElementType : std::uint8_t { s8, u8, s16, u16, s32, u32, s64, u64, e4m3, e5m2, f16, bf16, f32, f64 };

inline constexpr std::array<std::string_view, 14> element_names{"s8",  "u8",   "s16", "u16",  "s32",
                                                                "u32", "s64",  "u64", "e4m3", "e5m2",
                                                                "f16", "bf16", "f32", "f64"};  // by their numbers

/// As a launch description writes it: "f32". Signed integers may also be written "i32".
constexpr std::string_view name(ElementType type) {
  return element_names[static_cast<std::size_t>(type)];
}

inline std::optional<ElementType> element_type(std::string_view name) {
  const std::string as_signed = name.starts_with('i') ? "s" + std::string(name.substr(1)) : std::string(name);
  const auto found = std::find(element_names.begin(), element_names.end(), as_signed);
  if (found == element_names.end()) return std::nullopt;
  return static_cast<ElementType>(found - element_names.begin());
}

/// In bytes.
constexpr std::size_t size_of(ElementType type) {
  using enum ElementType;
  switch (type) {
    case s8:
    case u8:
    case e4m3:
    case e5m2: return 1;
    case s16:
    case u16:
    case f16:
    case bf16: return 2;
    case s64:
    case u64:
    case f64: return 8;
    default: return 4;
  }
}

constexpr bool is_floating(ElementType type) {
  return type >= ElementType::e4m3;
}

}  // namespace onceover::gpu
