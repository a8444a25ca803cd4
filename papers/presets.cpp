#include "papers/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>

#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/table.h"
#include "network/contention.h"
#include "papers/paper_settings.h"
#include "papers/papers.h"
#include "papers/swing_figures.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"

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
    rows.push_back(mapped(row, [](const Json& value) {
      return value.is_null() ? "" : value.text() ? *value.text() : value.leaf_text();
    }));
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

// Presets: tables and figures of the papers by name, each computed anew and shown beside what the paper prints.
//
// A preset is a row with a function that makes its text. Deficiencies and bandwidth terms are measured from the
// transfers, on the networks and algorithms of the paper. If the paper has a formula, its value is shown beside the
// measured one. Nothing here is a claim: the audit (audit.h) gives verdicts on sentences.
//
// Example: swing-eq3 measures what the longest side of 2x4, 4x8, .. adds, and divides it by what equation (3) says.
//
// A row takes a few schedules and their loads, on up to 128x128 ranks; Kolmakov and Zhang's take one schedule for each
// number of removed steps and of ranks. The lists of shapes are fixed, so it ends.

namespace {

using Rows = std::vector<std::vector<std::string>>;

Result<Contention> contention_of(const Row& row, const std::vector<Rank>& shape, std::string_view topology,
                                 SchedulePtr* made = nullptr) {
  const Algorithm& algorithm = *find_algorithm(row.algorithm);
  const auto schedule = algorithm.make(request_for(row, shape));
  if (made != nullptr) *made = schedule;
  const auto network = TRY(network_for({.figure = "", .topology = topology, .shape = shape}, {}));
  auto measured = contention(*schedule, network, {});
  if (!measured) return tl::unexpected(failure_of(measured.error()));
  return std::move(*measured);
}

/// A table, and the same as records with other names for its columns.
PresetReport report_of(const std::string& title, const Rows& rows, std::vector<std::string> columns) {
  return {title + table_text(rows, "  "), records_of(std::move(columns), Rows(rows.begin() + 1, rows.end()))};
}

Result<PresetReport> figure_report(const Preset& preset, const PresetRequest& asked) {
  // swing-fig7 is "figure 7"
  return swing_figure(fmt::format("figure {}", preset.name.substr(std::string_view("swing-fig").size())), asked.plan);
}

std::string sides_text(const std::vector<Rank>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

Result<std::vector<std::string>> measured_row(const Row& row, const std::vector<Rank>& shape) {
  if (refusal(*find_algorithm(row.algorithm), request_for(row, shape))) return std::vector<std::string>{};
  const auto measured = TRY(contention_of(row, shape, "torus"));
  const Deficiencies& d = *measured.deficiencies;
  return std::vector<std::string>{std::string(row.algorithm), sides_text(shape), number_text(d.latency),
                                  number_text(d.bandwidth), fmt::format("{:.4f}", d.congestion)};
}

Result<PresetReport> table_2(const Preset&, const PresetRequest&) {
  const std::vector<std::vector<Rank>> shapes{{8, 8},       {64, 64},     {128, 128},  {8, 8, 8},
                                              {16, 16, 16}, {4, 4, 4, 4}, {8, 8, 8, 8}};
  std::string text =
      "Swing paper, table 2: deficiencies on tori, measured from the transfers; in brackets what the paper has for "
      "that p\n";
  Rows measured;
  for (const Row& row : {Row{"swing", true}, Row{"swing-latency", true}, Row{"recursive-doubling", false},
                         Row{"rabenseifner", false}, Row{"bucket", true}, Row{"hamiltonian-ring", true}}) {
    Rows rows{{"algorithm", "torus", "latency", "bandwidth", "congestion", "(latency", "bandwidth", "congestion)"}};
    for (const auto& shape : shapes) {
      auto cells = TRY(measured_row(row, shape));
      if (cells.empty()) continue;
      if (const auto paper = swing_table_2(row.algorithm, shape, false))
        cells.insert(cells.end(), {number_text(paper->latency), number_text(paper->bandwidth),
                                   fmt::format("{:.4f}", paper->congestion)});
      rows.push_back(cells);
      measured.push_back(cells);
    }
    text += table_text(rows, "  ") + "\n";
  }
  Rows limits{{"", "D = 2", "D = 3", "D = 4"},
              {"Swing's congestion as printed", "1.19", "1.03", "1.008"},
              {"limit of the sum"}};
  for (const int d : {2, 3, 4}) limits[2].push_back(fmt::format("{:.6f}", swing_congestion_limit(d)));
  limits.push_back({"as a fraction", "6/5", "28/27", "120/119"});
  return PresetReport{text + table_text(limits, "  "),
                      records_of({"algorithm", "torus", "latency", "bandwidth", "congestion", "paper_latency",
                                  "paper_bandwidth", "paper_congestion"},
                                 measured)};
}

Result<PresetReport> equation_3_report(const Preset& preset, const PresetRequest& asked) {
  Rows rows{
      {"torus", "steps of the longest dimension alone, measured", "equation (3)", "measured / (3)", "congestion"}};
  for (const std::vector<Rank>& shape :
       asked.shapes_or({{2, 4}, {4, 8}, {8, 16}, {16, 64}, {8, 32}, {8, 128}, {4, 256}, {4, 4, 16}})) {
    const auto [least, most] = std::minmax_element(shape.begin(), shape.end());
    if (*least == *most || *least < 2 || !std::all_of(shape.begin(), shape.end(), is_power_of_two))
      return usage_error(fmt::format(
          "--preset {}: equation (3) is about sides from 2 that are powers of two, and not all equal", preset.name));
    SchedulePtr schedule;
    const auto measured = TRY(contention_of({"swing", true}, shape, "torus", &schedule));
    const double phase = swing_second_phase(measured, shape, schedule->header().blocks);
    const double printed = swing_equation_3(shape);
    rows.push_back({sides_text(shape), fmt::format("{:.5f}", phase), fmt::format("{:.5f}", printed),
                    fmt::format("{:.2f}", phase / printed), fmt::format("{:.4f}", measured.deficiencies->congestion)});
  }
  return report_of("Swing paper, equation (3): what the longest dimension adds on rectangles, in n/D beta\n", rows,
                   {"torus", "measured", "equation_3", "measured_over_equation_3", "congestion"});
}

Result<PresetReport> jain_sabharwal_report(const Preset& preset, const PresetRequest& asked) {
  Rows rows{{"torus", "lower bound", "equation (2)", "bucket", "swing", "rabenseifner", "ring"}};
  for (const std::vector<Rank>& shape :
       asked.shapes_or({{8, 8}, {4, 8}, {4, 16}, {2, 3, 4}, {4, 4, 4}, {4, 8, 8}, {8, 8, 8}})) {
    const auto bounds = jain_sabharwal(Collective::allreduce, shape);
    if (!bounds) return usage_error(fmt::format("--preset {}: a side of a torus is at least 2", preset.name));
    std::vector<std::string> cells{sides_text(shape), fmt::format("{:.4f}", bounds->lower),
                                   fmt::format("{:.4f}", bounds->cost)};
    for (const Row& row :
         {Row{"bucket", true}, Row{"swing", true}, Row{"rabenseifner", false}, Row{"hamiltonian-ring", true}}) {
      if (refusal(*find_algorithm(row.algorithm), request_for(row, shape))) {
        cells.emplace_back("-");
        continue;
      }
      const auto measured = TRY(contention_of(row, shape, "torus"));
      const Deficiencies& d = *measured.deficiencies;
      cells.push_back(fmt::format("{:.4f}", bounds->lower * d.bandwidth * d.congestion));
    }
    rows.push_back(cells);
  }
  return report_of("Jain and Sabharwal: bandwidth terms of an allreduce, in n beta, on all ports\n", rows,
                   {"torus", "lower_bound", "equation_2", "bucket", "swing", "rabenseifner", "ring"});
}

const std::array rows{
    Preset{"swing-table2", "deficiencies on square tori", table_2},
    Preset{"swing-eq1",
           "equation (1), the time by the deficiencies",
           [](const Preset&, const PresetRequest& asked) { return swing_times(asked); },
           {PresetInput::ranks, PresetInput::tori, PresetInput::sizes, PresetInput::machine}},
    Preset{"swing-eq3", "what rectangles add", equation_3_report, {PresetInput::tori}},
    Preset{"swing-fig7", "64x64 torus", figure_report, {PresetInput::speeds}},
    Preset{"swing-fig8", "square tori of 64 to 16384 ranks", figure_report, {PresetInput::speeds}},
    Preset{"swing-fig9", "8x8 torus at 100 Gb/s and 3.2 Tb/s", figure_report, {PresetInput::speeds}},
    Preset{"swing-fig11", "rectangular tori", figure_report, {PresetInput::speeds}},
    Preset{"swing-fig12", "two, three and four dimensions", figure_report, {PresetInput::speeds}},
    Preset{"swing-fig13", "HammingMesh with boards of 2x2", figure_report, {PresetInput::speeds}},
    Preset{"swing-fig14", "HammingMesh with boards of 4x4", figure_report, {PresetInput::speeds}},
    Preset{"swing-fig15", "HyperX", figure_report, {PresetInput::speeds}},
    Preset{"swing-fig16", "distributions of gains, all networks", figure_report, {PresetInput::speeds}},
    Preset{
        "jain-sabharwal", "bandwidth terms on tori and their lower bound", jain_sabharwal_report, {PresetInput::tori}},
    Preset{"jain-times",
           "equations (1) to (5), the times of bucket and the least",
           [](const Preset&, const PresetRequest& asked) { return bucket_times(asked); },
           {PresetInput::ranks, PresetInput::tori, PresetInput::sizes, PresetInput::machine, PresetInput::adding}},
    Preset{"kolmakov-zhang",
           "the best number of removed steps, and that of equation (37)",
           [](const Preset&, const PresetRequest& asked) { return kolmakov_steps(asked); },
           {PresetInput::ranks, PresetInput::sizes, PresetInput::machine, PresetInput::adding}},
    Preset{"kolmakov-fig1", "time over that of the best known, by size",
           [](const Preset&, const PresetRequest&) { return kolmakov_figure_1(); }},
    Preset{"kolmakov-fig7", "time by size, 127 processes; for figures 7 to 10",
           [](const Preset&, const PresetRequest&) { return kolmakov_sizes(); }},
    Preset{"kolmakov-fig11", "time by processes; for figures 11 and 12",
           [](const Preset&, const PresetRequest&) { return kolmakov_processes(); }},
    Preset{"pat-buffer",
           "what PAT holds for others, by the blocks of a message",
           [](const Preset&, const PresetRequest& asked) { return pat_buffers(asked); },
           {PresetInput::ranks, PresetInput::sizes}},
};

}  // namespace

std::vector<std::vector<Rank>> PresetRequest::shapes_or(std::vector<std::vector<Rank>> paper) const {
  std::vector<std::vector<Rank>> shapes = tori;
  for (const Rank p : ranks) shapes.push_back({p});
  return shapes.empty() ? std::move(paper) : shapes;
}

bool Preset::takes(PresetInput input) const {
  return std::find(inputs.begin(), inputs.end(), input) != inputs.end();
}

std::span<const Preset> presets() {
  return rows;
}

Result<std::vector<const Preset*>> presets_named(const std::string& name) {
  std::vector<const Preset*> chosen;
  for (const Preset& preset : rows)
    if (name == "all" || preset.name == name) chosen.push_back(&preset);
  if (!chosen.empty()) return chosen;
  auto names = mapped(rows, &Preset::name);
  names.insert(names.begin(), "all");
  return no_such("--preset: no preset", name, names);
}

}  // namespace onceover::papers
