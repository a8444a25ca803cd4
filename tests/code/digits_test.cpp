// Digits, against sums that are made of known contributions.

#include "code/digits.h"

#include <catch2/catch.hpp>
#include <random>

namespace onceover::code {

namespace {

live::LiveCall allreduce_of(Rank ranks, int count) {
  return {.collective = &live::live_collectives()[0], .ranks = ranks, .count = count};
}

/// What rank `source` gives at a position, by the definition in digits.h.
std::int64_t given(const DigitType& type, Rank source, int position, int window, int round) {
  const Rank place = source - window * type.ranks;
  if (place < 0 || place >= type.ranks) return 0;
  for (int k = 0; k < round; ++k) position /= type.positions;
  std::int64_t number = 0;
  for (const int digit : {int{place}, int{type.ranks} + position % type.positions, int{type.ranks} + type.positions}) {
    std::int64_t unit = 1;
    for (int k = 0; k < digit; ++k) unit *= 8;
    number += unit;
  }
  return number;
}

/// How often an element holds what a rank gives at a position.
struct Part {
  Rank source;
  int position;
  std::int64_t times;
};

/// The numbers of a call on whose rank 0 element 0 is made of `parts`, and all else is right.
Numbers numbers_with(const DigitType& type, const live::LiveCall& call, const std::vector<Part>& parts, int round) {
  Numbers numbers;
  for (int window = 0; window < windows(type, call.ranks); ++window) {
    auto& by_rank = numbers.emplace_back();
    for (Rank r = 0; r < call.ranks; ++r) {
      auto& of_rank = by_rank.emplace_back();
      for (int k = 0; k < call.count; ++k) {
        std::int64_t sum = 0;
        for (Rank s = 0; s < call.ranks && (r > 0 || k > 0); ++s) sum += given(type, s, k, window, round);
        if (r == 0 && k == 0)
          for (const Part& part : parts) sum += part.times * given(type, part.source, part.position, window, round);
        of_rank.push_back(sum);
      }
    }
  }
  return numbers;
}

Verdict verdict_on(const DigitType& type, const live::LiveCall& call, const std::vector<Part>& parts) {
  const std::vector<Numbers> calls{numbers_with(type, call, parts, 0), numbers_with(type, call, parts, 1)};
  const std::vector<int> rounds{0, 1};
  return judge_digits(call, type, calls, rounds).verdict;
}

std::vector<Part> right_parts(Rank ranks) {
  std::vector<Part> parts;
  for (Rank s = 0; s < ranks; ++s) parts.push_back({s, 0, 1});
  return parts;
}

}  // namespace

TEST_CASE("digits: sums of each contribution once pass", "[code]") {
  for (const DigitType& type : digit_types())
    for (const Rank ranks : {1, 2, 7, 8, 30})
      CHECK(verdict_on(type, allreduce_of(ranks, 3), right_parts(ranks)) == Verdict::pass);
}

TEST_CASE("digits: any other contributions fail", "[code]") {
  std::mt19937 random(7);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  for (const DigitType& type : digit_types())
    for (int trial = 0; trial < 3000; ++trial) {
      const Rank ranks = 1 + below(12);
      auto parts = right_parts(ranks);
      // Few and many times, so that there are carries into every digit.
      const int most = 1 << below(7);
      for (int changes = 1 + below(4); changes > 0; --changes) {
        Part& part = parts[static_cast<std::size_t>(below(ranks))];
        if (below(3) == 0)
          part.position = below(type.positions * type.positions);
        else
          part.times = below(most + 1);
      }
      const bool is_right = std::all_of(parts.begin(), parts.end(),
                                        [](const Part& part) { return part.times == 1 && part.position == 0; });
      const auto call = allreduce_of(ranks, 1);
      INFO(type.name << ", trial " << trial);
      CHECK((verdict_on(type, call, parts) == Verdict::pass) == is_right);
    }
}

TEST_CASE("digits: nine times one rank aren't it and the next", "[code]") {
  // 9 = 8 + 1, so without the digit that counts this would be the number that is due.
  auto parts = right_parts(2);
  parts[0].times = 9;
  parts[1].times = 0;
  CHECK(verdict_on(digit_types()[0], allreduce_of(2, 1), parts) == Verdict::fail);
}

TEST_CASE("digits: what differs is told", "[code]") {
  const DigitType& type = digit_types()[0];
  const auto call = allreduce_of(9, 2);
  auto parts = right_parts(9);
  parts[8].times = 0;
  const std::vector<Numbers> lost{numbers_with(type, call, parts, 0)};
  const std::vector<int> rounds{0};
  const auto report = judge_digits(call, type, lost, rounds);
  REQUIRE(report.properties.front().counterexample);
  const auto* missing = std::get_if<Counterexample::Missing>(&report.properties.front().counterexample->what);
  REQUIRE(missing != nullptr);
  CHECK(missing->contributor == 8);
  CHECK(report.properties.front().summary == "1 of 36 numbers are not the sum that is due");
}

TEST_CASE("digits: a number that is no sum fails", "[code]") {
  const DigitType& type = digit_types()[0];
  const auto call = allreduce_of(2, 1);
  std::vector<Numbers> calls{numbers_with(type, call, right_parts(2), 0)};
  calls[0][0][1][0] = -1;
  const std::vector<int> rounds{0};
  CHECK(judge_digits(call, type, calls, rounds).verdict == Verdict::fail);
}

}  // namespace onceover::code
