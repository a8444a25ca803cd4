// Reads the small texts of a launch description: formulas, addresses, numbers with a type, and loops over them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "gpu/launch/description.h"

namespace onceover::gpu {

/// A text of the description, and where it stands there. `offset` is that of its first letter; if the text has escapes
/// or several lines, so that places in it aren't places in the file, `is_exact` is false and errors point to its start.
struct PlacedText {
  std::string_view text;
  std::size_t offset;
  bool is_exact = true;

  PlacedText part(std::size_t begin, std::size_t count = std::string_view::npos) const;
  std::size_t place(std::size_t at) const { return is_exact ? offset + at : offset; }
};

class ItemReader {
 public:
  /// `names` are those that formulas may use.
  ItemReader(const DescriptionText& file, std::vector<std::string> names) : file_(file), names_(std::move(names)) {}

  tl::expected<PlacedFormula, SourceError> formula(PlacedText text) const;

  /// "in@q + 16 for q in 0..p", "u32 n / 4", "f32 -0.0".
  tl::expected<Item, SourceError> item(PlacedText text) const;

  /// The same reader, which knows also the names of the loops.
  ItemReader with(std::span<const Loop> loops) const;

 private:
  tl::expected<AddressText, SourceError> address(PlacedText text, std::size_t at) const;
  tl::expected<ScalarText, SourceError> scalar(PlacedText text) const;
  tl::expected<std::vector<Loop>, SourceError> loops(PlacedText text) const;

  const DescriptionText& file_;
  std::vector<std::string> names_;
};

}  // namespace onceover::gpu
