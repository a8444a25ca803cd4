// Fewer steps come first. Of an allreduce there are two questions about a number of steps: can all ranks hear of all
// contributions at all? If so, can they with one value of each block? The first answer is the stronger one if there is
// no schedule; only the second gives a schedule.
//
// Example: allreduce of 3 ranks, one port. 1 step: not all can hear of all. 2 steps: they can, but not with one value a
// block. 3 steps: Z3's model is a schedule.
#include "optimum/optimum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>

#include "base/rows.h"
#include "base/sentences.h"
#include "base/stop.h"
#include "formats/schedule_file.h"
#include "proofs/query.h"

namespace onceover::optimum {

namespace {

constexpr unsigned longest_question = 3'600'000;  // ms; --budget and --time-limit end it before

bool is_allreduce(const ScheduleQuestion& question) {
  return question.header.collective == Collective::allreduce;
}

/// From those about most schedules to those about fewest.
std::vector<Assumed> senses(const ScheduleQuestion& question) {
  if (is_allreduce(question)) return {Assumed::knowledge, Assumed::one_value};
  return {Assumed::knowledge};
}

std::string file_text(const Schedule& schedule) {
  char* written = nullptr;
  std::size_t size = 0;
  std::FILE* const file = open_memstream(&written, &size);
  if (file == nullptr) throw std::bad_alloc();
  const bool is_whole = write_schedule(schedule, file);
  std::fclose(file);
  const std::unique_ptr<char, decltype(&std::free)> owner(written, std::free);
  if (!is_whole) throw std::bad_alloc();
  return {written, size};
}

class Search {
 public:
  Search(Optimum& optimum, bool with_cvc5, std::uint64_t work)
      : optimum_(optimum),
        with_cvc5_(with_cvc5),
        work_(static_cast<unsigned>(std::min<std::uint64_t>(work, std::numeric_limits<unsigned>::max()))) {}

  /// Adds what is known about so many steps.
  Answer try_steps(int steps) {
    optimum_.question.steps = steps;
    for (const Assumed assumed : senses(optimum_.question)) {
      TriedSteps tried = ask(assumed);
      const bool is_last = assumed == senses(optimum_.question).back();
      if (tried.answer != Answer::unsatisfiable && !is_last) continue;
      optimum_.tried.push_back(std::move(tried));
      break;
    }
    return optimum_.tried.back().answer;
  }

 private:
  TriedSteps ask(Assumed assumed) {
    const ScheduleQuestion& question = optimum_.question;
    TriedSteps tried{question.steps, Answer::unknown, assumed};
    const auto clauses = clauses_of(question, assumed);
    if (!clauses) {
      tried.reason = clauses.error();
      return tried;
    }
    std::string script = script_of(question, assumed, *clauses);
    const Reply reply = ask_z3(script, work_, longest_question);
    tried.answer = reply.answer;
    if (reply.answer == Answer::unknown)
      tried.reason = stop_requested()
                         ? reply.reason
                         : fmt::format("Z3 gave up within {} units of work; raise --budget to go on", work_);
    if (reply.answer == Answer::unsatisfiable) confirm(tried, script);
    if (reply.answer == Answer::satisfiable && assumed == senses(question).back())
      optimum_.found = judge_found(*schedule_of(question.header, moves_of(question, reply)), question);
    const bool is_kept = tried.answer == Answer::unsatisfiable ||
                         std::none_of(optimum_.tried.begin(), optimum_.tried.end(),
                                      [](const TriedSteps& t) { return t.answer == Answer::unsatisfiable; });
    if (is_kept) optimum_.script = std::move(script);
    return tried;
  }

  /// Asks cvc5, too, and whether the clauses accept a known schedule.
  void confirm(TriedSteps& tried, const std::string& script) {
    if (with_cvc5_) {
      const Reply second = ask_cvc5(script);
      if (second.answer == Answer::satisfiable)
        throw std::logic_error("cvc5 finds values for clauses to which Z3 finds none");
      if (second.answer == Answer::unknown) {
        tried.answer = Answer::unknown;
        tried.reason = "Z3 finds no schedule, and cvc5 gave up: " + second.reason;
        return;
      }
    }
    if (const auto problem = control(tried.assumed)) {
      tried.answer = Answer::unknown;
      tried.reason = *problem;
    }
  }

