#include "gpu/launch/content_bytes.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/result.h"
#include "base/sentences.h"

namespace onceover::gpu {

namespace {

constexpr std::uint64_t most_content_items = std::uint64_t{1} << 22;
constexpr std::uint64_t most_content_bytes = std::uint64_t{1} << 28;

template <class T>
std::vector<std::uint8_t> bytes_of(T value, std::size_t count = sizeof(T)) {
  std::vector<std::uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  bytes.resize(count);
  return bytes;
}

/// Does the number fit into so many bits, as a signed or as an unsigned one?
bool fits(std::int64_t value, std::size_t bits, bool may_be_negative, bool may_be_large) {
  if (bits == 64) return may_be_negative || value >= 0;
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  const std::int64_t least = may_be_negative ? -half : 0;
  const std::int64_t end = may_be_large ? 2 * half : half;
  return value >= least && value < end;
}

bool is_signed(ElementType type) {
  return type == ElementType::s8 || type == ElementType::s16 || type == ElementType::s32 || type == ElementType::s64;
}

/// Visits each value of the loops.
template <class Visit>
tl::expected<void, SourceError> each_value(std::span<const Loop> loops, Variables& variables, std::uint64_t& left,
                                           Visit&& visit) {
  if (loops.empty()) return visit();
  const std::int64_t begin = TRY(loops.front().begin.value(variables));
  const std::int64_t end = TRY(loops.front().end.value(variables));
  for (std::int64_t k = begin; k < end; ++k) {
    if (left-- == 0)
      return loops.front().begin.file->error(loops.front().begin.offset,
                                             fmt::format("more than {} items", most_content_items));
    variables.set(loops.front().name, k);
    TRY(each_value(loops.subspan(1), variables, left, visit));
  }
  return {};
}

/// One item for one value of its loops.
tl::expected<Bytes, SourceError> item_bytes(const Item& item, const ContentShape& shape, const Variables& variables,
                                            const Resolve& resolve) {
  if (const auto* address = std::get_if<AddressText>(&item.value)) {
    const auto target =
        TRY(resolve(*address, variables));  // before there is a vector, which a return in TRY would leak
    return Bytes{std::vector<std::uint8_t>(8), {target}};
  }
  const auto& scalar = std::get<ScalarText>(item.value);
  if (!scalar.type && !shape.untyped) return item.file->error(item.offset, "say the number's type, such as \"u32 n\"");
  if (const auto* number = std::get_if<double>(&scalar.value)) {
    auto bytes = encoded(*scalar.type, *number);
    if (!bytes) return item.file->error(item.offset, bytes.error());
    return Bytes{*std::move(bytes), {}};
  }
  const auto& formula = std::get<PlacedFormula>(scalar.value);
  const std::int64_t value = TRY(formula.value(variables));
  if (scalar.type) {
    auto bytes = encoded(*scalar.type, value);
    if (!bytes) return item.file->error(formula.offset, bytes.error());
    return Bytes{*std::move(bytes), {}};
  }
  if (*shape.untyped > 8)
    return item.file->error(
        item.offset, fmt::format("{} has {} bytes: describe them by their offsets, {{ 0 = \"u32 n\", .. }}", shape.what,
                                 *shape.untyped));
  if (!fits(value, 8 * *shape.untyped, true, true))
    return item.file->error(formula.offset, fmt::format("{} doesn't fit into {} bytes", value, *shape.untyped));
  return Bytes{bytes_of(value, *shape.untyped), {}};
}

/// Visits each item's bytes, with the item and the offset of the bytes.
template <class Visit>
tl::expected<void, SourceError> each_piece(const ContentText& content, const ContentShape& shape, Variables variables,
                                           const Resolve& resolve, Visit&& visit) {
  std::uint64_t next = 0;
  std::uint64_t left = most_content_items;
  for (const PlacedItems& placed : content.items) {
    auto place_one = [&]() -> tl::expected<void, SourceError> {
      Bytes bytes = TRY(item_bytes(placed.item, shape, variables, resolve));
      std::int64_t at = static_cast<std::int64_t>(next);
      if (placed.at) at = TRY(placed.at->value(variables));
      const std::size_t place = placed.at ? placed.at->offset : placed.item.offset;
      const std::uint64_t most = shape.bytes.value_or(most_content_bytes);
      if (at < 0 || static_cast<std::uint64_t>(at) > most || bytes.bytes.size() > most - static_cast<std::uint64_t>(at))
        return content.file->error(
            place, fmt::format("bytes {}..{} aren't in {}, which has {}", at,
                               at + static_cast<std::int64_t>(bytes.bytes.size()) - 1, shape.what, most));
      next = static_cast<std::uint64_t>(at) + bytes.bytes.size();
      return visit(static_cast<std::uint64_t>(at), std::move(bytes), place);
    };
    TRY(each_value(placed.item.loops, variables, left, place_one));
  }
  return {};
}

}  // namespace

tl::expected<std::vector<std::uint8_t>, std::string> encoded(ElementType type, double value) {
  switch (type) {
    case ElementType::f32: return bytes_of(static_cast<float>(value));
    case ElementType::f64: return bytes_of(value);
    case ElementType::bf16:
      return bytes_of(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16));
    default: break;
  }
  if (value == 0 && is_floating(type)) {
    std::vector<std::uint8_t> zero(size_of(type));
    if (std::signbit(value)) zero.back() = 0x80;
    return zero;
  }
  return tl::unexpected(fmt::format("{} isn't written as a number of type {} here", value, name(type)));
}

