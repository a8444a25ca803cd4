// A path doesn't name its element or block, so schedules that differ in the names of blocks are the same here. Where
// blocks have owners, paths show them: an element of a reduce-scatter is complete where its last sum is made.
//
// Example: a ring's element 2 of 4 goes from rank 3 to 0, 0 to 1, 1 to 2, all reduces, then back in copies. Some block
// of `verify --algo ring` takes that path in its first three steps, and the mirrored one in the other three.

#include "code/family.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "proofs/peer_proof.h"
#include "proofs/query.h"
#include "proofs/routes/kernel.h"
#include "schedules/numbers.h"
#include "schedules/peer_schedule.h"
#include "subjects/rank_list.h"

namespace onceover::code {

namespace {

/// Formulas of peers in ceil(log2 p) steps, simplest first.
constexpr std::array<std::string_view, 6> known_formulas{
    "r xor pow2(s)", "r xor pow2(log2(p) - 1 - s)",           "even(r) ? r + rho(s) : r - rho(s)", "r + pow2(s)",
    "r - pow2(s)",   "even(r) ? r + delta(s) : r - delta(s)",
};

constexpr std::array renamings{Renaming::none, Renaming::backwards, Renaming::mirrored, Renaming::bits_reversed};

std::string_view text(Renaming renaming) {
  switch (renaming) {
    case Renaming::none: return "";
    case Renaming::backwards: return ", with rank r as rank -r mod p";
    case Renaming::mirrored: return ", with rank r as rank p - 1 - r";
    case Renaming::bits_reversed: return ", with the bits of ranks reversed";
  }
  return "";
}

/// Does the renaming apply, and is it another than those before it?
bool applies(Renaming renaming, Rank ranks) {
  return renaming != Renaming::bits_reversed || is_power_of_two(ranks);
}

Rank renamed(Renaming renaming, Rank rank, Rank ranks) {
  switch (renaming) {
    case Renaming::none: return rank;
    case Renaming::backwards: return (ranks - rank) % ranks;
    case Renaming::mirrored: return ranks - 1 - rank;
    case Renaming::bits_reversed: {
      Rank reversed = 0;
      for (Rank bit = 1; bit < ranks; bit *= 2) reversed = reversed * 2 + ((rank & bit) != 0 ? 1 : 0);
      return reversed;
    }
  }
  return rank;
}

struct PathMove {
  int step;
  Rank src;
  Rank dst;
  Op op;
};

/// The moves of each block, by step.
std::vector<std::vector<PathMove>> moves_of(const Schedule& schedule) {
  std::vector<std::vector<PathMove>> moves(static_cast<std::size_t>(schedule.header().blocks));
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      t.blocks.for_each_block({0, schedule.header().blocks}, [&](Block b) {
        moves[static_cast<std::size_t>(b)].push_back({step, t.src, t.dst, t.op});
      });
  }
  return moves;
}

Paths paths_of(const std::vector<std::vector<PathMove>>& moves, const std::vector<std::size_t>& elements,
               Renaming renaming, Rank ranks) {
  Paths paths;
  std::vector<std::array<std::int64_t, 4>> sorted;
  for (std::size_t block = 0; block < moves.size(); ++block) {
    sorted.clear();
    for (const PathMove& m : moves[block])
      sorted.push_back(
          {m.step, renamed(renaming, m.src, ranks), renamed(renaming, m.dst, ranks), static_cast<std::int64_t>(m.op)});
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int64_t> path;
    for (const auto& move : sorted) path.insert(path.end(), move.begin(), move.end());
    paths[path] += elements[block];
  }
  return paths;
}

std::optional<PeerRule> rule_of(std::string_view formula) {
  auto peer = Formula::parse("--peer", formula, peer_variables());
  if (!peer) return std::nullopt;
  return PeerRule{std::move(*peer)};
}

bool has_peers(Collective collective) {
  return collective == Collective::allreduce || collective == Collective::reduce_scatter ||
         collective == Collective::allgather;
}

std::size_t total(const Paths& paths) {
  std::size_t sum = 0;
  for (const auto& [path, count] : paths) sum += count;
  return sum;
}

/// Proves a formula for every p.
std::string proved_text(std::string_view formula) {
  const PeerRule rule = *rule_of(formula);
  const auto proof = prove_peers(rule);
  if (!proof->theorem) return "it isn't proved for every p: " + proof->problem;
  if (!prove({&*proof->theorem}, {z3()}, 1).front().holds()) return "it isn't proved for every p";
  return fmt::format("proved for {}; trusted: Z3 for the arithmetic, Coq's kernel for the rest",
                     domain(*proof->family, rule));
}

}  // namespace

