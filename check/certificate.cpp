// Judges a certificate along with its schedule, whose transfers it executes, block by block and step by step (Replay).

#include "check/certificate.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "check/cursor.h"
#include "check/schedule.h"

namespace check {

namespace {

/// The value of a cell: r < ranks is rank r's own contribution to the block; then come what is held of other blocks at
/// first (see Foreign), and the joins of two earlier values.
using Term = std::uint32_t;
constexpr Term nothing = UINT32_MAX;

/// Why a step has no defined meaning, or why a sum can't have the name that it is given.
struct Fault {
  std::string_view kind;
  std::uint32_t cell, step;
};

/// How the contributions to other blocks of the group are numbered: all as `ranks`, if there are such blocks, or each
/// by its cell.
enum class Foreign { together, apart };

/// Sums are called by where they first came about: the cell's n-th sum, from 0.
using Name = std::pair<std::uint32_t, std::uint32_t>;

/// The sums that are said to be the same as others, which came about before.
struct Again {
  std::map<Name, Name> names;
  std::map<Name, Term> originals;  // nothing, before they come about
};

/// Executes the moves between the cells of some slots: cell slot * ranks + rank. Slot 0 is the block that it is about.
/// Memory: that of the cells and joins that the transfers touch.
class Replay {
 public:
  Replay(const Schedule& schedule, const std::vector<std::uint32_t>& slots, Foreign foreign, Again again = {})
      : schedule_(schedule), slots_(slots), foreign_(foreign), again_(std::move(again)) {
    leaves_ = schedule.ranks + (slots.size() > 1 && slots[1] < schedule.blocks ? 1 : 0);
    if (foreign == Foreign::apart) leaves_ = schedule.ranks * static_cast<Term>(slots.size());
  }

  /// Applies the block's transfers up to the first step with faults, and returns those. In a step cells take turns;
  /// what reaches one cell comes in the order of the schedule.
  std::vector<Fault> run(std::vector<Transfer> transfers) {
    std::vector<Fault> faults;
    std::stable_sort(transfers.begin(), transfers.end(), [](const Transfer& a, const Transfer& b) {
      return std::pair(a.step, a.dst) < std::pair(b.step, b.dst);
    });
    for (std::size_t begin = 0, end = 0; begin < transfers.size() && faults.empty(); begin = end) {
      while (end < transfers.size() && transfers[end].step == transfers[begin].step) ++end;
      const auto step = std::span(transfers).subspan(begin, end - begin);
      faults = faults_of(step);
      if (faults.empty()) apply(step, faults);
    }
    return faults;
  }

  bool made_all_named() const { return again_.names.empty(); }

  Term held(std::uint32_t cell) const {
    if (const auto it = written_.find(cell); it != written_.end()) return it->second.value;
    const std::uint32_t block = slots_[cell / schedule_.ranks];
    if (block >= schedule_.blocks) return nothing;
    if (!schedule_.ranks_of(schedule_.collective.begins, block).contains(cell % schedule_.ranks)) return nothing;
    return cell < schedule_.ranks || foreign_ == Foreign::apart ? cell : schedule_.ranks;
  }

  bool is_sum(Term term) const { return term != nothing && term >= leaves_; }
  Name name_of(Term sum) const { return joins_[sum - leaves_].name; }

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
      const auto [a, b] = joins_[term - leaves_].parts;
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
  void apply(std::span<const Transfer> step, std::vector<Fault>& faults) {
    std::vector<Term> sent;
    for (const Transfer& t : step) sent.push_back(held(t.src));
    for (std::size_t k = 0; k < step.size(); ++k) {
      const Transfer& t = step[k];
      const Term before = held(t.dst);
      Cell& cell = written_[t.dst];
      cell.value = t.reduces ? joined({t.dst, cell.sums++}, before, sent[k]) : sent[k];
      if (cell.value == nothing) faults.push_back({"wrong sum", t.dst, t.step});
    }
  }

  /// The sum of this name; nothing if it is said to be another one, and isn't.
  Term joined(Name name, Term a, Term b) {
    const std::pair<Term, Term> parts = std::minmax(a, b);
    if (const auto it = again_.names.find(name); it != again_.names.end()) {
      const Term sum = again_.originals.at(it->second);
      again_.names.erase(it);
      return sum != nothing && joins_[sum - leaves_].parts == parts ? sum : nothing;
    }
    const Term sum = leaves_ + static_cast<Term>(joins_.size());
    joins_.push_back({parts, name});
    if (const auto it = again_.originals.find(name); it != again_.originals.end()) it->second = sum;
    return sum;
  }

