#include "schedules/block_set.h"

namespace onceover {

std::optional<Block> normalise(std::vector<Run>& runs) {
  std::sort(runs.begin(), runs.end(), [](Run a, Run b) { return a.first < b.first; });
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

std::size_t BlockSet::first_run_ending_at_or_after(Block x) const {
  const auto run = std::partition_point(runs_.begin(), runs_.end(), [x](Run r) { return r.last < x; });
  return static_cast<std::size_t>(run - runs_.begin());
}

bool BlockSet::stored_contains(Block x) const {
  const std::size_t k = first_run_ending_at_or_after(x);
  return k < runs_.size() && runs_[k].first <= x;
}

bool BlockSet::contains(Block block) const {
  const Block x = block - base_;
  if (x < 0 || x >= modulus_) return false;
  return stored_contains(x >= rotation_ ? x - rotation_ : x - rotation_ + modulus_);
}

bool BlockSet::runs_inside(Block blocks) const {
  bool all = true;
  for_each_run([&](Run run) { all = all && run.first >= 0 && run.last < blocks; });
  return all;
}

std::size_t BlockSet::count_runs() const {
  if (rotation_ == 0 || runs_.empty()) return runs_.size();
  // Turning joins the stored ends where both are in the set, and cuts the run that crosses the new seam.
  const bool ends_join = runs_.front().first == 0 && runs_.back().last == modulus_ - 1;
  const Block seam = modulus_ - rotation_;
  const bool seam_cuts = stored_contains(seam - 1) && stored_contains(seam);
  return runs_.size() - (ends_join ? 1 : 0) + (seam_cuts ? 1 : 0);
}

}  // namespace onceover
