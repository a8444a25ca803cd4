// Tables of shades: cells side by side, between which no paper shows.
#pragma once

#include <functional>
#include <string_view>

#include "viz/dot.h"

namespace onceover::viz {

/// The cells of a table and their size in points.
struct Cells {
  std::size_t rows;
  std::size_t columns;
  double width;
  double height;
};

/// Fills the cells of a table that begins at `corner`. A colour goes on to the right and down until the next one is
/// drawn over it: where two shapes only touched, browsers would let a hairline of paper through. Rows like the one
/// above need no shapes, nor do white cells on paper. O(cells).
void fill_cells(Dot& dot, Point corner, const Cells& cells,
                const std::function<std::string_view(std::size_t row, std::size_t column)>& fill);

}  // namespace onceover::viz
