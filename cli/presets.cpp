#include "cli/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "cli/network_options.h"
#include "cli/table.h"
#include "network/contention.h"
#include "network/papers.h"
#include "schedules/catalogue.h"
#include "schedules/closest.h"

namespace onceover::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

/// What the Swing paper says of a setting; empty where it says nothing.
struct Claims {
  PaperSetting setting;
  std::string_view wins = "";
  std::string_view largest = "";
  std::string_view at_2_mib = "";
  std::string_view small = "";
  std::string_view at_512_mib = "";
  std::string_view peak = "";
  std::string_view median = "20 to 50 %";  // over all settings, section 5.5
  double largest_size = 512 * mib;
};

struct Row {
  std::string_view algorithm;
  bool all_lanes;
};

struct Group {
  std::string_view name;
  std::vector<Row> versions;
};

/// The algorithms of the paper's figures, with as many ports as it grants them.
const std::vector<Group>& paper_algorithms() {
  static const std::vector<Group> groups{
      {"swing", {{"swing-latency", true}, {"swing", true}}},
      {"recursive doubling", {{"recursive-doubling", false}, {"rabenseifner", false}}},
      {"bucket", {{"bucket", true}}},
      {"ring", {{"hamiltonian-ring", true}}}};
  return groups;
}

Request request_for(const Row& row, const std::vector<Rank>& shape) {
  Request request{.shape = shape};
  request.all_lanes = row.all_lanes;
  return request;
}

Result<Network> network_for(const PaperSetting& setting, const LinkSpeeds& speeds) {
  TopologyRequest request{.name = std::string(setting.topology), .shape = setting.shape, .speeds = speeds};
  request.speeds.bandwidth = setting.bandwidth;
  auto network = make_topology(request);
  if (!network) return usage_error(network.error());
  return std::move(*network);
}

Result<Contention> contention_of(const Row& row, const std::vector<Rank>& shape, std::string_view topology,
                                 SchedulePtr* made = nullptr) {
  const Algorithm& algorithm = *find_algorithm(row.algorithm);
  const auto schedule = algorithm.make(request_for(row, shape));
  if (made != nullptr) *made = schedule;
  const auto network = network_for({.figure = "", .topology = topology, .shape = shape}, {});
  if (!network) return tl::unexpected(network.error());
  auto measured = contention(*schedule, *network, {});
  if (!measured) return tl::unexpected(failure_of(measured.error()));
  return std::move(*measured);
}

std::string percent(double x) {
  return fmt::format("{:+.0f} %", 100 * x);
}

