// Comparison: several algorithms timed on one network, over sizes of the vector.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "network/cost.h"

namespace onceover::subjects {

/// The times of one schedule, in ns, one for each size.
struct TimedVersion {
  std::string name;
  std::vector<double> times;
};

/// A competitor: an algorithm, or several versions of one, of which the fastest counts at each size.
struct Contender {
  std::string name;
  std::vector<TimedVersion> versions;

  const TimedVersion& fastest(std::size_t size) const;
  double time(std::size_t size) const { return fastest(size).times[size]; }
};

struct Comparison {
  std::vector<double> sizes;  // bytes, ascending
  std::vector<Contender> contenders;

  std::size_t winner(std::size_t size) const;

  /// The fastest of the other contenders.
  std::size_t best_other(std::size_t contender, std::size_t size) const;

  /// How much more goodput the contender has than the best of the others: 1 is twice as much, -0.5 half as much.
  double gain(std::size_t contender, std::size_t size) const;
};

/// Vector / time, in Gb/s.
double goodput(double bytes, double ns);

/// Parses sizes as users write them: 32, 2Ki, 512Mi, lists a,b,c, and ranges a..b in steps of factor 4, as in the
/// papers. They are of the vector, or of one rank's data; errors name --bytes or --bytes-per-rank.
Result<std::vector<double>> parse_sizes(const std::string& text);
Result<std::vector<double>> parse_sizes_per_rank(const std::string& text);

/// How many ranks' data make up the vector. In an allreduce, reduce, broadcast and reduce-scatter each rank has a whole
/// vector: 1. In an allgather, gather, scatter and alltoall a rank brings (in a scatter, gets) a p-th of it: p.
Rank ranks_per_vector(Collective collective, Rank ranks);

enum class Mode { synchronous, asynchronous };

std::string_view name(Mode mode);

/// Parses "synchronous" or "asynchronous".
Result<Mode> parse_mode(const std::string& text);

/// How the times are computed.
struct Timing {
  Mode mode = Mode::synchronous;
  FlowOptions flows;
  RankSpeeds ranks;
};

/// The times of the schedule, one for each size.
Result<std::vector<double>> times_of(const Schedule& schedule, const Network& network, const Timing& timing,
                                     const std::vector<double>& sizes);

/// Runs of sizes with the same answer: "swing from 32 B to 32 MiB, bucket from 128 MiB".
std::string stretches_text(const std::vector<double>& sizes, const std::vector<std::string>& answers);

}  // namespace onceover::subjects
