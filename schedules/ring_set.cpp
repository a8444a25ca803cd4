#include "schedules/ring_set.h"

namespace onceover::schedules {

std::optional<Block> normalise(std::vector<Run>& runs) {
  auto before = [](Run a, Run b) { return a.first < b.first; };
  if (!std::is_sorted(runs.begin(), runs.end(), before)) std::sort(runs.begin(), runs.end(), before);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (kept > 0 && runs[k].first <= runs[kept - 1].last) return runs[k].first;
    if (kept > 0 && runs[k].first == runs[kept - 1].last + 1)
      runs[kept - 1].last = runs[k].last;
    else
      runs[kept++] = runs[k];
  }
  runs.resize(kept);
  return std::nullopt;
}

std::size_t RingSet::first_run_ending_at_or_after(Block x) const {
  const auto run = std::partition_point(runs_.begin(), runs_.end(), [x](Run r) { return r.last < x; });
  return static_cast<std::size_t>(run - runs_.begin());
}

bool RingSet::stored_contains(Block x) const {
  const std::size_t k = first_run_ending_at_or_after(x);
  return k < runs_.size() && runs_[k].first <= x;
}

bool RingSet::contains(Block place) const {
  if (place < 0 || place >= ring_) return false;
  return stored_contains(place >= rotation_ ? place - rotation_ : place - rotation_ + ring_);
}

std::size_t RingSet::run_count() const {
  if (rotation_ == 0 || runs_.empty()) return runs_.size();
  // Turning joins the stored ends if both are in the set, and cuts the run that crosses the new seam.
  const bool ends_join = runs_.front().first == 0 && runs_.back().last == ring_ - 1;
  const Block seam = ring_ - rotation_;
  const bool seam_cuts = stored_contains(seam - 1) && stored_contains(seam);
  return runs_.size() - (ends_join ? 1 : 0) + (seam_cuts ? 1 : 0);
}

}  // namespace onceover::schedules