/// Plain rows come first, then formulas, then what is made of other rows; and ranks by their own names.
int FamilySearch::Candidate::weight() const {
  const int renamed = renaming == Renaming::none ? 0 : 1000;
  if (row == nullptr) return renamed + 300;
  return renamed + (row->is_composed ? 500 : 0) + (settings.empty() ? 0 : 100) + (row->has_lanes ? 20 : 0) +
         (row->on_tori ? 10 : 0) + static_cast<int>(row->parameters.size());
}

void FamilySearch::begin(Collective collective, Rank ranks) {
  collective_ = collective;
  for (const Renaming renaming : renamings) {
    for (const Algorithm& row : catalogue())
      if (!row.as_printed)
        for (auto& settings : live::all_settings(row, ranks))
          found_.push_back({.row = &row, .settings = std::move(settings), .renaming = renaming});
    if (has_peers(collective))
      for (const std::string_view formula : known_formulas)
        found_.push_back({.formula = formula, .renaming = renaming});
  }
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.weight() < b.weight(); });
}

void FamilySearch::add(Collective collective, Rank root, Rank ranks, const Paths& paths) {
  if (ranks_.empty()) begin(collective, ranks);
  root_ = root;
  if (ranks_.empty() || ranks_.back() != ranks) ranks_.push_back(ranks);
  std::erase_if(found_, [&](const Candidate& candidate) { return !is_same(candidate, ranks, paths); });
}

SchedulePtr FamilySearch::schedule_of(const Candidate& candidate, Rank ranks) const {
  if (candidate.row == nullptr) {
    const auto made = make_peer_schedule(*rule_of(candidate.formula), collective_, ranks);
    return made ? made->schedule : nullptr;
  }
  Request request = on_line(collective_, ranks);
  request.settings = candidate.settings;
  request.root = root_;
  return refusal(*candidate.row, request) ? nullptr : candidate.row->make(request);
}

bool FamilySearch::is_same(const Candidate& candidate, Rank ranks, const Paths& paths) const {
  if (!applies(candidate.renaming, ranks)) return false;
  const SchedulePtr schedule = schedule_of(candidate, ranks);
  if (schedule == nullptr || schedule->header().scratch > 0 || schedule->groups() != nullptr) return false;
  const auto blocks = static_cast<std::size_t>(schedule->header().blocks);
  const std::size_t vector = total(paths);
  if (vector % blocks != 0) return false;
  const std::vector<std::size_t> elements(blocks, vector / blocks);
  return paths_of(moves_of(*schedule), elements, candidate.renaming, ranks) == paths;
}

std::string FamilySearch::theorem_text(const Candidate& candidate) const {
  if (candidate.row == nullptr) return proved_text(candidate.formula);
  const SchedulePtr schedule = schedule_of(candidate, ranks_.back());
  const KernelRow* row = kernel_row({schedule->header(), candidate.settings});
  return row == nullptr ? "" : fmt::format("theorem {} (kernel) covers {}", row->theorem->name, row->domain);
}

