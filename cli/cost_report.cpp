// There is one table, whatever its sizes are of. The comparison is of vectors; if the user counts one rank's data, the
// sizes shown are the vector's, divided by the number of ranks that make up a vector.

#include "cli/cost_report.h"

#include <fmt/format.h>

#include <cmath>

#include "base/table.h"
#include "cli/contention_report.h"

namespace onceover::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string percent(double x) {
  return fmt::format("{:+.0f} %", 100 * x);
}

/// A line that says what the sizes in the table are of.
std::string sizes_text(const Timed& timed) {
  if (timed.per_vector == 1) return "  sizes are bytes per rank: its whole buffer\n";
  if (timed.are_per_rank) return fmt::format("  sizes are bytes per rank: 1/{} of the vector\n", timed.per_vector);
  return fmt::format("  sizes are of the whole vector; a rank has 1/{} of it, which --bytes-per-rank counts\n",
                     timed.per_vector);
}

std::string times_table(const Timed& timed) {
  const Comparison& c = timed.comparison;
  const std::vector<double> sizes = timed.shown_sizes();
  Rows rows{{timed.are_per_rank ? "per rank" : "vector"}};
  for (const Contender& contender : c.contenders) rows[0].push_back(contender.name);
  if (c.contenders.size() > 1) rows[0].insert(rows[0].end(), {"fastest", "gain of " + c.contenders[0].name});
  rows[0].push_back("goodput of the fastest, Gb/s");
  if (timed.peak > 0) rows[0].push_back("of peak");
  if (timed.least) rows[0].push_back("times the least");
  for (std::size_t k = 0; k < c.sizes.size(); ++k) {
    std::vector<std::string> row{bytes_text(sizes[k])};
    for (const Contender& contender : c.contenders) row.push_back(time_text(contender.time(k)));
    const std::size_t winner = c.winner(k);
    const double speed = goodput(c.sizes[k], c.contenders[winner].time(k));
    if (c.contenders.size() > 1) row.insert(row.end(), {c.contenders[winner].name, percent(c.gain(0, k))});
    row.push_back(number_text(speed));
    if (timed.peak > 0) row.push_back(std::isfinite(speed) ? fmt::format("{:.1f} %", 100 * speed / timed.peak) : "-");
    if (timed.least) row.push_back(number_text(timed.times_least(k)));
    rows.push_back(row);
  }
  return table_text(rows, "  ");
}

std::string winners_text(const Timed& timed) {
  const Comparison& c = timed.comparison;
  const std::vector<double> sizes = timed.shown_sizes();
  std::string text;
  std::vector<std::string> winners;
  for (std::size_t k = 0; k < c.sizes.size(); ++k) winners.push_back(c.contenders[c.winner(k)].name);
  if (c.contenders.size() > 1) text += fmt::format("  fastest: {}\n", stretches_text(sizes, winners));
  for (const Contender& contender : c.contenders) {
    if (contender.versions.size() < 2) continue;
    std::vector<std::string> versions;
    for (std::size_t k = 0; k < c.sizes.size(); ++k) versions.push_back(contender.fastest(k).name);
    text += fmt::format("  {}: {}\n", contender.name, stretches_text(sizes, versions));
  }
  return text;
}

std::string verdicts_text(const Timed& timed) {
  std::string text;
  if (!timed.unjudged.empty())
    text += fmt::format("  not judged, as too large: {}; 'verify' judges them\n", fmt::join(timed.unjudged, ", "));
  if (!timed.untimed.empty()) text += fmt::format("  not timed: {}: {}\n", fmt::join(timed.untimed, ", "), timed.why);
  if (!timed.wrong.empty())
    text += fmt::format("fail  {}: the schedule is wrong; see 'verify'\n", fmt::join(timed.wrong, ", "));
  return text;
}

}  // namespace

std::vector<double> Timed::shown_sizes() const {
  std::vector<double> sizes = comparison.sizes;
  if (are_per_rank)
    for (double& size : sizes) size /= per_vector;
  return sizes;
}

double Timed::times_least(std::size_t size) const {
  return comparison.contenders[comparison.winner(size)].time(size) / least->time(comparison.sizes[size]);
}

std::string text_of(const Timed& timed) {
  return sizes_text(timed) + times_table(timed) + winners_text(timed) + verdicts_text(timed);
}

std::vector<std::vector<std::string>> csv_rows(const Timed& timed) {
  const Comparison& c = timed.comparison;
  Rows rows{{"bytes", "algorithm", "version", "time_ns", "goodput_gbps", "bytes_per_rank"}};
  for (std::size_t k = 0; k < c.sizes.size(); ++k)
    for (const Contender& contender : c.contenders)
      for (const TimedVersion& version : contender.versions)
        rows.push_back({fmt::format("{:.0f}", c.sizes[k]), contender.name, version.name,
                        fmt::format("{}", version.times[k]), fmt::format("{}", goodput(c.sizes[k], version.times[k])),
                        fmt::format("{}", c.sizes[k] / timed.per_vector)});
  return rows;
}

Json sizes_json(const Timed& timed) {
  const Comparison& c = timed.comparison;
  Json sizes = Json::array();
  for (std::size_t k = 0; k < c.sizes.size(); ++k) {
    Json size{{"bytes", c.sizes[k]},
              {"bytes_per_rank", c.sizes[k] / timed.per_vector},
              {"fastest", c.contenders[c.winner(k)].name}};
    if (timed.least) {
      size["least_ns"] = timed.least->time(c.sizes[k]);
      size["times_least"] = timed.times_least(k);
    }
    if (c.contenders.size() > 1) size["gain_of_first"] = c.gain(0, k);
    for (const Contender& contender : c.contenders)
      size["algorithms"].push_back({{"name", contender.name},
                                    {"version", contender.fastest(k).name},
                                    {"time_ns", contender.time(k)},
                                    {"goodput_gbps", goodput(c.sizes[k], contender.time(k))}});
    sizes.push_back(std::move(size));
  }
  return sizes;
}

}  // namespace onceover::cli
