// Finds the simplest counterexample of one block: a contribution that arrived twice, or not at all.
//
// The story of the block (story.h) is a graph of versions. For one contributor, a pass counts the ways to each version:
// a version has as many as its two parents together. What a rank holds in the end should have one way, and none from a
// rank that contributes nothing. If it has more, the shortest ones are shown. If it has none, `Loss` looks for the copy
// that replaced the contribution, else for the place where it came too late, else for how far it came. A story that
// breaks off, at a conflict or a block that isn't held, is its own counterexample.
//
// Example: rank 0 sends its block to 1 and to 2, and in the next step both send theirs to 3, all with sums. Two ways
// lead from 0 to the last version of 3, through 1 and through 2, so rank 0's contribution counts twice there.
//
// Parents come first in a story, so a pass visits each version once: O(versions) for each contributor, and as much for
// each wrong result. After 50 million visits the search ends with the simplest counterexample found so far.

#include <algorithm>
#include <utility>

#include "verifier/counterexample.h"
#include "verifier/story.h"

namespace onceover::verifier {

namespace {

using Path = Counterexample::Path;

/// For one contributor: how many ways lead to each version, some of the shortest, and where it was lost or came to.
class Ways {
 public:
  explicit Ways(const Story& story) : story_(story), count_(story.versions.size()) {}

  void count(Rank contributor) {
    contributor_ = contributor;
    for (std::size_t v = 0; v < count_.size(); ++v) {
      const Version& version = story_.versions[v];
      const std::uint64_t sum =
          is_first(version) ? (version.rank == contributor ? 1 : 0) : count_[at(version.carry)] + stay_count(version);
      count_[v] = std::min(sum, Counterexample::many);
    }
  }

  Rank contributor() const { return contributor_; }

  std::uint64_t to(std::int32_t version) const { return version == no_version ? 0 : count_[at(version)]; }

  /// Finds the shortest ways to every version, which `shortest` returns, and what the lists below say.
  void rank_ways() {
    find_ways();
    lost_.clear();
    away_.clear();
    for (std::size_t v = 0; v < count_.size(); ++v) {
      const auto version = static_cast<std::int32_t>(v);
      if (count_[v] == 0 && to(story_.versions[v].replaced) > 0) lost_.push_back(version);
      if (count_[v] > 0 && story_.versions[v].rank != contributor_) away_.push_back(version);
    }
    const auto is_nearer = [&](std::int32_t a, std::int32_t b) { return moves(a) < moves(b); };
    const auto farthest = std::max_element(away_.begin(), away_.end(), is_nearer);
    farthest_ = farthest == away_.end() ? no_version : *farthest;
  }

  /// The copies that replaced the contribution with what lacks it, in their order.
  const std::vector<std::int32_t>& lost() const { return lost_; }

  /// The versions that have the contribution on another rank, in their order, and the first of those most moves away.
  const std::vector<std::int32_t>& away() const { return away_; }
  std::int32_t farthest() const { return farthest_; }

  std::vector<Path> shortest(std::int32_t version) const {
    std::vector<Path> paths;
    for (std::size_t k = 0; k < ways_[at(version)].size(); ++k) paths.push_back(path(version, k));
    return paths;
  }

 private:
  /// A way: way `parent_way` of version `parent`, and one step more.
  struct Way {
    std::size_t length;
    std::int32_t parent;
    std::size_t parent_way;
  };

  void find_ways() {
    ways_.assign(count_.size(), {});
    for (std::size_t v = 0; v < count_.size(); ++v) {
      const Version& version = story_.versions[v];
      if (count_[v] == 0) continue;
      if (is_first(version))
        ways_[v].push_back({0, no_version, 0});
      else
        merge_parents(version, ways_[v]);
    }
  }

  /// How many moves the shortest way has.
  std::size_t moves(std::int32_t version) const { return ways_[at(version)].front().length; }

  static bool is_first(const Version& version) { return version.carry == no_version; }
  std::uint64_t stay_count(const Version& version) const {
    return version.stay == no_version ? 0 : count_[at(version.stay)];
  }

