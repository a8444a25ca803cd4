#include "programs/deadlock.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "programs/program_result.h"

namespace onceover::programs {

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

/// The waits of a cycle, each for the next, without an operation's waits for its own events.
std::vector<Edge> waits_of(const std::vector<Edge>& cycle) {
  std::vector<Edge> waits;
  for (auto edge = cycle.rbegin(); edge != cycle.rend(); ++edge)
    if (edge->why != Why::itself) waits.push_back(*edge);
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
  const std::vector<Edge> waits = waits_of(shortest_cycle(event_count(program), edges));
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
  return fmt::format("from rank {} to rank {} on channel {}", c.src, c.dst, c.channel);
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

}  // namespace onceover::programs
