#include "check/certificate.h"

#include "check/cursor.h"
#include "check/replay.h"

namespace check {

namespace {

/// The transfers of one block after another, each block's in the order of the schedule.
class Sweep {
 public:
  Sweep(const Schedule& schedule, std::uint32_t first_block) : schedule_(schedule), block_(first_block) {}

  /// Of the next block.
  const std::vector<Transfer>& next() {
    for (; next_run_ < schedule_.runs.size() && schedule_.runs[next_run_].first <= block_; ++next_run_)
      open_.push_back(schedule_.runs[next_run_]);
    std::erase_if(open_, [&](const Run& run) { return run.last < block_; });
    std::sort(open_.begin(), open_.end(), [](const Run& a, const Run& b) { return a.transfer < b.transfer; });
    transfers_.clear();
    for (const Run& run : open_) transfers_.push_back(schedule_.transfers[run.transfer]);
    ++block_;
    return transfers_;
  }

 private:
  const Schedule& schedule_;
  std::uint32_t block_;
  std::size_t next_run_ = 0;
  std::vector<Run> open_;  // those with the block, by transfer
  std::vector<Transfer> transfers_;
};

std::string in_words(const Fault& fault) {
  return std::string(fault.kind) + " at rank " + std::to_string(fault.rank) + " in step " + std::to_string(fault.step);
}

/// Goes through a certificate along with its schedule.
class Examination {
 public:
  Examination(const Schedule& schedule, const Text& certificate) : schedule_(schedule), at_(certificate) {}

  /// The verdict that is proved.
  std::string run() {
    at_.expect("onceover-certificate 1\ncollective ");
    if (!at_.skip(std::string(schedule_.collective.name) + "\n")) at_.unproven("the schedule is of another collective");
    same("ranks ", schedule_.ranks, "\n");
    same("blocks ", schedule_.blocks, "\n");
    const bool passes = at_.skip("verdict pass\n");
    if (!passes) at_.expect("verdict fail\n");
    const std::string verdict = passes ? pass() : fail();
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
    Sweep sweep(schedule_, 0);
    std::uint64_t count = 0;
    for (std::uint32_t block = 0; block < schedule_.blocks; ++block) {
      same("block ", block, "\n");
      const std::vector<Transfer>& transfers = sweep.next();
      Replay replay(schedule_, block);
      const auto faults = replay.run(transfers, [&](const Transfer& t) { return claim(t); });
      if (!faults.empty()) at_.unproven(in_words(faults[0]));
      if (line_goes_on_ || at_.rest().starts_with("step ")) at_.unproven("the block has no more transfers");
      results(replay, block);
      count += transfers.size();
    }
    return "pass: " + std::to_string(schedule_.blocks) + " blocks, " + std::to_string(count) + " block transfers";
  }

  /// Reads what the certificate says of the block's next transfer, which must be this: " src>dst", maybe "=term".
  std::optional<Term> claim(const Transfer& t) {
    if (!line_goes_on_) begin_line();
    const bool is_same =
        line_step_ == t.step && line_reduces_ == t.reduces && field(" ") == t.src && field(">") == t.dst;
    if (!is_same)
      at_.unproven("the block's next transfer is step " + std::to_string(t.step) + (t.reduces ? " reduce " : " copy ") +
                   std::to_string(t.src) + ">" + std::to_string(t.dst));
    const bool has_name = at_.skip("=");
    const Term name = has_name ? static_cast<Term>(at_.number(0, nothing)) : nothing;
    line_goes_on_ = !at_.skip("\n");
    return has_name ? std::optional(name) : std::nullopt;
  }

  /// Reads "step S reduce" or "step S copy".
  void begin_line() {
    if (at_.rest().starts_with("holds ")) at_.unproven("the block has more transfers");
    line_step_ = field("step ");
    line_reduces_ = at_.skip(" reduce");
    if (!line_reduces_) at_.expect(" copy");
  }