  void merge_parents(const Version& version, std::vector<Way>& merged) const {
    auto offer = [&](std::int32_t parent, std::size_t move) {
      if (parent == no_version) return;
      for (std::size_t k = 0; k < ways_[at(parent)].size(); ++k)
        merged.push_back({ways_[at(parent)][k].length + move, parent, k});
    };
    offer(version.stay, 0);
    offer(version.carry, 1);
    std::stable_sort(merged.begin(), merged.end(), [](const Way& a, const Way& b) { return a.length < b.length; });
    if (merged.size() > Counterexample::shown_paths) merged.resize(Counterexample::shown_paths);
  }

  Path path(std::int32_t version, std::size_t way) const {
    Path legs;
    while (!is_first(story_.versions[at(version)])) {
      const Version& here = story_.versions[at(version)];
      const Way& step = ways_[at(version)][way];
      if (step.parent == here.carry) legs.push_back(here.leg);
      version = step.parent;
      way = step.parent_way;
    }
    std::reverse(legs.begin(), legs.end());
    return legs;
  }

  const Story& story_;
  Rank contributor_ = 0;
  std::vector<std::uint64_t> count_;
  std::vector<std::vector<Way>> ways_;
  std::vector<std::int32_t> lost_;
  std::vector<std::int32_t> away_;
  std::int32_t farthest_ = no_version;
};

Counterexample from_trouble(const Trouble& trouble, Block block) {
  Counterexample c{.what = Counterexample::NotHeld{trouble.leg},
                   .rank = trouble.fault.kind == Fault::Kind::sends_nothing ? trouble.leg.src : trouble.leg.dst,
                   .block = block,
                   .step = trouble.leg.step};
  if (trouble.fault.kind == Fault::Kind::conflict) c.what = Counterexample::Conflict{trouble.leg, *trouble.other};
  return c;
}

using WhatAndWhen = std::pair<Counterexample::What, std::optional<int>>;

/// What the last version of a rank is made from.
struct Sources {
  static constexpr int never = -1;

  std::vector<bool> is_source;  // by version
  std::vector<int> left_at;     // by rank: the last step at which it sent a source on, or never

  Sources(const Story& story, Rank rank) : is_source(story.versions.size()), left_at(story.last.size(), never) {
    if (story.last[at(rank)] == no_version) return;
    is_source[at(story.last[at(rank)])] = true;
    for (std::size_t v = story.versions.size(); v-- > 0;) {
      const Version& version = story.versions[v];
      if (!is_source[v]) continue;
      if (version.stay != no_version) is_source[at(version.stay)] = true;
      if (version.carry == no_version) continue;
      is_source[at(version.carry)] = true;
      left_at[at(version.leg.src)] = std::max(left_at[at(version.leg.src)], version.leg.step);
    }
  }
};

/// The sources of each rank, found once where there is room for all.
class AllSources {
 public:
  explicit AllSources(const Story& story) : story_(story), kept_(has_room(story) ? story.last.size() : 1) {}

  const Sources& of(Rank rank) {
    std::optional<Sources>& here = kept_[kept_.size() > 1 ? at(rank) : 0];
    if (kept_.size() == 1 || !here) here.emplace(story_, rank);
    return *here;
  }

 private:
  static bool has_room(const Story& story) {
    constexpr std::uint64_t most_bytes = 1 << 24;
    const std::uint64_t ranks = story.last.size();
    return ranks * (story.versions.size() / 8 + ranks * sizeof(int)) <= most_bytes;
  }

  const Story& story_;
  std::vector<std::optional<Sources>> kept_;  // by rank; or only the last one
};

/// Why a contribution isn't in the last version of a rank.
class Loss {
 public:
  Loss(const Story& story, const Ways& ways, const Destruction* destruction, const Sources& sources, Rank rank)
      : story_(story), ways_(ways), destruction_(destruction), sources_(sources), rank_(rank) {}

  /// How the contribution was lost, and at which step.
  WhatAndWhen told() const {
    Counterexample::Missing missing{.contributor = ways_.contributor()};
    if (const auto copy = replacement(); copy != no_version) {
      const Version& version = story_.versions[at(copy)];
      missing.paths = {ways_.shortest(version.replaced).front()};
      missing.replaced_by = version.leg.src;
      missing.replaced_on = version.rank;
      missing.is_destroyed = destroyed(copy);
      return {std::move(missing), version.leg.step};
    }
    const std::int32_t late = first_too_late();
    const std::int32_t end = late != no_version ? late : ways_.farthest();
    if (end != no_version) missing.paths = {ways_.shortest(end).front()};
    if (late == no_version) return {std::move(missing), std::nullopt};
    return {std::move(missing), sources_.left_at[at(story_.versions[at(late)].rank)]};
  }

