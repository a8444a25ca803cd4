// The rows of the catalogue, each defined in the file of its family.
#pragma once

#include "schedules/catalogue.h"

namespace onceover {

extern const Algorithm ring_algorithm;
extern const Algorithm swing_algorithm;
extern const Algorithm swing_latency_algorithm;

/// A schedule on a line of ranks, one block per rank and lane, from a builder that holds a reduce-scatter:
/// made into the collective asked for (reduce-scatter, allgather or allreduce).
SchedulePtr from_reduce_scatter(const Algorithm& row, const Request& request, PatternedSchedule::Builder&& builder);

/// The collectives that `from_reduce_scatter` makes.
std::span<const Collective> reduce_scatter_family();

/// Refuses more ranks than `most`, naming the row: its steps or offsets would not fit in memory.
std::optional<std::string> refuse_above(const Algorithm& row, const Request& request, Rank most);

}  // namespace onceover
