// FoldedMessages: the transfers of a schedule as bytes for the page's player. Ranks that do alike in a step are one
// row.
//
// Two transfers are alike if their receivers are equally far from their senders, and so are their blocks. On a torus
// "far" is a difference of coordinates, around its sides. Block b has the coordinates of rank b mod p, and whichever
// lane or copy b / p is; blocks of an alltoall, s p + d, have those of both ranks.
//
// Example: at step 0 of a ring of 4, each rank r sends block r to rank r+1. That is one row: the senders 0, 1, 2, 3,
// the distance 1, and the blocks {0} before they are moved by r. A ring of 4096 has 33 million transfers and 8190 rows.
//
// Bytes (viz/byte_stream.h):
//
//   stream  = sets, kinds, steps: each the count, then so many
//   set     = whose ranks' coordinates its blocks are relative to (0: none, 1: the last, 2: both), its runs, landings
//   landing = signed distance from blocks to where they land, runs; no landings: blocks land where they were
//   runs    = count, then of each the blocks left out before it and its length less 1
//   kind    = rows, of each: distance, 2 lane + (1 if it copies), blocks of a message, senders
//   senders = runs of count, then of each the signed distance from the end of the last, stride and count
//   step    = its kind, then the set of each row
//
// A distance of 0 is a transfer that stays on its rank.
#pragma once

#include <string>

#include "schedules/schedule.h"
#include "viz/drawn.h"

namespace onceover::viz {

/// What a page may hold of a schedule's transfers, and how much work it may be to fold them, in blocks.
inline constexpr std::size_t most_folded_bytes = std::size_t{16} << 20;
inline constexpr std::uint64_t most_folded_work = std::uint64_t{1} << 30;

/// The bytes. Refuses what is larger, and transfers of ranks or blocks that don't exist. O(transfers), if these are
/// stored as patterns; else O(their blocks).
Drawn<std::string> folded_messages(const Schedule& schedule);

}  // namespace onceover::viz
