// The rows of the catalogue, each defined in the file of its family, and functions that their makers share.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "schedules/catalogue.h"
#include "schedules/factor.h"
#include "schedules/numbers.h"
#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

extern const Algorithm bine_algorithm;
extern const Algorithm binomial_tree_algorithm;
extern const Algorithm bruck_algorithm;
extern const Algorithm bruck_as_printed_algorithm;
extern const Algorithm bucket_algorithm;
extern const Algorithm bucket_as_printed_algorithm;
extern const Algorithm chain_algorithm;
extern const Algorithm circulant_algorithm;
extern const Algorithm generalized_algorithm;
extern const Algorithm generalized_as_printed_algorithm;
extern const Algorithm hamiltonian_ring_algorithm;
extern const Algorithm hierarchical_algorithm;
extern const Algorithm mirrored_recursive_doubling_algorithm;
extern const Algorithm pairwise_algorithm;
extern const Algorithm pat_algorithm;
extern const Algorithm rabenseifner_algorithm;
extern const Algorithm recursive_doubling_algorithm;
extern const Algorithm recursive_halving_doubling_algorithm;
extern const Algorithm ring_algorithm;
extern const Algorithm spread_out_algorithm;
extern const Algorithm swing_algorithm;
extern const Algorithm swing_delta_algorithm;
extern const Algorithm swing_figure_3_algorithm;
extern const Algorithm swing_final_step_algorithm;
extern const Algorithm swing_keep_first_algorithm;
extern const Algorithm swing_latency_algorithm;
extern const Algorithm swing_latency_unfolded_algorithm;
extern const Algorithm swing_odd_blocks_algorithm;
inline constexpr std::array algorithm_rows{
    &bine_algorithm,
    &binomial_tree_algorithm,
    &bruck_algorithm,
    &bruck_as_printed_algorithm,
    &bucket_algorithm,
    &bucket_as_printed_algorithm,
    &chain_algorithm,
    &circulant_algorithm,
    &generalized_algorithm,
    &generalized_as_printed_algorithm,
    &hamiltonian_ring_algorithm,
    &hierarchical_algorithm,
    &mirrored_recursive_doubling_algorithm,
    &pairwise_algorithm,
    &pat_algorithm,
    &rabenseifner_algorithm,
    &recursive_doubling_algorithm,
    &recursive_halving_doubling_algorithm,
    &ring_algorithm,
    &spread_out_algorithm,
    &swing_algorithm,
    &swing_delta_algorithm,
    &swing_figure_3_algorithm,
    &swing_final_step_algorithm,
    &swing_keep_first_algorithm,
    &swing_latency_algorithm,
    &swing_latency_unfolded_algorithm,
    &swing_odd_blocks_algorithm,
};

/// What a collective cannot do with less: every block comes to each rank, or leaves it, once.
inline constexpr std::array least_volumes{Volume{Collective::allreduce, "2 * (p-1) * size / p"},
                                          Volume{Collective::reduce_scatter, "(p-1) * size / p"},
                                          Volume{Collective::allgather, "(p-1) * size / p"}};

/// Makes the collective that is asked for (reduce-scatter, allgather or allreduce) from a builder that holds a
/// reduce-scatter with one block for each rank and lane.
SchedulePtr from_reduce_scatter(const Algorithm& row, const Request& request, int lanes,
                                PatternedSchedule::Builder&& builder);

/// The same, where lanes have seats of their own: block b of a lane belongs to the rank in its seat b. One entry a
/// lane; null: rank b.
using LaneLabels = std::vector<std::shared_ptr<const std::vector<Rank>>>;
SchedulePtr from_seated_reduce_scatter(const Algorithm& row, const Request& request, const LaneLabels& lanes,
                                       PatternedSchedule::Builder&& builder);

/// The header of a schedule that the row makes for the request, with `blocks` blocks in all lanes together.
Header header_of(const Algorithm& row, const Request& request, int lanes, Block blocks);

/// Makes a schedule with `blocks` blocks in all lanes together, from a builder that holds the whole collective. A
/// rooted one has root 0 in the builder; for another root all ranks move along with it. 4 bytes a rank then. `scratch`
/// is a multiple of `blocks`: 0, or as many for each copy of the blocks that patterns name.
SchedulePtr with_blocks(const Algorithm& row, const Request& request, int lanes, Block blocks,
                        PatternedSchedule::Builder&& builder, Block scratch = 0);

/// The collectives that `from_reduce_scatter` makes, and two of them alone.
inline constexpr std::array reduce_scatter_family{Collective::allreduce, Collective::reduce_scatter,
                                                  Collective::allgather};
