#include "code/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/sentences.h"
#include "subjects/rank_list.h"
#include "verifier/verify.h"

namespace onceover::code {

namespace {

constexpr std::size_t shown = 4;

/// The lines of sites, each looked up once.
class Lines {
 public:
  Lines(const Record& record, const Executable& program) : record_(record), program_(program) {}

  /// "ring.c:41, from line 70".
  std::string operator[](Site site) {
    const auto [found, is_new] = known_.try_emplace(site);
    if (!is_new) return found->second;
    const auto& lines = places(site);
    if (!lines.empty()) offer(lines[0]);
    return found->second = text(lines);
  }

  /// The lines of a site, innermost first.
  const std::vector<SourceLine>& places(Site site) {
    const auto [found, is_new] = places_.try_emplace(site);
    if (is_new) found->second = lines_of(program_, record_.sites[site]);
    return found->second;
  }

  /// Takes a place for the first one, if none was looked up before.
  void offer(const SourceLine& place) {
    if (first_.file.empty()) first_ = place;
  }

  /// The first known place that was looked up.
  const SourceLine& first() const { return first_; }

 private:
  static std::string text(const std::vector<SourceLine>& lines) {
    if (lines.empty()) return SourceLine{}.text();
    std::string text = lines[0].text();
    for (std::size_t k = 1; k < lines.size() && !lines[k].file.empty(); ++k) {
      const bool is_here = lines[k].file == lines[0].file;
      text += (k == 1 ? ", from " : ", ") + (is_here ? fmt::format("line {}", lines[k].line) : lines[k].text());
    }
    return text;
  }

