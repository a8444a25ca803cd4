// The Swing paper's evaluation, figure by figure: its networks, its algorithms with the ports that it gives them, what
// it says about the outcome, and beside that the result of our model.
//
// A setting is a row of `all_claims`, with the paper's words if it has some. The model's column is computed anew: all
// algorithms are timed on the setting's network for vectors of 32 B, 128 B, 512 B and so on, and Swing is compared with
// the best of the others at each size.
//
// Example: figure 7 is a torus of 64x64. The paper has "around 120 % at 2 MiB" for the largest gain; the table shows
// the model's largest gain and its size beside it.
//
// Each algorithm is routed once for a setting, and all sizes follow from its loads; the largest torus, 128x128, takes
// longest.

#include "papers/paper_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/rows.h"
#include "base/table.h"

namespace onceover::papers {

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// What the Swing paper says about a setting; empty if it says nothing.
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

struct ContenderGroup {
  std::string_view name;
  std::vector<Row> versions;
};

/// The algorithms of the paper's figures, with as many ports as it gives them.
const std::vector<ContenderGroup>& paper_algorithms() {
  static const std::vector<ContenderGroup> groups{
      {"swing", {{"swing-latency", true}, {"swing", true}}},
      {"recursive doubling", {{"recursive-doubling", false}, {"rabenseifner", false}}},
      {"bucket", {{"bucket", true}}},
      {"ring", {{"hamiltonian-ring", true}}}};
  return groups;
}

std::string percent(double x) {
  return fmt::format("{:+.0f} %", 100 * x);
}

/// The sizes at which each contender is the fastest.
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

std::string speed_text(double bandwidth) {
  if (bandwidth == 400) return "";
  return bandwidth < 1000 ? fmt::format(", {} Gb/s", bandwidth) : fmt::format(", {} Tb/s", bandwidth / 1000);
}

/// The paper's claims for a setting beside the model's answers.
std::string claims_text(const Claims& claims, const TimedSetting& timed) {
  const Comparison& c = timed.comparison;
  const std::size_t last = index_of(c, 512 * mib);
  const double peak = static_cast<double>(claims.setting.shape.size()) * claims.setting.bandwidth;
  const Rows rows{
      {"", "paper", "model"},
      {"fastest", or_dash(claims.wins), wins_text(c)},
      {"Swing's largest gain", or_dash(claims.largest), largest_text(c, claims.largest_size)},
      {"Swing's largest gain to 32 KiB", or_dash(claims.small), largest_text(c, 32 * kib)},
      {"Swing's gain at 2 MiB", or_dash(claims.at_2_mib), gain_text(c, 2 * mib)},
      {"Swing's gain at 512 MiB", or_dash(claims.at_512_mib), gain_text(c, 512 * mib)},
      {"Swing's goodput at 512 MiB, of peak", or_dash(claims.peak),
       fmt::format("{:.1f} %", 100 * goodput(512 * mib, c.contenders[0].time(last)) / peak)},
      {"Swing's median gain", or_dash(claims.median), percent(median_gain(c))},
  };
  return fmt::format("Swing paper, {}: {}\n", claims.setting.figure, timed.name()) + table_text(rows, "  ");
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
      {.setting = {"figure 8", "torus", {64, 64}}, .wins = square, .at_512_mib = "-20 % or better"},
      {.setting = {"figure 8", "torus", {128, 128}},
       .wins = square,
       .largest = "up to 120 % (2.2x)",
       .at_512_mib = "-20 % or better"},
      {.setting = {"figure 9", "torus", {8, 8}, 100}, .median = "around 25 %"},
      {.setting = {"figure 9", "torus", {8, 8}, 200}, .median = "around 25 %"},
      {.setting = {"figure 9", "torus", {8, 8}, 400}, .median = "around 25 %"},
      {.setting = {"figure 9", "torus", {8, 8}, 800}, .median = "around 25 %"},
      {.setting = {"figure 9", "torus", {8, 8}, 1600}, .median = "around 25 %"},
      {.setting = {"figure 9", "torus", {8, 8}, 3200}, .wins = every_size, .median = "around 25 %"},
      {.setting = {"figure 11", "torus", {64, 16}}, .wins = "swing to 32 MiB; ring above 512 MiB"},
      {.setting = {"figure 11", "torus", {32, 8}}, .wins = "swing to 32 MiB; ring above 512 MiB"},
      // In the text; the figure has 32x8.
      {.setting = {"figure 11", "torus", {128, 8}},
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

}  // namespace

Request request_for(const Row& row, const std::vector<Rank>& shape) {
  Request request{.shape = shape};
  request.all_lanes = row.all_lanes;
  if (row.algorithm == "bucket") request.settings["waiting"] = "spread";  // the rings' own pace, as papers count it
  return request;
}

Result<Network> network_for(const PaperSetting& setting, const LinkSpeeds& speeds) {
  TopologyRequest request{.name = std::string(setting.topology), .shape = setting.shape, .speeds = speeds};
  request.speeds.bandwidth = setting.bandwidth;
  auto network = make_topology(request);
  if (!network) return usage_error(network.error());
  return std::move(*network);
}

std::string TimedSetting::name() const {
  return fmt::format("{} {}{}", setting.topology, fmt::join(setting.shape, "x"), speed_text(setting.bandwidth));
}

Result<Contender> timed_contender(std::string_view name, const std::vector<Row>& versions, const PaperSetting& setting,
                                  const NetworkPlan& plan, const std::vector<double>& sizes) {
  const auto network = TRY(network_for(setting, plan.links));
  Contender contender{std::string(name), {}};
  for (const Row& row : versions) {
    const Algorithm& algorithm = *find_algorithm(row.algorithm);
    const Request request = request_for(row, setting.shape);
    if (refusal(algorithm, request)) continue;
    auto times = TRY(times_of(*algorithm.make(request), network, {.flows = {}, .ranks = plan.ranks}, sizes));
    contender.versions.push_back({std::string(row.algorithm), std::move(times)});
  }
  return contender;
}

Result<Comparison> swing_comparison(const PaperSetting& setting, const NetworkPlan& plan,
                                    const std::vector<double>& sizes) {
  Comparison comparison{sizes, {}};
  for (const ContenderGroup& group : paper_algorithms()) {
    auto contender = TRY(timed_contender(group.name, group.versions, setting, plan, sizes));
    if (!contender.versions.empty()) comparison.contenders.push_back(std::move(contender));
  }
  return comparison;
}

Result<TimedFigure> timed_figure(std::string_view figure, const NetworkPlan& plan) {
  TimedFigure timed;
  for (const Claims& claims : all_claims()) {
    if (claims.setting.figure != figure) continue;
    auto comparison = TRY(swing_comparison(claims.setting, plan, sizes_up_to(claims.largest_size)));
    TimedSetting setting{claims.setting, std::move(comparison)};
    timed.text += (timed.text.empty() ? "" : "\n") + claims_text(claims, setting);
    timed.settings.push_back(std::move(setting));
  }
  return timed;
}

Result<std::vector<TimedSetting>> timed_settings(const NetworkPlan& plan) {
  std::vector<TimedSetting> settings;
  std::vector<std::string> names;
  for (const Claims& claims : all_claims()) {
    TimedSetting timed{claims.setting, {}};
    if (!add_new(names, timed.name())) continue;
    timed.comparison = TRY(swing_comparison(claims.setting, plan, sizes_up_to(512 * mib)));
    settings.push_back(std::move(timed));
  }
  return settings;
}

}  // namespace onceover::papers