tl::expected<std::vector<std::uint8_t>, std::string> encoded(ElementType type, std::int64_t value) {
  if (is_floating(type)) return encoded(type, static_cast<double>(value));
  if (fits(value, 8 * size_of(type), is_signed(type), !is_signed(type))) return bytes_of(value, size_of(type));
  return tl::unexpected(fmt::format("{} isn't a number of type {}", value, name(type)));
}

tl::expected<std::vector<std::uint8_t>, SourceError> fill_bytes(const ScalarText& scalar, const BufferText& buffer,
                                                                const Variables& variables) {
  std::size_t offset = buffer.offset;
  tl::expected<std::vector<std::uint8_t>, std::string> bytes = tl::unexpected(std::string());
  if (const auto* number = std::get_if<double>(&scalar.value)) {
    bytes = encoded(buffer.type, *number);
  } else {
    const auto& formula = std::get<PlacedFormula>(scalar.value);
    offset = formula.offset;
    bytes = encoded(buffer.type, TRY(formula.value(variables)));
  }
  if (bytes) return *std::move(bytes);
  return buffer.file->error(offset, fmt::format("fill: {}", bytes.error()));
}

tl::expected<Bytes, SourceError> whole_bytes(const ContentText& content, const ContentShape& shape,
                                             const Variables& variables, const Resolve& resolve) {
  Bytes all;
  std::vector<bool> is_described;
  auto add = [&](std::uint64_t at, Bytes piece, std::size_t place) -> tl::expected<void, SourceError> {
    const std::uint64_t end = at + piece.bytes.size();
    if (all.bytes.size() < end) {
      all.bytes.resize(end);
      is_described.resize(end);
    }
    for (std::uint64_t k = at; k < end; ++k) {
      if (is_described[k])
        return content.file->error(place, fmt::format("byte {} of {} is described twice", k, shape.what));
      is_described[k] = true;
      all.bytes[k] = piece.bytes[k - at];
    }
    for (Relocation& relocation : piece.relocations) {
      relocation.at += at;
      all.relocations.push_back(relocation);
    }
    return {};
  };
  TRY(each_piece(content, shape, variables, resolve, add));
  if (shape.bytes) {
    all.bytes.resize(*shape.bytes);
    is_described.resize(*shape.bytes);
  }
  std::uint64_t undescribed = 0;
  std::uint64_t first = 0;
  for (std::uint64_t k = all.bytes.size(); k-- > 0;)
    if (!is_described[k]) {
      ++undescribed;
      first = k;
      all.bytes[k] = content.rest.value_or(0);
    }
  if (undescribed > 0 && !content.rest)
    return content.file->error(
        content.offset, fmt::format("{} of {} of {} described by nothing, from byte {}; rest = 165 gives them a value",
                                    undescribed, counted(all.bytes.size(), "byte"),
                                    std::string(shape.what) + (undescribed == 1 ? " is" : " are"), first));
  return all;
}

tl::expected<std::vector<BytePiece>, SourceError> pieces(const ContentText& content, const ContentShape& shape,
                                                         const Variables& variables, const Resolve& resolve) {
  if (content.rest) return content.file->error(content.offset, "rest is for arguments and tables; a buffer has fill");
  std::vector<BytePiece> found;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  auto add = [&](std::uint64_t at, Bytes bytes, std::size_t place) -> tl::expected<void, SourceError> {
    const std::uint64_t end = at + bytes.bytes.size();
    for (const auto& [begin, until] : ranges)
      if (at < until && begin < end)
        return content.file->error(place,
                                   fmt::format("byte {} of {} is described twice", std::max(at, begin), shape.what));
    if (!ranges.empty() && ranges.back().second == at)
      ranges.back().second = end;
    else
      ranges.emplace_back(at, end);
    found.push_back({at, std::move(bytes)});
    return {};
  };
  TRY(each_piece(content, shape, variables, resolve, add));
  return found;
}

}  // namespace onceover::gpu
