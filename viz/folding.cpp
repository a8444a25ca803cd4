#include "viz/folding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/rows.h"

namespace onceover::viz {

namespace {

/// Who sends how much to whom in what lane, in a step; backwards, with senders and receivers exchanged.
using Exchange = std::vector<std::tuple<Rank, Rank, int, Block>>;

Exchange exchange_of(const Schedule& schedule, int step, bool is_backwards) {
  Exchange all;
  schedule.visit_transfers(step, [&](std::span<const Transfer> transfers) {
    for (const Transfer& t : transfers)
      all.emplace_back(is_backwards ? t.dst : t.src, is_backwards ? t.src : t.dst, t.lane, t.blocks.size());
  });
  std::sort(all.begin(), all.end());
  return all;
}

bool are_all(const Schedule& schedule, int step, Op op) {
  bool so_far = true;
  schedule.visit_transfers(step, [&](std::span<const Transfer> transfers) {
    for (const Transfer& t : transfers) so_far = so_far && t.op == op;
  });
  return so_far;
}

/// Does the second half of the steps copy what the first half reduces, backwards? O(messages log messages) of steps
/// that differ from others.
bool ends_backwards(const Schedule& schedule, StepRange steps) {
  if (steps.size() < 2 || steps.size() % 2 != 0) return false;
  const std::vector<int> alike = schedule.alike();
  std::set<std::pair<int, int>> seen;
  for (int first = steps.first, last = steps.end - 1; first < last; ++first, --last) {
    if (!seen.emplace(alike[static_cast<std::size_t>(first)], alike[static_cast<std::size_t>(last)]).second) continue;
    if (!are_all(schedule, first, Op::reduce) || !are_all(schedule, last, Op::copy)) return false;
    if (exchange_of(schedule, first, false) != exchange_of(schedule, last, true)) return false;
  }
  return true;
}

}  // namespace

Drawn<FoldedSteps> FoldedSteps::of(const Schedule& schedule, StepRange steps, std::size_t most) {
  FoldedSteps folding{steps, {}};
  if (ends_backwards(schedule, steps)) {
    folding.steps.end = steps.first + steps.size() / 2;
    folding.backwards = StepRange{folding.steps.end, steps.end};
  }
  folding.classes = RankClasses::of_steps(schedule, folding.steps.first, folding.steps.end, most);
  if (folding.classes.empty())
    return too_large(fmt::format("more than {} ranks would have to be drawn, because they all send differently", most));
  return folding;
}

FoldedWords::FoldedWords(const SelectedMessages& selection) : selection_(selection) {
  std::set<Rank> sizes;
  for (std::size_t k = 0; k < selection.panels.size(); ++k)
    for (const Rank sender : senders(k)) sizes.insert(selection.classes[k]->size_of(sender));
  if (sizes.size() == 1) size_of_all_ = *sizes.begin();
}

std::string FoldedWords::of_panel(std::size_t panel, const RankLabels& labels) const {
  if (size_of_all_) return "";
  const auto words = mapped(senders(panel), [&](Rank sender) {
    const Rank size = selection_.classes[panel]->size_of(sender);
    return size == 1 ? labels(sender) + " alone" : fmt::format("{} for {}", labels(sender), size);
  });
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string FoldedWords::of_rank(int step, Rank rank) const {
  const Rank size = selection_.classes[selection_.panel_of(step)]->size_of(rank);
  return size == 1 ? "alone" : fmt::format("1 of {}", size);
}

std::string FoldedWords::note(std::string_view drawn) const {
  const bool is_by_xor = !selection_.classes.empty() && selection_.classes.front()->is_by_xor();
  const std::string who = size_of_all_ ? fmt::format("Each {} stands for {} that send", drawn, *size_of_all_)
                                       : fmt::format("Steps say for how many each {} stands; all of them send", drawn);
  const std::string_view how =
      is_by_xor ? "to their number xor the same m in the step" : "as far and the same way in the step";
  const std::string ranks = size_of_all_ == 1 ? "" : fmt::format("{} {}.", who, how);
  if (!selection_.backwards) return ranks;
  return words_of({fmt::format("Steps {} to {}: the same backwards, with arrows turned, as copies.",
                               selection_.backwards->first, selection_.backwards->end - 1),
                   ranks});
}

std::vector<Rank> FoldedWords::senders(std::size_t panel) const {
  std::set<Rank> all;
  for (const Message& m : selection_.messages)
    if (m.step == selection_.panels[panel].first) all.insert(m.src);
  return {all.begin(), all.end()};
}

std::optional<DrawOptions> folded_if_crowded(Rank ranks, const DrawOptions& options) {
  DrawOptions folded = options;
  folded.fold = Fold::always;
  folded.thinned = true;
  const bool is_open = options.fold == Fold::where_needed && asks_to_fold(folded);
  if (!is_open) return std::nullopt;
  const RankRow row = options.transposes ? RankRow::down(all_ranks(ranks), options.style, 0)
                                         : RankRow(all_ranks(ranks), options.style, margin, margin);
  if (row.has_circles()) return std::nullopt;
  return folded;
}

std::vector<Rank> row_of_folded(const SelectedMessages& selection, Rank count) {
  if (selection.messages.empty()) return {};
  return row_with_dots(ranks_of(selection.messages), count, selection.messages.front().src,
                       !selection.classes.front()->is_by_xor());
}

}  // namespace onceover::viz
