// Follows contributions through the trace of one block, to show how one came twice or not at all.
//
// Every write of a rank makes a new *version* of what it holds. A version has up to two parents: the version that
// arrived (a hop), and for a reduction the version that was there (no hop). The paths from a contributor's first
// version to a rank's last one are the ways that the contribution took; their number is its multiplicity.

#include <algorithm>
#include <numeric>

#include "verifier/counterexample.h"

namespace onceover {

namespace {

using Leg = Counterexample::Leg;
using Path = Counterexample::Path;

constexpr std::int32_t none = -1;

struct Version {
  Rank rank;
  std::int32_t stay;      // the rank's version before, if it was kept
  std::int32_t carry;     // the version that arrived; none for a first version
  std::int32_t replaced;  // the rank's version before, if a copy replaced it
  Leg leg;                // the hop that carried
};

struct Story {
  std::vector<Version> versions;
  std::vector<std::int32_t> last;  // by rank: its last version, or none
};

std::size_t at(std::int32_t k) {
  return static_cast<std::size_t>(k);
}

/// What ended the story early, and both hops of a conflict.
struct Trouble {
  Fault fault;
  Leg leg;
  std::optional<Leg> other = {};
};

class StoryTeller {
 public:
  StoryTeller(const Header& header, Block block) {
    story_.last.assign(at(header.ranks), none);
    const Holders begins = contract(header.collective).begins;
    for (Rank r = 0; r < header.ranks; ++r)
      if (header.holds(begins, r, block)) add({r, none, none, none, {}});
  }

  std::optional<Trouble> follow(const Trace& trace) {
    std::optional<Trouble> trouble;
    trace.for_each_hop([&](int step, Op op, Hop hop) {
      if (!trouble && !hops_.empty() && hops_.front().leg.step != step) trouble = end_step();
      if (!trouble) hops_.push_back({{step, hop.src, hop.dst}, op});
    });
    return trouble ? trouble : end_step();
  }

  const Story& story() const { return story_; }

 private:
  struct StepHop {
    Leg leg;
    Op op;
  };

  void add(Version version) {
    story_.last[at(version.rank)] = static_cast<std::int32_t>(story_.versions.size());
    story_.versions.push_back(version);
  }

  std::optional<Trouble> end_step() {
    const std::vector<std::int32_t> before = last_of_senders();
    for (std::size_t k = 0; k < hops_.size(); ++k)
      if (before[k] == none) return Trouble{{Fault::Kind::sends_nothing, k}, hops_[k].leg};
    if (auto trouble = conflict()) return trouble;
    for (std::size_t k = 0; k < hops_.size(); ++k) {
      const auto& [leg, op] = hops_[k];
      const std::int32_t held = story_.last[at(leg.dst)];
      if (op == Op::reduce && held == none) return Trouble{{Fault::Kind::into_nothing, k}, leg};
      const bool keeps = op == Op::reduce;
      add({leg.dst, keeps ? held : none, before[k], keeps ? none : held, leg});
    }
    hops_.clear();
    return std::nullopt;
  }

  std::vector<std::int32_t> last_of_senders() const {
    std::vector<std::int32_t> before;
    for (const auto& hop : hops_) before.push_back(story_.last[at(hop.leg.src)]);
    return before;
  }

  /// A copy and another write to the same rank, if there are any.
  std::optional<Trouble> conflict() const {
    std::vector<std::size_t> order(hops_.size());
    std::iota(order.begin(), order.end(), 0);
    auto dst = [&](std::size_t k) { return hops_[k].leg.dst; };
    auto is_copy = [&](std::size_t k) { return hops_[k].op == Op::copy; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return dst(a) < dst(b); });
    for (auto group = order.begin(); group != order.end();) {
      const auto end = std::find_if(group, order.end(), [&](std::size_t k) { return dst(k) != dst(*group); });
      const auto copy = std::find_if(group, end, is_copy);
      if (copy != end && end - group > 1) {
        const auto other = copy == group ? group + 1 : group;
        return Trouble{{Fault::Kind::conflict, *copy}, hops_[*other].leg, hops_[*copy].leg};
      }
      group = end;
    }
    return std::nullopt;
  }

