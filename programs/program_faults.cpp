#include "programs/program_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/sentences.h"
#include "formats/msccl_profile.h"
#include "programs/program_result.h"
#include "programs/races.h"

namespace onceover::programs {

std::string text(const NopRepair& it) {
  const std::string place =
      fmt::format("a nop between operations {} and {} of gpu {}, block {}", it.after, it.before, it.rank, it.block);
  if (it.passes) return fmt::format("needs {}; the plan with it passes", place);
  if (it.still_fails.empty()) return fmt::format("{} removes this race, but the verdict with it is unknown", place);
  return fmt::format("{} removes this race, but the plan with it still fails {}", place,
                     fmt::join(it.still_fails, ", "));
}

const NopRepair* nop_repair(const Counterexample& counterexample) {
  const auto* told = std::get_if<Counterexample::Told>(&counterexample.what);
  return told == nullptr ? nullptr : std::any_cast<NopRepair>(&told->own);
}

std::string text(const Counterexample::Site& site) {
  // Requests run in no threads that the program's author would know.
  if (!site.has_thread) return fmt::format("rank {}, line {}", site.rank, site.line);
  const std::string line = site.line == 0 ? "" : fmt::format(" (line {})", site.line);
  return fmt::format("rank {}, thread block {}, step {}{}", site.rank, site.thread, site.number, line);
}

namespace {

/// How many waits of a cycle are shown.
constexpr std::size_t shown_waits = 40;

/// How many steps of a thread block in a row are shown one by one; beyond that, the first and the last.
constexpr std::size_t shown_steps = 3;

std::string does(const Program& program, OperationId id) {
  const Operation& o = at(program, id);
  std::string text(name(o.instruction));
  if (receives(o.instruction))
    text += fmt::format(" from rank {}", program.connections[static_cast<std::size_t>(o.from)].src);
  if (sends(o.instruction)) text += fmt::format(" to rank {}", program.connections[static_cast<std::size_t>(o.to)].dst);
  return text;
}

std::string wait_text(const Program& program, const Edge& edge) {
  const std::string after = place_text(program, operation_of(edge.after));
  const std::string before = place_text(program, operation_of(edge.before));
  const std::string what = fmt::format("{}, {},", after, does(program, operation_of(edge.after)));
  switch (edge.why) {
    case Why::thread: return fmt::format("{} comes after {} in its thread block", what, before);
    case Why::dependency: return fmt::format("{} depends on {}", what, before);
    case Why::message: return fmt::format("{} waits for the message of {}", what, before);
    case Why::room:
      return fmt::format("{} waits for room in the FIFO, until {} takes an earlier message", what, before);
    case Why::partner: return fmt::format("{} waits until {} is ready to receive", what, before);
    default: return "";
  }
}

/// Do both events belong to the same message or local instruction?
bool is_within_one(const Program& program, const Edge& edge) {
  const auto whole = [&](OperationId id) {
    while (at(program, id).is_part) --id;
    return id;
  };
  return whole(operation_of(edge.before)) == whole(operation_of(edge.after));
}

/// The waits of a cycle, each for the next, without those of an operation for itself, unless there is no other.
std::vector<Edge> waits_of(const Program& program, const std::vector<Edge>& cycle) {
  std::vector<Edge> waits;
  for (auto edge = cycle.rbegin(); edge != cycle.rend(); ++edge)
    if (!is_within_one(program, *edge)) waits.push_back(*edge);
  if (waits.empty())
    return {*std::find_if(cycle.begin(), cycle.end(), [](const Edge& edge) { return edge.why != Why::itself; })};
  // The first one isn't a step that only follows another, so that runs of such steps stay whole.
  const auto first = std::find_if(waits.begin(), waits.end(), [](const Edge& e) { return e.why != Why::thread; });
  std::rotate(waits.begin(), first, waits.end());
  return waits;
}

/// Describes the waits; of a run of steps in one thread block it describes only the ends.
void tell_waits(const Program& program, const std::vector<Edge>& waits, Counterexample::Told& deadlock) {
  auto tell = [&](const Edge& edge) {
    deadlock.facts.sites.push_back(site_of(program, operation_of(edge.after)));
    deadlock.lines.push_back(wait_text(program, edge));
  };
  for (std::size_t k = 0; k < waits.size();) {
    const auto* begin = waits.data() + k;
    const auto* end =
        std::find_if(begin, waits.data() + waits.size(), [](const Edge& e) { return e.why != Why::thread; });
    const auto run = static_cast<std::size_t>(end - begin);
    k += std::max<std::size_t>(run, 1);
    if (run <= shown_steps) {
      std::for_each(begin, begin + std::max<std::size_t>(run, 1), tell);
      continue;
    }
    tell(*begin);
    deadlock.lines.push_back(fmt::format("... {} more in thread block {}, each after the one before ...", run - 2,
                                         at(program, operation_of(begin->after)).thread));
    tell(*(end - 1));
  }
}

Finding cycle_finding(const Program& program, const std::vector<Edge>& edges, const std::string& summary,
                      std::string remedy) {
  const std::vector<Edge> waits = waits_of(program, shortest_cycle(event_count(program), edges));
  Counterexample::Told deadlock{deadlock_fault, {}};
  tell_waits(program, waits, deadlock);
  if (const std::size_t shown = deadlock.lines.size(); shown > shown_waits) {
    deadlock.lines.resize(shown_waits);
    deadlock.lines.push_back(fmt::format("and {} more waits, back to the first", shown - shown_waits));
  }
  deadlock.lines.insert(deadlock.lines.begin(),
                        waits.size() == 1 ? "an operation waits for itself"
                                          : fmt::format("{} operations wait for each other in a circle", waits.size()));
  deadlock.lines.push_back(std::move(remedy));
  const Rank rank = deadlock.facts.sites.front().rank;
  return {Verdict::fail, summary, Counterexample{.what = std::move(deadlock), .rank = rank}, 1};
}

/// `does` says what the operation waits for, or sends, in vain; `sender` is that of a message that doesn't fit.
Finding starved(const Program& program, OperationId id, const std::string& does, std::uint64_t count,
                std::optional<Counterexample::Site> sender = {}) {
  const Counterexample::Site site = site_of(program, id);
  Counterexample::Told told{starved_fault, {fmt::format("{} {}", text(site), does)}, {.sites = {site}}};
  if (sender) {
    told.lines.push_back(fmt::format("it is sent by {}", text(*sender)));
    told.facts.sites.push_back(*sender);
  }
  return {Verdict::fail, fmt::format("{} waits or messages without a counterpart", count),
          Counterexample{.what = std::move(told), .rank = site.rank}, count};
}

std::string connection_text(const Program& program, const Mismatch& m) {
  const Connection& c = program.connections[static_cast<std::size_t>(m.connection)];
  return fmt::format("from rank {} to rank {} {} {}", c.src, c.dst,
                     program.threads_are_ordered ? "on channel" : "with tag", c.channel);
}

Finding mismatch_finding(const Program& program, const Mismatch& m, std::uint64_t count) {
  const std::string way = connection_text(program, m);
  const std::string calls =
      fmt::format("{} there are {} and {}", way, counted(m.sends, "send"), counted(m.receives, "receive"));
  if (m.send < 0) return starved(program, m.receive, "waits for a message that nobody sends: " + calls, count);
  if (m.receive < 0) return starved(program, m.send, "sends a message that nobody receives: " + calls, count);
  return starved(program, m.receive,
                 fmt::format("expects a message of {}, but the one {} has {}", message_size(program, m.receive), way,
                             message_size(program, m.send)),
                 count, site_of(program, m.send));
}

/// The depth at which the program ends, and the smallest that it needs.
std::string ending_text(Depth depth, std::uint32_t smallest) {
  if (depth == 0) return fmt::format("ends with {}", depth_text(0));
  const std::string needed = smallest == depth
                                 ? "less doesn't suffice"
                                 : fmt::format("{} suffice{}", depth_text(smallest), smallest == 0 ? "s" : "");
  return fmt::format("ends{}; {}", depth ? " with " + depth_text(*depth) : "", needed);
}

}  // namespace

std::string depth_text(std::uint32_t depth) {
  return depth == 0 ? "rendezvous" : "FIFOs of " + counted(depth, "message");
}

Finding judge_deadlock(const Program& program, const Matching& matching, std::optional<std::uint32_t> smallest,
                       Depth depth) {
  const std::uint64_t unmet = matching.mismatches.size() + program.hangs.size();
  if (!program.hangs.empty()) {
    const Hang& hang = program.hangs.front();
    return starved(program, hang.operation, fmt::format("waits for {}", hang.why), unmet);
  }
  if (unmet > 0) return mismatch_finding(program, matching.mismatches.front(), unmet);
  if (!smallest)
    return cycle_finding(program, edges(program, matching, std::nullopt),
                         "deadlocks however many messages the FIFOs hold", "deeper FIFOs don't help");
  if (depth && *smallest > *depth)
    return cycle_finding(program, edges(program, matching, depth),
                         fmt::format("deadlocks with {}; {} suffice", depth_text(*depth), depth_text(*smallest)),
                         fmt::format("it ends with {} or more (--fifo {})", depth_text(*smallest), *smallest));
  return {Verdict::pass, ending_text(depth, *smallest)};
}

namespace {

std::string step_text(const Program& program, OperationId id) {
  return fmt::format("step {} of thread block {}", at(program, id).number, at(program, id).thread);
}

/// How many steps of the operation's thread are done when `known` of its operations are; the operation itself isn't one
/// of these. If a step is in pieces, all of them must be done.
std::int32_t steps_done(const Program& program, OperationId of_thread, std::int32_t known) {
  OperationId next = of_thread;  // the first operation that isn't known to be done
  while (next > 0 && same_thread(program, next - 1, of_thread)) --next;
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
  const Dependency* last = nullptr;
  for (const Dependency& d : program.dependencies)
    if (d.after <= now && d.before < other && same_thread(program, d.after, now) &&
        same_thread(program, d.before, other) && (last == nullptr || last->after < d.after))
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
