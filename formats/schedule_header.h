// The header of a schedule file: sizes that are needed before the steps, and a check of the whole header at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schedules/schedule.h"

namespace onceover::formats {

/// The sizes that other numbers refer to, wherever they are in the file.
struct DeclaredSizes {
  std::optional<std::int64_t> ranks;
  std::optional<std::int64_t> blocks;
  std::optional<std::int64_t> version;
  std::optional<std::int64_t> scratch;

  bool are_known() const { return ranks && blocks && version && (version == 1 || scratch); }
};

/// Reads until it has all of them; version 1 has no scratch. It skips what it doesn't understand; the reader reports
/// the errors. O(text).
DeclaredSizes declared_sizes(std::string_view text);

/// The place of each key of the header.
using KeyPlaces = std::map<std::string, std::size_t, std::less<>>;

/// Parts of a header that don't fit each other, at an offset in the text.
struct HeaderFault {
  std::size_t at;
  std::string why;
};

/// Do owners, shape, root, blocks and names fit the ranks, the collective and the number of steps? Parts without a
/// place weren't given.
std::optional<HeaderFault> header_fault(const Header& header, int steps, const KeyPlaces& places);

}  // namespace onceover::formats
