#include "gpu/element_type.h"

#include <array>
#include <string>

#include "base/rows.h"

namespace onceover::gpu {
namespace {

struct ElementRow {
  ElementType type;
  std::string_view name;
  std::size_t bytes;
  bool is_floating;
};

constexpr std::array element_rows{
    ElementRow{ElementType::s8, "s8", 1, false},    ElementRow{ElementType::u8, "u8", 1, false},
    ElementRow{ElementType::s16, "s16", 2, false},  ElementRow{ElementType::u16, "u16", 2, false},
    ElementRow{ElementType::s32, "s32", 4, false},  ElementRow{ElementType::u32, "u32", 4, false},
    ElementRow{ElementType::s64, "s64", 8, false},  ElementRow{ElementType::u64, "u64", 8, false},
    ElementRow{ElementType::e4m3, "e4m3", 1, true}, ElementRow{ElementType::e5m2, "e5m2", 1, true},
    ElementRow{ElementType::f16, "f16", 2, true},   ElementRow{ElementType::bf16, "bf16", 2, true},
    ElementRow{ElementType::f32, "f32", 4, true},   ElementRow{ElementType::f64, "f64", 8, true},
};

const ElementRow& row_of(ElementType type) {
  return *row_with(element_rows, &ElementRow::type, type);
}

}  // namespace

std::string_view name(ElementType type) {
  return row_of(type).name;
}

std::optional<ElementType> element_type(std::string_view name) {
  const std::string as_signed = name.starts_with('i') ? "s" + std::string(name.substr(1)) : std::string(name);
  const ElementRow* row = row_with(element_rows, &ElementRow::name, std::string_view(as_signed));
  if (row == nullptr) return std::nullopt;
  return row->type;
}

std::size_t size_of(ElementType type) {
  return row_of(type).bytes;
}

bool is_floating(ElementType type) {
  return row_of(type).is_floating;
}

}  // namespace onceover::gpu
