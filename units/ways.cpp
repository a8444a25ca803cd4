#include "units/ways.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::units {

namespace {

/// Does something that lands in the block come with this message?
bool lands_in(const Transfer& transfer, Block block) {
  bool does = false;
  transfer.for_each_landing(
      [&](const BlockSet& blocks, Block shift) { does = does || blocks.contains(block - shift); });
  return does;
}

}  // namespace

Ways::Ways(const Schedule& schedule, std::string_view text)
    : schedule_(schedule), steps_(step_places(text)), line_begins_{0} {
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] == '\n') line_begins_.push_back(k + 1);
}

Flow Ways::flow_of(const Counterexample::Path& path, std::optional<Block> block, std::size_t alike) const {
  Flow flow;
  if (path.size() > most_moves) return flow;
  const Names& names = schedule_.header().names;
  for (const Counterexample::Leg& leg : path) {
    const auto offset = offset_of(leg, leg.into ? leg.into : block, alike);
    if (!offset) return {};
    const auto [line, column] = place_at(*offset);
    flow.push_back(
        {line, column,
         fmt::format("step {}: rank {} -> {}", names.step(leg.step), names.rank(leg.src), names.rank(leg.dst))});
  }
  return flow;
}

/// Of several messages between the two ranks, one in which the block comes; if it comes in several, that after `alike`.
std::optional<std::size_t> Ways::offset_of(const Counterexample::Leg& leg, std::optional<Block> block,
                                           std::size_t alike) const {
  const auto step = static_cast<std::size_t>(leg.step);
  if (leg.step < 0 || step >= steps_.size()) return std::nullopt;
  std::vector<Transfer> transfers;
  schedule_.transfers(leg.step, transfers);
  const auto& places = steps_[step].transfers;
  if (transfers.size() != places.size()) return std::nullopt;
  std::vector<std::size_t> found;
  std::optional<std::size_t> any;
  for (std::size_t k = 0; k < transfers.size(); ++k) {
    const Transfer& t = transfers[k];
    if (t.src != leg.src || t.dst != leg.dst) continue;
    if (!any) any = places[k].begin;
    if (block && lands_in(t, *block)) found.push_back(places[k].begin);
  }
  return found.empty() ? any : found[std::min(alike, found.size() - 1)];
}

std::pair<std::size_t, std::size_t> Ways::place_at(std::size_t offset) const {
  const auto after = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  return {static_cast<std::size_t>(after - line_begins_.begin()), offset - *(after - 1) + 1};
}

}  // namespace onceover::units
