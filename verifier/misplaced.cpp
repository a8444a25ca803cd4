// Results that are whole, but in the wrong place: of another block, or on another rank than the owner.
//
// A schedule that permutes its result loses nothing: it delivers every block whole, to another place. "It never leaves
// rank 3" is true of the block that is missing there, and helps nobody. So after a failure every block is replayed once
// more, and each cell (see Trace) that ends with a whole block is noted.
//
// Example: in a reduce-scatter of 4 ranks, each rank r ends with block r+1. Rank 0 lacks block 0 and has the whole of
// block 1; with the owners 3, 0, 1, 2 the schedule passes. In an allgather that stores what rank 2 sends as block 1,
// and what rank 1 sends as block 2, the two blocks are exchanged on every rank.
//
// Owners are looked for where they are the caller's choice: a reduction may end anywhere, so a block's owner is a rank
// that ends with all of it; a block that is gathered belongs to the rank that first sends it. Whether the schedule
// passes with these is then judged.
//
// O(moves + cells) each, up to a few million.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rows.h"
#include "verifier/counterexample.h"
#include "verifier/execution.h"
#include "verifier/replay.h"
#include "verifier/result_check.h"

namespace onceover::verifier {

namespace {

constexpr std::uint64_t most_replayed = 4'000'000;  // moves and cells

bool is_soon_replayed(const Schedule& schedule) {
  const Header& h = schedule.header();
  const auto slots = static_cast<std::uint64_t>(schedule.most_slots());
  const std::uint64_t cells = static_cast<std::uint64_t>(h.ranks) * static_cast<std::uint64_t>(h.blocks) * slots;
  return schedule.block_transfers() <= most_replayed / slots && cells <= most_replayed;
}

/// The cell in which a whole block ends: the block whose place it is, and the rank.
struct Spot {
  Block in;
  Rank rank;
  friend auto operator<=>(const Spot&, const Spot&) = default;
};

/// The places at which whole blocks end.
class WholeBlocks {
 public:
  explicit WholeBlocks(const Schedule& schedule)
      : header_(schedule.header()), execution_(header_), replay_(header_, Foreign::apart), walk_(header_.ranks) {
    schedule.traces({0, header_.blocks}, [&](Block block, const Trace& trace) {
      if (!execution_.run(block, trace)) note(block, trace);
    });
  }

