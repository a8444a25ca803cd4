#include "gpu/machine/types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace onceover::gpu {
namespace {

using enum NumberClass;

constexpr std::array ptx_types{
    std::pair{std::string_view("pred"), PtxType{ElementType::u8, predicate, 1, 1}},
    std::pair{std::string_view("b8"), PtxType{ElementType::u8, bits, 1, 1}},
    std::pair{std::string_view("b16"), PtxType{ElementType::u16, bits, 1, 2}},
    std::pair{std::string_view("b32"), PtxType{ElementType::u32, bits, 1, 4}},
    std::pair{std::string_view("b64"), PtxType{ElementType::u64, bits, 1, 8}},
    std::pair{std::string_view("b128"), PtxType{ElementType::u64, bits, 2, 16}},
    std::pair{std::string_view("u8"), PtxType{ElementType::u8, unsigned_integer, 1, 1}},
    std::pair{std::string_view("u16"), PtxType{ElementType::u16, unsigned_integer, 1, 2}},
    std::pair{std::string_view("u32"), PtxType{ElementType::u32, unsigned_integer, 1, 4}},
    std::pair{std::string_view("u64"), PtxType{ElementType::u64, unsigned_integer, 1, 8}},
    std::pair{std::string_view("s8"), PtxType{ElementType::s8, signed_integer, 1, 1}},
    std::pair{std::string_view("s16"), PtxType{ElementType::s16, signed_integer, 1, 2}},
    std::pair{std::string_view("s32"), PtxType{ElementType::s32, signed_integer, 1, 4}},
    std::pair{std::string_view("s64"), PtxType{ElementType::s64, signed_integer, 1, 8}},
    std::pair{std::string_view("f16"), PtxType{ElementType::f16, floating, 1, 2}},
    std::pair{std::string_view("bf16"), PtxType{ElementType::bf16, floating, 1, 2}},
    std::pair{std::string_view("f32"), PtxType{ElementType::f32, floating, 1, 4}},
    std::pair{std::string_view("f64"), PtxType{ElementType::f64, floating, 1, 8}},
    std::pair{std::string_view("f16x2"), PtxType{ElementType::f16, floating, 2, 4}},
    std::pair{std::string_view("bf16x2"), PtxType{ElementType::bf16, floating, 2, 4}},
    std::pair{std::string_view("f32x2"), PtxType{ElementType::f32, floating, 2, 8}},
    std::pair{std::string_view("e4m3"), PtxType{ElementType::e4m3, floating, 1, 1}},
    std::pair{std::string_view("e5m2"), PtxType{ElementType::e5m2, floating, 1, 1}},
    std::pair{std::string_view("e4m3x2"), PtxType{ElementType::e4m3, floating, 2, 2}},
    std::pair{std::string_view("e5m2x2"), PtxType{ElementType::e5m2, floating, 2, 2}},
    std::pair{std::string_view("e4m3x4"), PtxType{ElementType::e4m3, floating, 4, 4}},
    std::pair{std::string_view("e5m2x4"), PtxType{ElementType::e5m2, floating, 4, 4}},
};

constexpr std::array cache_words{"ca", "cg", "cs", "lu", "cv", "wb", "wt"};

bool is_hint(const std::string& word) {
  return std::find(cache_words.begin(), cache_words.end(), word) != cache_words.end() || word.starts_with("L1::") ||
         word.starts_with("L2::");
}

}  // namespace

std::optional<PtxType> ptx_type(std::string_view word) {
  for (const auto& [name, type] : ptx_types)
    if (name == word) return type;
  return std::nullopt;
}

bool Modifiers::take(std::string_view word) {
  const auto at = std::find(words_.begin(), words_.end(), word);
  if (at == words_.end()) return false;
  words_.erase(at);
  return true;
}

std::optional<PtxType> Modifiers::take_type() {
  return take_from(ptx_types);
}

void Modifiers::take_hints() {
  std::erase_if(words_, is_hint);
}

}  // namespace onceover::gpu