 private:
  bool destroyed(std::int32_t copy) const { return destruction_ != nullptr && destruction_->is_one(copy); }

  /// The copy that replaced the contribution, on the rank itself or on a rank that its last version came from: the last
  /// one that destroyed data, else the last one on the rank, else the last one.
  std::int32_t replacement() const {
    auto last = [&](auto&& fits) {
      const auto found = std::find_if(ways_.lost().rbegin(), ways_.lost().rend(), fits);
      return found == ways_.lost().rend() ? no_version : *found;
    };
    const std::int32_t here = last([&](std::int32_t v) { return story_.versions[at(v)].rank == rank_; });
    if (here != no_version && destroyed(here)) return here;
    const std::int32_t worst = last([&](std::int32_t v) { return sources_.is_source[at(v)] && destroyed(v); });
    if (worst != no_version) return worst;
    return here != no_version ? here : last([&](std::int32_t v) { return bool(sources_.is_source[at(v)]); });
  }

  /// The first version that has the contribution on a rank which would have sent it on, had it come in time.
  std::int32_t first_too_late() const {
    for (const std::int32_t v : ways_.away()) {
      const Version& version = story_.versions[at(v)];
      const int left_at = sources_.left_at[at(version.rank)];
      if (left_at != Sources::never && version.leg.step >= left_at) return v;
    }
    return no_version;
  }

  const Story& story_;
  const Ways& ways_;
  const Destruction* destruction_;  // null: unknown
  const Sources& sources_;
  Rank rank_;
};

/// After this many visits of a version for a contributor, the search stops refining its explanation.
constexpr std::uint64_t refining_budget = 50'000'000;

/// How many copies that destroyed data are tried first.
constexpr std::size_t most_copies = 16;

class Search {
 public:
  Search(const Header& header, Block block, std::span<const Block> slots, const Story& story)
      : header_(header), block_(block), slots_(slots), story_(story), ways_(story), sources_(story) {
    work_ = Destruction::cost(header, story);
    if (work_ <= refining_budget) destruction_.emplace(header, story);
  }

  std::optional<Counterexample> shortest() {
    if (destruction_)
      for (std::size_t k = 0; k < std::min(most_copies, destruction_->copies().size()); ++k)
        judge_copy(destruction_->copies()[k]);
    const Holders begins = contract(header_.collective).begins;
    const auto cells = static_cast<Rank>(story_.last.size());
    for (Rank c = 0; c < cells && !is_enough(); ++c) {
      if (c >= header_.ranks && slots_[at(c / header_.ranks)] >= header_.blocks) break;  // scratch contributes nothing
      ways_.count(c);
      work_ += story_.versions.size();
      judge_ways(c < header_.ranks && header_.holds(begins, c, block_) ? 1 : 0);
    }
    return best_;
  }

 private:
  bool is_enough() const { return best_ && work_ > refining_budget; }

  /// Considers the rank on which the copy destroyed the contribution; if that rank needn't lack it in the end, the
  /// first result that does.
  void judge_copy(const Destruction::Copy& copy) {
    ways_.count(copy.lost);
    const Holders ends = contract(header_.collective).ends;
    auto lacks = [&](Rank r) {
      return r < header_.ranks && header_.holds(ends, r, block_) && ways_.to(story_.last[at(r)]) == 0;
    };
    Rank rank = story_.versions[at(copy.version)].rank;
    if (!lacks(rank))
      for (rank = 0; rank < header_.ranks && !lacks(rank);) ++rank;
    if (rank == header_.ranks) return;
    ways_.rank_ways();
    consider(story_.last[at(rank)], rank);
  }

  void judge_ways(std::uint64_t wanted) {
    const Holders ends = contract(header_.collective).ends;
    bool ranked = false;
    for (Rank r = 0; r < header_.ranks && !is_enough(); ++r) {
      const std::int32_t last = story_.last[at(r)];
      if (!header_.holds(ends, r, block_) || ways_.to(last) == wanted) continue;
      if (!ranked) ways_.rank_ways();
      ranked = true;
      consider(last, r);
      work_ += 4 * story_.versions.size() + story_.last.size();
    }
  }

