// Executes a block's transfers, step by step.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "check/schedule.h"

namespace check {

/// The value of a cell: r < ranks is rank r's own contribution to the block; then come what is held of other blocks at
/// first (see Foreign), and the joins of two earlier values.
using Term = std::uint32_t;
inline constexpr Term nothing = UINT32_MAX;

/// Why a step has no defined meaning, or why a sum can't have the name that it is given.
struct Fault {
  std::string_view kind;
  std::uint32_t cell, step;
};

/// How the contributions to other blocks of the group are numbered: all as `ranks`, if there are such blocks, or each
/// by its cell.
enum class Foreign { together, apart };

/// Executes the moves between the cells of some slots: cell slot * ranks + rank. Slot 0 is the block that it is about.
/// Memory: that of the cells and joins that the transfers touch.
class Replay {
 public:
  Replay(const Schedule& schedule, const std::vector<std::uint32_t>& slots, Foreign foreign)
      : schedule_(schedule), slots_(slots), foreign_(foreign) {
    leaves_ = schedule.ranks + (slots.size() > 1 && slots[1] < schedule.blocks ? 1 : 0);
    if (foreign == Foreign::apart) leaves_ = schedule.ranks * static_cast<Term>(slots.size());
  }

  /// The earlier join that a reduction's result is said to be; nothing for a new one. Called for each transfer in
  /// order. Without a naming all results are new.
  using Naming = std::function<std::optional<Term>(const Transfer&)>;

  /// Applies the block's transfers up to the first step with faults, and returns those.
  std::vector<Fault> run(const std::vector<Transfer>& transfers, const Naming& name = {}) {
    std::vector<Fault> faults;
    for (std::size_t begin = 0, end = 0; begin < transfers.size() && faults.empty(); begin = end) {
      while (end < transfers.size() && transfers[end].step == transfers[begin].step) ++end;
      const auto step = std::span(transfers).subspan(begin, end - begin);
      faults = faults_of(step);
      if (faults.empty()) apply(step, name, faults);
    }
    return faults;
  }

  Term held(std::uint32_t cell) const {
    if (const auto it = written_.find(cell); it != written_.end()) return it->second;
    const std::uint32_t block = slots_[cell / schedule_.ranks];
    if (block >= schedule_.blocks) return nothing;
    if (!schedule_.ranks_of(schedule_.collective.begins, block).contains(cell % schedule_.ranks)) return nothing;
    return cell < schedule_.ranks || foreign_ == Foreign::apart ? cell : schedule_.ranks;
  }

  static constexpr std::uint64_t many = 1'000'000'000'000;
  using Counts = std::map<Term, std::uint64_t, std::greater<>>;

  /// How often each contribution is in the value, up to `many`. O(n log n) for the n values that it is made of. Joins
  /// are numbered after what they join, so from the largest down each has its final count when its turn comes.
  Counts contributions(Term value) const {
    Counts open;
    if (value != nothing) open[value] = 1;
    while (!open.empty() && open.begin()->first >= leaves_) {
      const auto [term, times] = *open.begin();
      open.erase(open.begin());
      const auto [a, b] = joins_[term - leaves_];
      for (const Term part : {a, b}) open[part] = std::min(open[part] + times, many);
    }
    return open;
  }

 private:
  /// The faults of a step, given what ranks hold at its beginning.
  std::vector<Fault> faults_of(std::span<const Transfer> step) const {
    std::vector<Fault> faults;
    std::vector<std::pair<std::uint32_t, bool>> writes;  // (cell, reduces): a cell's copies come before its reductions
    for (const Transfer& t : step) {
      if (t.src == t.dst) faults.push_back({"self-transfer", t.src, t.step});
      if (held(t.src) == nothing) faults.push_back({"nothing-held", t.src, t.step});
      if (t.reduces && held(t.dst) == nothing) faults.push_back({"nothing-held", t.dst, t.step});
      writes.emplace_back(t.dst, t.reduces);
    }
    std::sort(writes.begin(), writes.end());
    for (std::size_t k = 1; k < writes.size(); ++k)
      if (writes[k].first == writes[k - 1].first && !writes[k - 1].second)
        faults.push_back({"conflict", writes[k].first, step[0].step});
    return faults;
  }

  /// Applies a step: all transfers read what was held before any of them writes.
  void apply(std::span<const Transfer> step, const Naming& name, std::vector<Fault>& faults) {
    std::vector<Term> sent;
    for (const Transfer& t : step) sent.push_back(held(t.src));
    for (std::size_t k = 0; k < step.size(); ++k) {
      const Transfer& t = step[k];
      const std::optional<Term> named = name ? name(t) : std::nullopt;
      if (t.reduces && !named) joins_.emplace_back(held(t.dst), sent[k]);
      const Term sum = named.value_or(leaves_ + static_cast<Term>(joins_.size()) - 1);
      const bool is_right = t.reduces ? is_join(sum, held(t.dst), sent[k]) : !named;
      if (!is_right) faults.push_back({"wrong sum", t.dst, t.step});
      written_[t.dst] = t.reduces ? sum : sent[k];
    }
  }

  bool is_join(Term term, Term a, Term b) const {
    if (term < leaves_ || term - leaves_ >= joins_.size()) return false;
    const auto& parts = joins_[term - leaves_];
    return parts == std::pair(a, b) || parts == std::pair(b, a);
  }

  const Schedule& schedule_;
  const std::vector<std::uint32_t>& slots_;
  Foreign foreign_;
  Term leaves_;
  std::unordered_map<std::uint32_t, Term> written_;
  std::vector<std::pair<Term, Term>> joins_;
};

}  // namespace check