std::string sides_text(const std::vector<Rank>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

/// Where the first contender is the fastest.
std::string wins_text(const Comparison& c) {
  std::vector<std::string> answers;
  for (std::size_t k = 0; k < c.sizes.size(); ++k) answers.push_back(c.contenders[c.winner(k)].name);
  return stretches_text(c.sizes, answers);
}

std::size_t index_of(const Comparison& c, double size) {
  return static_cast<std::size_t>(std::find(c.sizes.begin(), c.sizes.end(), size) - c.sizes.begin());
}

std::string largest_text(const Comparison& c, double up_to) {
  std::size_t best = 0;
  for (std::size_t k = 0; k < c.sizes.size() && c.sizes[k] <= up_to; ++k)
    if (c.gain(0, k) > c.gain(0, best)) best = k;
  return fmt::format("{} at {}", percent(c.gain(0, best)), bytes_text(c.sizes[best]));
}

double median_gain(const Comparison& c) {
  std::vector<double> gains;
  for (std::size_t k = 0; k < c.sizes.size(); ++k) gains.push_back(c.gain(0, k));
  std::sort(gains.begin(), gains.end());
  const std::size_t half = gains.size() / 2;
  return gains.size() % 2 == 1 ? gains[half] : (gains[half - 1] + gains[half]) / 2;
}

std::string gain_text(const Comparison& c, double size) {
  const std::size_t k = index_of(c, size);
  return fmt::format("{} over {}", percent(c.gain(0, k)), c.contenders[c.best_other(0, k)].name);
}

std::string or_dash(std::string_view text) {
  return std::string(text.empty() ? "-" : text);
}

std::vector<double> sizes_up_to(double largest) {
  std::vector<double> sizes;
  for (double size = 32; size <= largest; size *= 4) sizes.push_back(size);
  return sizes;
}

std::string title(const PaperSetting& setting) {
  const double terabits = setting.bandwidth / 1000;
  const std::string speed = setting.bandwidth == 400 ? ""
                            : terabits < 1           ? fmt::format(", {} Gb/s", setting.bandwidth)
                                                     : fmt::format(", {} Tb/s", terabits);
  return fmt::format("Swing paper, {}: {} {}{}\n", setting.figure, setting.topology, sides_text(setting.shape), speed);
}

/// The paper's claims for a setting beside the model's answers.
Result<std::string> claims_text(const Claims& claims, const NetworkPlan& plan) {
  const auto c = swing_comparison(claims.setting, plan, sizes_up_to(claims.largest_size));
  if (!c) return tl::unexpected(c.error());
  const std::size_t last = index_of(*c, 512 * mib);
  const double peak = static_cast<double>(claims.setting.shape.size()) * claims.setting.bandwidth;
  const Rows rows{
      {"", "paper", "model"},
      {"fastest", or_dash(claims.wins), wins_text(*c)},
      {"Swing's largest gain", or_dash(claims.largest), largest_text(*c, claims.largest_size)},
      {"Swing's largest gain to 32 KiB", or_dash(claims.small), largest_text(*c, 32 * kib)},
      {"Swing's gain at 2 MiB", or_dash(claims.at_2_mib), gain_text(*c, 2 * mib)},
      {"Swing's gain at 512 MiB", or_dash(claims.at_512_mib), gain_text(*c, 512 * mib)},
      {"Swing's goodput at 512 MiB, of peak", or_dash(claims.peak),
       fmt::format("{:.1f} %", 100 * goodput(512 * mib, c->contenders[0].time(last)) / peak)},
      {"Swing's median gain", or_dash(claims.median), percent(median_gain(*c))},
  };
  return title(claims.setting) + table_text(rows, "  ");
}

/// Settings and claims, figure by figure. (Swing paper, section 5)
const std::vector<Claims>& all_claims() {
  constexpr std::string_view square = "swing from 32 B to 32 MiB, bucket from 128 MiB";
  constexpr std::string_view every_size = "swing at every size";
  static const std::vector<Claims> all{
      {.setting = {"figure 7", "torus", {64, 64}},
       .wins = square,
       .largest = "around 120 % at 2 MiB",
       .at_2_mib = "around 120 %",
       .small = "up to 50 %",
       .at_512_mib = "around -20 %",
       .peak = "around 77 %"},
      {.setting = {"figure 8", "torus", {8, 8}}, .wins = square, .at_512_mib = "-20 % or better"},
      {.setting = {"figure 8", "torus", {16, 16}}, .wins = square, .at_512_mib = "-20 % or better"},
      {.setting = {"figure 8", "torus", {32, 32}}, .wins = square, .at_512_mib = "-20 % or better"},
      {.setting = {"figure 8", "torus", {128, 128}},
       .wins = square,
       .largest = "up to 120 % (2.2x)",
       .at_512_mib = "-20 % or better"},
      {.setting = {"figure 9", "torus", {8, 8}, 100}, .median = "around 25 %"},
      {.setting = {"figure 9", "torus", {8, 8}, 3200}, .wins = every_size, .median = "around 25 %"},
      {.setting = {"figure 11", "torus", {64, 16}}, .wins = "swing to 32 MiB; ring above 512 MiB"},
      {.setting = {"figure 11", "torus", {32, 8}}, .wins = "swing to 32 MiB; ring above 512 MiB"},
      {.setting = {"section 5.2", "torus", {128, 8}},
       .wins = "swing to 32 MiB; ring above 512 MiB",
       .largest = "up to 200 % (3x)"},
      {.setting = {"figure 11", "torus", {256, 4}},
       .wins = "swing to 32 MiB; ring above 512 MiB",
       .largest = "up to 200 % (3x)",
       .at_512_mib = "around -60 %"},
      {.setting = {"figure 12", "torus", {8, 8}}},
      {.setting = {"figure 12", "torus", {8, 8, 8}},
       .wins = every_size,
       .largest = "up to 100 % (2x)",
       .largest_size = 2048 * mib},
      {.setting = {"figure 12", "torus", {8, 8, 8, 8}},
       .wins = every_size,
       .largest = "up to 100 % (2x)",
       .largest_size = 2048 * mib},
      {.setting = {"figure 13", "hx2mesh", {64, 64}},
       .wins = every_size,
       .largest = "up to 150 % (2.5x) at 2 MiB",
       .at_2_mib = "up to 150 %"},
      {.setting = {"figure 14", "hx4mesh", {64, 64}}, .largest = "up to 150 % (2.5x)"},
      {.setting = {"figure 15", "hyperx", {64, 64}}, .wins = every_size, .largest = "up to 200 % (3x)"},
  };
  return all;
}

Result<std::string> figure_report(const Preset& preset, const NetworkPlan& plan) {
  // swing-fig7 is "figure 7"
  const std::string figure = fmt::format("figure {}", preset.name.substr(std::string_view("swing-fig").size()));
  std::string text;
  for (const Claims& claims : all_claims()) {
    const bool belongs =
        claims.setting.figure == figure || (figure == "figure 11" && claims.setting.figure == "section 5.2");
    if (!belongs) continue;
    auto part = claims_text(claims, plan);
    if (!part) return part;
    text += (text.empty() ? "" : "\n") + *part;
  }
  return text;
}

Result<std::vector<std::string>> measured_row(const Row& row, const std::vector<Rank>& shape) {
  if (refusal(*find_algorithm(row.algorithm), request_for(row, shape))) return std::vector<std::string>{};
  const auto measured = contention_of(row, shape, "torus");
  if (!measured) return tl::unexpected(measured.error());
  const Deficiencies& d = *measured->deficiencies;
  return std::vector<std::string>{std::string(row.algorithm), sides_text(shape), number_text(d.latency),
                                  number_text(d.bandwidth), fmt::format("{:.4f}", d.congestion)};
}

Result<std::string> table_2(const Preset&, const NetworkPlan&) {
  const std::vector<std::vector<Rank>> shapes{{8, 8},       {64, 64},     {128, 128},  {8, 8, 8},
                                              {16, 16, 16}, {4, 4, 4, 4}, {8, 8, 8, 8}};
  std::string text =
      "Swing paper, table 2: deficiencies on tori, measured from the transfers; in brackets what the paper has for "
      "that p\n";
  for (const Row& row : {Row{"swing", true}, Row{"swing-latency", true}, Row{"recursive-doubling", false},
                         Row{"rabenseifner", false}, Row{"bucket", true}, Row{"hamiltonian-ring", true}}) {
    Rows rows{{"algorithm", "torus", "latency", "bandwidth", "congestion", "(latency", "bandwidth", "congestion)"}};
    for (const auto& shape : shapes) {
      auto cells = measured_row(row, shape);
      if (!cells) return tl::unexpected(cells.error());
      if (cells->empty()) continue;
      if (const auto paper = swing_table_2(row.algorithm, shape, false))
        cells->insert(cells->end(), {number_text(paper->latency), number_text(paper->bandwidth),
                                     fmt::format("{:.4f}", paper->congestion)});
      rows.push_back(*cells);
    }
    text += table_text(rows, "  ") + "\n";
  }
  Rows limits{{"", "D = 2", "D = 3", "D = 4"},
              {"Swing's congestion as printed", "1.19", "1.03", "1.008"},
              {"limit of the sum"}};
  for (const int d : {2, 3, 4}) limits[2].push_back(fmt::format("{:.6f}", swing_congestion_limit(d)));
  limits.push_back({"as a fraction", "6/5", "28/27", "120/119"});
  return text + table_text(limits, "  ");
}

Result<std::string> equation_3(const Preset&, const NetworkPlan&) {
  Rows rows{
      {"torus", "steps of the longest dimension alone, measured", "equation (3)", "measured / (3)", "congestion"}};
  for (const std::vector<Rank>& shape :
       {std::vector<Rank>{2, 4}, {4, 8}, {8, 16}, {16, 64}, {8, 32}, {8, 128}, {4, 256}, {4, 4, 16}}) {
    SchedulePtr schedule;
    const auto measured = contention_of({"swing", true}, shape, "torus", &schedule);
    if (!measured) return tl::unexpected(measured.error());
    const double phase = swing_second_phase(*measured, shape, schedule->header().blocks);
    const double printed = swing_equation_3(shape);
    rows.push_back({sides_text(shape), fmt::format("{:.5f}", phase), fmt::format("{:.5f}", printed),
                    fmt::format("{:.2f}", phase / printed), fmt::format("{:.4f}", measured->deficiencies->congestion)});
  }
  return "Swing paper, equation (3): what the longest dimension adds on rectangles, in n/D beta\n" +
         table_text(rows, "  ");
}

/// Jain and Sabharwal's reading: within a phase, rings of different lengths run at their own pace.
Result<double> bucket_by_phases(const std::vector<Rank>& shape) {
  const auto schedule = find_algorithm("bucket")->make(request_for({"bucket", true}, shape));
  const auto network = network_for({.figure = "", .topology = "torus", .shape = shape}, {});
  if (!network) return tl::unexpected(network.error());
  const int phase = *std::max_element(shape.begin(), shape.end()) - 1;
  Rational sum = 0;
  for (int step = 0; step < schedule->steps(); step += phase) {
    const auto load = busiest(*schedule, *network, Routing::minimal, step, std::min(step + phase, schedule->steps()));
    if (!load) return tl::unexpected(Failure{ExitCode::unknown, "the loads of a phase outgrow 126 bits"});
    sum += *load;
  }
  return static_cast<double>(sum) / schedule->header().blocks;
}

Result<std::string> jain_sabharwal_report(const Preset&, const NetworkPlan&) {
  Rows rows{{"torus", "lower bound", "equation (2)", "bucket by phases", "bucket", "swing", "rabenseifner", "ring"}};
  for (const std::vector<Rank>& shape :
       {std::vector<Rank>{8, 8}, {4, 8}, {4, 16}, {2, 3, 4}, {4, 4, 4}, {4, 8, 8}, {8, 8, 8}}) {
    const auto bounds = jain_sabharwal(Collective::allreduce, shape);
    std::vector<std::string> cells{sides_text(shape), fmt::format("{:.4f}", bounds->lower),
                                   fmt::format("{:.4f}", bounds->cost)};
    const auto phases = bucket_by_phases(shape);
    if (!phases) return tl::unexpected(phases.error());
    cells.push_back(fmt::format("{:.4f}", *phases));
    for (const Row& row :
         {Row{"bucket", true}, Row{"swing", true}, Row{"rabenseifner", false}, Row{"hamiltonian-ring", true}}) {
      if (refusal(*find_algorithm(row.algorithm), request_for(row, shape))) {
        cells.emplace_back("-");
        continue;
      }
      const auto measured = contention_of(row, shape, "torus");
      if (!measured) return tl::unexpected(measured.error());
      const Deficiencies& d = *measured->deficiencies;
      cells.push_back(fmt::format("{:.4f}", bounds->lower * d.bandwidth * d.congestion));
    }
    rows.push_back(cells);
  }
  return "Jain and Sabharwal: bandwidth terms of an allreduce, in n beta, on all ports\n" + table_text(rows, "  ");
}

/// The paper's cluster. (Kolmakov and Zhang, table 2)
constexpr PointToPoint cluster{.alpha = 3e-5, .beta = 1e-8, .gamma = 2e-10};

/// The schedule with r steps removed, on one switch: a message takes alpha, and each rank sends one byte in beta.
Result<Cost> folding_cost(Rank p, int r, int* steps) {
  Request request = on_line(Collective::allreduce, p);
  request.settings["removed-steps"] = std::to_string(r);
  const auto schedule = find_algorithm("generalized")->make(request);
  *steps = schedule->steps();
  TopologyRequest crossbar{.name = "fat-tree", .settings = {{"radix", "1024"}, {"levels", "1"}}, .shape = {p}};
  crossbar.speeds = {.bandwidth = 8e-9 / cluster.beta, .latency = cluster.alpha * 1e9 / 2, .hop = 0};
  const auto network = make_topology(crossbar);
  if (!network) return usage_error(network.error());
  auto measured = cost(*schedule, *network, {}, {.overhead = 0, .reduction = cluster.gamma * 1e9});
  if (!measured) return tl::unexpected(failure_of(measured.error()));
  return std::move(*measured);
}

Result<std::string> kolmakov_zhang_report(const Preset&, const NetworkPlan&) {
  Rows rows{{"P", "bytes", "r by (37)", "best r by (36), (44)", "its time by the paper", "best r of the schedules",
             "its time"}};
  for (const Rank p : {31, 127}) {
    const int most = kolmakov_zhang(p, 1 << 10).steps;
    std::vector<Cost> schedules;
    for (int r = 0; r <= most; ++r) {
      int steps = 0;
      auto measured = folding_cost(p, r, &steps);
      if (!measured) return tl::unexpected(measured.error());
      schedules.push_back(std::move(*measured));
    }
    for (const double bytes : {425.0, 2 * kib, 9 * kib, 64 * kib, 1 * mib, 16 * mib}) {
      std::vector<double> paper;
      std::vector<double> ours;
      for (int r = 0; r <= most; ++r) {
        paper.push_back(time_of(kolmakov_zhang(p, r), p, cluster, bytes) * 1e9);
        ours.push_back(schedules[static_cast<std::size_t>(r)].time(bytes));
      }
      const auto best = std::min_element(paper.begin(), paper.end());
      const auto best_of_ours = std::min_element(ours.begin(), ours.end());
      rows.push_back({std::to_string(p), bytes_text(bytes), std::to_string(kolmakov_zhang_best(p, cluster, bytes)),
                      std::to_string(best - paper.begin()), time_text(*best),
                      std::to_string(best_of_ours - ours.begin()), time_text(*best_of_ours)});
    }
  }
  return "Kolmakov and Zhang: steps to remove, for the cluster of their table 2\n" + table_text(rows, "  ");
}

Result<std::string> all_report(const Preset&, const NetworkPlan& plan) {
  std::string text;
  for (const Preset& preset : presets()) {
    if (preset.report == all_report) continue;
    auto part = preset.report(preset, plan);
    if (!part) return part;
    text += (text.empty() ? "" : "\n") + *part;
  }
  return text;
}

constexpr std::array rows{
    Preset{"all", "all of these, one after the other", all_report},
    Preset{"swing-table2", "deficiencies on square tori", table_2},
    Preset{"swing-eq3", "what rectangles add", equation_3},
    Preset{"swing-fig7", "64x64 torus", figure_report},
    Preset{"swing-fig8", "square tori of 64 to 16384 ranks", figure_report},
    Preset{"swing-fig9", "8x8 torus at 100 Gb/s and 3.2 Tb/s", figure_report},
    Preset{"swing-fig11", "rectangular tori", figure_report},
    Preset{"swing-fig12", "two, three and four dimensions", figure_report},
    Preset{"swing-fig13", "HammingMesh with boards of 2x2", figure_report},
    Preset{"swing-fig14", "HammingMesh with boards of 4x4", figure_report},
    Preset{"swing-fig15", "HyperX", figure_report},
    Preset{"jain-sabharwal", "bandwidth terms on tori and their lower bound", jain_sabharwal_report},
    Preset{"kolmakov-zhang", "the best number of removed steps", kolmakov_zhang_report},
};

}  // namespace

