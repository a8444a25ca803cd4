#include "viz/cells.h"

#include <algorithm>
#include <vector>

namespace onceover::viz {

namespace {

using Row = std::vector<std::string_view>;

/// One row, down to the bottom of the table.
void draw_row(Dot& dot, Point corner, double column, double height, const Row& row, bool is_on_paper) {
  for (std::size_t begin = 0, end = 0; begin < row.size(); begin = end) {
    end = static_cast<std::size_t>(std::find_if(row.begin() + static_cast<std::ptrdiff_t>(begin), row.end(),
                                                [&](std::string_view each) { return each != row[begin]; }) -
                                   row.begin());
    is_on_paper = is_on_paper && row[begin] == palette::white;
    if (is_on_paper) continue;
    dot.box(corner + Point{column * static_cast<double>(begin), 0}, column * static_cast<double>(row.size() - begin),
            height, "", 1, row[begin], {row[begin], "solid", 0});
  }
}

}  // namespace

void fill_cells(Dot& dot, Point corner, const Cells& cells,
                const std::function<std::string_view(std::size_t, std::size_t)>& fill) {
  Row above(cells.columns, palette::white);
  bool is_on_paper = true;  // nothing is drawn yet
  for (std::size_t k = 0; k < cells.rows; ++k) {
    Row row;
    for (std::size_t column = 0; column < cells.columns; ++column) row.push_back(fill(k, column));
    if (row == above) continue;
    draw_row(dot, corner + Point{0, cells.height * static_cast<double>(k)}, cells.width,
             cells.height * static_cast<double>(cells.rows - k), row, is_on_paper);
    is_on_paper = false;
    above = std::move(row);
  }
}

}  // namespace onceover::viz
