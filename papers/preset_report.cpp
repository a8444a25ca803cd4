#include "papers/preset_report.h"

#include <cstdlib>

#include "base/rows.h"

namespace onceover::papers {

namespace {

Json value_of(const std::string& cell) {
  if (cell.empty() || cell == "-") return nullptr;
  char* end = nullptr;
  const double number = std::strtod(cell.c_str(), &end);
  return *end == '\0' ? Json(number) : Json(cell);
}

}  // namespace

Records records_of(std::vector<std::string> columns, const std::vector<std::vector<std::string>>& rows) {
  Records records{std::move(columns), {}};
  for (const auto& cells : rows) {
    records.rows.push_back(mapped(cells, value_of));
    records.rows.back().resize(records.columns.size());
  }
  return records;
}

std::vector<std::vector<std::string>> csv_rows(const Records& records) {
  std::vector<std::vector<std::string>> rows{records.columns};
  for (const auto& row : records.rows)
    rows.push_back(mapped(row, [](const Json& value) { return value.is_null() ? "" : value.leaf_text(); }));
  return rows;
}

Json json_of(const Records& records) {
  Json list = Json::array();
  for (const auto& row : records.rows) {
    Json object = Json::object();
    for (std::size_t k = 0; k < records.columns.size(); ++k) object[records.columns[k]] = row[k];
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace onceover::papers
