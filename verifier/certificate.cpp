#include "verifier/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/text_output.h"
#include "verifier/block_windows.h"
#include "verifier/replay.h"

namespace onceover::verifier {

namespace {

/// The sums of a block by their names: where they first came about, and as which of the sums there. Of several places
/// in one step that is the lowest. So names don't depend on the order in which ranks are visited.
class SumNames {
 public:
  /// Where a sum came about.
  struct Name {
    int step = -1;  // -1: it has no name yet
    Rank cell = 0;
    std::uint32_t nth = 0;  // of the cell's sums, from 0
    friend auto operator<=>(const Name&, const Name&) = default;
  };

  /// Names the sums of the block that was replayed last. O(moves + cells).
  void find(const Replay& replay) {
    first_sum_ = replay.first_sum();
    names_.clear();
    std::size_t reductions = 0;
    for_each_sum(replay, [&](const Replay::Move& move, std::uint32_t nth) {
      ++reductions;
      const std::size_t sum = TermTable::id(move.after) - first_sum_;
      if (sum >= names_.size()) names_.resize(sum + 1);
      Name& name = names_[sum];
      if (name.step < 0 || (name.step == move.step && move.dst < name.cell)) name = {move.step, move.dst, nth};
    });
    are_all_new_ = names_.size() == reductions;
  }

  /// Calls visit(own, name) for each sum that is called by another place, in the order of steps, then cells.
  template <class Visit>
  void for_each_again(const Replay& replay, Visit&& visit) {
    if (are_all_new_) return;
    again_.clear();
    for_each_sum(replay, [&](const Replay::Move& move, std::uint32_t nth) {
      const Name own{move.step, move.dst, nth};
      if (of(move.after) != own) again_.emplace_back(own, of(move.after));
    });
    std::sort(again_.begin(), again_.end());
    for (const auto& [own, name] : again_) visit(own, name);
  }

  const Name& of(Term sum) const { return names_[TermTable::id(sum) - first_sum_]; }

 private:
  /// Calls visit(move, n) for each reduction, which makes its cell's n-th sum.
  template <class Visit>
  void for_each_sum(const Replay& replay, Visit&& visit) {
    sums_of_.assign(static_cast<std::size_t>(replay.cells()), 0);
    for (const Replay::Move& move : replay.moves())
      if (move.op == Op::reduce) visit(move, sums_of_[static_cast<std::size_t>(move.dst)]++);
  }

  std::uint32_t first_sum_ = 0;
  std::vector<Name> names_;             // by sum
  std::vector<std::uint32_t> sums_of_;  // by cell: how many it has made
  bool are_all_new_ = true;
  std::vector<std::pair<Name, Name>> again_;
};

/// Writes the lines of one block after another.
class BlockWriter {
 public:
  explicit BlockWriter(const Header& header) : header_(header), replay_(header) {}

  void write(Block block, const Trace& trace) {
    replay_.run(block, trace);
    names_.find(replay_);
    put("block {} moves {}\n", block, trace.move_count());
    write_again();
    write_results();
  }

  /// What was written since the last call.
  std::string_view text() const { return {text_.data(), text_.size()}; }
  void clear() { text_.clear(); }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(fmt::appender(text_), format, std::forward<Values>(values)...);
  }

  void write_again() {
    std::string_view before = "again";
    names_.for_each_again(replay_, [&](const SumNames::Name& own, const SumNames::Name& name) {
      put("{} {}.{}={}.{}", std::exchange(before, ""), own.cell, own.nth, name.cell, name.nth);
    });
    if (before.empty()) put("\n");
  }

  /// Writes the final values of the ranks that must hold the block; neighbours with the same value share an entry.
  void write_results() {
    put("holds");
    for (Rank first = 0, last = 0; first < header_.ranks; first = last + 1) {
      last = first;
      if (!replay_.must_hold(first)) continue;
      const Term value = replay_.value(first);
      while (last + 1 < header_.ranks && replay_.must_hold(last + 1) && replay_.value(last + 1) == value) ++last;
      put(" {}", first);
      if (last > first) put("..{}", last);
      put("={}", name_of(value));
    }
    put("\n");
  }

  std::string name_of(Term value) const {
    if (TermTable::id(value) < replay_.first_sum()) return std::to_string(TermTable::id(value) - 1);
    const SumNames::Name& name = names_.of(value);
    return fmt::format("{}.{}", name.cell, name.nth);
  }

