#include "verifier/rank_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "verifier/move_symmetry.h"

namespace onceover::verifier {

namespace {

/// A message as its sender sees it.
struct Sent {
  Rank sender;
  Rank distance;  // what takes the sender to the receiver, as a place
  Op op;
  int lane;
  Block size;

  auto what() const { return std::tuple(distance, op, lane, size); }
};

std::vector<Sent> sent_in(const Schedule& schedule, int step, const Places& places) {
  std::vector<Sent> all;
  schedule.visit_transfers(step, [&](std::span<const Transfer> transfers) {
    for (const Transfer& t : transfers)
      all.push_back({t.src, places.minus(t.dst, t.src), t.op, t.lane, t.blocks.size()});
  });
  std::sort(all.begin(), all.end(),
            [](const Sent& a, const Sent& b) { return std::pair(a.sender, a.what()) < std::pair(b.sender, b.what()); });
  return all;
}

bool are_alike(std::span<const Sent> a, std::span<const Sent> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Sent& x, const Sent& y) { return x.what() == y.what(); });
}

/// Does it move each rank to each other?
bool has_all_translations(const Symmetry& translations) {
  return std::all_of(translations.strides.begin(), translations.strides.end(), [](Rank s) { return s == 1; });
}

using OfSteps = std::vector<std::shared_ptr<const RankClasses>>;

std::size_t count_of(const OfSteps& steps) {
  return std::accumulate(steps.begin(), steps.end(), std::size_t{0},
                         [](std::size_t sum, const auto& classes) { return sum + classes->count(); });
}

}  // namespace

RankClasses::RankClasses(const Schedule& schedule, int step, const Symmetry& translations, std::size_t most)
    : translations_(translations), is_by_xor_(translations.sides != schedule.header().sides()) {
  const std::vector<Sent> all = sent_in(schedule, step, Places(translations_));
  std::vector<std::span<const Sent>> kinds;
  auto at = all.begin();
  for (Rank rank = 0; rank < schedule.header().ranks && kinds.size() <= most; ++rank) {
    const auto end = std::find_if(at, all.end(), [&](const Sent& s) { return s.sender != rank; });
    const auto sent =
        std::span(all).subspan(static_cast<std::size_t>(at - all.begin()), static_cast<std::size_t>(end - at));
    const auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return are_alike(kind, sent); });
    class_of_.push_back(static_cast<std::uint32_t>(found - kinds.begin()));
    if (found == kinds.end()) {
      kinds.push_back(sent);
      representatives_.push_back(rank);
    }
    at = end;
  }
}

OfSteps RankClasses::of_steps(const Schedule& schedule, int first, int end, std::size_t most) {
  const std::vector<int> alike = schedule.alike();
  OfSteps best;
  for (const Symmetry& translations : translations_to_try(schedule.header())) {
    if (!has_all_translations(translations)) continue;
    OfSteps steps;
    std::map<int, std::shared_ptr<const RankClasses>> known;
    for (int step = first; step < end; ++step) {
      auto& classes = known[alike[static_cast<std::size_t>(step)]];
      if (!classes) classes.reset(new RankClasses(schedule, step, translations, most));
      if (classes->count() > most) break;
      steps.push_back(classes);
    }
    if (std::ssize(steps) < end - first) continue;
    if (best.empty() || count_of(steps) < count_of(best)) best = std::move(steps);
  }
  return best;
}

Rank RankClasses::size_of(Rank representative) const {
  const auto number = class_of_[static_cast<std::size_t>(representative)];
  return static_cast<Rank>(std::count(class_of_.begin(), class_of_.end(), number));
}

Rank RankClasses::moved(Rank rank, Rank from, Rank to) const {
  const Places places(translations_);
  return places.plus(places.minus(rank, from), to);
}

}  // namespace onceover::verifier
