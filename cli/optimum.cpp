// Fewer steps come first. Of an allreduce there are two questions about a number of steps: can all ranks hear of all
// contributions at all? If so, can they with one value of each block? The first answer is the stronger one if there is
// no schedule; only the second gives a schedule.
//
// Example: allreduce of 3 ranks, one port. 1 step: not all can hear of all. 2 steps: they can, but not with one value a
// block. 3 steps: Z3's model is a schedule.

#include "cli/optimum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>

#include "base/stop.h"
#include "cli/second_solver.h"
#include "formats/schedule_file.h"
#include "proofs/query.h"

namespace onceover::cli {

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

}  // namespace onceover::cli
