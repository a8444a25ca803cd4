#include "verifier/block_versions.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/rows.h"

namespace onceover::verifier {

namespace {

using Leg = Counterexample::Leg;

constexpr Rank batch = 64;
constexpr Rank no_one = -1;

class VersionRecorder {
 public:
  VersionRecorder(const Header& header, Block block, const Trace& trace, BlockVersions& versions)
      : versions_(versions), values_(static_cast<Rank>(trace.slot_count()) * header.ranks) {
    versions_.last.assign(trace.slot_count() * at(header.ranks), no_version);
    const Holders begins = contract(header.collective).begins;
    for (std::size_t k = 0; k < trace.slot_count(); ++k) {
      const Block slot = k == 0 ? block : trace.slots()[k];
      for (Rank r = 0; r < header.ranks && slot < header.blocks; ++r)
        if (header.holds(begins, r, slot))
          add({static_cast<Rank>(k) * header.ranks + r, no_version, no_version, no_version, {}});
    }
  }

  std::optional<LocatedFault> follow(const Trace& trace) {
    std::optional<LocatedFault> fault;
    trace.for_each_move([&](int step, Op op, BlockTransfer move) {
      if (!fault && !moves_.empty() && moves_.front().leg.step != step) fault = end_step();
      if (!fault) moves_.push_back({{step, move.src, move.dst}, op});
    });
    return fault ? fault : end_step();
  }

 private:
  struct StepMove {
    Leg leg;
    Op op;
  };

  void add(Version version) {
    versions_.last[at(version.rank)] = static_cast<std::int32_t>(versions_.all.size());
    versions_.all.push_back(version);
    value_.push_back(value_of(version));
  }

  Term value_of(const Version& version) {
    if (version.carry == no_version) return values_.leaf(version.rank);
    const Term carried = value_[at(version.carry)];
    return version.kept == no_version ? carried : values_.sum(value_[at(version.kept)], carried);
  }

  std::optional<LocatedFault> end_step() {
    const std::vector<std::int32_t> before = last_of_senders();
    for (std::size_t k = 0; k < moves_.size(); ++k)
      if (before[k] == no_version) return LocatedFault{{Fault::Kind::sends_nothing, k}, moves_[k].leg};
    if (auto fault = conflict(before)) return fault;
    for (std::size_t k = 0; k < moves_.size(); ++k) {
      const auto& [leg, op] = moves_[k];
      const std::int32_t held = versions_.last[at(leg.dst)];
      if (op == Op::reduce && held == no_version) return LocatedFault{{Fault::Kind::into_nothing, k}, leg};
      const bool keeps = op == Op::reduce;
      add({leg.dst, keeps ? held : no_version, before[k], keeps ? no_version : held, leg});
    }
    moves_.clear();
    return std::nullopt;
  }

  std::vector<std::int32_t> last_of_senders() const {
    return mapped(moves_, [&](const auto& move) { return versions_.last[at(move.leg.src)]; });
  }

  /// A copy and another write to the same rank, if the step has such a pair. If all write the same value, that is noted
  /// instead.
  std::optional<LocatedFault> conflict(const std::vector<std::int32_t>& before) {
    std::vector<std::size_t> order(moves_.size());
    std::iota(order.begin(), order.end(), 0);
    auto dst = [&](std::size_t k) { return moves_[k].leg.dst; };
    auto is_copy = [&](std::size_t k) { return moves_[k].op == Op::copy; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return dst(a) < dst(b); });
    for (auto group = order.begin(); group != order.end();) {
      const auto end = std::find_if(group, order.end(), [&](std::size_t k) { return dst(k) != dst(*group); });
      const auto copy = std::find_if(group, end, is_copy);
      if (copy != end && end - group > 1) {
        const auto other = copy == group ? group + 1 : group;
        const LocatedFault found{{Fault::Kind::conflict, *copy}, moves_[*other].leg, moves_[*copy].leg};
        const bool is_clash = std::all_of(group, end, [&](std::size_t k) {
          return is_copy(k) && value_[at(before[k])] == value_[at(before[*group])];
        });
        if (!is_clash) return found;
        if (!versions_.clash) versions_.clash = found;
      }
      group = end;
    }
    return std::nullopt;
  }

  BlockVersions& versions_;
  TermTable values_;
  std::vector<Term> value_;  // by version
  std::vector<StepMove> moves_;
};

}  // namespace

std::optional<LocatedFault> record_versions(const Header& header, Block block, const Trace& trace,
                                            BlockVersions& versions) {
  return VersionRecorder(header, block, trace, versions).follow(trace);
}

DestructiveCopies::DestructiveCopies(const Header& header, const BlockVersions& versions)
    : ranks_(header.ranks), versions_(versions) {
  const std::size_t count = versions.all.size();
  for (std::size_t v = 0; v < count; ++v)
    if (versions.all[v].replaced != no_version) copies_.push_back({static_cast<std::int32_t>(v), no_one});
  is_lost_for_good_.assign(count, false);
  is_destructive_.assign(count, false);
  held_.resize(count);
  for (Rank first = 0; first < header.ranks && !copies_.empty(); first += batch) look_at(first);
  std::erase_if(copies_, [](const Copy& copy) { return copy.lost == no_one; });
  for (const Copy& copy : copies_) is_destructive_[at(copy.version)] = true;
}

std::uint64_t DestructiveCopies::cost(const Header& header, const BlockVersions& versions) {
  return versions.all.size() * (static_cast<std::uint64_t>(header.ranks) / batch + 1);
}

/// Finds the versions that hold the contributors first .. first+63.
void DestructiveCopies::hold(Rank first) {
  for (std::size_t v = 0; v < held_.size(); ++v) {
    const Version& version = versions_.all[v];
    const Rank own = version.rank - first;
    held_[v] = version.carry != no_version                        ? held(version.carry) | held(version.kept)
               : own >= 0 && own < batch && version.rank < ranks_ ? std::uint64_t{1} << own
                                                                  : 0;
  }
}

/// Drops the copies that brought one of the contributors first .. first+63: these destroyed no data. Notes what the
/// other copies lost.
void DestructiveCopies::look_at(Rank first) {
  hold(first);
  std::erase_if(copies_, [&](Copy& copy) {
    const Version& version = versions_.all[at(copy.version)];
    const std::uint64_t lost = held(version.replaced) & ~held(copy.version);
    const std::uint64_t for_good = lost & ~held(versions_.last[at(version.rank)]);
    const bool is_better = for_good != 0 && !is_lost_for_good_[at(copy.version)];
    if (is_better || (lost != 0 && copy.lost == no_one))
      copy.lost = first + std::countr_zero(is_better ? for_good : lost);
    if (is_better) is_lost_for_good_[at(copy.version)] = true;
    return (held(copy.version) & ~held(version.replaced)) != 0;
  });
}

}  // namespace onceover::verifier
