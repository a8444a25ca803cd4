// The types of elements in buffers of GPU kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::gpu {

enum class ElementType : std::uint8_t { s8, u8, s16, u16, s32, u32, s64, u64, e4m3, e5m2, f16, bf16, f32, f64 };

/// As a launch description writes it: "f32". Signed integers may also be written "i32".
std::string_view name(ElementType type);
std::optional<ElementType> element_type(std::string_view name);

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
