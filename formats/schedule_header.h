// What a schedule file says above its steps, or behind them: sizes that are needed before, and checked in the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schedules/schedule.h"

namespace onceover::formats {

/// The sizes that other numbers refer to, wherever they stand in the file.
struct DeclaredSizes {
  std::optional<std::int64_t> ranks;
  std::optional<std::int64_t> blocks;
};

/// Reads on until it has both. Errors are left to the reader proper: what it doesn't understand isn't there. O(text).
DeclaredSizes declared_sizes(std::string_view text);

/// Where each key of the header stands.
using KeyPlaces = std::map<std::string, std::size_t, std::less<>>;

/// A header whose parts don't fit each other, at an offset into the text.
struct HeaderFault {
  std::size_t at;
  std::string why;
};

/// Do owners, shape, root and blocks fit the ranks and the collective? Those without a place weren't given.
std::optional<HeaderFault> header_fault(const Header& header, const KeyPlaces& places);

}  // namespace onceover::formats
