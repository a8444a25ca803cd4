#include "cli/block_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace onceover::cli {

namespace {

/// Contributors by [rank][block], as sorted digits.
using Matrix = std::vector<std::vector<std::string>>;

Matrix at_first(const Header& h) {
  Matrix held(static_cast<std::size_t>(h.ranks), std::vector<std::string>(static_cast<std::size_t>(h.all_blocks())));
  for (Rank r = 0; r < h.ranks; ++r)
    for (Block b = 0; b < h.blocks; ++b)
      if (h.holds(contract(h.collective).begins, r, b))
        held[static_cast<std::size_t>(r)][static_cast<std::size_t>(b)] = std::to_string(r);
  return held;
}

Matrix after(const Matrix& before, const std::vector<Transfer>& transfers) {
  Matrix held = before;
  for (const Transfer& t : transfers)
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      set.for_each_run([&](Run run) {
        for (Block b = run.first; b <= run.last; ++b) {
          std::string& cell = held[static_cast<std::size_t>(t.dst)][static_cast<std::size_t>(b + shift)];
          if (t.op == Op::copy) cell.clear();
          cell += before[static_cast<std::size_t>(t.src)][static_cast<std::size_t>(b)];
          std::sort(cell.begin(), cell.end());
        }
      });
    });
  return held;
}

/// The matrix as lines of one width; the first is a title.
std::vector<std::string> column(const std::string& title, const Matrix& held) {
  std::size_t cell_width = 1;
  for (const auto& row : held)
    for (const auto& cell : row) cell_width = std::max(cell_width, cell.size());
  std::vector<std::string> lines{title};
  for (const auto& row : held) {
    std::string line;
    for (const auto& cell : row)
      line += fmt::format("{}{:<{}}", line.empty() ? "" : " ", cell.empty() ? "-" : cell, cell_width);
    lines.push_back(line);
  }
  const std::size_t width = std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
                              return a.size() < b.size();
                            })->size();
  for (std::string& line : lines) line.resize(width, ' ');
  return lines;
}

}  // namespace

std::string block_matrix(const Schedule& schedule) {
  const Header& h = schedule.header();
  Matrix held = at_first(h);
  std::vector<std::string> lines{"rank"};
  for (Rank r = 0; r < h.ranks; ++r) lines.push_back(fmt::format("{:>4}", r));
  std::vector<Transfer> transfers;
  for (int step = -1; step < schedule.steps(); ++step) {
    if (step >= 0) {
      schedule.transfers(step, transfers);
      held = after(held, transfers);
    }
    const auto next = column(step < 0 ? "before" : fmt::format("step {}", step), held);
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k] += " | " + next[k];
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace onceover::cli
