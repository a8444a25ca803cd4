#include "verifier/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/stop.h"

namespace onceover::verifier {

namespace {

/// All blocks of the orbits whose representatives failed.
Failures in_whole_orbits(const Failures& representatives, const Symmetry& symmetry, const Header& header) {
  Failures all;
  all.count = representatives.count;
  const Rank places = symmetry.places();
  const auto kept = std::min<std::uint64_t>(Failures::most_kept, all.count);
  for (Block b = 0; b < header.blocks && all.lowest.size() < kept; ++b) {
    const Block representative = b - b % places + symmetry.representative_of(b % places);
    if (std::binary_search(representatives.lowest.begin(), representatives.lowest.end(), representative))
      all.lowest.push_back(b);
  }
  return all;
}

/// Tallies as text, for other processes. The text begins with what all processes must agree on.
class TallyText {
 public:
  TallyText(const Schedule& schedule, const std::string& windows)
      : subject_(fmt::format("{} {} {} {} {}", schedule.header().ranks, schedule.header().blocks, schedule.steps(),
                             schedule.block_transfers(), windows)) {}

  std::string write(const Tally& tally) const {
    return fmt::format("{}\n{} {} {} {} {:d} {:d} {:d} {} {} {} {} {}", subject_, tally.moves, tally.wrong_results,
                       tally.depth, tally.most_sums, tally.exhausted, tally.is_uneven, tally.by_orbits,
                       write(tally.undefined), write(tally.clashing), write(tally.wrong), write(tally.differing),
                       tally.exhausted ? stop_reason() : "");
  }

  /// If the other process was asked to stop, this one is, too.
  Tally read(const std::string& text) const {
    std::istringstream in(text);
    std::string subject, reason;
    std::getline(in, subject);
    if (subject != subject_)
      throw std::runtime_error(
          "the processes don't judge the same blocks of the same schedule; is a file another one on some machine?");
    Tally tally;
    in >> tally.moves >> tally.wrong_results >> tally.depth >> tally.most_sums;
    in >> tally.exhausted >> tally.is_uneven >> tally.by_orbits;
    for (Failures* each : {&tally.undefined, &tally.clashing, &tally.wrong, &tally.differing}) read(in, *each);
    if (!in) throw std::logic_error("a process's tally can't be read");
    if (std::getline(in >> std::ws, reason)) request_stop(reason);
    return tally;
  }

 private:
  static std::string write(const Failures& failures) {
    return fmt::format("{} {} {}", failures.count, failures.lowest.size(), fmt::join(failures.lowest, " "));
  }

  static void read(std::istream& in, Failures& failures) {
    std::size_t size = 0;
    in >> failures.count >> size;
    failures.lowest.resize(std::min(size, Failures::most_kept));
    for (Block& block : failures.lowest) in >> block;
  }

  std::string subject_;
};

}  // namespace

void Failures::add(Block block, std::uint64_t times) {
  count += times;
  if (lowest.size() < most_kept) lowest.push_back(block);
}

void Failures::merge(const Failures& other) {
  count += other.count;
  lowest.insert(lowest.end(), other.lowest.begin(), other.lowest.end());
  std::sort(lowest.begin(), lowest.end());
  if (lowest.size() > most_kept) lowest.resize(most_kept);
}

void Tally::merge(const Tally& other) {
  moves += other.moves;
  wrong_results += other.wrong_results;
  depth = std::max(depth, other.depth);
  exhausted = exhausted || other.exhausted;
  is_uneven = is_uneven || other.is_uneven;
  by_orbits = by_orbits || other.by_orbits;
  undefined.merge(other.undefined);
  clashing.merge(other.clashing);
  wrong.merge(other.wrong);
  differing.merge(other.differing);
  most_sums = std::max(most_sums, other.most_sums);
  for (std::size_t k = 0; k < checks.size(); ++k) checks[k].check->merge(*other.checks[k].check);
}

Tally in_whole_orbits(Tally tally, const Symmetry& symmetry, const Header& header) {
  for (Failures* each : {&tally.undefined, &tally.clashing, &tally.wrong, &tally.differing})
    *each = in_whole_orbits(*each, symmetry, header);
  return tally;
}

Tally merged(const Tally& mine, Team& team, const Schedule& schedule, const std::string& windows) {
  const TallyText text(schedule, windows);
  Tally all;
  for (const std::string& each : team.gather(text.write(mine))) all.merge(text.read(each));
  return all;
}

}  // namespace onceover::verifier
