// What a schedule file may say: its keys and limits, the sizes that its reader needs before the steps, and what must
// fit what.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_text.h"
#include "schedules/listed_schedule.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// The keys of the whole file, and those that it must have. Editors find the schema by `$schema`; readers ignore it.
inline constexpr std::array<std::string_view, 14> document_keys{
    "format", "version", "collective", "ranks", "blocks", "scratch", "owners",
    "root",   "shape",   "algorithm",  "grid",  "phases", "steps",   "$schema"};
inline constexpr std::array<std::string_view, 6> required_keys{"format", "version", "collective",
                                                               "ranks",  "blocks",  "steps"};

/// The keys of a transfer, and those that it must have.
inline constexpr std::array<std::string_view, 6> transfer_keys{"src", "dst", "blocks", "into", "op", "lane"};
inline constexpr std::array<std::string_view, 4> required_transfer_keys{"src", "dst", "blocks", "op"};

constexpr bool needs_version_2(std::string_view key) {
  return key == "scratch" || key == "into";
}

constexpr std::string_view format_name = "onceover-schedule";
constexpr int newest_version = 2;
constexpr std::size_t longest_name = 256;
constexpr std::size_t longest_axis_name = 64;
constexpr int last_step = 1 << 30;

/// How many blocks a file may have, scratch included. With scratch, each needs memory before anything is judged, so
/// there are fewer.
constexpr std::int64_t most_blocks(bool has_scratch) {
  return has_scratch ? std::int64_t{1} << 21 : std::int64_t{max_blocks};
}

/// How many blocks may land elsewhere in all transfers, and how many cells (see Trace) one group of blocks may have.
constexpr std::uint64_t most_landings = std::uint64_t{1} << 26;
constexpr std::int64_t most_cells = std::int64_t{1} << 27;

/// Of an algorithm or a phase, or the address of a schema.
inline bool is_name(std::string_view text) {
  return text.size() <= longest_name && is_plain(text);
}

inline bool is_axis_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_axis_name && is_plain(text);
}

/// The first step of the next phase is at least this, and at most `last_step`.
inline int next_phase(const Names& names) {
  return names.phases.empty() ? 0 : names.phases.back().first + 1;
}

inline bool has_too_many_cells(const Schedule& schedule) {
  return std::int64_t{schedule.most_slots()} * schedule.header().ranks > most_cells;
}

/// How many blocks the runs list; some may be listed twice.
inline std::uint64_t blocks_in(std::span<const Run> runs) {
  std::uint64_t blocks = 0;
  for (const Run run : runs) blocks += static_cast<std::uint64_t>(run.size());
  return blocks;
}

/// The blocks of `sent` land in those of `into`, one by one; there must be as many.
std::vector<ListedSchedule::Builder::LandedRun> landed_runs(std::span<const Run> sent, std::span<const Run> into);

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
