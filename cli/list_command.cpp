#include <fmt/format.h>

#include <algorithm>

#include "base/closest.h"
#include "base/json.h"
#include "base/rows.h"
#include "base/try.h"
#include "cli/block_matrix.h"
#include "cli/commands.h"
#include "cli/proof_text.h"
#include "schedules/catalogue.h"

namespace onceover::cli {

namespace {

/// The theorems about a row.
std::vector<const Theorem*> theorems_about(const Algorithm& row) {
  std::vector<const Theorem*> about;
  for (const Theorem& t : theorems())
    if (std::find(t.rows.begin(), t.rows.end(), row.name) != t.rows.end()) about.push_back(&t);
  return about;
}

/// "every p (ring: solver, kernel, words)": for which p there are proofs, and who vouches for their parts.
std::string proved_text(const Algorithm& row) {
  std::string text;
  for (const Theorem* t : theorems_about(row))
    text += fmt::format("{}{} ({}: {})", text.empty() ? "" : "; ", t->domain, t->id, levels_text(*t));
  const bool has_rooted = std::any_of(row.collectives.begin(), row.collectives.end(), is_rooted);
  return text.empty() ? ""
                      : fmt::format("  proved       {}{}\n", text, has_rooted ? "; broadcast and reduce are not" : "");
}

std::string row_text(const Algorithm& row) {
  return fmt::format("{}\n  {}\n  collectives  {}\n  domain       {}\n  steps        {}\n  source       {}\n{}",
                     row.name, row.summary, collective_list(row), row.domain, row.steps, row.source, proved_text(row));
}

std::string parameters_text(const Algorithm& row) {
  std::string text;
  for (const Parameter& p : row.parameters)
    text += fmt::format("  --set {}=..  {}: {} [{}]\n", p.name, p.summary, values_text(p), p.preset);
  return text;
}

/// What each rank holds of each block, step by step, for four ranks or a few more. If the row has a reduce-scatter,
/// that half of it is shown.
std::string matrix_text(const Algorithm& row) {
  const auto& offered = row.collectives;
  const bool has_half = std::find(offered.begin(), offered.end(), Collective::reduce_scatter) != offered.end();
  for (const Rank p : {4, 6, 7}) {
    const Request request = on_line(has_half ? Collective::reduce_scatter : offered.front(), p);
    if (refusal(row, request)) continue;
    return fmt::format("\nWhose contributions to each block a rank holds, {}, p = {}:\n\n{}", name(request.collective),
                       p, block_matrix(*row.make(request)));
  }
  return "";
}

using Algorithms = std::vector<const Algorithm*>;

std::string text(const Algorithms& rows, bool with_description) {
  std::string text;
  for (const Algorithm* row : rows) {
    if (!text.empty()) text += "\n";
    text += row_text(*row);
    if (with_description) text += fmt::format("{}\n{}", parameters_text(*row), row->description) + matrix_text(*row);
  }
  return text;
}

std::string json(const Algorithms& rows) {
  auto list = Json::array();
  for (const Algorithm* each : rows) {
    const Algorithm& row = *each;
    auto collectives = Json::array();
    for (const Collective c : row.collectives) collectives.push_back(name(c));
    auto parameters = Json::array();
    for (const Parameter& p : row.parameters)
      parameters.push_back(
          {{"name", p.name}, {"summary", p.summary}, {"values", values_text(p)}, {"default", p.preset}});
    auto proved = Json::array();
    for (const Theorem* t : theorems_about(row))
      proved.push_back({{"theorem", t->id}, {"domain", t->domain}, {"levels", levels_json(*t)}});
    list.push_back({{"name", row.name},
                    {"summary", row.summary},
                    {"collectives", collectives},
                    {"domain", row.domain},
                    {"tori", row.on_tori},
                    {"lanes", row.has_lanes},
                    {"parameters", parameters},
                    {"as_printed", row.as_printed},
                    {"steps", row.steps},
                    {"proved", proved},
                    {"source", row.source},
                    {"description", row.description}});
  }
  return list.dump(2) + "\n";
}

}  // namespace

Result<const Algorithm*> parse_listed(const std::string& text) {
  if (const Algorithm* row = find_algorithm(text)) return row;
  return usage_error(
      fmt::format("list: no algorithm '{}'{}", text, suggestion(text, mapped(catalogue(), &Algorithm::name))));
}

Result<ExitCode> run(const ListCommand& command) {
  Algorithms rows;
  if (command.row != nullptr) rows.push_back(command.row);
  for (const Algorithm& row : catalogue())
    if (command.row == nullptr && (!row.as_printed || command.as_printed)) rows.push_back(&row);
  TRY(check(command.json));
  TRY(give_result(
      command.json, [&] { return json(rows); }, [&] { return text(rows, command.row != nullptr); }));
  return ExitCode::ok;
}

}  // namespace onceover::cli
