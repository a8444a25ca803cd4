// Does a group of translations leave the schedule unchanged? Translate the k-th message that a rank receives in a step
// by what takes the rank to the representative of its orbit. The result must be the same for all ranks of the orbit.
// The first rank to receive a k-th message sets the pattern for the others. In the end all must have received equally
// many.
//
// Example: in step 0 of a ring allgather of 4 ranks, rank r sends block r to rank r+1. Rank 0 receives block 3 from
// rank 3. Rank 2 receives block 1 from rank 1; translated back by 2, that is block 3 from rank 3, too.
//
// At most three groups are tried. For each, every message is looked at once, and the first message that differs ends
// the attempt. Comparing the blocks of two messages takes O(dimensions) if both are one pattern that turns with its
// sender on the torus. Otherwise each block is translated and looked up.

#include "verifier/symmetry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/stop.h"
#include "verifier/move_symmetry.h"
#include "verifier/pattern_symmetry.h"

namespace onceover::verifier {

namespace {

/// A message, translated by what takes its receiver to the representative.
struct Seen {
  Rank back;
  Rank src;       // translated
  Transfer sent;  // not translated
  bool turns;     // do the blocks turn with their sender on this very torus?
  Rank code;      // that of the blocks, translated
};

/// Compares, step by step, what each rank receives with what the first rank of its orbit received.
class Comparison {
 public:
  Comparison(const Schedule& schedule, const Symmetry& symmetry)
      : schedule_(schedule),
        symmetry_(symmetry),
        places_(symmetry),
        ranks_(schedule.header().ranks),
        received_(static_cast<std::size_t>(ranks_)),
        orbits_(static_cast<std::size_t>(symmetry.orbits())) {}

  /// Is the step invariant? Gives up and returns false if `go_on`, asked after some thousand messages each time,
  /// returns false.
  bool is_invariant(int step, const std::function<bool(std::size_t)>& go_on) {
    for (Orbit& orbit : orbits_) orbit.messages = 0, orbit.first_seen.clear();
    bool so_far = true;
    schedule_.visit_transfers(step, [&](std::span<const Transfer> some) {
      so_far = so_far && go_on(some.size());
      for (const Transfer& t : some) so_far = so_far && fits(t, step);
    });
    return so_far && everyone_received_all();
  }

 private:
  struct Orbit {
    std::vector<Seen> first_seen;  // by number of arrival: the first message of that number in the orbit
    std::uint64_t messages = 0;
  };

  bool is_rank(Rank r) const { return r >= 0 && r < ranks_; }

  bool fits(const Transfer& t, int step) {
    if (!is_rank(t.src) || !is_rank(t.dst) || !t.blocks.inside(schedule_.header().all_blocks())) return false;
    const Rank representative = symmetry_.representative_of(t.dst);
    const Rank back = t.dst - representative;  // in every coordinate, because none is less there
    Orbit& orbit = orbits_[orbit_of(representative)];
    ++orbit.messages;
    const std::size_t arrival = next_arrival(t.dst, step);
    if (arrival < orbit.first_seen.size()) return are_equal(orbit.first_seen[arrival], t, back);
    orbit.first_seen.push_back({.back = back,
                                .src = places_.minus(t.src, back),
                                .sent = t,
                                .turns = turns(t),
                                .code = places_.minus(t.blocks.code(), back)});
    return true;
  }

  // If a rank received fewer messages than another of its orbit, the sum would be too small.
  bool everyone_received_all() const {
    const auto size = static_cast<std::uint64_t>(ranks_ / symmetry_.orbits());
    return std::all_of(orbits_.begin(), orbits_.end(),
                       [&](const Orbit& orbit) { return orbit.messages == orbit.first_seen.size() * size; });
  }

  /// Numbers the orbits by their representatives, which are the places on a torus with the strides as sides.
  std::size_t orbit_of(Rank representative) const {
    Rank orbit = 0;
    Rank weight = 1;
    for (std::size_t k = symmetry_.sides.size(); k-- > 1;) {
      orbit += representative % symmetry_.sides[k] * weight;
      representative /= symmetry_.sides[k];
      weight *= symmetry_.strides[k];
    }
    return static_cast<std::size_t>(orbit + representative * weight);
  }