  struct Cell {
    Term value;
    std::uint32_t sums = 0;
  };
  struct Join {
    std::pair<Term, Term> parts;  // the lower one first
    Name name;
  };

  const Schedule& schedule_;
  const std::vector<std::uint32_t>& slots_;
  Foreign foreign_;
  Again again_;  // without the names that came up
  Term leaves_;
  std::unordered_map<std::uint32_t, Cell> written_;
  std::vector<Join> joins_;
};

std::string in_words(const Schedule& schedule, const std::vector<std::uint32_t>& slots, const Fault& fault) {
  return "block " + std::to_string(slots[fault.cell / schedule.ranks]) + ": " + std::string(fault.kind) + " at rank " +
         std::to_string(fault.cell % schedule.ranks) + " in step " + std::to_string(fault.step);
}

/// Reads a certificate along with its schedule.
class Examination {
 public:
  Examination(const Schedule& schedule, const Text& certificate) : schedule_(schedule), at_(certificate) {}

  /// The proved verdict.
  std::string run() {
    at_.expect("onceover-certificate 2\ncollective ");
    if (!at_.skip(std::string(schedule_.collective.name) + "\n")) at_.unproven("the schedule is of another collective");
    same("ranks ", schedule_.ranks, "\n");
    same("blocks ", schedule_.blocks, "\n");
    const std::string verdict = at_.skip("verdict pass\n") ? pass() : fail();
    if (!at_.rest().empty()) at_.malformed("expected the end of the certificate");
    return verdict;
  }

 private:
  std::uint64_t field(std::string_view name, std::string_view after = "") {
    at_.expect(name);
    const std::uint64_t value = at_.number(0, Replay::many);
    at_.expect(after);
    return value;
  }

  void same(std::string_view name, std::uint64_t value, std::string_view after = "") {
    if (field(name, after) != value) at_.unproven("this should be " + std::to_string(value));
  }

  std::string pass() {
    for (std::uint32_t block = 0; block < schedule_.blocks; ++block) {
      same("block ", block);
      const auto slots = schedule_.slots_of(block);
      const auto transfers = schedule_.transfers_of(slots);
      same(" moves ", transfers.size());
      at_.expect("\n");
      Replay replay(schedule_, slots, Foreign::together, again());
      const auto faults = replay.run(transfers);
      if (!faults.empty()) at_.unproven(in_words(schedule_, slots, faults[0]));
      if (!replay.made_all_named()) at_.unproven("the block has no sum of one of these names");
      results(replay, block);
    }
    return "pass: each contribution once, in each of " + std::to_string(schedule_.blocks) + " blocks";
  }

  Name name_of_sum(std::uint64_t cell) {
    at_.expect(".");
    return {static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(at_.number(0, nothing))};
  }

  /// Reads "again", then " name=name" for all sums that came about before, under the second name.
  Again again() {
    Again said;
    if (!at_.skip("again")) return said;
    while (!at_.skip("\n")) {
      at_.expect(" ");
      const Name own = name_of_sum(at_.number(0, nothing));
      at_.expect("=");
      const Name original = name_of_sum(at_.number(0, nothing));
      if (!said.names.emplace(own, original).second) at_.unproven("this sum has a name already");
      said.originals[original] = nothing;
    }
    return said;
  }

  /// Reads "holds", then " first..last=value" for all ranks that must hold the block's result, ascending.
  void results(const Replay& replay, std::uint32_t block) {
    const Ranks required = schedule_.ranks_of(schedule_.collective.ends, block);
    std::set<Term> judged;
    at_.expect("holds");
    for (std::uint64_t rank = required.first; rank < required.end;) {
      same(" ", rank);
      const std::uint64_t last = at_.skip("..") ? field("") : rank;
      if (last < rank || last >= required.end) at_.unproven("these are not ranks that must hold the block");
      const Term value = replay.held(static_cast<std::uint32_t>(rank));
      called(replay, value);
      for (; rank <= last; ++rank)
        if (replay.held(static_cast<std::uint32_t>(rank)) != value)
          at_.unproven("rank " + std::to_string(rank) + " ends with another value");
      if (judged.insert(value).second) judge(replay, value, block);
    }
    at_.expect("\n");
  }

