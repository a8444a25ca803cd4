#include "verifier/translations.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "base/rows.h"

namespace onceover::verifier {

Places::Places(const Symmetry& symmetry) : symmetry_(symmetry) {
  const auto& sides = symmetry.sides;
  assert(!sides.empty());
  if (std::all_of(sides.begin(), sides.end(), [](Rank side) { return side == 2; })) form_ = Form::bits;
  if (sides.size() == 1) form_ = Form::line;
  line_ = sides.front();
}

namespace {

/// The schedule's torus; a line if it names none, or one with another number of ranks.
std::vector<Rank> torus_of(const Header& header) {
  std::int64_t places = 1;
  for (const Rank side : header.shape) places = std::min<std::int64_t>(places * std::max(side, 0), INT32_MAX);
  return !header.shape.empty() && places == header.ranks ? header.shape : std::vector<Rank>{header.ranks};
}

}  // namespace

std::vector<Symmetry> translations_to_try(const Header& header) {
  const std::vector<Rank> shape = torus_of(header);
  const auto even = mapped(shape, [&](const Rank side) { return side % 2 == 0 ? 2 : side; });
  std::vector<Symmetry> candidates{{shape, std::vector<Rank>(shape.size(), 1)}, {shape, even}};
  const auto ranks = static_cast<std::uint32_t>(header.ranks);
  const auto dimensions = static_cast<std::size_t>(std::countr_zero(ranks));
  if (std::has_single_bit(ranks))
    candidates.push_back({std::vector<Rank>(dimensions, 2), std::vector<Rank>(dimensions, 1)});
  return candidates;
}

}  // namespace onceover::verifier