  const Header& header_;
  Replay replay_;
  SumNames names_;
  fmt::memory_buffer text_;
};

/// Writes all blocks, window by window: each thread has one, and they are written in order when all are done.
void write_blocks(const Schedule& schedule, TextOutput& out) {
  const Block blocks = schedule.header().blocks;
  const Block size = window_size(schedule, cores());
  const auto windows = static_cast<int>(std::min<Block>(cores(), (blocks - 1) / size + 1));
  std::deque<BlockWriter> writers;
  for (int k = 0; k < windows; ++k) writers.emplace_back(schedule.header());
  for (Block begin = 0; begin < blocks; begin += std::min(blocks - begin, size * windows)) {
    run_workers(windows, [&](int k) {
      const Block first = begin + std::min(blocks - begin, size * k);
      const BlockRange window{first, first + std::min(blocks - first, size)};
      BlockWriter& writer = writers[static_cast<std::size_t>(k)];
      writer.clear();
      if (window.size() > 0)
        schedule.traces(window, [&](Block block, const Trace& trace) { writer.write(block, trace); });
    });
    for (const BlockWriter& writer : writers) out.put("{}", writer.text());
  }
}

/// Can a certificate express this? A schedule file can't name a rank or block that doesn't exist, so a certificate
/// can't.
bool has_words(const Counterexample& c) {
  return !std::holds_alternative<Counterexample::OutOfRange>(c.what);
}

void write_fail(const Counterexample& c, TextOutput& out) {
  const Counterexample::Facts facts = c.facts();
  if (facts.contributor) {
    const auto* foreign = std::get_if<Counterexample::WrongSource>(&c.what);
    return out.put("wrong block {} rank {} contributor {}{} times {}\n", *c.block, c.rank, *facts.contributor,
                   foreign == nullptr ? "" : fmt::format(" to block {}", foreign->other_block), *facts.times);
  }
  const bool is_nothing = std::holds_alternative<Counterexample::NotHeld>(c.what);
  out.put("{} block {} rank {} step {}\n", is_nothing ? "nothing-held" : c.kind(), *c.block, c.rank, *c.step);
}

/// The property that the certificate is about: well-formed if that fails, since exactly-once then fails, too.
const PropertyResult& judged_in(const Report& report) {
  const PropertyResult& form = *report.find(well_formed_property);
  return form.verdict == Verdict::fail ? form : *report.find(exactly_once_property);
}

/// A judge that stops at the first step without a meaning doesn't see what is wrong after a clash.
Counterexample first_fault(const Schedule& schedule, const PropertyResult& judged) {
  const Counterexample& c = *judged.counterexample;
  if (judged.id != well_formed_property.id || !c.block) return c;
  return first_clash(schedule, *c.block).value_or(c);
}

}  // namespace

std::string no_certificate(const Schedule& schedule, const Report& report) {
  const PropertyResult& judged = judged_in(report);
  if (judged.verdict == Verdict::unknown) return "there is no verdict on exactly-once";
  if (judged.verdict == Verdict::fail && !has_words(*judged.counterexample))
    return "a transfer names a rank or block that isn't there, which no schedule file can say";
  const auto blocks = static_cast<std::uint64_t>(schedule.header().blocks);
  const bool is_mixed = schedule.groups() != nullptr && schedule.groups()->mixes();
  const std::uint64_t moves =
      schedule.block_transfers() * (is_mixed ? static_cast<std::uint64_t>(schedule.most_slots()) : 1);
  if (judged.verdict == Verdict::pass && moves + 2 * blocks > largest_certificate)
    return fmt::format("{} block transfers and twice {} blocks are more than {}", moves, blocks, largest_certificate);
  return "";
}

bool write_certificate(const Schedule& schedule, const Report& report, std::FILE* file) {
  const Header& header = schedule.header();
  const PropertyResult& judged = judged_in(report);
  TextOutput out(file);
  out.put("onceover-certificate 2\ncollective {}\nranks {}\nblocks {}\nverdict {}\n", name(header.collective),
          header.ranks, header.blocks, name(judged.verdict));
  if (judged.verdict == Verdict::fail) {
    write_fail(first_fault(schedule, judged), out);
  } else {
    write_blocks(schedule, out);
  }
  return out.finish();
}

}  // namespace onceover::verifier