  Story story_;
  std::vector<StepHop> hops_;
};

/// For one contributor: how many ways lead to each version, and a few of the shortest.
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

  std::uint64_t to(std::int32_t version) const { return version == none ? 0 : count_[at(version)]; }

  /// Finds the shortest ways to every version; `shortest` then reads them off.
  void rank_ways() {
    ways_.assign(count_.size(), {});
    for (std::size_t v = 0; v < count_.size(); ++v) {
      const Version& version = story_.versions[v];
      if (count_[v] == 0) continue;
      if (is_first(version))
        ways_[v].push_back({0, none, 0});
      else
        merge_parents(version, ways_[v]);
    }
  }

  /// Hops in the shortest way.
  std::size_t hops(std::int32_t version) const { return ways_[at(version)].front().length; }

  std::vector<Path> shortest(std::int32_t version) const {
    std::vector<Path> paths;
    for (std::size_t k = 0; k < ways_[at(version)].size(); ++k) paths.push_back(path(version, k));
    return paths;
  }

 private:
  /// A way ends with a step from way `parent_way` of version `parent`.
  struct Way {
    std::size_t length;
    std::int32_t parent;
    std::size_t parent_way;
  };

  static bool is_first(const Version& version) { return version.carry == none; }
  std::uint64_t stay_count(const Version& version) const { return version.stay == none ? 0 : count_[at(version.stay)]; }

