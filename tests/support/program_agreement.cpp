#include "program_agreement.h"

#include <sstream>

#include "agreement.h"
#include "formats/program.h"
#include "programs/verify_program.h"
#include "reference_interpreter.h"
#include "reference_machine.h"

namespace onceover::support {

namespace {

using reference::Behaviour;

/// What is wrong with either; whether it ends is the first one's affair.
Behaviour worse(const Behaviour& a, const Behaviour& b) {
  return {.too_large = a.too_large || b.too_large,
          .ends = a.ends && b.ends,
          .races = a.races || b.races,
          .reads_unset = a.reads_unset || b.reads_unset,
          .is_right = a.is_right && b.is_right,
          .is_reproducible = a.is_reproducible && b.is_reproducible};
}

/// With any number of messages in FIFOs, whole and, as runtimes with threads do it, in single chunks.
Behaviour at_leisure(const Program& program) {
  const Behaviour whole = reference::interpret(program, reference::unlimited);
  if (!program.threads_are_ordered || !whole.ends) return whole;
  return worse(whole, reference::interpret(in_single_chunks(program), reference::unlimited));
}

}  // namespace

std::string disagreement(const Program& program, ProgramTally& tally) {
  std::ostringstream text;
  if (reference::lacks_slots(program)) {
    const Report report = verify(program);
    const bool is_seen = verdict_of(report, "well-formed") == Verdict::fail && report.verdict == Verdict::fail;
    return is_seen ? "" : "chunks that aren't there go unseen";
  }
  for (const std::size_t depth : {0, 1, 2}) {
    const Behaviour b = reference::interpret(program, depth);
    if (b.too_large) {
      ++tally.too_large;
      return "";
    }
    if (!b.ends) ++tally.stuck;
    const Report report = verify(program, {.fifo = static_cast<std::uint32_t>(depth)});
    const bool ends = verdict_of(report, "deadlock-free") == Verdict::pass;
    if (ends != b.ends) text << "at depth " << depth << " ends: " << ends << ", should be " << b.ends << "; ";
  }
  const Behaviour b = at_leisure(program);
  if (b.too_large || !b.ends) {
    if (b.too_large) ++tally.too_large;
    const Report report = verify(program);
    if (!b.too_large && report.verdict == Verdict::pass) text << "never ends, but passes";
    return text.str();
  }
  if (program.runtime && program.runtime->protocol == "Simple" && reference::has_race(program) != b.races)
    text << "the machine and the interpreter disagree on races; ";
  const Report report = verify(program, {.fifo = 1000});
  const Verdict race = verdict_of(report, "race-free"), once = verdict_of(report, "exactly-once");
  if (race != (b.races ? Verdict::fail : Verdict::pass)) text << "races: " << b.races << "; ";
  const bool is_right = b.is_right && !b.reads_unset;
  tally.racing += b.races;
  tally.wrong += !b.races && !is_right;
  tally.uneven += !b.races && !b.reads_unset && !b.is_reproducible;
  if (once == Verdict::pass && (!is_right || b.races)) text << "exactly-once passes; ";
  if (!b.races && once != (is_right ? Verdict::pass : Verdict::fail)) text << "exactly-once: " << is_right << "; ";
  if (!b.races && !b.reads_unset &&
      verdict_of(report, "bitwise-reproducible") != (b.is_reproducible ? Verdict::pass : Verdict::fail))
    text << "bitwise-reproducible: " << b.is_reproducible << "; ";
  return text.str();
}

}  // namespace onceover::support
