#include "programs/race_finding.h"

#include <fmt/format.h>

#include <cassert>

#include "formats/msccl_profile.h"
#include "programs/program_result.h"

namespace onceover::programs {

namespace {

std::string step_text(const Program& program, OperationId id) {
  return fmt::format("step {} of thread block {}", at(program, id).number, at(program, id).thread);
}

/// How many steps of the operation's thread are done when `known` of its operations are; the operation itself isn't one
/// of these. If a step is in pieces, all of them must be done.
std::int32_t steps_done(const Program& program, OperationId of_thread, std::int32_t known) {
  const Operation& like = at(program, of_thread);
  OperationId next = of_thread;  // the first operation that isn't known to be done
  while (next > 0 && at(program, next - 1).rank == like.rank && at(program, next - 1).thread == like.thread) --next;
  next += known;
  assert(next <= of_thread);
  return at(program, next).number;
}

/// How far the other thread is known to be.
std::string known_text(const Program& program, OperationId now, OperationId other, std::int32_t known_operations) {
  const std::int32_t known = steps_done(program, other, known_operations);
  const std::string when = fmt::format("when {} is done", step_text(program, now));
  const std::int32_t thread = at(program, other).thread;
  if (known == 0) return fmt::format("{}, thread block {} need not have done any step", when, thread);
  return fmt::format("{}, thread block {} need only have done its first {}", when, thread,
                     known == 1 ? "step" : fmt::format("{} steps", known));
}

/// Why it doesn't suffice that one operation is known to be far; empty if that isn't so.
std::string late_text(const Program& program, OperationId now, OperationId other, RaceProgress progress) {
  if (progress == RaceProgress::unknown) return "";
  const std::string_view late = progress == RaceProgress::ended
                                    ? "comes after the end of {}, which may still read its source then: {}"
                                    : "may come when {} has passed its message on, but not yet stored it: {}";
  return step_text(program, now) + " " +
         fmt::format(fmt::runtime(late), step_text(program, other),
                     program.runtime ? text(*program.runtime) : "nothing more is guaranteed");
}

/// The last wait of the one's thread for a step of the other's that comes too early; empty if there is none.
std::string early_wait_text(const Program& program, OperationId now, OperationId other) {
  const auto is_of_thread_of = [&](OperationId id, OperationId that) {
    return at(program, id).rank == at(program, that).rank && at(program, id).thread == at(program, that).thread;
  };
  const Dependency* last = nullptr;
  for (const Dependency& d : program.dependencies)
    if (d.after <= now && d.before < other && is_of_thread_of(d.after, now) && is_of_thread_of(d.before, other) &&
        (last == nullptr || last->after < d.after))
      last = &d;
  if (last == nullptr) return "";
  return fmt::format("{} seems to order them, but waits for {}, which comes before {}", step_text(program, last->after),
                     step_text(program, last->before), step_text(program, other));
}

/// Why the existing order doesn't cover the race.
std::vector<std::string> gaps_in_order(const Program& program, const Race& race) {
  if (!program.threads_are_ordered)
    return {"neither has to wait until the other has ended, directly or through other operations and messages"};
  for (std::string text : {late_text(program, race.second, race.first, race.of_first),
                           late_text(program, race.first, race.second, race.of_second)})
    if (!text.empty()) return {std::move(text)};
  for (std::string text :
       {early_wait_text(program, race.second, race.first), early_wait_text(program, race.first, race.second)})
    if (!text.empty()) return {std::move(text)};
  return {known_text(program, race.second, race.first, race.known_of_first),
          known_text(program, race.first, race.second, race.known_of_second)};
}

Counterexample counterexample_of(const Program& program, const Memory& memory, const Race& race) {
  const Operation& first = at(program, race.first);
  const std::string slot = memory.text(first.rank, race.cell);
  Counterexample::Told told{
      race_fault,
      {fmt::format("no wait or message orders two operations that use {} of rank {}", slot, first.rank)},
      {.slot = slot}};
  for (const auto& [id, writes] : {std::pair(race.first, race.first_writes), {race.second, race.second_writes}}) {
    told.facts.sites.push_back(site_of(program, id));
    told.lines.push_back(fmt::format("{} {} it", place_text(program, id), writes ? "writes" : "reads"));
  }
  for (std::string& line : gaps_in_order(program, race)) told.lines.push_back(std::move(line));
  return {.what = std::move(told), .rank = first.rank};
}

}  // namespace

Finding judge_races(const Program& program, const Memory& memory, const Races& races) {
  if (races.example)
    return {Verdict::fail, fmt::format("at least {} racing {}", races.count, races.count == 1 ? "pair" : "pairs"),
            counterexample_of(program, memory, *races.example), races.count};
  if (races.is_too_large)
    return {Verdict::unknown, program.threads_are_ordered
                                  ? "not judged to the end: too many thread blocks and operations"
                                  : "not judged to the end: too many operations that don't wait for each other"};
  return {Verdict::pass, "all accesses to a chunk, one of them a write, are ordered"};
}

}  // namespace onceover::programs
