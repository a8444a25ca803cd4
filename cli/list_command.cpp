// `verify list` and `verify explain`: what is in the tables of algorithms and properties.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/proof_text.h"
#include "schedules/catalogue.h"
#include "schedules/schedule.h"
#include "subjects/required.h"
#include "verifier/property.h"

namespace onceover::cli {

namespace {

struct ListCommand {
  const Algorithm* row = nullptr;  // null: all rows
  bool as_printed = false;         // list also the rows that are wrong as printed
  JsonOutput json = {};
};

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

/// A table with a line for each rank and a column for each step. For each block it shows the contributors whose data
/// the rank holds, "013", or "-". For well-formed schedules of at most 10 ranks, so that a rank is a digit.
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

/// The theorems about a row.
std::vector<const Theorem*> theorems_about(const Algorithm& row) {
  std::vector<const Theorem*> about;
  for (const Theorem& t : theorems())
    if (std::find(t.rows.begin(), t.rows.end(), row.name) != t.rows.end()) about.push_back(&t);
  return about;
}

std::vector<const KernelGap*> gaps_of(const Algorithm& row) {
  std::vector<const KernelGap*> all;
  for (const KernelGap& gap : kernel_gaps())
    if (gap.row == row.name) all.push_back(&gap);
  return all;
}

/// For what there are theorems, by level, a line each; the kernel's first, and what it leaves out.
std::string proved_text(const Algorithm& row) {
  std::vector<std::string> kernel, lines;
  for (const KernelRow* each : kernel_rows_of(row.name)) {
    const bool is_whole = each->collectives.size() == row.collectives.size();
    kernel.push_back(fmt::format("  {} ({}{})", each->domain, each->theorem->name,
                                 is_whole ? "" : ": " + names_of(each->collectives)));
  }
  const auto gaps = gaps_of(row);
  if (!kernel.empty()) lines.push_back(gaps.empty() ? "kernel, the whole domain:" : "kernel:");
  lines.insert(lines.end(), kernel.begin(), kernel.end());
  const std::string_view without = kernel.empty() ? "kernel: no theorem about" : "  but not";
  for (const KernelGap* gap : gaps) lines.push_back(fmt::format("{} {}: {}", without, gap->part, gap->why));
  for (const Theorem* t : theorems_about(row)) lines.push_back(fmt::format("solver: {} ({})", t->domain, t->id));
  if (lines.empty()) return "";
  return fmt::format("  proved       {}\n", fmt::join(lines, "\n               "));
}

/// What the tests execute of each row that isn't wrong as printed.
std::string tried_text(const Algorithm& row) {
  if (row.as_printed) return "";
  return fmt::format("every p to 130{}",
                     row.on_tori ? ", tori of two sides to 256 ranks, of three to 160, of four to 100" : "");
}

/// The formulas, each with the collectives that it is for.
std::string volumes_text(const Algorithm& row) {
  std::vector<std::string> lines;
  bool uses_q = false;
  for (auto v = row.volumes.begin(); v != row.volumes.end();) {
    std::vector<std::string_view> collectives;
    const Volume& first = *v;
    for (; v != row.volumes.end() && v->formula == first.formula; ++v) collectives.push_back(name(v->collective));
    lines.push_back(
        fmt::format("{}{} ({})", first.is_exact ? "" : "at most ", first.formula, fmt::join(collectives, ", ")));
    uses_q = uses_q || first.formula.find('q') != std::string_view::npos;
  }
  if (uses_q) lines.push_back("q is the largest power of two up to p");
  return lines.empty() ? "" : fmt::format("  bytes        {}\n", fmt::join(lines, "\n               "));
}

Json volumes_json(const Algorithm& row) {
  auto list = Json::array();
  for (const Volume& v : row.volumes)
    list.push_back({{"collective", name(v.collective)}, {"formula", v.formula}, {"exact", v.is_exact}});
  return list;
}

std::string row_text(const Algorithm& row) {
  return fmt::format("{}\n  {}\n  collectives  {}\n  domain       {}\n  steps        {}\n{}  source       {}\n{}{}",
                     row.name, row.summary, collective_list(row), row.domain, row.steps, volumes_text(row), row.source,
                     proved_text(row), row.as_printed ? "" : fmt::format("  tried        {}\n", tried_text(row)));
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
    for (const KernelRow* kernel : kernel_rows_of(row.name)) {
      auto about = Json::array();
      for (const Collective c : kernel->collectives) about.push_back(name(c));
      proved.push_back({{"theorem", kernel->theorem->name},
                        {"level", "kernel"},
                        {"domain", kernel->domain},
                        {"collectives", about},
                        {"file", fmt::format("proofs/coq/{}", kernel->theorem->file)}});
    }
    for (const Theorem* t : theorems_about(row))
      proved.push_back({{"theorem", t->id}, {"level", "solver"}, {"domain", t->domain}, {"parts", levels_json(*t)}});
    auto unproved = Json::array();
    for (const KernelGap* gap : gaps_of(row)) unproved.push_back({{"part", gap->part}, {"why", gap->why}});
    list.push_back({{"name", row.name},
                    {"summary", row.summary},
                    {"collectives", collectives},
                    {"domain", row.domain},
                    {"tori", row.on_tori},
                    {"lanes", row.has_lanes},
                    {"parameters", parameters},
                    {"as_printed", row.as_printed},
                    {"steps", row.steps},
                    {"bytes", volumes_json(row)},
                    {"proved", proved},
                    {"not_by_kernel", unproved},
                    {"tried", tried_text(row)},
                    {"source", row.source},
                    {"description", row.description}});
  }
  return list.dump(2) + "\n";
}

Result<const Algorithm*> parse_listed(const std::string& text) {
  if (const Algorithm* row = find_algorithm(text)) return row;
  return usage_error(
      fmt::format("list: no algorithm '{}'{}", text, suggestion(text, mapped(catalogue(), &Algorithm::name))));
}

void describe(const CommandApp& app, ListCommand& command) {
  app.group(subject_group);
  app.add_parsed("NAME", command.row, parse_listed, "The algorithm to describe");
  app->add_flag("--as-printed", command.as_printed, "Also list the algorithms that are wrong as a paper prints them");
  app.group(output_group);
  add_json(app, command.json);
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

}  // namespace

Runner add_list(CLI::App& app) {
  return run_with<ListCommand>(app);
}

namespace {

struct ExplainCommand {
  const Property* property = nullptr;
};

Result<const Property*> parse_explained(const std::string& text) {
  if (const Property* property = row_with(properties(), &Property::id, text)) return property;
  return no_such("explain: no property", text, mapped(properties(), &Property::id));
}

void describe(const CommandApp& app, ExplainCommand& command) {
  app.group(subject_group);
  app.add_parsed("ID", command.property, parse_explained, "The property: exactly-once, ports, ..")->required();
}

Result<ExitCode> run(const ExplainCommand& command) {
  TRY(print(explanation(*command.property)));
  return ExitCode::ok;
}

}  // namespace

Runner add_explain(CLI::App& app) {
  return run_with<ExplainCommand>(app);
}

}  // namespace onceover::cli