std::vector<std::string> FamilySearch::text() const {
  const Candidate& best = found_.front();
  const std::string settings = live::settings_text(best.settings);
  const std::string name = best.row == nullptr ? fmt::format("--peer '{}'", best.formula)
                           : settings.empty()  ? std::string(best.row->name)
                                               : fmt::format("{} ({})", best.row->name, settings);
  std::vector<std::string> lines{
      fmt::format("as the {} of {}{}", schedules::name(collective_), name, code::text(best.renaming))};
  if (const std::string theorem = theorem_text(best); !theorem.empty()) lines.push_back("  " + theorem);
  std::vector<std::string_view> others;
  for (const Candidate& other : found_)
    if (other.row != nullptr && other.row != best.row && other.renaming == best.renaming)
      add_new(others, other.row->name);
  if (!others.empty()) lines.push_back(fmt::format("  for these p that is also {}", fmt::join(others, ", ")));
  return lines;
}

void Family::add(const live::LiveCall& call, const Recovered& recovered) {
  const Schedule& schedule = *recovered.schedule;
  const Rank root = call.collective->has_root() ? call.root : 0;
  if (ranks_.empty() || ranks_.back() != call.ranks) ranks_.push_back(call.ranks);
  std::vector<std::size_t> elements;
  for (const auto& runs : recovered.elements) {
    elements.push_back(0);
    for (const ElementRun& run : runs) elements.back() += run.length;
  }
  const auto moves = moves_of(schedule);
  whole_.add(schedule.header().collective, root, call.ranks, paths_of(moves, elements, Renaming::none, call.ranks));
  int first_copy = schedule.steps(), last_sum = -1;
  for (const auto& list : moves)
    for (const PathMove& m : list)
      if (m.op == Op::copy)
        first_copy = std::min(first_copy, m.step);
      else
        last_sum = std::max(last_sum, m.step);
  has_halves_ = has_halves_ && schedule.header().collective == Collective::allreduce && last_sum < first_copy;
  if (!has_halves_) return;
  std::array<std::vector<std::vector<PathMove>>, 2> parts{moves, moves};
  for (std::size_t b = 0; b < moves.size(); ++b) {
    std::erase_if(parts[0][b], [](const PathMove& m) { return m.op == Op::copy; });
    std::erase_if(parts[1][b], [](const PathMove& m) { return m.op == Op::reduce; });
    for (PathMove& m : parts[1][b]) m.step -= first_copy;
  }
  halves_[0].add(Collective::reduce_scatter, 0, call.ranks, paths_of(parts[0], elements, Renaming::none, call.ranks));
  halves_[1].add(Collective::allgather, 0, call.ranks, paths_of(parts[1], elements, Renaming::none, call.ranks));
}

void Family::leave_out(Rank ranks) {
  if (left_out_.empty() || left_out_.back() != ranks) left_out_.push_back(ranks);
}

std::vector<std::string> Family::text() const {
  if (ranks_.empty()) return {"family: unknown: no call passes that has an element for each rank and is a schedule"};
  const std::string where = "p = " + rank_list_text(ranks_);
  std::vector<std::string> lines;
  if (whole_.is_found()) {
    lines = whole_.text();
  } else if (has_halves_ && halves_[0].is_found() && halves_[1].is_found()) {
    lines = halves_[0].text();
    for (const std::string& line : halves_[1].text()) lines.push_back(line.starts_with(" ") ? line : "then " + line);
  } else {
    return {fmt::format(
        "family: for {}, the messages are those of no row of the catalogue and of no formula known here", where)};
  }
  lines.insert(lines.begin(), fmt::format("family: for {}, each element goes", where));
  for (std::size_t k = 1; k < lines.size(); ++k) lines[k] = "  " + lines[k];
  if (!left_out_.empty())
    lines.push_back(fmt::format("  not compared, since no schedule can be read from the messages: p = {}",
                                rank_list_text(left_out_)));
  lines.emplace_back("  that the code goes on like this for other p and counts is not proved");
  return lines;
}

}  // namespace onceover::code
