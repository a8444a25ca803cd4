// What a preset gives: a text for people, the same values as records, and pictures where there are curves.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "viz/plot.h"

namespace onceover::papers {

/// Values under names, one row each time something was measured or computed. Rows are as long as the list of columns.
struct Records {
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
};

struct PresetReport {
  std::string text;
  Records records;
  std::vector<Plot> plots = {};  // panels, from the top; none if the preset is a table
};

/// The records of a table for people: a cell that is a number becomes one, "-" becomes nothing.
Records records_of(std::vector<std::string> columns, const std::vector<std::vector<std::string>>& rows);

/// "bytes,algorithm,..", then a line for each row; nothing is an empty cell.
std::vector<std::vector<std::string>> csv_rows(const Records& records);

/// An object for each row.
Json json_of(const Records& records);

}  // namespace onceover::papers