  /// Reads "=" and what a value is called: a rank, whose contribution it is, or a sum's name.
  void called(const Replay& replay, Term value) {
    at_.expect("=");
    const std::uint64_t first = at_.number(0, nothing);
    const bool is_sum = replay.is_sum(value);
    const bool is_it =
        at_.rest().starts_with(".") ? is_sum && name_of_sum(first) == replay.name_of(value) : !is_sum && first == value;
    if (!is_it) at_.unproven("the rank ends with another value");
  }

  /// Checks that the value has each contribution once, and nothing else.
  void judge(const Replay& replay, Term value, std::uint32_t block) const {
    const Ranks wanted = schedule_.ranks_of(schedule_.collective.begins, block);
    const auto found = replay.contributions(value);
    bool is_right = found.size() == wanted.end - wanted.first;
    for (const auto& [rank, times] : found) is_right = is_right && wanted.contains(rank) && times == 1;
    if (!is_right) at_.unproven("this value isn't each contribution once");
  }

  std::string fail() {
    at_.expect("verdict fail\n");
    for (const std::string_view kind : {"self-transfer", "nothing-held", "conflict"})
      if (at_.skip(kind)) return fault(kind, block_of_fail());
    at_.expect("wrong");
    return wrong(block_of_fail());
  }

  std::uint32_t block_of_fail() {
    const std::uint64_t block = field(" block ");
    if (block >= schedule_.all_blocks()) at_.unproven("there is no such block");
    return static_cast<std::uint32_t>(block);
  }

  /// Checks that a step of the block has no defined meaning.
  std::string fault(std::string_view kind, std::uint32_t block) {
    const std::uint64_t rank = field(" rank "), step = field(" step ", "\n");
    const auto slots = schedule_.slots_of(block);
    const auto transfers = schedule_.transfers_of(slots);
    auto faults = Replay(schedule_, slots, Foreign::apart).run(transfers);
    // A rank that sends to itself is a fault, whatever came before.
    for (const Transfer& t : transfers)
      if (t.src == t.dst) faults.push_back({"self-transfer", t.src, t.step});
    for (const Fault& found : faults)
      if (found.kind == kind && found.cell == rank && found.step == step && rank < schedule_.ranks)
        return "fail: " + in_words(schedule_, slots, found);
    at_.unproven("this is not what is wrong first with the block");
  }

  /// Checks that all steps have a meaning, but a rank's result has a contribution too often or not at all; or one to
  /// another block.
  std::string wrong(std::uint32_t block) {
    const std::uint64_t rank = field(" rank "), contributor = field(" contributor ");
    const std::uint64_t other = at_.rest().starts_with(" to ") ? field(" to block ") : block;
    const std::uint64_t times = field(" times ", "\n");
    const auto slots = schedule_.slots_of(block);
    Replay replay(schedule_, slots, Foreign::apart);
    const auto faults = replay.run(schedule_.transfers_of(slots));
    if (!faults.empty()) at_.unproven(in_words(schedule_, slots, faults[0]));
    if (block >= schedule_.blocks || !schedule_.ranks_of(schedule_.collective.ends, block).contains(rank))
      at_.unproven("the rank need not hold it");
    Replay::Counts found = replay.contributions(replay.held(static_cast<std::uint32_t>(rank)));
    const bool is_due = other == block && schedule_.ranks_of(schedule_.collective.begins, block).contains(contributor);
    const auto slot = static_cast<std::uint64_t>(std::find(slots.begin(), slots.end(), other) - slots.begin());
    const std::uint64_t leaf = slot * schedule_.ranks + contributor;
    if (contributor >= schedule_.ranks || slot == slots.size() || times != found[static_cast<Term>(leaf)] ||
        times == (is_due ? 1 : 0))
      at_.unproven("this is not so, or as it should be");
    return "fail: block " + std::to_string(block) + ": rank " + std::to_string(rank) +
           " ends with the contribution of " + std::to_string(contributor) +
           (other == block ? " " : " to block " + std::to_string(other) + " ") + std::to_string(times) + " times";
  }

  const Schedule& schedule_;
  Cursor at_;
};

}  // namespace

Outcome check_certificate(const Text& schedule, const Text& certificate) try {
  if (certificate.content.starts_with(plan_certificate_begin)) return check_plan_certificate(schedule, certificate);
  if (certificate.content.starts_with(program_certificate_begin))
    return check_program_certificate(schedule, certificate);
  return {Outcome::Kind::proved, Examination(read_schedule(schedule), certificate).run()};
} catch (const Outcome& outcome) {
  return outcome;
}

}  // namespace check
