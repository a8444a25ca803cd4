// The settings of the Swing paper's evaluation: its networks and algorithms, and what it reports about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedules/catalogue.h"
#include "subjects/comparison.h"
#include "subjects/network_plan.h"

namespace onceover::papers {

/// Bytes.
inline constexpr double kib = 1024;
inline constexpr double mib = 1024 * kib;

/// An algorithm of the catalogue, on all ports or on one.
struct Row {
  std::string_view algorithm;
  bool all_lanes;
};

Request request_for(const Row& row, const std::vector<Rank>& shape);

/// A figure's network.
struct PaperSetting {
  std::string_view figure;
  std::string_view topology;
  std::vector<Rank> shape;
  double bandwidth = 400;  // Gb/s
};

Result<Network> network_for(const PaperSetting& setting, const LinkSpeeds& speeds);

/// Goodput over size in a setting, for the paper's algorithms; Swing comes first.
Result<Comparison> swing_comparison(const PaperSetting& setting, const NetworkPlan& plan,
                                    const std::vector<double>& sizes);

/// A setting's times.
struct TimedSetting {
  PaperSetting setting;
  Comparison comparison;

  /// "torus 64x64", "torus 8x8, 3.2 Tb/s".
  std::string name() const;
};

/// A figure, "figure 7": for each setting what the paper says, beside what the model gives; and the times of those that
/// the figure shows.
struct TimedFigure {
  std::string text;
  std::vector<TimedSetting> settings;
};
Result<TimedFigure> timed_figure(std::string_view figure, const NetworkPlan& plan);

/// All settings of the evaluation, each once, for vectors to 512 MiB. (figure 16)
Result<std::vector<TimedSetting>> timed_settings(const NetworkPlan& plan);

/// Times the versions of a contender in a setting, with the ports that the rows say.
Result<Contender> timed_contender(std::string_view name, const std::vector<Row>& versions, const PaperSetting& setting,
                                  const NetworkPlan& plan, const std::vector<double>& sizes);

}  // namespace onceover::papers
