// The search of `verify optimum`: how few steps does a collective take among a few ranks? And what it found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "optimum/group_words.h"
#include "optimum/schedule_question.h"
#include "verifier/verify.h"

namespace onceover::optimum {

/// What the solvers said of schedules with so many steps or fewer.
struct TriedSteps {
  int steps;
  Answer answer;
  Assumed assumed;          // which schedules the answer is about
  std::string reason = {};  // unknown: why
};

/// A schedule, as it was written and read again, and the verdict on it.
struct FoundSchedule {
  std::string text;  // a schedule file
  Report report;
};

/// The search among all schedules.
struct Optimum {
  ScheduleQuestion question;  // with the steps that were tried last
  std::string network = {};   // empty: all may send to all
  bool is_least = true;       // the least steps were asked for, not one number
  std::vector<std::string> solvers = {};
  int control_steps = 0;  // of the known schedule that the clauses accept; 0 if they were not asked
  std::vector<TriedSteps> tried = {};
  std::optional<FoundSchedule> found = {};
  std::string script = {};  // the last question that is unsatisfiable, or else the last one

  Answer answer() const { return tried.back().answer; }
};

/// Asks for the steps of the question; without any, for 1 step, then 2, .., until a schedule is found, a solver gives
/// up, or there are as many steps as the known schedule has.
///
/// A schedule that is found is judged by the verifier, and each `unsatisfiable` stands beside a control: the same
/// clauses, with other limits, must accept a known schedule. Throws std::logic_error if either fails, which is a bug.
Optimum find_optimum(ScheduleQuestion question, std::optional<int> steps, bool with_cvc5, std::uint64_t work);

/// The search among the schedules that look alike from every rank.
struct WordsFound {
  const LetterSet* letters;
  Rank ranks;
  std::string network;
  LeastWords least;
  FoundSchedule first;  // the schedule of the first word
};

/// Writes the schedule, reads it again, and judges what was read. Throws std::logic_error if it isn't right, or beyond
/// the limits.
FoundSchedule judge_found(const Schedule& schedule, const ScheduleQuestion& limits);

std::string optimum_text(const Optimum& optimum);
Json optimum_json(const Optimum& optimum);
std::string words_text(const WordsFound& words);
Json words_json(const WordsFound& words);

}  // namespace onceover::optimum
