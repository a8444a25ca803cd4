// The papers' own formulas for cost, to compare with measurements.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "network/contention.h"

namespace onceover::papers {

/// The deficiencies in table 2 of the Swing paper (sections 2.3 and 4.1), for an algorithm of the catalogue on a torus
/// with equal sides; nothing if the table has no such row. With `exact_limit`, Swing's congestion is the limit of the
/// sum that the paper prints cut to two or three digits: 6/5, 28/27, 120/119 for D = 2, 3, 4.
std::optional<Deficiencies> swing_table_2(std::string_view algorithm, const std::vector<Rank>& shape, bool exact_limit);

/// The limit of Swing's congestion deficiency on a D-dimensional torus for p towards infinity, D >= 2: the sum over s
/// of delta(s) 2^(-Ds) (1 - 2^(-D)). (Swing paper, section 4.1, with the factor 2 that it lacks)
double swing_congestion_limit(int dimensions);

/// Equation (3) of the Swing paper, for the steps of a rectangular torus in which only the longest dimension takes
/// part: log2(dmax/dmin) / (6 dmin^(D-1)).
double swing_equation_3(const std::vector<Rank>& shape);

/// The same from a measurement: the time of the links in the steps after the first D log2(dmin) of each half, in n/D
/// beta.
double swing_second_phase(const Contention& measured, const std::vector<Rank>& shape, Block blocks);

/// Bandwidth terms of a torus in vectors over a link's bandwidth. (Jain and Sabharwal, figure 2, bidirectional model)
struct BucketBounds {
  double lower;  // no algorithm can beat it
  double cost;   // equation (2) for the bucket algorithm on all ports; an upper bound
};
std::optional<BucketBounds> jain_sabharwal(Collective collective, const std::vector<Rank>& shape);

/// The generalized allreduce of Kolmakov and Zhang with r of L = ceil(log2 P) steps removed. (equations (25), (36),
/// (44))
struct FoldingCost {
  int steps;
  double sent;     // blocks of m/P, by each process
  double reduced;  // blocks
};
FoldingCost kolmakov_zhang(Rank processes, int removed_steps);

/// What the paper compares with (section 3, equation (15)): the ring; recursive doubling and recursive halving, which
/// elsewhere than for powers of two first fold the other processes' vectors away, and send them the result at the end.
FoldingCost ring_cost(Rank processes);
FoldingCost recursive_doubling_cost(Rank processes);
FoldingCost recursive_halving_cost(Rank processes);

/// alpha: seconds a step; beta and gamma: seconds a byte.
struct PointToPoint {
  double alpha;
  double beta;
  double gamma;
};

/// Kolmakov and Zhang's cluster. (their table 2)
inline constexpr PointToPoint kolmakov_cluster{.alpha = 3e-5, .beta = 1e-8, .gamma = 2e-10};

double time_of(const FoldingCost& cost, Rank processes, const PointToPoint& speeds, double bytes);

/// Equation (37), rounded and kept between 0 and L. For two processes it grows without limit: L.
int kolmakov_zhang_best(Rank processes, const PointToPoint& speeds, double bytes);

/// What PAT's trees hold for others at most, with messages of A = `aggregation` blocks, a power of two below p: A (L -
/// log2 A) - 1 blocks for L = ceil(log2 p). (PAT, section 3; proofs/coq/Staging.v)
std::int64_t pat_staging(Rank ranks, Block aggregation);

}  // namespace onceover::papers
