#include "viz/repeated_rows.h"

#include <algorithm>

namespace onceover::viz {

namespace {

constexpr std::size_t fewest_hidden = 3;

/// The best run of rows begin .. end-1; one without rows if there is none.
RepeatedRows longest_run(const std::vector<std::string>& rows, std::size_t begin, std::size_t end) {
  RepeatedRows best{begin, begin, 1};
  for (std::size_t period = 1; 2 * period <= end - begin; ++period)
    for (std::size_t first = begin + period; first + period <= end; ++first) {
      std::size_t last = first;
      while (last < end && rows[last] == rows[last - period]) ++last;
      const std::size_t hidden = (last - first) / period * period;
      if (hidden > best.end - best.first) best = {first, first + hidden, period};
      first = std::max(first, last);
    }
  return best;
}

void add_runs(const std::vector<std::string>& rows, std::size_t begin, std::size_t end,
              std::vector<RepeatedRows>& runs) {
  const RepeatedRows run = longest_run(rows, begin, end);
  if (run.end - run.first < fewest_hidden) return;
  add_runs(rows, begin, run.first - run.period, runs);
  runs.push_back(run);
  add_runs(rows, run.end, end, runs);
}

}  // namespace

std::vector<RepeatedRows> repeated_rows(const std::vector<std::string>& rows) {
  std::vector<RepeatedRows> runs;
  add_runs(rows, 0, rows.size(), runs);
  return runs;
}

}  // namespace onceover::viz
