// Numbers of ranks as users write them: 7, 2..64, 3,5,7, 8..64:8, 2^1..2^14.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schedules/types.h"

namespace onceover::subjects {

/// Parses a list of numbers and ranges, separated by commas. A number may be a power, b^e. A range between two powers
/// of the same base holds the powers between them; one between powers of different bases is refused. a..b:s holds every
/// s-th number from a on. The result is sorted and has each number once.
Result<std::vector<Rank>> parse_rank_list(std::string_view text);

/// The shortest such list for sorted numbers, with a space after each comma: "2..5, 8".
std::string rank_list_text(const std::vector<Rank>& sorted);

}  // namespace onceover::subjects