  std::size_t next_arrival(Rank dst, int step) {
    std::uint64_t& count = received_[static_cast<std::size_t>(dst)];  // the step, and 32 bits for the count
    count = std::max(count, static_cast<std::uint64_t>(step) << 32);
    return static_cast<std::size_t>(count++ & UINT32_MAX);
  }

  bool turns(const Transfer& t) const {
    bool all = t.blocks.turns_on(symmetry_.sides, ranks_);
    if (t.landings != nullptr)
      for (const Landing& landing : *t.landings)
        all = all && landing.blocks.turns_on(symmetry_.sides, ranks_) && landing.shift % ranks_ == 0;
    return all;
  }

  bool are_equal(const Seen& first, const Transfer& t, Rank back) const {
    const Transfer& sent = first.sent;
    if (first.src != places_.minus(t.src, back) || sent.op != t.op || sent.lane != t.lane) return false;
    if (first.turns && sent.blocks.same_but_for_code(t.blocks) && sent.landings == t.landings)
      return first.code == places_.minus(t.blocks.code(), back);
    return are_translated(first.back, sent.blocks, t.blocks, back) && land_alike(first, t, back);
  }

  /// Do the second blocks land where the first ones do, once both are translated? The same shift doesn't say so: blocks
  /// turn among `ranks` neighbours each, and a shift may lead some of these further than others.
  bool land_alike(const Seen& first, const Transfer& t, Rank back) const {
    if (first.sent.landings == nullptr || t.landings == nullptr) return first.sent.landings == t.landings;
    return landed(first.sent, 0, 0) == landed(t, first.back, back);
  }

  /// The blocks and the blocks in which they land, all translated by `first_back` - `back`. A landing block that
  /// doesn't exist is the survey's to find.
  std::vector<std::pair<Block, Block>> landed(const Transfer& t, Rank first_back, Rank back) const {
    std::vector<std::pair<Block, Block>> pairs;
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      set.for_each_block(every_block(), [&](Block block) {
        pairs.emplace_back(translated(block, first_back, back), translated(block + shift, first_back, back));
      });
    });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  /// Are the second blocks, moved back by `back`, the first ones, moved back by `first_back`?
  bool are_translated(Rank first_back, const BlockSet& first, const BlockSet& blocks, Rank back) const {
    if (first.size() != blocks.size()) return false;
    bool all = true;
    blocks.for_each_block(every_block(),
                          [&](Block block) { all = all && first.contains(translated(block, first_back, back)); });
    return all;
  }

  /// The block, moved back by `back` and forth by `first_back`.
  Block translated(Block block, Rank first_back, Rank back) const {
    const Rank owner = block % ranks_;
    return block - owner + places_.plus(places_.minus(owner, back), first_back);
  }

  BlockRange every_block() const { return {0, schedule_.header().all_blocks()}; }

  const Schedule& schedule_;
  const Symmetry& symmetry_;
  Places places_;
  Rank ranks_;
  std::vector<std::uint64_t> received_;
  std::vector<Orbit> orbits_;
};

/// Compares all steps, distributed over the threads.
bool is_invariant(const Schedule& schedule, const Symmetry& symmetry, int threads, std::uint64_t budget,
                  std::uint64_t& messages) {
  std::atomic<int> next_step = 0;
  std::atomic<std::uint64_t> compared = messages;
  std::atomic<bool> all = true;
  run_workers(threads, [&](int) {
    Comparison comparison(schedule, symmetry);
    auto go_on = [&](std::size_t some) {
      stop_point();
      return all && (compared += some) <= budget;
    };
    for (int step = next_step++; step < schedule.steps() && all; step = next_step++)
      if (!comparison.is_invariant(step, go_on)) all = false;
  });
  messages = compared;
  return all;
}

bool treats_ranks_alike(const Header& header) {
  const Contract& c = contract(header.collective);
  auto alike = [](Holders holders) { return holders == Holders::everyone || holders == Holders::owner; };
  return alike(c.begins) && alike(c.ends) && header.owners.empty() && header.blocks % header.ranks == 0;
}

/// Does each promised block have its own scratch, and all equally much?
bool treats_blocks_alike(const Schedule& schedule) {
  const Groups* groups = schedule.groups();
  if (groups == nullptr) return true;
  return !groups->mixes() &&
         static_cast<Block>(groups->size()) * schedule.most_slots() == schedule.header().all_blocks();
}

}  // namespace