  /// The block that is there as a whole, if there is one.
  std::optional<Block> at(Spot place) const {
    const auto found = held_.find(place);
    return found == held_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::map<Spot, Block>& all() const { return held_; }

 private:
  void note(Block block, const Trace& trace) {
    replay_.run(block, trace);
    for (Rank cell = 0; cell < replay_.cells(); ++cell)
      if (replay_.block_of(cell) < header_.blocks && is_whole(replay_.value(cell), block))
        held_[{replay_.block_of(cell), replay_.rank_of(cell)}] = block;
  }

  bool is_whole(Term term, Block block) {
    if (term == Term::nothing) return false;
    const Holders begins = contract(header_.collective).begins;
    if (begins != Holders::everyone) return term == replay_.terms().leaf(header_.holder(begins, block));
    return walk_.has_each_once(replay_.terms(), term, header_.ranks);
  }

  const Header& header_;
  Execution execution_;
  Replay replay_;
  LeafWalk walk_;
  std::map<Spot, Block> held_;
};

/// "blocks 1 and 2 change places", or what else a permutation of the blocks does.
std::string permutation_text(const std::vector<Block>& held) {
  const auto blocks = static_cast<Block>(held.size());
  const Block shift = (held[0] + blocks) % blocks;
  bool is_shift = true;
  std::vector<Block> moved;
  for (Block b = 0; b < blocks; ++b) {
    is_shift = is_shift && held[static_cast<std::size_t>(b)] == (b + shift) % blocks;
    if (held[static_cast<std::size_t>(b)] != b) moved.push_back(b);
  }
  if (moved.size() == 2) return fmt::format("blocks {} and {} are exchanged", moved[0], moved[1]);
  if (is_shift) return fmt::format("block b+{} is in the place of block b, modulo {}", shift, blocks);
  constexpr std::size_t most = 16;
  const auto shown = std::span(held).first(std::min(most, held.size()));
  return fmt::format("the blocks are in the order {}{}", fmt::join(shown, " "), held.size() > most ? " .." : "");
}

/// What each rank that must hold all blocks has in their places, if that is a permutation, and the same on all.
std::vector<std::string> exchange_text(const Header& header, const WholeBlocks& whole) {
  const Holders ends = contract(header.collective).ends;
  std::optional<std::vector<Block>> common;
  for (Rank r = 0; r < header.ranks; ++r) {
    std::vector<Block> held;
    for (Block b = 0; b < header.blocks && header.holds(ends, r, b); ++b)
      if (const auto there = whole.at({b, r})) held.push_back(*there);
    if (held.empty() && ends == Holders::root) continue;
    if (held.size() != static_cast<std::size_t>(header.blocks) || (common && held != *common)) return {};
    common = std::move(held);
  }
  if (!common || std::set(common->begin(), common->end()).size() != common->size()) return {};
  const std::string where = ends == Holders::everyone ? "on every rank, " : "";
  return {where + permutation_text(*common)};
}

/// Should the whole of a block that ends on the rank be its owner's, who doesn't have it? A rank keeps what it began
/// with and what it forwarded: that says nothing about what it lacks.
bool is_astray(const Header& header, const WholeBlocks& whole, Block block, Rank rank) {
  const Contract kind = contract(header.collective);
  if (kind.ends != Holders::owner || header.owner(block) == rank) return false;
  const bool began_with_it = kind.begins != Holders::everyone && header.holder(kind.begins, block) == rank;
  return !began_with_it && whole.at({block, header.owner(block)}) != block;
}

/// Are the owners the caller's choice, rather than a matter of the blocks' numbers?
bool has_owners(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::scatter ||
         collective == Collective::allgather || collective == Collective::gather;
}

/// A rank that ends with the whole of each block; the owner if that does.
std::vector<Rank> final_holders(const Header& header, const WholeBlocks& whole) {
  std::vector<Rank> owners(static_cast<std::size_t>(header.blocks), -1);
  for (const auto& [place, block] : whole.all()) {
    Rank& owner = owners[static_cast<std::size_t>(block)];
    if (place.in == block && (owner < 0 || place.rank == header.owner(block))) owner = place.rank;
  }
  return owners;
}

/// The rank that first sends each block.
std::vector<Rank> first_senders(const Schedule& schedule) {
  std::vector<Rank> senders(static_cast<std::size_t>(schedule.header().blocks), -1);
  auto is_of_block = [&](const BlockTransfer& move) { return move.src < schedule.header().ranks; };  // not of a slot
  schedule.traces({0, schedule.header().blocks}, [&](Block block, const Trace& trace) {
    const std::span moves(trace.moves(), trace.move_count());
    const auto first = std::find_if(moves.begin(), moves.end(), is_of_block);
    if (first != moves.end()) senders[static_cast<std::size_t>(block)] = first->src;
  });
  return senders;
}

bool passes_with(const Schedule& schedule, const std::vector<Rank>& owners) {
  Header header = schedule.header();
  header.owners = owners;
  Execution execution(header);
  ResultCheck check(header, UINT64_MAX);
  bool passes = true;
  schedule.traces({0, header.blocks}, [&](Block block, const Trace& trace) {
    passes = passes && !execution.run(block, trace) && !execution.has_clash() &&
             check.judge(block, trace, execution).wrong == 0;
  });
  return passes;
}

}  // namespace

void note_misplaced(const Schedule& schedule, Counterexample& c) {
  const Header& header = schedule.header();
  const auto* missing = std::get_if<Counterexample::Missing>(&c.what);
  const bool is_lost = missing != nullptr && c.block;
  const bool is_other = std::holds_alternative<Counterexample::WrongSource>(c.what);
  // Without landings a block stays in its place, and only the rank can be another.
  const bool may_be = schedule.groups() != nullptr || contract(header.collective).ends == Holders::owner;
  if ((!is_lost && !is_other) || !may_be || !is_soon_replayed(schedule)) return;
  const WholeBlocks whole(schedule);
  const Holders begins = contract(header.collective).begins;
  Counterexample::Misplaced misplaced{};
  const Rank any_due = begins == Holders::everyone ? Rank{0} : header.holder(begins, *c.block);
  misplaced.contributor = missing != nullptr ? missing->contributor : any_due;
  if (missing != nullptr) misplaced.paths = missing->paths;
  if (const auto there = whole.at({*c.block, c.rank})) {
    misplaced.held = *there;
    misplaced.shown = exchange_text(header, whole);
  } else {
    const auto other = std::find_if(whole.all().begin(), whole.all().end(), [&](const auto& each) {
      const auto& [place, block] = each;
      return place.rank == c.rank && place.in == block && is_astray(header, whole, block, c.rank);
    });
    if (other == whole.all().end()) return;
    misplaced.held = other->second;
    misplaced.owner = header.owner(other->second);
  }
  c.what = std::move(misplaced);
  c.step.reset();
}

std::vector<Rank> owners_that_pass(const Schedule& schedule) {
  const Header& header = schedule.header();
  if (!has_owners(header.collective) || !is_soon_replayed(schedule)) return {};
  const bool are_final = contract(header.collective).ends == Holders::owner;
  std::vector<Rank> owners = are_final ? final_holders(header, WholeBlocks(schedule)) : first_senders(schedule);
  const bool are_all = std::find(owners.begin(), owners.end(), -1) == owners.end();
  return are_all && passes_with(schedule, owners) ? owners : std::vector<Rank>{};
}

}  // namespace onceover::verifier
