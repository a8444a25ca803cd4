// Numbers that show who was added up, for code that takes only MPI's own types and MPI_SUM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "live/judge.h"
#include "live/live_call.h"

namespace onceover::code {

/// A type of numbers, and how its digits are shared out.
///
/// In base 8, a contribution is 1 in the digit of its rank, 1 in the digit of its position, and 1 in the digit above
/// all others, which counts. A call is made once for each window of `ranks` ranks; the other ranks give 0. In round k,
/// the digit of position x is x / positions^k + the call's number, modulo `positions`. So what an earlier call left is
/// another position's, unless there are a multiple of `positions` calls between the two.
struct DigitType {
  std::string_view name;  // on the command line
  std::string_view in_c;
  std::string_view datatype;
  std::string_view blank;  // in C: what a result holds before the call
  Rank ranks;              // digits for ranks, at most 7
  int positions;           // digits for positions
};

std::span<const DigitType> digit_types();

Result<const DigitType*> parse_digit_type(const std::string& name);

/// How many windows there are.
int windows(const DigitType& type, Rank ranks);

/// How many rounds it takes until any two of so many positions differ in the digit of one, at least 1.
int rounds(const DigitType& type, std::size_t positions);

/// What a call left that was made once for each window.
struct DigitCall {
  int number;  // of the call with the first window; those with the others follow
  int round;
  std::vector<std::vector<std::vector<std::int64_t>>> numbers;  // by window, then by rank; -1: what no sum can be
};

/// Judges the calls of a reduction by their numbers. `required` names properties that are required besides the usual.
///
/// Exactly-once alone is judged: is each number the sum that is due? A number that is the right one comes only from the
/// right contributions, each once, and from nothing that the result held before (digits.cpp has the proof). That is
/// about the calls as they were made. The order of sums isn't seen, so properties about it are unknown. All positions
/// differ if there are as many rounds as `rounds` says. Code that does something else in another window or round
/// isn't caught. Sums of integers that run over aren't seen, either. O(numbers).
live::LiveReport judge_digits(const live::LiveCall& call, const DigitType& type, std::span<const DigitCall> calls,
                              std::span<const std::string> required, std::span<const std::string> waived = {});

}  // namespace onceover::code