inline constexpr std::array only_allreduce{Collective::allreduce};
inline constexpr std::array only_allgather{Collective::allgather};

/// A parameter of allreduces made of two halves: the last step of the reduce-scatter and the first one of the allgather
/// become one, if both are the same exchange. `from_reduce_scatter` heeds it.
inline constexpr std::array<std::string_view, 2> merge_choices{"no", "yes"};
inline constexpr Parameter merge_parameter{.name = "merge",
                                           .summary = "one exchange for the two steps in the middle of an allreduce",
                                           .preset = "no",
                                           .choices = merge_choices};

/// Does the row have that parameter, and does the request set it?
bool merges(const Algorithm& row, const Request& request);

/// Why merge=yes is refused: the collective is no allreduce, or `why_not` says what there is in place of exchanges.
std::optional<std::string> refuse_merging(const Algorithm& row, const Request& request, std::string_view why_not);

/// Makes an allreduce of a builder that holds its reduce-scatter.
void append_allgather(const Algorithm& row, const Request& request, PatternedSchedule::Builder& builder);

/// How many lanes the request asks for: 1, or one for each of the torus' 2D ports.
int lane_count(const Request& request);

/// The value of a parameter: the request's, or the row's preset.
std::string_view setting(const Algorithm& row, const Request& request, std::string_view name);
std::int64_t number_setting(const Algorithm& row, const Request& request, std::string_view name);

/// Refuses more than `most` ranks, for which the row's steps or offsets would not fit in memory.
std::optional<std::string> refuse_above(const Algorithm& row, const Request& request, Rank most);

// Scatter, gather and alltoall, in which each block walks around the ring from one rank to another.

/// The most ranks of an alltoall: a step may move all of its p^2 blocks.
inline constexpr Rank most_alltoall_ranks = 1 << 11;

/// How many of the `distance` ranks to its right a block has walked before a step: none before the first step, all of
/// them after the last.
using Walked = std::function<Rank(int step, Rank distance)>;

/// The alltoall or scatter in which blocks walk so, or the gather in which they walk back. What a rank sends to another
/// in one step is one message. O(m log m) time for each step that moves m blocks; 8 bytes for each of them, or less.
SchedulePtr walking(const Algorithm& row, const Request& request, int steps, const Walked& walked);

/// Digits of the distance in base `radix`, the lowest first (near ranks) or the highest (far ranks).
Walked by_lowest_digits(Rank radix);
Walked by_highest_digits(Rank radix, int digits);

/// The most ranks of a scatter or gather down a tree.
inline constexpr Rank most_carried_ranks = 1 << 16;

/// The scatter down the trees of a broadcast of one block for each lane, in which each rank but the root receives each
/// block once; or the gather, its time reversal. A rank is sent, with what the broadcast sends it, the blocks of itself
/// and of all ranks below it. Memory: O(blocks * depth).
SchedulePtr down_the_tree(const Algorithm& row, const Request& request, const Schedule& broadcast);

// Whole vectors in ceil(log2 p) steps, though p is no power of two.

/// Why p ranks cannot all be served in L = ceil(log2 p) steps, in each of which a rank sends one message and receives
/// one: for some t >= 1, p > 2^L - 2^(L-t), and 2^t does not divide p. Nothing if they can. (docs/optimal.md)
std::optional<std::string> refuse_spreading(Rank p);

/// The allreduce of one block in ceil(log2 p) steps. Only where `refuse_spreading` says nothing.
/// O(p log p) time; a pattern for each run of ranks that send as far, p/2 of them at most in a step.
PatternedSchedule::Builder spreading_allreduce(Rank p);

// Rows of texts that are wrong as printed. Such a row equals a right row of the catalogue except for the one thing that
// the text says differently: which blocks go when, to whom, or for which p. Its domain is where the text fails or sends
// in vain. Elsewhere it is refused, because a pass there would say nothing about the text.

/// The texts go wrong long before. Some rows are made from paths, which take p^2 * log2 p bits (peer_paths.h).
inline constexpr Rank most_ranks_as_printed = 1024;

/// The collectives that show the errors. As allgathers some of the texts only send too much.
inline constexpr std::array with_reductions{Collective::allreduce, Collective::reduce_scatter};
inline constexpr std::array only_reduce_scatter{Collective::reduce_scatter};

/// Refuses a request that isn't inside the domain of a text, and too many ranks. The row's domain is named, or that of
/// the reading that the request's settings choose.
std::optional<std::string> refuse_unless(const Algorithm& row, bool is_inside, const Request& request,
                                         std::string_view domain = {});

}  // namespace onceover::schedules
