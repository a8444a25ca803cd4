// Finds the simplest counterexample of one block: a contribution that arrived twice, or not at all.
//
// The versions of the block (block_versions.h) are a graph. For one contributor, a pass counts the paths to each
// version: a version has as many as its two parents together. What a rank holds in the end should have one path, and
// none from a rank that contributes nothing. If it has more, the shortest ones are shown. If it has none, `Loss` looks
// for the copy that replaced the contribution, else for the place where it came too late, else for how far it came. If
// recording breaks off, at a conflict or a block that isn't held, that is the counterexample.
//
// Example: rank 0 sends its block to 1 and to 2, and in the next step both send theirs to 3, all with sums. Two paths
// lead from 0 to the last version of 3, through 1 and through 2, so rank 0's contribution counts twice there.
//
// Parents come before their children, so a pass visits each version once: O(versions) for each contributor, and as much
// for each wrong result. After 50 million visits the search ends with the simplest counterexample found so far.

#include <algorithm>
#include <utility>

#include "verifier/block_versions.h"
#include "verifier/counterexample.h"

namespace onceover::verifier {

namespace {

using Path = Counterexample::Path;

/// For one contributor: how many paths lead to each version, some of the shortest, and where it was lost or came to.
class PathCounts {
 public:
  explicit PathCounts(const BlockVersions& versions) : versions_(versions), count_(versions.all.size()) {}

  void count(Rank contributor) {
    contributor_ = contributor;
    for (std::size_t v = 0; v < count_.size(); ++v) {
      const Version& version = versions_.all[v];
      const std::uint64_t sum =
          is_first(version) ? (version.rank == contributor ? 1 : 0) : count_[at(version.carry)] + kept_count(version);
      count_[v] = std::min(sum, Counterexample::many);
    }
  }

  Rank contributor() const { return contributor_; }

  std::uint64_t to(std::int32_t version) const { return version == no_version ? 0 : count_[at(version)]; }

  /// Finds the shortest paths to every version, which `shortest` returns, and what the lists below say.
  void rank_paths() {
    find_paths();
    lost_.clear();
    away_.clear();
    for (std::size_t v = 0; v < count_.size(); ++v) {
      const auto version = static_cast<std::int32_t>(v);
      if (count_[v] == 0 && to(versions_.all[v].replaced) > 0) lost_.push_back(version);
      if (count_[v] > 0 && versions_.all[v].rank != contributor_) away_.push_back(version);
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
    for (std::size_t k = 0; k < paths_[at(version)].size(); ++k) paths.push_back(path(version, k));
    return paths;
  }

 private:
  /// A path: path `parent_path` of version `parent`, and one step more.
  struct PathStep {
    std::size_t length;
    std::int32_t parent;
    std::size_t parent_path;
  };

  void find_paths() {
    paths_.assign(count_.size(), {});
    for (std::size_t v = 0; v < count_.size(); ++v) {
      const Version& version = versions_.all[v];
      if (count_[v] == 0) continue;
      if (is_first(version))
        paths_[v].push_back({0, no_version, 0});
      else
        merge_parents(version, paths_[v]);
    }
  }

  /// How many moves the shortest path has.
  std::size_t moves(std::int32_t version) const { return paths_[at(version)].front().length; }

  static bool is_first(const Version& version) { return version.carry == no_version; }
  std::uint64_t kept_count(const Version& version) const {
    return version.kept == no_version ? 0 : count_[at(version.kept)];
  }

  void merge_parents(const Version& version, std::vector<PathStep>& merged) const {
    auto offer = [&](std::int32_t parent, std::size_t move) {
      if (parent == no_version) return;
      for (std::size_t k = 0; k < paths_[at(parent)].size(); ++k)
        merged.push_back({paths_[at(parent)][k].length + move, parent, k});
    };
    offer(version.kept, 0);
    offer(version.carry, 1);
    std::stable_sort(merged.begin(), merged.end(),
                     [](const PathStep& a, const PathStep& b) { return a.length < b.length; });
    if (merged.size() > Counterexample::shown_paths) merged.resize(Counterexample::shown_paths);
  }

  Path path(std::int32_t version, std::size_t number) const {
    Path legs;
    while (!is_first(versions_.all[at(version)])) {
      const Version& here = versions_.all[at(version)];
      const PathStep& step = paths_[at(version)][number];
      if (step.parent == here.carry) legs.push_back(here.leg);
      version = step.parent;
      number = step.parent_path;
    }
    std::reverse(legs.begin(), legs.end());
    return legs;
  }

  const BlockVersions& versions_;
  Rank contributor_ = 0;
  std::vector<std::uint64_t> count_;
  std::vector<std::vector<PathStep>> paths_;
  std::vector<std::int32_t> lost_;
  std::vector<std::int32_t> away_;
  std::int32_t farthest_ = no_version;
};

Counterexample counterexample_of(const LocatedFault& fault, Block block) {
  Counterexample c{.what = Counterexample::NotHeld{fault.leg},
                   .rank = fault.fault.kind == Fault::Kind::sends_nothing ? fault.leg.src : fault.leg.dst,
                   .block = block,
                   .step = fault.leg.step};
  if (fault.fault.kind == Fault::Kind::conflict) c.what = Counterexample::Conflict{fault.leg, *fault.other};
  return c;
}

using WhatAndWhen = std::pair<Counterexample::What, std::optional<int>>;

/// What the last version of a rank is made from.
struct Sources {
  static constexpr int never = -1;

