#include "verifier/certificate.h"

#include <fmt/format.h>

#include "base/text_output.h"
#include "verifier/replay.h"

namespace onceover::verifier {

namespace {

/// The number of a term in a certificate: leaf(r) is r, then comes the leaf of other blocks, if there is one, and sums
/// follow in the order in which they first come about.
std::uint32_t number(Term term) {
  return TermTable::id(term) - 1;
}

/// Writes the lines of one block after another.
class BlockWriter {
 public:
  BlockWriter(const Header& header, TextOutput& out) : header_(header), replay_(header), out_(out) {}

  void write(Block block, const Trace& trace) {
    replay_.run(block, trace);
    out_.put("block {}\n", block);
    next_sum_ = replay_.first_sum() - 1;
    const auto moves = replay_.moves();
    for (std::size_t m = 0; m < moves.size(); ++m) {
      const bool goes_on = m > 0 && moves[m - 1].step == moves[m].step && moves[m - 1].op == moves[m].op;
      if (!goes_on) out_.put("{}step {} {}", m == 0 ? "" : "\n", moves[m].step, name(moves[m].op));
      write(moves[m]);
    }
    out_.put("{}holds", moves.empty() ? "" : "\n");
    write_results();
  }

 private:
  void write(const Replay::Move& move) {
    out_.put(" {}>{}", move.src, move.dst);
    if (move.op == Op::copy) return;
    if (number(move.after) == next_sum_)
      ++next_sum_;
    else
      out_.put("={}", number(move.after));
  }

  /// Writes the final values of the ranks that must hold the block; neighbours with the same value share an entry.
  void write_results() {
    for (Rank first = 0, last = 0; first < header_.ranks; first = last + 1) {
      last = first;
      if (!replay_.must_hold(first)) continue;
      const Term value = replay_.value(first);
      while (last + 1 < header_.ranks && replay_.must_hold(last + 1) && replay_.value(last + 1) == value) ++last;
      out_.put(" {}", first);
      if (last > first) out_.put("..{}", last);
      out_.put("={}", number(value));
    }
    out_.put("\n");
  }

  const Header& header_;
  Replay replay_;
  TextOutput& out_;
  std::uint32_t next_sum_ = 0;  // the number of the next new sum
};

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
  out.put("onceover-certificate 1\ncollective {}\nranks {}\nblocks {}\nverdict {}\n", name(header.collective),
          header.ranks, header.blocks, name(judged.verdict));
  if (judged.verdict == Verdict::fail) {
    write_fail(first_fault(schedule, judged), out);
  } else {
    BlockWriter blocks(header, out);
    // The general version visits a block's transfers in the order in which they are exported.
    schedule.Schedule::traces({0, header.blocks}, [&](Block block, const Trace& trace) { blocks.write(block, trace); });
  }
  return out.finish();
}

}  // namespace onceover::verifier