  /// Reads "holds", then " first..last=term" for all ranks that must hold the block's result, upward.
  void results(const Replay& replay, std::uint32_t block) {
    const Ranks required = schedule_.ranks_of(schedule_.collective.ends, block);
    std::map<Term, bool> is_judged;
    at_.expect("holds");
    for (std::uint64_t rank = required.first; rank < required.end;) {
      same(" ", rank);
      const std::uint64_t last = at_.skip("..") ? field("") : rank;
      if (last < rank || last >= required.end) at_.unproven("these are not ranks that must hold the block");
      const std::uint64_t term = field("=");
      for (; rank <= last; ++rank)
        if (replay.held(static_cast<std::uint32_t>(rank)) != term)
          at_.unproven("rank " + std::to_string(rank) + " ends with another value");
      if (!std::exchange(is_judged[static_cast<Term>(term)], true)) judge(replay, static_cast<Term>(term), block);
    }
    at_.expect("\n");
  }

  /// Each contribution must be in the value once, and nothing else.
  void judge(const Replay& replay, Term value, std::uint32_t block) const {
    const Ranks wanted = schedule_.ranks_of(schedule_.collective.begins, block);
    const auto found = replay.contributions(value);
    const bool is_right = std::all_of(
        found.begin(), found.end(), [&](const auto& each) { return wanted.contains(each.first) && each.second == 1; });
    if (!is_right || found.size() != wanted.end - wanted.first) at_.unproven("this value isn't each contribution once");
  }

  std::string fail() {
    for (const std::string_view kind : {"self-transfer", "nothing-held", "conflict"})
      if (at_.skip(kind)) return fault(kind, block_of_fail());
    at_.expect("wrong");
    return wrong(block_of_fail());
  }

  std::uint32_t block_of_fail() {
    const std::uint64_t block = field(" block ");
    if (block >= schedule_.blocks) at_.unproven("there is no such block");
    return static_cast<std::uint32_t>(block);
  }

  static std::optional<Term> always_new(const Transfer&) { return std::nullopt; }

  /// A step of the block has no defined meaning.
  std::string fault(std::string_view kind, std::uint32_t block) {
    const std::uint64_t rank = field(" rank ");
    const std::uint64_t step = field(" step ", "\n");
    const std::vector<Transfer> transfers = Sweep(schedule_, block).next();
    auto faults = Replay(schedule_, block).run(transfers, always_new);
    // A rank that sends to itself does so whatever came before.
    for (const Transfer& t : transfers)
      if (t.src == t.dst) faults.push_back({"self-transfer", t.src, t.step});
    for (const Fault& found : faults)
      if (found.kind == kind && found.rank == rank && found.step == step)
        return "fail: block " + std::to_string(block) + ": " + in_words(found);
    at_.unproven("this is not what is wrong first with the block");
  }

  /// All steps have a meaning, but a rank's result has a contribution too often or not at all.
  std::string wrong(std::uint32_t block) {
    const std::uint64_t rank = field(" rank ");
    const std::uint64_t contributor = field(" contributor ");
    const std::uint64_t times = field(" times ", "\n");
    if (!schedule_.ranks_of(schedule_.collective.ends, block).contains(rank))
      at_.unproven("the rank need not hold the block");
    Replay replay(schedule_, block);
    const auto faults = replay.run(Sweep(schedule_, block).next(), always_new);
    if (!faults.empty()) at_.unproven(in_words(faults[0]));
    Replay::Counts found = replay.contributions(replay.held(static_cast<std::uint32_t>(rank)));
    const std::uint64_t wanted = schedule_.ranks_of(schedule_.collective.begins, block).contains(contributor) ? 1 : 0;
    if (contributor >= schedule_.ranks || times != found[static_cast<Term>(contributor)] || times == wanted)
      at_.unproven("it is not there that often, or should be");
    return "fail: block " + std::to_string(block) + ": rank " + std::to_string(rank) +
           " ends with the contribution of " + std::to_string(contributor) + " " + std::to_string(times) + " times";
  }

  const Schedule& schedule_;
  Cursor at_;
  bool line_goes_on_ = false;  // the transfer read last was not the last of its line
  std::uint64_t line_step_ = 0;
  bool line_reduces_ = false;
};

}  // namespace

Outcome check_certificate(const Text& schedule, const Text& certificate) {
  try {
    return {Outcome::Kind::proved, Examination(read_schedule(schedule), certificate).run()};
  } catch (const Outcome& outcome) {
    return outcome;
  }
}

}  // namespace check
