// Searches for claims of the Swing paper that limits and formulas cannot express.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "network/link_loads.h"
#include "papers/evidence.h"
#include "schedules/types.h"

namespace onceover::papers {

/// Messages on the hottest link at each step of an algorithm's reduce-scatter on a ring of 16.
Evidence messages_on_links(std::string_view row, const std::vector<std::string>& settings,
                           const std::vector<std::uint64_t>& expected);

/// Does a schedule with fewer steps than log2 p exist? Three ranks, each of which sends all to both others.
ClaimFinding fewer_steps_than_log2();

/// The last rank's messages at each step of the reduce-scatter for 7 ranks.
ClaimFinding figure_4();

/// On 2x4 with all lanes, step 2 moves everything along the rows.
ClaimFinding figure_6();

/// Congestion grows from one torus to the next larger one.
ClaimFinding congestion_grows();

/// Congestion on a HammingMesh lies between that on another network, or none, and `torus_times` that on a torus with as
/// many ranks.
ClaimFinding is_less_congested_on(std::string_view hammingmesh, std::string_view better, const std::vector<Rank>& sides,
                                  const Rational& torus_times = 1);

/// Each rank's data reaches each rank at most twice. Of two ways one uses the last step, and unless p = 2^a there are
/// ranks with two ways.
ClaimFinding at_most_twice_once_in_the_last_step();

/// Swing's rule on odd p, from 5 on: at every step two ranks send to the same one, some ranks send to their own parity,
/// and the data of some ranks doesn't reach all.
ClaimFinding odd_ranks_collide();

/// Equation (3) against the time of the links in the steps in which only the longest dimension takes part.
ClaimFinding equation_3(double factor);

/// The paper's construction gives two edge-disjoint Hamiltonian cycles of an r x c torus, c >= 3, if and only if c
/// divides r and gcd(r, c-1) = 1.
ClaimFinding cycles_need_the_condition();

/// 3x4 has two such cycles, though 4 does not divide 3.
ClaimFinding cycles_beyond_the_condition();

/// No schedule of the catalogue takes fewer steps than log_(k+1) p, where a rank receives k messages in a step.
ClaimFinding fewer_steps_than_ports_allow();

/// Each message of a rank at a step goes along a dimension and in a direction of its own.
ClaimFinding ports_of_their_own();

/// The number of ranks not reached before the last step, compared with `said` about p and p', the power of two below p.
ClaimFinding remaining(const std::function<Rank(Rank p, Rank power)>& said);

/// A rectangle's deficiencies against those of the square and of the ring with as many ranks.
ClaimFinding between_ring_and_square();

/// Recursive doubling on all ports, mirrored as Swing is, has a higher congestion deficiency if it halves the data;
/// with whole vectors the same on sides of 8, and a higher one on larger sides.
ClaimFinding mirrored_more_congested();

}  // namespace onceover::papers
