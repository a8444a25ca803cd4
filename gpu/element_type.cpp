#include "gpu/element_type.h"

#include <algorithm>
#include <array>
#include <string>

namespace onceover::gpu {
namespace {

constexpr std::array<std::string_view, 14> element_names{
    "s8",  "u8",   "s16",  "u16", "s32",  "u32", "s64",
    "u64", "e4m3", "e5m2", "f16", "bf16", "f32", "f64"};  // by their numbers

}  // namespace

std::string_view name(ElementType type) {
  return element_names[static_cast<std::size_t>(type)];
}

std::optional<ElementType> element_type(std::string_view name) {
  const std::string as_signed = name.starts_with('i') ? "s" + std::string(name.substr(1)) : std::string(name);
  const auto found = std::find(element_names.begin(), element_names.end(), as_signed);
  if (found == element_names.end()) return std::nullopt;
  return static_cast<ElementType>(found - element_names.begin());
}

}  // namespace onceover::gpu