  std::vector<bool> is_source;  // by version
  std::vector<int> left_at;     // by rank: the last step at which it sent a source on, or never

  Sources(const BlockVersions& versions, Rank rank)
      : is_source(versions.all.size()), left_at(versions.last.size(), never) {
    if (versions.last[at(rank)] == no_version) return;
    is_source[at(versions.last[at(rank)])] = true;
    for (std::size_t v = versions.all.size(); v-- > 0;) {
      const Version& version = versions.all[v];
      if (!is_source[v]) continue;
      if (version.kept != no_version) is_source[at(version.kept)] = true;
      if (version.carry == no_version) continue;
      is_source[at(version.carry)] = true;
      left_at[at(version.leg.src)] = std::max(left_at[at(version.leg.src)], version.leg.step);
    }
  }
};

/// The sources of each rank, found once where there is room for all.
class AllSources {
 public:
  explicit AllSources(const BlockVersions& versions)
      : versions_(versions), kept_(has_room(versions) ? versions.last.size() : 1) {}

  const Sources& of(Rank rank) {
    std::optional<Sources>& here = kept_[kept_.size() > 1 ? at(rank) : 0];
    if (kept_.size() == 1 || !here) here.emplace(versions_, rank);
    return *here;
  }

 private:
  static bool has_room(const BlockVersions& versions) {
    constexpr std::uint64_t most_bytes = 1 << 24;
    const std::uint64_t ranks = versions.last.size();
    return ranks * (versions.all.size() / 8 + ranks * sizeof(int)) <= most_bytes;
  }

  const BlockVersions& versions_;
  std::vector<std::optional<Sources>> kept_;  // by rank; or only the last one
};

/// Why a contribution isn't in the last version of a rank.
class Loss {
 public:
  Loss(const BlockVersions& versions, const PathCounts& paths, const DestructiveCopies* destruction,
       const Sources& sources, Rank rank)
      : versions_(versions), paths_(paths), destructive_(destruction), sources_(sources), rank_(rank) {}

  /// How the contribution was lost, and at which step.
  WhatAndWhen what() const {
    Counterexample::Missing missing{.contributor = paths_.contributor()};
    if (const auto copy = replacement(); copy != no_version) {
      const Version& version = versions_.all[at(copy)];
      missing.paths = {paths_.shortest(version.replaced).front()};
      missing.replaced_by = version.leg.src;
      missing.replaced_on = version.rank;
      missing.is_destroyed = destroyed(copy);
      return {std::move(missing), version.leg.step};
    }
    const std::int32_t late = first_too_late();
    const std::int32_t end = late != no_version ? late : paths_.farthest();
    if (end != no_version) missing.paths = {paths_.shortest(end).front()};
    if (late == no_version) return {std::move(missing), std::nullopt};
    return {std::move(missing), sources_.left_at[at(versions_.all[at(late)].rank)]};
  }

 private:
  bool destroyed(std::int32_t copy) const { return destructive_ != nullptr && destructive_->contains(copy); }

  /// The copy that replaced the contribution, on the rank itself or on a rank that its last version came from: the last
  /// one that destroyed data, else the last one on the rank, else the last one.
  std::int32_t replacement() const {
    auto last = [&](auto&& fits) {
      const auto found = std::find_if(paths_.lost().rbegin(), paths_.lost().rend(), fits);
      return found == paths_.lost().rend() ? no_version : *found;
    };
    const std::int32_t here = last([&](std::int32_t v) { return versions_.all[at(v)].rank == rank_; });
    if (here != no_version && destroyed(here)) return here;
    const std::int32_t worst = last([&](std::int32_t v) { return sources_.is_source[at(v)] && destroyed(v); });
    if (worst != no_version) return worst;
    return here != no_version ? here : last([&](std::int32_t v) { return bool(sources_.is_source[at(v)]); });
  }

  /// The first version that has the contribution on a rank which would have sent it on, had it come in time.
  std::int32_t first_too_late() const {
    for (const std::int32_t v : paths_.away()) {
      const Version& version = versions_.all[at(v)];
      const int left_at = sources_.left_at[at(version.rank)];
      if (left_at != Sources::never && version.leg.step >= left_at) return v;
    }
    return no_version;
  }

