// Rows that repeat: which rows of a picture may be left out, because they say once more what those above them say.
#pragma once

#include <string>
#include <vector>

namespace onceover::viz {

/// The rows first .. end-1, which repeat the `period` rows before them, several times or once.
struct RepeatedRows {
  std::size_t first;
  std::size_t end;
  std::size_t period;

  std::size_t times() const { return (end - first) / period; }
};

/// Rows are alike if their words are. Of all runs the one that hides most rows, of those the one with the shortest
/// period; then those above and below it. Runs that would hide fewer than three rows stay. In their order. O(rows^2)
/// for each run.
std::vector<RepeatedRows> repeated_rows(const std::vector<std::string>& rows);

}  // namespace onceover::viz
