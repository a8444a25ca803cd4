// Numbers of the Swing paper's evaluation, sections 5.1 to 5.5, beside our model's: Swing's gain over the fastest other
// algorithm. The paper's come from a simulator of packets, ours from a model of synchronous steps (docs/networks.md). A
// step of ours costs latency alone, unless messages have an overhead.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "papers/evidence.h"
#include "papers/paper_settings.h"
#include "papers/searches.h"

namespace onceover::papers {

namespace {

using SettingList = std::vector<PaperSetting>;

/// What is asked of a setting's gains.
enum class Of : std::uint8_t { each, largest, median, goodput };

/// Of each of some settings, a number from `least` to `most`: 1 is a gain of 100 %, and of goodput the peak.
struct GainClaim {
  std::string_view id;
  SettingList settings;
  std::string_view sizes;
  Of of;
  double least;
  double most;
  double overhead = 0;  // ns a message
};

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr double guessed_overhead = 300;
constexpr std::string_view paper_sizes = "32..512Mi";

PaperSetting on_torus(std::vector<Rank> shape, double bandwidth = 400) {
  return {"", "torus", std::move(shape), bandwidth};
}

PaperSetting grid_64x64(std::string_view topology) {
  return {"", topology, {64, 64}};
}

SettingList square_tori() {
  return {on_torus({8, 8}), on_torus({16, 16}), on_torus({32, 32}), on_torus({64, 64}), on_torus({128, 128})};
}

SettingList all_bandwidths() {
  SettingList settings;
  for (const double bandwidth : {100, 200, 400, 800, 1600, 3200}) settings.push_back(on_torus({8, 8}, bandwidth));
  return settings;
}

SettingList all_kinds() {
  SettingList settings = square_tori();
  for (const PaperSetting& more : {on_torus({64, 16}), on_torus({128, 8}), on_torus({256, 4}), on_torus({8, 8, 8}),
                                   on_torus({8, 8, 8, 8}), grid_64x64("hx2mesh"), grid_64x64("hyperx")})
    settings.push_back(more);
  return settings;
}

const std::vector<GainClaim>& gain_claims() {
  static const std::vector<GainClaim> claims{
      {"swing-figure-7-ahead", {on_torus({64, 64})}, "32..32Mi", Of::each, 0, no_limit},
      {"swing-figure-7-ahead-to-8-mib", {on_torus({64, 64})}, "32..8Mi", Of::each, 0, no_limit},
      {"swing-figure-7-ahead-with-overhead", {on_torus({64, 64})}, "32..32Mi", Of::each, 0, no_limit, guessed_overhead},
      {"swing-figure-7-at-2-mib", {on_torus({64, 64})}, "2Mi", Of::each, 1.1, 1.3},
      {"swing-figure-7-at-2-mib-in-model", {on_torus({64, 64})}, "2Mi", Of::each, 0.31, 0.33},
      {"swing-figure-7-at-2-mib-with-overhead", {on_torus({64, 64})}, "2Mi", Of::each, 0.98, 1, guessed_overhead},
      {"swing-figure-7-small", {on_torus({64, 64})}, "32..32Ki", Of::each, 0, 0.5},
      {"swing-figure-7-small-in-model", {on_torus({64, 64})}, "32..2Ki", Of::each, 0.5, 0.58},
      {"swing-figure-7-large", {on_torus({64, 64})}, "512Mi", Of::each, -0.22, -0.18},
      {"swing-figure-7-large-in-model", {on_torus({64, 64})}, "512Mi", Of::each, -0.16, -0.14},
      {"swing-figure-7-goodput", {on_torus({64, 64})}, "512Mi", Of::goodput, 0.76, 0.78},
      {"swing-figure-7-goodput-in-model", {on_torus({64, 64})}, "512Mi", Of::goodput, 0.83, 0.84},
      {"swing-figure-8-ahead", square_tori(), "32..32Mi", Of::each, 0, no_limit},
      {"swing-figure-8-ahead-to-2-mib", square_tori(), "32..2Mi", Of::each, 0, no_limit},
      {"swing-figure-8-ahead-on-128x128", {on_torus({128, 128})}, "32..32Mi", Of::each, 0, no_limit},
      {"swing-figure-8-largest", {on_torus({128, 128})}, paper_sizes, Of::largest, 1.1, 1.3},
      {"swing-figure-9-ahead", {on_torus({8, 8}, 3200)}, paper_sizes, Of::each, 0, no_limit},
      {"swing-figure-9-ahead-to-8-mib", {on_torus({8, 8}, 3200)}, "32..8Mi", Of::each, 0, no_limit},
      {"swing-figure-9-median", all_bandwidths(), paper_sizes, Of::median, 0.2, 0.3},
      {"swing-figure-9-median-in-model", all_bandwidths(), paper_sizes, Of::median, 0.19, 0.41},
      {"swing-figure-9-median-with-overhead", all_bandwidths(), paper_sizes, Of::median, 0.27, 0.29, guessed_overhead},
      {"swing-figure-11-ahead",
       {on_torus({64, 16}), on_torus({128, 8}), on_torus({256, 4})},
       "32..32Mi",
       Of::each,
       0,
       no_limit},
      {"swing-figure-11-three-times", {on_torus({128, 8}), on_torus({256, 4})}, paper_sizes, Of::largest, 1.8, 2.2},
      {"swing-figure-11-twice", {on_torus({128, 8}), on_torus({256, 4})}, paper_sizes, Of::largest, 0.95, 1.25},
      {"swing-figure-11-large", {on_torus({256, 4})}, "512Mi", Of::each, -0.65, -0.55},
      {"swing-figure-11-large-in-model", {on_torus({256, 4})}, "512Mi", Of::each, -0.43, -0.41},
      {"swing-figure-12-twice", {on_torus({8, 8, 8}), on_torus({8, 8, 8, 8})}, paper_sizes, Of::largest, 0.9, 1.1},
      {"swing-figure-12-in-model", {on_torus({8, 8, 8}), on_torus({8, 8, 8, 8})}, paper_sizes, Of::largest, 1.2, 1.35},
      {"swing-figure-13-ahead", {grid_64x64("hx2mesh")}, paper_sizes, Of::each, 0, no_limit},
      {"swing-figure-13-ahead-in-between", {grid_64x64("hx2mesh")}, "8Ki..128Mi", Of::each, 0, no_limit},
      {"swing-figure-13-at-2-mib", {grid_64x64("hx2mesh")}, "2Mi", Of::each, 1.35, 1.65},
      {"swing-figure-14-largest", {grid_64x64("hx4mesh")}, paper_sizes, Of::largest, 1.35, 1.65},
      {"swing-figure-15-ahead", {grid_64x64("hyperx")}, paper_sizes, Of::each, 0, no_limit},
      {"swing-figure-15-largest", {grid_64x64("hyperx")}, paper_sizes, Of::largest, 1.8, 2.2},
      {"swing-medians", all_kinds(), paper_sizes, Of::median, 0.2, 0.5},
      {"swing-medians-in-model", all_kinds(), paper_sizes, Of::median, 0.05, 0.55},
  };
  return claims;
}

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// The numbers that the claim is about, in a setting.
std::vector<double> numbers_of(const GainClaim& claim, const PaperSetting& setting) {
  NetworkPlan plan;
  plan.ranks.overhead = claim.overhead;
  const Comparison compared = sure(swing_comparison(setting, plan, sure(parse_sizes(std::string(claim.sizes)))));
  const double peak = static_cast<double>(setting.shape.size()) * setting.bandwidth;
  std::vector<double> numbers;
  for (std::size_t k = 0; k < compared.sizes.size(); ++k)
    numbers.push_back(claim.of == Of::goodput ? goodput(compared.sizes[k], compared.contenders[0].time(k)) / peak
                                              : compared.gain(0, k));
  if (claim.of == Of::largest) return {*std::max_element(numbers.begin(), numbers.end())};
  if (claim.of == Of::median) return {middle_of(numbers)};
  return numbers;
}

std::string setting_name(const PaperSetting& setting) {
  return TimedSetting{setting, {}}.name();
}

std::string number_said(const GainClaim& claim, double number) {
  if (claim.of == Of::goodput) return fmt::format("Swing reaches {:.1f} % of peak", 100 * number);
  return fmt::format("Swing gains {:.1f} %", 100 * number);
}

ClaimFinding judge_gains(const GainClaim& claim) {
  for (const PaperSetting& setting : claim.settings)
    for (const double number : numbers_of(claim, setting))
      if (number < claim.least || number > claim.most)
        return {.refutation = Refutation{setting_name(setting), number_said(claim, number)}};
  return {};
}

std::string gains_range(const GainClaim& claim) {
  std::string range;
  for (const PaperSetting& setting : claim.settings) range += setting_name(setting) + ", ";
  range += claim.sizes;
  if (claim.overhead > 0) range += fmt::format(", {} ns a message", claim.overhead);
  return range;
}

}  // namespace

std::vector<NamedEvidence> swing_evaluation() {
  std::vector<NamedEvidence> evidence;
  for (const GainClaim& claim : gain_claims())
    evidence.push_back({claim.id, search(gains_range(claim), [&claim] { return judge_gains(claim); })});
  return evidence;
}

}  // namespace onceover::papers
