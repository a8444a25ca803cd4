// What the rows of texts that are wrong as printed share.
//
// Such a row equals a right row of the catalogue except for the one thing that the text says differently: which blocks
// go when, to whom, or for which p. Its domain is where the text fails or sends in vain. Elsewhere it is refused,
// because a pass there would say nothing about the text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "schedules/catalogue.h"

namespace onceover::schedules {

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
