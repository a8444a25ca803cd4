#include "base/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/files.h"
#include "base/report_output.h"
#include "base/text.h"

namespace onceover::base {

namespace {

bool is_number(const std::string& cell) {
  return cell.empty() || cell[0] == '-' || cell[0] == '+' || is_digit(cell[0]);
}

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  return widths;
}

}  // namespace

std::string table_text(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
  const auto widths = widths_of(rows);
  std::vector<bool> right(widths.size(), true);
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c) right[c] = right[c] && is_number(rows[r][c]);
  std::string text;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - row[c].size(), ' ');
      line += (c == 0 ? "" : "  ") + (right[c] ? blanks + row[c] : row[c] + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string csv_text(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool is_plain = row[c].find_first_of(",\"\r\n") == std::string::npos;
      std::string quoted = "\"";
      for (const char letter : row[c]) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
      text += (c == 0 ? "" : ",") + (is_plain ? row[c] : quoted + "\"");
    }
    text += "\n";
  }
  return text;
}

Result<void> check_csv(const std::string& path, bool json) {
  if (is_standard_stream(path) && json) return usage_error("standard output takes one of JSON and --csv-out -");
  return check_writable(path);
}

Result<void> give(const std::string& text, const std::string& csv, const std::string& path, bool is_taken) {
  const Result<void> written = path.empty() ? Result<void>() : write_text(path, csv);
  if (is_taken || is_standard_stream(path)) return written;
  const Result<void> printed = print(text);
  return written ? printed : written;
}

std::string number_text(double x) {
  const double size = std::abs(x);
  if (!std::isfinite(x)) return "-";
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return fmt::format("{:.3g}", x);
  const int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 || size == 0 ? 3 : 5;
  std::string text = fmt::format("{:.{}f}", x, digits);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string time_text(double ns) {
  constexpr std::array<std::string_view, 4> units{"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && ns >= 999.5) {
    ns /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", ns, ns >= 99.95 || ns == std::floor(ns) ? 0 : ns >= 9.995 ? 1 : 2, units[unit]);
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes >= 1024) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", number_text(bytes), units[unit]);
}

}  // namespace onceover::base