Result<Comparison> swing_comparison(const PaperSetting& setting, const NetworkPlan& plan,
                                    const std::vector<double>& sizes) {
  const auto network = network_for(setting, plan.links);
  if (!network) return tl::unexpected(network.error());
  Comparison comparison{sizes, {}};
  for (const Group& group : paper_algorithms()) {
    Contender contender{std::string(group.name), {}};
    for (const Row& row : group.versions) {
      const Algorithm& algorithm = *find_algorithm(row.algorithm);
      const Request request = request_for(row, setting.shape);
      if (refusal(algorithm, request)) continue;
      auto times = times_of(*algorithm.make(request), *network, {.flows = {}, .ranks = plan.ranks}, sizes);
      if (!times) return tl::unexpected(times.error());
      contender.versions.push_back({std::string(row.algorithm), std::move(*times)});
    }
    if (!contender.versions.empty()) comparison.contenders.push_back(std::move(contender));
  }
  return comparison;
}

std::span<const Preset> presets() {
  return rows;
}

Result<std::string> preset_report(const std::string& name, const NetworkPlan& plan) {
  std::vector<std::string_view> names;
  for (const Preset& preset : rows) {
    if (preset.name == name) return preset.report(preset, plan);
    names.push_back(preset.name);
  }
  return usage_error(
      fmt::format("--preset: no preset '{}'{}; there are {}", name, suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace onceover::cli