  /// What is there too often, or of another block.
  Counterexample::What surplus(std::int32_t last) const {
    const Rank cell = ways_.contributor();
    if (cell >= header_.ranks)
      return Counterexample::WrongSource{cell % header_.ranks, slots_[at(cell / header_.ranks)], ways_.to(last)};
    return Counterexample::Duplicate{cell, ways_.to(last), ways_.shortest(last)};
  }

  /// Considers what went wrong with the contributor whose ways were ranked last.
  void consider(std::int32_t last, Rank rank) {
    const bool is_there = ways_.to(last) > 0;
    auto [what, step] =
        is_there ? WhatAndWhen{surplus(last), std::nullopt}
                 : Loss(story_, ways_, destruction_ ? &*destruction_ : nullptr, sources_.of(rank), rank).told();
    Counterexample c{.what = std::move(what), .rank = rank, .block = block_, .step = step};
    if (last != no_version && story_.versions[at(last)].carry != no_version)
      c.final_step = story_.versions[at(last)].leg.step;
    if (!best_ || c.simpler_than(*best_)) best_ = c;
  }

  const Header& header_;
  Block block_;
  std::span<const Block> slots_;
  const Story& story_;
  Ways ways_;
  AllSources sources_;
  std::optional<Destruction> destruction_;  // none: it would take too long
  std::optional<Counterexample> best_;
  std::uint64_t work_ = 0;
};

/// Turns the cells of a counterexample into ranks, and names the blocks of those that are no rank.
class CellNames {
 public:
  CellNames(const Header& header, std::span<const Block> slots) : header_(header), slots_(slots) {}

  Counterexample named(Counterexample c) const {
    if (slots_.size() < 2) return c;
    if (c.rank >= header_.ranks) c.block = block_of(c.rank);
    c.rank = rank_of(c.rank);
    std::visit([&](auto& it) { name(it); }, c.what);
    return c;
  }

 private:
  template <class It>
  void name(It& it) const {
    if constexpr (requires { it.leg; }) name_leg(it.leg);
    if constexpr (requires { it.other; }) name_leg(it.other);
    if constexpr (requires { it.paths; })
      for (auto& path : it.paths)
        for (auto& leg : path) name_leg(leg);
    if constexpr (requires { it.replaced_by; }) {
      if (!it.replaced_on) return;
      if (*it.replaced_on >= header_.ranks) it.replaced_in = block_of(*it.replaced_on);
      it.replaced_by = rank_of(*it.replaced_by);
      it.replaced_on = rank_of(*it.replaced_on);
    }
  }

  void name_leg(Counterexample::Leg& leg) const {
    if (leg.src >= header_.ranks || leg.dst >= header_.ranks) leg.into = block_of(leg.dst);
    leg.src = rank_of(leg.src);
    leg.dst = rank_of(leg.dst);
  }

  Rank rank_of(Rank cell) const { return cell % header_.ranks; }
  Block block_of(Rank cell) const { return slots_[at(cell / header_.ranks)]; }

  const Header& header_;
  std::span<const Block> slots_;
};

std::optional<Counterexample> clash(const Header& header, Block block, const Trace& trace) {
  Story story;
  tell_story(header, block, trace, story);
  if (!story.clash) return std::nullopt;
  Counterexample c = from_trouble(*story.clash, block);
  std::get<Counterexample::Conflict>(c.what).is_clash = true;
  return CellNames(header, trace.slots()).named(std::move(c));
}

}  // namespace

std::optional<Counterexample> first_clash(const Schedule& schedule, Block block) {
  std::optional<Counterexample> found;
  schedule.traces({block, block + 1}, [&](Block b, const Trace& trace) { found = clash(schedule.header(), b, trace); });
  return found;
}

std::optional<Counterexample> explain(const Header& header, Block block, const Trace& trace) {
  const CellNames names(header, trace.slots());
  Story story;
  if (const auto trouble = tell_story(header, block, trace, story)) return names.named(from_trouble(*trouble, block));
  auto found = Search(header, block, trace.slots(), story).shortest();
  return found ? std::optional(names.named(*std::move(found))) : std::nullopt;
}

}  // namespace onceover::verifier