  void merge_parents(const Version& version, std::vector<Way>& merged) const {
    auto offer = [&](std::int32_t parent, std::size_t hop) {
      if (parent == none) return;
      for (std::size_t k = 0; k < ways_[at(parent)].size(); ++k)
        merged.push_back({ways_[at(parent)][k].length + hop, parent, k});
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
};

Counterexample from_trouble(const Trouble& trouble, Block block) {
  Counterexample c{.kind = Counterexample::Kind::not_held, .rank = trouble.leg.src, .block = block};
  c.step = trouble.leg.step;
  c.paths = {{trouble.leg}};
  if (trouble.fault.kind == Fault::Kind::into_nothing) c.rank = trouble.leg.dst;
  if (trouble.fault.kind == Fault::Kind::conflict) {
    c.kind = Counterexample::Kind::conflict;
    c.rank = trouble.leg.dst;
    c.paths.push_back({*trouble.other});
  }
  return c;
}

Counterexample duplicate(const Ways& ways, std::int32_t last, Rank rank, Rank contributor, Block block) {
  return {.kind = Counterexample::Kind::duplicate,
          .rank = rank,
          .block = block,
          .contributor = contributor,
          .times = ways.to(last),
          .paths = ways.shortest(last)};
}

/// Why a contribution isn't in the last version of a rank.
class Loss {
 public:
  Loss(const Story& story, const Ways& ways, Rank rank) : story_(story), ways_(ways), rank_(rank) { mark_sources(); }

  void explain(Counterexample& c) const {
    if (const auto replaced = last_replaced(); replaced != none) {
      c.paths = {ways_.shortest(story_.versions[at(replaced)].replaced).front()};
      c.step = story_.versions[at(replaced)].leg.step;
      c.replaced_by = story_.versions[at(replaced)].leg.src;
      return;
    }
    const std::int32_t late = first_too_late();
    const std::int32_t end = late != none ? late : farthest();
    if (end != none) c.paths = {ways_.shortest(end).front()};
    if (late != none) c.step = left_at_[at(story_.versions[at(late)].rank)];
  }

 private:
  static constexpr int never = -1;

  /// Finds the versions that the rank's last one is made of, and when each rank last passed one of them on.
  void mark_sources() {
    is_source_.assign(story_.versions.size(), false);
    left_at_.assign(story_.last.size(), never);
    if (story_.last[at(rank_)] == none) return;
    is_source_[at(story_.last[at(rank_)])] = true;
    for (std::size_t v = story_.versions.size(); v-- > 0;) {
      const Version& version = story_.versions[v];
      if (!is_source_[v]) continue;
      if (version.stay != none) is_source_[at(version.stay)] = true;
      if (version.carry == none) continue;
      is_source_[at(version.carry)] = true;
      left_at_[at(version.leg.src)] = std::max(left_at_[at(version.leg.src)], version.leg.step);
    }
  }

  /// The last copy on the rank that replaced a version with the contribution.
  std::int32_t last_replaced() const {
    for (std::size_t v = story_.versions.size(); v-- > 0;)
      if (story_.versions[v].rank == rank_ && ways_.to(story_.versions[v].replaced) > 0)
        return static_cast<std::int32_t>(v);
    return none;
  }

  /// The first version with the contribution on a rank that would have passed it on, had it come in time.
  std::int32_t first_too_late() const {
    for (std::size_t v = 0; v < story_.versions.size(); ++v) {
      const Version& version = story_.versions[v];
      const bool holds = ways_.to(static_cast<std::int32_t>(v)) > 0;
      const int left_at = left_at_[at(version.rank)];
      const bool is_away = version.rank != ways_.contributor();
      if (holds && is_away && left_at != never && version.leg.step >= left_at) return static_cast<std::int32_t>(v);
    }
    return none;
  }

  /// The first of the versions with the contribution that are the most hops away, and not back home.
  std::int32_t farthest() const {
    std::int32_t best = none;
    for (std::size_t v = 0; v < story_.versions.size(); ++v) {
      const auto version = static_cast<std::int32_t>(v);
      const bool is_away = ways_.to(version) > 0 && story_.versions[v].rank != ways_.contributor();
      if (is_away && (best == none || ways_.hops(version) > ways_.hops(best))) best = version;
    }
    return best;
  }

  const Story& story_;
  const Ways& ways_;
  Rank rank_;
  std::vector<bool> is_source_;
  std::vector<int> left_at_;  // by rank: the last step at which it sent a source on, or never
};

Counterexample missing(const Story& story, const Ways& ways, Rank rank, Rank contributor, Block block) {
  Counterexample c{.kind = Counterexample::Kind::missing, .rank = rank, .block = block, .contributor = contributor};
  Loss(story, ways, rank).explain(c);
  return c;
}

/// Explanations stop being refined past this many (version, contributor) visits.
constexpr std::uint64_t refining_budget = 50'000'000;

class Search {
 public:
  Search(const Header& header, Block block, const Story& story)
      : header_(header), block_(block), story_(story), ways_(story) {}

  std::optional<Counterexample> shortest() {
    const Holders begins = contract(header_.collective).begins;
    for (Rank c = 0; c < header_.ranks && !is_enough(); ++c) {
      ways_.count(c);
      work_ += story_.versions.size();
      judge_contributor(c, header_.holds(begins, c, block_) ? 1 : 0);
    }
    return best_;
  }

 private:
  bool is_enough() const { return best_ && work_ > refining_budget; }

  void judge_contributor(Rank contributor, std::uint64_t wanted) {
    const Holders ends = contract(header_.collective).ends;
    bool ranked = false;
    for (Rank r = 0; r < header_.ranks && !is_enough(); ++r) {
      const std::int32_t last = story_.last[at(r)];
      if (!header_.holds(ends, r, block_) || ways_.to(last) == wanted) continue;
      if (!ranked) ways_.rank_ways();
      ranked = true;
      consider(last, r, contributor);
      work_ += 4 * story_.versions.size() + story_.last.size();
    }
  }

  void consider(std::int32_t last, Rank rank, Rank contributor) {
    Counterexample c = ways_.to(last) == 0 ? missing(story_, ways_, rank, contributor, block_)
                                           : duplicate(ways_, last, rank, contributor, block_);
    if (last != none && story_.versions[at(last)].carry != none) c.final_step = story_.versions[at(last)].leg.step;
    if (!best_ || c.simpler_than(*best_)) best_ = c;
  }

  const Header& header_;
  Block block_;
  const Story& story_;
  Ways ways_;
  std::optional<Counterexample> best_;
  std::uint64_t work_ = 0;
};

}  // namespace

std::optional<Counterexample> explain(const Header& header, Block block, const Trace& trace) {
  StoryTeller teller(header, block);
  if (const auto trouble = teller.follow(trace)) return from_trouble(*trouble, block);
  return Search(header, block, teller.story()).shortest();
}

}  // namespace onceover