  const BlockVersions& versions_;
  const PathCounts& paths_;
  const DestructiveCopies* destructive_;  // null: unknown
  const Sources& sources_;
  Rank rank_;
};

/// After this many visits of a version for a contributor, the search stops refining its explanation.
constexpr std::uint64_t refining_budget = 50'000'000;

/// How many copies that destroyed data are tried first.
constexpr std::size_t most_copies = 16;

class Search {
 public:
  Search(const Header& header, Block block, std::span<const Block> slots, const BlockVersions& versions)
      : header_(header), block_(block), slots_(slots), versions_(versions), paths_(versions), sources_(versions) {
    work_ = DestructiveCopies::cost(header, versions);
    if (work_ <= refining_budget) destructive_.emplace(header, versions);
  }

  std::optional<Counterexample> shortest() {
    if (destructive_)
      for (std::size_t k = 0; k < std::min(most_copies, destructive_->copies().size()); ++k)
        judge_copy(destructive_->copies()[k]);
    const Holders begins = contract(header_.collective).begins;
    const auto cells = static_cast<Rank>(versions_.last.size());
    for (Rank c = 0; c < cells && !is_enough(); ++c) {
      if (c >= header_.ranks && slots_[at(c / header_.ranks)] >= header_.blocks) break;  // scratch contributes nothing
      paths_.count(c);
      work_ += versions_.all.size();
      judge_paths(c < header_.ranks && header_.holds(begins, c, block_) ? 1 : 0);
    }
    return best_;
  }

 private:
  bool is_enough() const { return best_ && work_ > refining_budget; }

  /// Considers the rank on which the copy destroyed the contribution; if that rank needn't lack it in the end, the
  /// first result that does.
  void judge_copy(const DestructiveCopies::Copy& copy) {
    paths_.count(copy.lost);
    const Holders ends = contract(header_.collective).ends;
    auto lacks = [&](Rank r) {
      return r < header_.ranks && header_.holds(ends, r, block_) && paths_.to(versions_.last[at(r)]) == 0;
    };
    Rank rank = versions_.all[at(copy.version)].rank;
    if (!lacks(rank))
      for (rank = 0; rank < header_.ranks && !lacks(rank);) ++rank;
    if (rank == header_.ranks) return;
    paths_.rank_paths();
    consider(versions_.last[at(rank)], rank);
  }

  void judge_paths(std::uint64_t wanted) {
    const Holders ends = contract(header_.collective).ends;
    bool ranked = false;
    for (Rank r = 0; r < header_.ranks && !is_enough(); ++r) {
      const std::int32_t last = versions_.last[at(r)];
      if (!header_.holds(ends, r, block_) || paths_.to(last) == wanted) continue;
      if (!ranked) paths_.rank_paths();
      ranked = true;
      consider(last, r);
      work_ += 4 * versions_.all.size() + versions_.last.size();
    }
  }

  /// What is there too often, or of another block.
  Counterexample::What surplus(std::int32_t last) const {
    const Rank cell = paths_.contributor();
    if (cell >= header_.ranks)
      return Counterexample::WrongSource{cell % header_.ranks, slots_[at(cell / header_.ranks)], paths_.to(last)};
    return Counterexample::Duplicate{cell, paths_.to(last), paths_.shortest(last)};
  }

  /// Considers what went wrong with the contributor whose paths were ranked last.
  void consider(std::int32_t last, Rank rank) {
    const bool is_there = paths_.to(last) > 0;
    auto [what, step] =
        is_there ? WhatAndWhen{surplus(last), std::nullopt}
                 : Loss(versions_, paths_, destructive_ ? &*destructive_ : nullptr, sources_.of(rank), rank).what();
    Counterexample c{.what = std::move(what), .rank = rank, .block = block_, .step = step};
    if (last != no_version && versions_.all[at(last)].carry != no_version)
      c.final_step = versions_.all[at(last)].leg.step;
    if (!best_ || c.simpler_than(*best_)) best_ = c;
  }

  const Header& header_;
  Block block_;
  std::span<const Block> slots_;
  const BlockVersions& versions_;
  PathCounts paths_;
  AllSources sources_;
  std::optional<DestructiveCopies> destructive_;  // none: it would take too long
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
  BlockVersions versions;
  record_versions(header, block, trace, versions);
  if (!versions.clash) return std::nullopt;
  Counterexample c = counterexample_of(*versions.clash, block);
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
  BlockVersions versions;
  if (const auto fault = record_versions(header, block, trace, versions))
    return names.named(counterexample_of(*fault, block));
  auto found = Search(header, block, trace.slots(), versions).shortest();
  return found ? std::optional(names.named(*std::move(found))) : std::nullopt;
}

}  // namespace onceover::verifier