  /// Why the control has no result; nothing if the clauses accept the known schedule.
  std::optional<std::string> control(Assumed assumed) {
    if (std::find(controlled_.begin(), controlled_.end(), assumed) != controlled_.end()) return std::nullopt;
    ScheduleQuestion known = optimum_.question;
    const auto moves = known_moves(known);
    limit_to(moves, known);
    const auto clauses = clauses_of(known, assumed, moves);
    if (!clauses) return "the control is too large: " + clauses.error();
    const Reply reply = ask_z3(script_of(known, assumed, *clauses), work_, longest_question);
    if (reply.answer == Answer::unknown) return "the control has no answer: " + reply.reason;
    if (reply.answer == Answer::unsatisfiable) throw std::logic_error("the clauses refuse a schedule that is right");
    controlled_.push_back(assumed);
    optimum_.control_steps = known.steps;
    return std::nullopt;
  }

  Optimum& optimum_;
  bool with_cvc5_;
  unsigned work_;
  std::vector<Assumed> controlled_;
};

int steps_of_known(ScheduleQuestion question) {
  limit_to(known_moves(question), question);
  return question.steps;
}

}  // namespace

FoundSchedule judge_found(const Schedule& schedule, const ScheduleQuestion& limits) {
  std::string text = file_text(schedule);
  const auto read = read_schedule("schedule", text);
  if (!read) throw std::logic_error("a schedule that was written can't be read: " + read.error().render());
  VerifyOptions options;
  if (limits.ports) {
    options.bounds.ports = static_cast<std::uint64_t>(*limits.ports);
    options.required = {std::string(ports_property.id)};
  }
  Report report = verify(**read, options);
  if (report.verdict != Verdict::pass || report.metrics.steps > limits.steps ||
      (limits.volume && report.metrics.blocks_sent_max > static_cast<std::uint64_t>(*limits.volume)))
    throw std::logic_error("a schedule that was found is not right, or beyond its limits");
  std::vector<Transfer> messages;
  for (int step = 0; step < (*read)->steps(); ++step) {
    (*read)->messages(step, messages);
    for (const Transfer& message : messages)
      if (!limits.may_send(message.src, message.dst))
        throw std::logic_error("a schedule that was found sends where there is no link");
  }
  return {std::move(text), std::move(report)};
}

Optimum find_optimum(ScheduleQuestion question, std::optional<int> steps, bool with_cvc5, std::uint64_t work) {
  Optimum optimum{.question = std::move(question), .is_least = !steps};
  optimum.solvers.push_back(z3_version());
  if (with_cvc5) optimum.solvers.emplace_back("cvc5");
  Search search(optimum, with_cvc5, work);
  if (steps) {
    search.try_steps(*steps);
    return optimum;
  }
  const int most = steps_of_known(optimum.question);
  for (int s = std::min(1, most); s <= most && search.try_steps(s) == Answer::unsatisfiable;) ++s;
  return optimum;
}

namespace {

constexpr std::size_t most_words_shown = 4;

std::string subject_text(const Optimum& o) {
  const Header& header = o.question.header;
  const auto many = [](auto n, std::string_view one) { return counted(static_cast<std::uint64_t>(n), one); };
  std::string text = fmt::format("{}, p = {}, {}: a rank sends and receives at most {} a step", name(header.collective),
                                 header.ranks, many(header.blocks, "block"), many(*o.question.ports, "message"));
  if (o.question.volume) text += fmt::format(", and sends at most {}", many(*o.question.volume, "block"));
  if (!o.network.empty()) text += fmt::format(", to neighbours on {} only", o.network);
  return text + "\n";
}

/// Which schedules there are none of.
std::string_view none_of(Assumed assumed) {
  return assumed == Assumed::knowledge ? "whatever ranks keep and combine" : "in which a rank holds one value a block";
}

std::string finding_text(const FoundSchedule& found) {
  return fmt::format("pass  {}\n", found.report.find(exactly_once_property)->summary);
}

std::string tried_text(const Optimum& o, const TriedSteps& tried) {
  const std::string steps = counted(static_cast<std::uint64_t>(tried.steps), "step");
  switch (tried.answer) {
    case Answer::unsatisfiable: return fmt::format("  {}: none, {}\n", steps, none_of(tried.assumed));
    case Answer::satisfiable: return fmt::format("  {}: found, and judged: {}", steps, finding_text(*o.found));
    case Answer::unknown: return fmt::format("  {}: {}\n", steps, tried.reason);
  }
  return "";
}

std::string trust_text(const Optimum& o) {
  if (o.control_steps == 0) return "";
  return fmt::format("  none: says {}; the same clauses accept a known schedule of {}\n",
                     fmt::join(o.solvers, ", and so does "),
                     counted(static_cast<std::uint64_t>(o.control_steps), "step"));
}

std::string verdict_text(const Optimum& o) {
  const auto steps = static_cast<std::uint64_t>(o.tried.back().steps);
  switch (o.answer()) {
    case Answer::satisfiable:
      return fmt::format("{} {}\n", o.is_least ? "least:" : "possible with", counted(steps, "step"));
    case Answer::unsatisfiable: return fmt::format("impossible with {} or fewer\n", counted(steps, "step"));
    case Answer::unknown: return fmt::format("unknown with {}\n", counted(steps, "step"));
  }
  return "";
}

Json tried_json(const TriedSteps& tried) {
  Json json{{"steps", tried.steps},
            {"answer", name(tried.answer)},
            {"assumed", tried.assumed == Assumed::knowledge ? "nothing" : "one value a block"}};
  if (tried.answer == Answer::unknown) json["reason"] = tried.reason;
  return json;
}

Json schedule_json(const FoundSchedule& found) {
  return {{"verdict", name(found.report.verdict)},
          {"scope", found.report.scope},
          {"steps", found.report.metrics.steps},
          {"messages", found.report.metrics.messages},
          {"blocks_sent_max", found.report.metrics.blocks_sent_max}};
}

std::string word_text(const Word& word) {
  std::string text;
  for (const int letter : word) text += fmt::format("{}{}", text.empty() ? "" : " ", letter);
  return text;
}

}  // namespace

std::string optimum_text(const Optimum& o) {
  std::string text = subject_text(o);
  for (const TriedSteps& tried : o.tried) text += tried_text(o, tried);
  return text + trust_text(o) + verdict_text(o);
}

Json optimum_json(const Optimum& o) {
  Json json = result_json();
  const Header& header = o.question.header;
  json["collective"] = name(header.collective);
  json["ranks"] = header.ranks;
  json["blocks"] = header.blocks;
  if (is_rooted(header.collective)) json["root"] = header.root;
  json["ports"] = *o.question.ports;
  json["volume"] = o.question.volume ? Json(*o.question.volume) : Json();
  json["network"] = o.network.empty() ? Json() : Json(o.network);
  json["asked"] = o.is_least ? "least" : "steps";
  json["solvers"] = o.solvers;
  json["control_steps"] = o.control_steps == 0 ? Json() : Json(o.control_steps);
  json["tried"] = mapped(o.tried, tried_json);
  json["answer"] = name(o.answer());
  json["schedule"] = o.found ? schedule_json(*o.found) : Json();
  return json;
}

std::string words_text(const WordsFound& words) {
  const LeastWords& least = words.least;
  std::string text =
      fmt::format("reduce-scatter, p = {}, in which {}, on {}\n", words.ranks, words.letters->about, words.network);
  text += fmt::format("  least sum over the steps of blocks on the hottest link: {}\n", least.load.str());
  for (std::size_t k = 0; k < std::min(most_words_shown, least.words.size()); ++k)
    text += fmt::format("  f = {}\n", word_text(least.words[k]));
  if (least.count > most_words_shown)
    text += fmt::format("  and {} more, see --json\n", least.count - most_words_shown);
  text += fmt::format("  the first, judged: {}", finding_text(words.first));
  return text + fmt::format("least of all: {} tried\n", counted(least.tried, "beginning"));
}

Json words_json(const WordsFound& words) {
  Json json = result_json();
  json["group"] = words.letters->name;
  json["collective"] = name(Collective::reduce_scatter);
  json["ranks"] = words.ranks;
  json["network"] = words.network;
  json["load"] = words.least.load.str();
  json["count"] = words.least.count;
  json["words"] = words.least.words;
  json["tried"] = words.least.tried;
  json["schedule"] = schedule_json(words.first);
  return json;
}

}  // namespace onceover::optimum
