#include "viz/place_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/result.h"

namespace onceover::viz {

namespace {

constexpr int several = 2;

bool has_several(const Held& held) {
  return std::find(held.begin(), held.end(), several) != held.end();
}

}  // namespace

PlaceContents::PlaceContents(const Schedule& schedule, const DistributedVector& vector)
    : header_(schedule.header()),
      places_(static_cast<std::size_t>(header_.ranks) * static_cast<std::size_t>(vector.slots)),
      by_step_(static_cast<std::size_t>(schedule.steps())) {
  for (const VectorMove& move : vector.moves) by_step_[static_cast<std::size_t>(move.step)].push_back(move);
  find_needed();
}

std::vector<Held> PlaceContents::at_first() const {
  const auto ranks = static_cast<std::size_t>(header_.ranks);
  std::vector<Held> held(places_, Held(ranks, 0));
  for (std::size_t place = 0; place < ranks; ++place)
    if (place == 0 || all_begin()) held[place][place] = 1;
  return held;
}

Drawn<void> PlaceContents::execute(int step, std::vector<Held>& held) const {
  std::vector<std::pair<const VectorMove*, Held>> sent;
  for (const VectorMove& move : moves(step)) sent.emplace_back(&move, held[static_cast<std::size_t>(move.from)]);
  std::set<Rank> copied;
  for (const auto& [move, value] : sent)
    if (move->op == Op::copy && !copied.insert(move->to).second)
      return unsuitable(fmt::format("vectors: in step {}, two values are copied to one place", step));
  for (const auto& [move, value] : sent) {
    Held& there = held[static_cast<std::size_t>(move->to)];
    if (move->op == Op::reduce && copied.contains(move->to))
      return unsuitable(fmt::format("vectors: in step {}, a place is copied to and reduced into", step));
    if (move->op == Op::copy)
      there = value;
    else
      std::transform(there.begin(), there.end(), value.begin(), there.begin(),
                     [](int a, int b) { return std::min(a + b, several); });
  }
  return {};
}

Drawn<bool> PlaceContents::repeats(StepRange steps) const {
  auto held = at_first();
  bool found = false;
  for (int step = 0; step <= steps.end; ++step) {
    if (step >= steps.first) found = found || std::any_of(held.begin(), held.end(), has_several);
    if (step < steps.end) TRY(execute(step, held));
  }
  return found;
}

std::string PlaceContents::text(const Held& held) const {
  if (!all_begin()) return held[0] > 0 ? "v" : "";
  if (std::all_of(held.begin(), held.end(), [](int times) { return times == 1; })) return "all";
  std::vector<Run> runs;
  for (std::size_t k = 0; k < held.size(); ++k) {
    if (held[k] == 0) continue;
    const auto number = static_cast<Block>(k);
    if (!runs.empty() && runs.back().last + 1 == number)
      runs.back().last = number;
    else
      runs.push_back({number, number});
  }
  return runs_text(runs) + (has_several(held) ? "!" : "");
}

std::string PlaceContents::count_text(const Held& held) {
  return fmt::format("×{}{}", std::ssize(held) - std::count(held.begin(), held.end(), 0), has_several(held) ? "!" : "");
}

/// From the end backwards: what is promised, and what is sent.
void PlaceContents::find_needed() {
  std::set<Rank> live{0};
  if (contract(header_.collective).ends == Holders::everyone)
    for (Rank place = 0; place < header_.ranks; ++place) live.insert(place);
  needed_.resize(by_step_.size() + 1);
  needed_.back().assign(live.begin(), live.end());
  for (std::size_t step = by_step_.size(); step-- > 0;) {
    for (const VectorMove& move : by_step_[step])
      if (move.op == Op::copy) live.erase(move.to);
    for (const VectorMove& move : by_step_[step]) live.insert(move.from);
    std::set<Rank> shown = live;
    if (step > 0)
      for (const VectorMove& move : by_step_[step - 1]) shown.insert(move.to);
    needed_[step].assign(shown.begin(), shown.end());
  }
  if (by_step_.empty()) return;
  std::set<Rank> last(needed_.back().begin(), needed_.back().end());
  for (const VectorMove& move : by_step_.back()) last.insert(move.to);
  needed_.back().assign(last.begin(), last.end());
}

}  // namespace onceover::viz