Symmetry::Part Symmetry::part_of(std::size_t side, Rank coordinate) const {
  if (cuts.empty()) return {0, sides[side]};
  const auto& starts = cuts[side];
  const auto next = std::upper_bound(starts.begin(), starts.end(), coordinate);
  return {next == starts.begin() ? 0 : next[-1], next == starts.end() ? sides[side] : *next};
}

Rank Symmetry::places() const {
  return std::accumulate(sides.begin(), sides.end(), Rank{1}, std::multiplies<>());
}

std::vector<Rank> Symmetry::representatives_on(std::size_t side) const {
  std::vector<Rank> all;
  for (Rank first = 0; first < sides[side];) {
    const Rank end = part_of(side, first).end;
    for (Rank x = first; x < std::min(end, first + strides[side]); ++x) all.push_back(x);
    first = end;
  }
  return all;
}

Rank Symmetry::orbits() const {
  Rank product = 1;
  for (std::size_t k = 0; k < sides.size(); ++k) product *= static_cast<Rank>(representatives_on(k).size());
  return product;
}

std::vector<Rank> Symmetry::representatives() const {
  std::vector<Rank> places{0};
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const std::vector<Rank> here = representatives_on(k);
    std::vector<Rank> next;
    for (const Rank place : places)
      for (const Rank x : here) next.push_back(place * sides[k] + x);
    places = std::move(next);
  }
  return places;
}

Rank Symmetry::orbit_size(Rank representative) const {
  Rank size = 1;
  for (std::size_t k = sides.size(); k-- > 0; representative /= sides[k]) {
    const Rank coordinate = representative % sides[k];
    size *= (part_of(k, coordinate).end - coordinate + strides[k] - 1) / strides[k];
  }
  return size;
}

std::string Symmetry::text() const {
  const std::string translations = text_of_translations();
  return folded == 0 ? translations : fmt::format("{}, after {} ranks are folded onto others", translations, folded);
}

std::string Symmetry::text_of_translations() const {
  std::size_t parts = 1;
  for (const auto& starts : cuts) parts *= starts.size() + 1;
  const std::string within = parts == 1 ? "" : fmt::format(" within {} parts", parts);
  const std::string ranks = relabelled ? "relabelled ranks" : "ranks";
  const bool is_xor = std::all_of(sides.begin(), sides.end(), [](Rank side) { return side == 2; });
  if (sides.size() > 1 && is_xor) return relabelled ? "relabelled rank r to r xor m" : "rank r to r xor m";
  if (sides.size() == 1) return fmt::format("shifts of {} by multiples of {}{}", ranks, strides.front(), within);
  return fmt::format("shifts{} by multiples of {} on the torus of {}{}", relabelled ? " of relabelled ranks" : "",
                     fmt::join(strides, "x"), fmt::join(sides, "x"), within);
}

SymmetrySearch find_symmetry(const Schedule& schedule, int threads, std::uint64_t budget) {
  SymmetrySearch search;
  if (!treats_blocks_alike(schedule)) return search;
  if (const PatternedSchedule* patterned = schedule.as_patterns()) search.found = symmetry_of_patterns(*patterned);
  if (search.found || !treats_ranks_alike(schedule.header())) return search;
  for (Symmetry& symmetry : translations_to_try(schedule.header())) {
    if (symmetry.sides.empty() || symmetry.orbits() == schedule.header().ranks) continue;
    if (!is_invariant(schedule, symmetry, threads, budget, search.messages)) continue;
    search.found = std::move(symmetry);
    break;
  }
  return search;
}

}  // namespace onceover::verifier
