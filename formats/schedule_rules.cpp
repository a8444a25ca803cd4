#include "formats/schedule_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_source.h"
#include "base/rows.h"

namespace onceover::formats {

namespace {

constexpr std::size_t most_sides = 16;

/// Why these can't be the sides of so many ranks, where they are called "sides" or "axes"; empty if they can.
std::string sides_fault(const std::vector<Rank>& sides, Rank ranks, std::string_view nouns) {
  if (sides.size() > most_sides) return fmt::format("expected at most {} {}", most_sides, nouns);
  std::int64_t product = 1;
  for (const Rank side : sides) product = std::min<std::int64_t>(product * side, INT32_MAX);
  return product == ranks ? "" : fmt::format("the {} multiply to {}, but there are {} ranks", nouns, product, ranks);
}

/// The same of a grid, whose axes have different names.
std::string grid_fault(const std::vector<Names::Axis>& grid, Rank ranks) {
  if (auto why = sides_fault(mapped(grid, &Names::Axis::size), ranks, "axes"); !why.empty()) return why;
  for (auto axis = grid.begin(); axis != grid.end(); ++axis)
    if (std::any_of(grid.begin(), axis, [&](const Names::Axis& other) { return other.name == axis->name; }))
      return fmt::format("two axes are called \"{}\"", axis->name);
  return "";
}

}  // namespace

std::vector<ListedSchedule::Builder::LandedRun> landed_runs(std::span<const Run> sent, std::span<const Run> into) {
  std::vector<ListedSchedule::Builder::LandedRun> runs;
  auto from = sent.begin();
  Block begun = 0;  // blocks of *from that have landed
  for (const Run to : into)
    for (Block first = to.first; first <= to.last;) {
      const Block count = std::min(to.last - first + 1, from->size() - begun);
      runs.push_back({{from->first + begun, from->first + begun + count - 1}, first});
      first += count;
      begun += count;
      if (begun == from->size()) ++from, begun = 0;
    }
  return runs;
}

DeclaredSizes declared_sizes(std::string_view text) {
  DeclaredSizes sizes;
  const std::pair<std::string_view, std::optional<std::int64_t>*> known[] = {
      {"ranks", &sizes.ranks}, {"blocks", &sizes.blocks}, {"version", &sizes.version}, {"scratch", &sizes.scratch}};
  JsonScan scan(text);
  if (!scan.take('{')) return sizes;
  do {
    const auto key = scan.string();
    const auto* row = std::find_if(std::begin(known), std::end(known), [&](const auto& k) { return k.first == key; });
    if (!scan.take(':')) break;
    const auto size = row == std::end(known) ? std::nullopt : scan.whole(0, max_blocks);
    if (size) *row->second = *size;
    if (!size && !scan.skip()) break;
  } while (!sizes.are_known() && scan.take(','));
  return sizes;
}

std::optional<HeaderFault> header_fault(const Header& header, int steps, const KeyPlaces& places) {
  auto fault = [&](std::string_view key, std::string why) {
    return HeaderFault{places.find(key)->second, std::move(why)};
  };
  if (places.contains("owners") && std::ssize(header.owners) != header.blocks)
    return fault("owners",
                 fmt::format("expected {} owners, one a block, found {}", header.blocks, header.owners.size()));
  if (places.contains("shape"))
    if (auto why = sides_fault(header.shape, header.ranks, "sides"); !why.empty())
      return fault("shape", std::move(why));
  if (places.contains("grid"))
    if (auto why = grid_fault(header.names.grid, header.ranks); !why.empty()) return fault("grid", std::move(why));
  if (const int begun = next_phase(header.names); begun > steps)
    return fault("phases", fmt::format("the last phase begins at step {}, but there {}", begun - 1,
                                       steps == 1 ? "is 1 step" : fmt::format("are {} steps", steps)));
  if (places.contains("root") && !is_rooted(header.collective))
    return fault("root", fmt::format("{} has no root", schedules::name(header.collective)));
  if (header.collective == Collective::alltoall) {
    const std::int64_t pairs = std::int64_t{header.ranks} * header.ranks;
    if (header.blocks % pairs != 0)
      return fault("blocks", fmt::format("alltoall of {} ranks has a multiple of {} blocks, found {}", header.ranks,
                                         pairs, header.blocks));
    if (places.contains("owners")) return fault("owners", "in an alltoall block s*ranks + d is rank d's");
  }
  return std::nullopt;
}

}  // namespace onceover::formats