  const Record& record_;
  const Executable& program_;
  std::map<Site, std::string> known_;
  std::map<Site, std::vector<SourceLine>> places_;
  SourceLine first_;
};

std::string joined_text(const std::vector<std::string>& parts) {
  std::vector<std::string> first(parts.begin(),
                                 parts.begin() + static_cast<std::ptrdiff_t>(std::min(parts.size(), shown)));
  std::string text = fmt::format("{}", fmt::join(first, "; "));
  if (parts.size() > shown) text += fmt::format("; and {} more", parts.size() - shown);
  return text;
}

std::string source_text(Rank src) {
  return src < 0 ? "any rank" : fmt::format("rank {}", src);
}

std::string world_text(bool is_on_world) {
  return is_on_world ? "on MPI_COMM_WORLD, not on the communicator that it was given, " : "";
}

/// "rank 1", "ranks 0..2, 5 are": who, and the verb.
std::string who(const std::vector<Rank>& ranks, std::string_view one, std::string_view several) {
  return fmt::format("rank{} {} {}", ranks.size() == 1 ? "" : "s", rank_list_text(ranks),
                     ranks.size() == 1 ? one : several);
}

/// The collectives of MPI that ranks are in.
std::vector<std::string> waits_inside(const CallRecord& made, Lines& lines) {
  std::map<std::string, std::vector<Rank>> ranks;
  for (std::size_t r = 0; r < made.inside.size(); ++r)
    if (const auto& inside = made.inside[r])
      ranks[fmt::format("in {} ({})", inside->name, lines[inside->site])].push_back(static_cast<Rank>(r));
  std::vector<std::string> list;
  for (const auto& [where, all] : ranks) list.push_back(fmt::format("{} {}", who(all, "is", "are"), where));
  return list;
}

/// What each rank waits for.
std::vector<std::string> waits(const CallRecord& made, Lines& lines) {
  std::vector<std::string> list;
  for (const Waiting& waiting : made.waiting)
    list.push_back(fmt::format("rank {} waits {}for a message from {} with tag {} ({})", waiting.rank,
                               world_text(waiting.is_on_world), source_text(waiting.src), waiting.tag,
                               lines[waiting.site]));
  for (const SentMessage& message : made.messages)
    if (message.sent.complete == 0 && !message.received)
      list.push_back(fmt::format("rank {} waits {}for rank {} to receive its message with tag {} ({})", message.src,
                                 world_text(message.is_on_world), message.dst, message.tag, lines[message.sent.site]));
  for (std::string& inside : waits_inside(made, lines)) list.push_back(std::move(inside));
  if (!list.empty()) {
    std::vector<Rank> returned;
    for (std::size_t r = 0; r < made.results.size(); ++r)
      if (made.results[r]) returned.push_back(static_cast<Rank>(r));
    if (!returned.empty()) list.push_back(who(returned, "has", "have") + " returned");
    return list;
  }
  for (std::size_t r = 0; r < made.last_site.size(); ++r)
    if (!made.results[r])
      list.push_back(made.last_site[r] == 0
                         ? fmt::format("rank {} has sent and received nothing", r)
                         : fmt::format("rank {} called MPI last at {}", r, lines[made.last_site[r]]));
  return list;
}

/// Where the code uses MPI_COMM_WORLD in place of the communicator of the call; nothing if it doesn't.
std::optional<Site> site_on_world(const CallRecord& made) {
  for (const Waiting& waiting : made.waiting)
    if (waiting.is_on_world) return waiting.site;
  for (const SentMessage& message : made.messages)
    if (message.is_on_world) return message.sent.site;
  for (const auto& inside : made.inside)
    if (inside && inside->name.ends_with("on MPI_COMM_WORLD")) return inside->site;
  return std::nullopt;
}

void tell_world(const CallRecord& made, Lines& lines, std::vector<std::string>& notes) {
  if (const auto site = site_on_world(made))
    notes.push_back(
        fmt::format("the code uses MPI_COMM_WORLD, not the communicator that it was given, at {}", lines[*site]));
}

/// The line of a send that waits for its receive; if none is known to wait, the first line that was looked up.
SourceLine waiting_send(const CallRecord& made, Lines& lines) {
  for (const SentMessage& message : made.messages)
    if (message.sent.complete == 0 && !message.received)
      if (const auto& places = lines.places(message.sent.site); !places.empty()) return places.front();
  return lines.first();
}

std::string message_text(const SentMessage& message, Lines& lines) {
  const std::string sent = lines[message.sent.site];
  const std::string received = message.received ? lines[message.received->site] : "";
  const std::string where = received.empty()   ? "sent at " + sent
                            : sent == received ? "sent and received at " + sent
                                               : "sent at " + sent + "; received at " + received;
  return fmt::format("rank {} -> rank {}, {}", message.src, message.dst, where);
}

/// "it first goes wrong where rank 1 adds element 3 to element 2 (ring.c:36)". A message comes before the sum of what
/// it brought, so its line is the one to look at first.
std::string origin_text(const FaultOrigin& origin, Lines& lines) {
  const std::string message = origin.message == nullptr ? "" : message_text(*origin.message, lines);
  if (origin.kind == FaultOrigin::Kind::message)
    return fmt::format("it first goes wrong where {}: {}", origin.text, message);
  const std::string sum = fmt::format("it first goes wrong where {} ({})", origin.text, lines[origin.sum->site]);
  return message.empty() ? sum : fmt::format("{}: {}", sum, message);
}

/// The moves that a counterexample tells of: step, sender and receiver.
std::set<std::tuple<int, Rank, Rank>> moves_of(const Counterexample& c) {
  std::set<std::tuple<int, Rank, Rank>> moves;
  const Counterexample::Facts facts = c.facts();
  for (const auto& path : facts.paths)
    for (const Counterexample::Leg& leg : path) moves.insert({leg.step, leg.src, leg.dst});
  if (facts.replaced_by && c.step) moves.insert({*c.step, *facts.replaced_by, facts.replaced_on.value_or(c.rank)});
  if (const auto* not_held = std::get_if<Counterexample::NotHeld>(&c.what))
    moves.insert({not_held->leg.step, not_held->leg.src, not_held->leg.dst});
  if (const auto* conflict = std::get_if<Counterexample::Conflict>(&c.what))
    for (const auto& leg : {conflict->leg, conflict->other}) moves.insert({leg.step, leg.src, leg.dst});
  return moves;
}

std::string elements_text(const std::vector<ElementRun>& runs) {
  std::vector<std::string> parts;
  for (const ElementRun& run : runs)
    parts.push_back(run.length == 1 ? fmt::format("{}", run.position)
                                    : fmt::format("{}..{}", run.position, run.position + run.length - 1));
  return joined_text(parts);
}

/// Lines, with how often each does something.
std::string counted_text(const std::map<Site, std::size_t>& times, std::string_view what, Lines& lines) {
  std::vector<std::string> list;
  for (const auto& [site, count] : times) list.push_back(fmt::format("{} ({})", lines[site], counted(count, what)));
  return joined_text(list);
}

/// Functions that ran and neither sent, received nor added up, also not by what they called; in the order in which they
/// were entered first.
std::vector<std::string> idle_functions(const CallRecord& made, Lines& lines) {
  std::set<std::string> busy;
  const auto add = [&](Site site) {
    for (const SourceLine& place : lines.places(site)) busy.insert(place.function);
  };
  for (const SentMessage& message : made.messages) {
    add(message.sent.site);
    if (message.received) add(message.received->site);
  }
  for (const auto& [site, count] : made.sum_sites) add(site);
  std::vector<std::string> list;
  for (const Site site : made.functions)
    for (const SourceLine& place : lines.places(site))
      if (!place.file.empty() && !busy.contains(place.function)) {
        lines.offer(place);
        list.push_back(fmt::format("{} ({})", place.function, place.text()));
      }
  return list;
}

/// The lines that send and add up, and, if elements are wrong, what ran besides.
std::vector<std::string> lines_text(const CallRecord& made, bool is_wrong, Lines& lines) {
  std::vector<std::string> list;
  std::map<Site, std::size_t> times;
  for (const SentMessage& message : made.messages) ++times[message.sent.site];
  list.push_back(times.empty() ? "no rank sends a message of its own"
                               : "messages are sent at " + counted_text(times, "message", lines));
  if (!made.sum_sites.empty()) list.push_back("sums are made at " + counted_text(made.sum_sites, "call", lines));
  if (const auto idle = is_wrong ? idle_functions(made, lines) : std::vector<std::string>{}; !idle.empty())
    list.push_back("functions that neither send nor add up: " + joined_text(idle));
  return list;
}

std::vector<std::string> explained(const Recovered& recovered, const Counterexample& c, const CallRecord& made,
                                   bool is_wrong, Lines& lines) {
  std::vector<std::string> notes{fmt::format("as a schedule of {} steps:", recovered.schedule->steps())};
  for (const std::string& line : describe(c)) notes.push_back("  " + line);
  if (c.block)
    notes.push_back(fmt::format("  block {} is element {}", *c.block,
                                elements_text(recovered.elements[static_cast<std::size_t>(*c.block)])));
  const auto moves = moves_of(c);
  if (moves.empty())
    for (const std::string& line : lines_text(made, is_wrong, lines)) notes.push_back("  " + line);
  for (const auto& [step, src, dst] : moves) {
    if (step < 0 || static_cast<std::size_t>(step) >= recovered.messages.size()) continue;
    for (const std::size_t m : recovered.messages[static_cast<std::size_t>(step)])
      if (made.messages[m].src == src && made.messages[m].dst == dst)
        notes.push_back(fmt::format("  step {}: {}", step, message_text(made.messages[m], lines)));
  }
  return notes;
}

std::string end_line(const Ended& end, const CallRecord* made, Lines& lines) {
  if (made == nullptr) return "the program ended before its first call: " + end.text;
  if (end.how == Ended::How::crashed && made->beyond)
    return fmt::format("rank {} {}, at {}", made->beyond->rank, made->beyond->text, lines[made->beyond->site]);
  const Site site = made->last_site[static_cast<std::size_t>(made->last_rank)];
  const std::string last = site == 0 ? fmt::format("on rank {}, which had sent and received nothing", made->last_rank)
                                     : fmt::format("rank {} called MPI last, at {}", made->last_rank, lines[site]);
  switch (end.how) {
    case Ended::How::whole: return "";
    case Ended::How::deadlock: return "deadlock: " + joined_text(waits(*made, lines));
    case Ended::How::hung: return fmt::format("hang: {}; {}", end.text, last);
    case Ended::How::crashed: return fmt::format("crash: {}; {}", end.text, last);
    case Ended::How::lacking: return fmt::format("the simulator has no {}; {}", end.text, last);
    case Ended::How::full: return fmt::format("{}; the call does too much to write it down", end.text);
  }
  return "";
}

}  // namespace

Notes faults_of(const CallRecord& made, const Record& record, const Executable& program) {
  Lines lines(record, program);
  std::vector<std::string> faults = made.faults;
  std::vector<std::string> lost, changed, unfinished;
  for (const SentMessage& message : made.messages) {
    if (!message.received)
      lost.push_back(fmt::format("from rank {} to rank {} with tag {}, sent at {}", message.src, message.dst,
                                 message.tag, lines[message.sent.site]));
    if (message.sent.complete == 0 && message.received) unfinished.push_back(message_text(message, lines));
    if (message.was_changed) changed.push_back(message_text(message, lines));
  }
  if (!lost.empty())
    faults.push_back(
        fmt::format("{} message{} nobody received: {}", lost.size(), lost.size() == 1 ? "" : "s", joined_text(lost)));
  if (!changed.empty()) faults.push_back("a buffer was changed before its send was complete: " + joined_text(changed));
  std::vector<std::string> open;
  for (const Waiting& waiting : made.waiting)
    open.push_back(
        fmt::format("on rank {} from {} at {}", waiting.rank, source_text(waiting.src), lines[waiting.site]));
  if (!unfinished.empty()) faults.push_back("a send was never waited for: " + joined_text(unfinished));
  if (!open.empty()) faults.push_back("a receive was never complete: " + joined_text(open));
  return {faults, lines.first()};
}

Notes met_text(const CallRecord& made, const Record& record, const Executable& program) {
  Lines lines(record, program);
  std::map<int, std::map<Site, std::size_t>> times;
  for (const Met& met : made.met) ++times[met.defect][met.site];
  std::vector<std::string> told;
  for (const auto& [defect, sites] : times)
    told.push_back(fmt::format("{}: {}", defect_text(defect), counted_text(sites, "call", lines)));
  return {told, lines.first()};
}

Notes end_text(const Ended& end, const CallRecord* made, const Record& record, const Executable& program) {
  Lines lines(record, program);
  std::vector<std::string> told;
  if (made != nullptr) tell_world(*made, lines, told);
  told.push_back(end_line(end, made, lines));
  return {std::move(told), lines.first(), made == nullptr ? SourceLine{} : waiting_send(*made, lines)};
}

Notes explanation(const tl::expected<Recovered, std::string>& recovered, std::optional<ResultElement> wrong,
                  const live::LiveCall& call, const CallRecord& made, const Record& record, const Executable& program) {
  Lines lines(record, program);
  std::vector<std::string> notes;
  tell_world(made, lines, notes);
  if (wrong && call.collective->reduces() && made.sum_sites.empty() && program.digits == nullptr)
    notes.emplace_back("MPI makes no sum in it; if the code adds up numbers itself, say --numbers, or --digits TYPE");
  const auto origin = wrong ? origin_of(*wrong, call, made, record) : std::nullopt;
  if (origin) notes.push_back(origin_text(*origin, lines));
  if (recovered) {
    const Report report = verify(*recovered->schedule);
    for (const PropertyResult& p : report.properties)
      if (p.required && p.verdict == Verdict::fail && p.counterexample) {
        const auto told = explained(*recovered, *p.counterexample, made, wrong.has_value(), lines);
        notes.insert(notes.end(), told.begin(), told.end());
        return {std::move(notes), lines.first()};
      }
  } else {
    notes.push_back("no schedule can be read from the messages: " + recovered.error());
    if (const SentMessage* message = wrong && !origin ? bringer_of(*wrong, made) : nullptr)
      notes.push_back(fmt::format("element {} came by {}", wrong->index, message_text(*message, lines)));
  }
  for (const std::string& line : lines_text(made, wrong.has_value(), lines)) notes.push_back(line);
  return {std::move(notes), lines.first()};
}

}  // namespace onceover::code
