// The papers' formulas for a user's ranks, sizes and machine. A formula is computed as it is printed; beside it stands
// what our schedules do, where they are there.
//
// Example: equation (1) of the Swing paper, T(n) = log2(p) alpha Lambda + n/D beta Psi Xi, for Swing on 4x8. Table 2 is
// about equal sides and has no deficiencies for it; those of our schedule are measured from its links.
//
// A row takes one schedule and its loads, on up to 4096 ranks; what is beyond is left to the formulas.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/result.h"
#include "base/table.h"
#include "network/contention.h"
#include "papers/paper_settings.h"
#include "papers/presets.h"
#include "schedules/catalogue.h"

namespace onceover::papers {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr Rank most_ranks_measured = 4096;

/// A step of 100 ns for the link and 300 ns for the switch, and 400 Gb/s. (Swing paper, section 5)
constexpr PointToPoint swing_machine{.alpha = 4e-7, .beta = 2e-11, .gamma = 0};

Rank ranks_of(const std::vector<Rank>& shape) {
  return std::accumulate(shape.begin(), shape.end(), Rank{1}, std::multiplies<>());
}

/// The sizes to compute for, and those of the paper if there are none.
std::vector<double> sizes_of(const PresetRequest& asked) {
  return asked.bytes.empty() ? std::vector<double>{32, 2 * mib, 512 * mib} : asked.bytes;
}

std::string torus_text(const std::vector<Rank>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::string seconds_text(double seconds) {
  return time_text(seconds * 1e9);
}

Result<void> check_sides(std::string_view preset, const std::vector<Rank>& shape) {
  if (*std::min_element(shape.begin(), shape.end()) >= 2) return {};
  return usage_error(fmt::format("--preset {}: a side is at least 2", preset));
}

/// The table for people, and the times in it as numbers of ns.
class Table {
 public:
  Table(std::vector<std::string> heading, std::vector<std::string> columns)
      : rows_{std::move(heading)}, records_{std::move(columns), {}} {}

  void add(std::vector<std::string> cells, std::vector<Json> values) {
    rows_.push_back(std::move(cells));
    records_.rows.push_back(std::move(values));
  }

  PresetReport report(const std::string& title) && { return {title + "\n" + table_text(rows_, "  "), records_}; }

 private:
  Rows rows_;
  Records records_;
};

/// The measured deficiencies of a row; nothing if the row refuses the shape, or it is too large.
Result<std::optional<Deficiencies>> measured_deficiencies(const Row& row, const std::vector<Rank>& shape) {
  const Algorithm& algorithm = *find_algorithm(row.algorithm);
  if (ranks_of(shape) > most_ranks_measured || refusal(algorithm, request_for(row, shape))) return std::nullopt;
  const auto schedule = algorithm.make(request_for(row, shape));
  const auto network = TRY(network_for({.figure = "", .topology = "torus", .shape = shape}, {}));
  const auto measured = contention(*schedule, network, {});
  if (!measured) return tl::unexpected(failure_of(measured.error()));
  return measured->deficiencies;
}

/// Equation (1) of the Swing paper. Its n/D stands for the least data that a port sends; here that is `vectors` * n/D.
double equation_1(const Deficiencies& d, const std::vector<Rank>& shape, const PointToPoint& speeds, double bytes,
                  double vectors) {
  const double p = ranks_of(shape);
  return std::log2(p) * speeds.alpha * d.latency +
         vectors * bytes / static_cast<double>(shape.size()) * speeds.beta * d.bandwidth * d.congestion;
}

std::string deficiencies_text(const std::optional<Deficiencies>& d) {
  if (!d) return "-";
  return fmt::format("{}, {}, {}", number_text(d->latency), number_text(d->bandwidth), number_text(d->congestion));
}

/// In ns; null if there is none.
Json nanoseconds(const std::optional<double>& seconds) {
  return seconds ? Json(*seconds * 1e9) : Json();
}

std::string time_or_dash(const std::optional<double>& seconds) {
  return seconds ? seconds_text(*seconds) : "-";
}

/// The costs of bucket's equations (2) to (5) and of the lower bounds, for one collective.
struct BucketTimes {
  double both_ways, one_way, least_both_ways, least_one_way;
  double in_parts;  // both ways, with parts of a message added while further ones arrive
  double parts;
};

/// Messages that take `receiving` and `adding`, in the number of parts that takes least: all startups come once for
/// each part, and the shorter of the two lasts one part longer than the other. The paper has no formula for it.
std::pair<double, double> in_best_parts(double startups, double receiving, double adding, double most_parts) {
  const double longer = std::max(receiving, adding), shorter = std::min(receiving, adding);
  const auto time = [&](double parts) { return parts * startups + longer + shorter / parts; };
  const double ideal = shorter == 0 ? 1 : startups > 0 ? std::sqrt(shorter / startups) : most_parts;
  const double fewer = std::clamp(std::floor(ideal), 1.0, most_parts), more = std::min(fewer + 1, most_parts);
  return time(more) < time(fewer) ? std::pair{time(more), more} : std::pair{time(fewer), fewer};
}

BucketTimes bucket_times_of(Collective collective, const std::vector<Rank>& shape, const PointToPoint& speeds,
                            double bytes) {
  const bool is_allreduce = collective == Collective::allreduce, adds = collective != Collective::allgather;
  const double p = ranks_of(shape), dimensions = static_cast<double>(shape.size());
  const double halves = is_allreduce ? 2 : 1;
  const BucketBounds bandwidth = *jain_sabharwal(collective, shape);  // in n beta, both ways
  const double steps = std::accumulate(shape.begin(), shape.end(), 0.0) - dimensions;
  const double adding = adds ? (p - 1) / p * bytes * speeds.gamma : 0;
  const double byte = bytes * speeds.beta;
  const double startups = 2 * dimensions * steps * speeds.alpha, receiving = bandwidth.cost * byte / halves;
  const auto [reduced, parts] = in_best_parts(startups, receiving, adding, std::max(1.0, bytes));
  return {.both_ways = halves * startups + bandwidth.cost * byte + adding,
          .one_way = halves / 2 * startups + 2 * bandwidth.cost * byte + adding,
          .least_both_ways = bandwidth.lower * byte + adding,
          .least_one_way = 2 * bandwidth.lower * byte + adding,
          .in_parts = reduced + (halves - 1) * (startups + receiving),
          .parts = parts};
}

}  // namespace

bool MachineLetters::any() const {
  return alpha || beta || gamma;
}

PointToPoint MachineLetters::or_else(const PointToPoint& paper) const {
  const auto seconds = [](const std::optional<double>& given, double otherwise) {
    return given ? *given * 1e-9 : otherwise;
  };
  return {seconds(alpha, paper.alpha), seconds(beta, paper.beta), seconds(gamma, paper.gamma)};
}

std::string speeds_text(const PointToPoint& speeds) {
  return fmt::format("alpha = {}, beta = {} ns/B, gamma = {} ns/B", seconds_text(speeds.alpha),
                     number_text(speeds.beta * 1e9), number_text(speeds.gamma * 1e9));
}

Result<PresetReport> swing_times(const PresetRequest& asked) {
  const PointToPoint speeds = asked.machine.or_else(swing_machine);
  Table table({"torus", "vector", "algorithm", "(1) by table 2", "latency, bandwidth, congestion", "(1) as measured",
               "latency, bandwidth, congestion"},
              {"torus", "bytes", "algorithm", "by_table_2_ns", "measured_ns"});
  for (const auto& shape : asked.shapes_or({{8, 8}, {8, 8, 8}})) {
    TRY(check_sides("swing-eq1", shape));
    const double least = *least_vectors(Collective::allreduce, ranks_of(shape)) / 2;
    for (const Row& row : {Row{"swing", true}, Row{"swing-latency", true}, Row{"recursive-doubling", false},
                           Row{"rabenseifner", false}, Row{"bucket", true}, Row{"hamiltonian-ring", true}}) {
      const auto printed = swing_table_2(row.algorithm, shape, false);
      const auto measured = TRY(measured_deficiencies(row, shape));
      if (!printed && !measured) continue;
      for (const double bytes : sizes_of(asked)) {
        const auto time = [&](const std::optional<Deficiencies>& d, double vectors) {
          return d ? std::optional(equation_1(*d, shape, speeds, bytes, vectors)) : std::nullopt;
        };
        const auto by_table = time(printed, 1), ours = time(measured, least);
        table.add({torus_text(shape), bytes_text(bytes), std::string(row.algorithm), time_or_dash(by_table),
                   deficiencies_text(printed), time_or_dash(ours), deficiencies_text(measured)},
                  {torus_text(shape), bytes, row.algorithm, nanoseconds(by_table), nanoseconds(ours)});
      }
    }
  }
  return std::move(table).report("Swing paper, equation (1), for " + speeds_text(speeds));
}

Result<PresetReport> bucket_times(const PresetRequest& asked) {
  const PointToPoint speeds = asked.machine.or_else(swing_machine);
  Table table({"torus", "vector", "collective", "both ways, (2)", "least", "one way, (4)", "least",
               "(2), added in parts", "parts"},
              {"torus", "bytes", "collective", "both_ways_ns", "least_both_ways_ns", "one_way_ns", "least_one_way_ns",
               "in_parts_ns", "parts"});
  for (const auto& shape : asked.shapes_or({{8}, {8, 8}, {4, 16}, {4, 4, 4}})) {
    TRY(check_sides("jain-times", shape));
    for (const Collective collective : {Collective::reduce_scatter, Collective::allgather, Collective::allreduce})
      for (const double bytes : sizes_of(asked)) {
        const BucketTimes t = bucket_times_of(collective, shape, speeds, bytes);
        table.add({torus_text(shape), bytes_text(bytes), std::string(name(collective)), seconds_text(t.both_ways),
                   seconds_text(t.least_both_ways), seconds_text(t.one_way), seconds_text(t.least_one_way),
                   seconds_text(t.in_parts), fmt::format("{:.0f}", t.parts)},
                  {torus_text(shape), bytes, name(collective), nanoseconds(t.both_ways), nanoseconds(t.least_both_ways),
                   nanoseconds(t.one_way), nanoseconds(t.least_one_way), nanoseconds(t.in_parts), t.parts});
      }
  }
  return std::move(table).report(
      "Jain and Sabharwal, equations (2) and (4), which are (3) and (5) for equal sides, and (4) is (1) for one, for " +
      speeds_text(speeds));
}

Result<PresetReport> pat_buffers(const PresetRequest& asked) {
  Table table({"p", "rank's data", "blocks a message", "blocks held for others", "that is", "steps"},
              {"ranks", "bytes_per_rank", "aggregation", "blocks_staged", "bytes_staged", "steps"});
  const std::vector<double> sizes = asked.bytes.empty() ? std::vector<double>{64 * kib} : asked.bytes;
  for (const Rank p : asked.ranks.empty() ? std::vector<Rank>{16, 100} : asked.ranks) {
    if (p < 2) return usage_error("--preset pat-buffer: --p is at least 2");
    for (Block most = 1; most < p; most *= 2) {
      Request request = on_line(Collective::allgather, p);
      request.settings["aggregation"] = std::to_string(most);
      const auto steps = p > most_ranks_measured ? Json() : Json(find_algorithm("pat")->make(request)->steps());
      for (const double bytes : sizes) {
        const std::int64_t staged = pat_staging(p, most);
        table.add({std::to_string(p), bytes_text(bytes), std::to_string(most), std::to_string(staged),
                   bytes_text(static_cast<double>(staged) * bytes), steps.is_null() ? "-" : steps.leaf_text()},
                  {p, bytes, most, staged, static_cast<double>(staged) * bytes, steps});
      }
    }
  }
  return std::move(table).report(
      "PAT: what a rank holds for others at most, A (ceil(log2 p) - log2 A) - 1 blocks, by A");
}

}  // namespace onceover::papers
