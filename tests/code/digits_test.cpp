// Digits, against sums that are made of known contributions.

#include "code/digits.h"

#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <set>

#include "verifier/element_fault.h"

namespace onceover::code {

namespace {

live::LiveCall allreduce_of(Rank ranks, int count) {
  return {.collective = &live::live_collectives()[0], .ranks = ranks, .count = count};
}

std::int64_t power(int exponent) {
  return exponent == 0 ? 1 : 8 * power(exponent - 1);
}

/// What rank `source` gives at a position in call `number`, by the definition in digits.h.
std::int64_t given(const DigitType& type, Rank source, int position, int window, int round, int number) {
  const Rank place = source - window * type.ranks;
  if (place < 0 || place >= type.ranks) return 0;
  for (int k = 0; k < round; ++k) position /= type.positions;
  return power(place) + power(type.ranks + (position + number) % type.positions) + power(type.ranks + type.positions);
}

/// What a result of integers holds before a call.
std::int64_t blank(const DigitType& type) {
  return power(type.ranks + type.positions) + 1;
}

/// How often an element holds what a rank gives at a position.
struct Part {
  Rank source;
  int position;
  std::int64_t times;
};

/// A call on whose rank 0 element 0 is made of `parts` and of what was there before, `blanks` times, and all else is
/// right. What it gives is that of the call with number `given_in`, if there is one.
DigitCall call_with(const DigitType& type, const live::LiveCall& call, const std::vector<Part>& parts, int round,
                    int number, std::int64_t blanks = 0, std::optional<int> given_in = {}) {
  DigitCall made{.number = number, .round = round, .numbers = {}};
  for (int window = 0; window < windows(type, call.ranks); ++window) {
    auto& by_rank = made.numbers.emplace_back();
    const int given_number = given_in.value_or(number) + window;
    for (Rank r = 0; r < call.ranks; ++r) {
      auto& of_rank = by_rank.emplace_back();
      for (int k = 0; k < call.count; ++k) {
        std::int64_t sum = r == 0 && k == 0 ? blanks * blank(type) : 0;
        for (Rank s = 0; s < call.ranks && (r > 0 || k > 0); ++s) sum += given(type, s, k, window, round, given_number);
        if (r == 0 && k == 0)
          for (const Part& part : parts)
            sum += part.times * given(type, part.source, part.position, window, round, given_number);
        of_rank.push_back(sum);
      }
    }
  }
  return made;
}

Verdict verdict_on(const DigitType& type, const live::LiveCall& call, const std::vector<Part>& parts,
                   std::int64_t blanks = 0) {
  const std::vector<DigitCall> calls{call_with(type, call, parts, 0, 5, blanks),
                                     call_with(type, call, parts, 1, 5 + windows(type, call.ranks), blanks)};
  return judge_digits(call, type, calls, {}).verdict;
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

TEST_CASE("digits: there are as many rounds as tell all positions apart", "[code]") {
  for (const DigitType& type : digit_types())
    for (const std::size_t positions : {1, 2, 3, 9, 27, 28, 64, 65, 512, 513}) {
      std::set<std::vector<std::size_t>> digits;
      for (std::size_t x = 0; x < positions; ++x) {
        std::vector<std::size_t> of_x;
        std::size_t rest = x;
        for (int k = 0; k < rounds(type, positions); ++k, rest /= static_cast<std::size_t>(type.positions))
          of_x.push_back(rest % static_cast<std::size_t>(type.positions));
        digits.insert(of_x);
      }
      CHECK(digits.size() == positions);
    }
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
      const int blanks = below(2) * below(most + 1);
      const bool is_right = blanks == 0 && std::all_of(parts.begin(), parts.end(), [](const Part& part) {
                              return part.times == 1 && part.position == 0;
                            });
      const auto call = allreduce_of(ranks, 1);
      INFO(type.name << ", trial " << trial);
      CHECK((verdict_on(type, call, parts, blanks) == Verdict::pass) == is_right);
    }
}

TEST_CASE("digits: nine times one rank aren't it and the next", "[code]") {
  // 9 = 8 + 1, so without the digit that counts this would be the number that is due.
  auto parts = right_parts(2);
  parts[0].times = 9;
  parts[1].times = 0;
  CHECK(verdict_on(digit_types()[0], allreduce_of(2, 1), parts) == Verdict::fail);
}

TEST_CASE("digits: right contributions and what was there before fail, though sums run over", "[code]") {
  const DigitType& type = digit_types()[2];
  REQUIRE(type.name == "int");
  const auto call = allreduce_of(4, 1);
  const auto run_over = [&](std::uint64_t blanks) {
    std::vector<DigitCall> calls{call_with(type, call, right_parts(4), 0, 0)};
    std::int64_t& number = calls[0].numbers[0][0][0];
    number = static_cast<std::int32_t>(static_cast<std::uint64_t>(number) +
                                       blanks * static_cast<std::uint64_t>(blank(type)));
    return judge_digits(call, type, calls, {}).verdict;
  };
  for (std::uint64_t blanks = 1; blanks < 5000; ++blanks) CHECK(run_over(blanks) == Verdict::fail);
  for (int k = 0; k < 32; ++k) CHECK(run_over(std::uint64_t{1} << k) == Verdict::fail);
  CHECK(run_over(0) == Verdict::pass);
  CHECK(run_over(std::uint64_t{1} << 32) == Verdict::pass);  // the limit that digits.cpp tells
}

TEST_CASE("digits: what an earlier call left fails", "[code]") {
  for (const DigitType& type : digit_types())
    for (const Rank ranks : {1, 2, 7, 14})
      for (int before = 0; before <= type.positions; ++before) {
        const auto call = allreduce_of(ranks, 1);
        const std::vector<DigitCall> calls{call_with(type, call, right_parts(ranks), 0, 10, 0, 10 - before)};
        const bool is_same = before % type.positions == 0;
        INFO(type.name << ", " << ranks << " ranks, " << before << " calls before");
        CHECK((judge_digits(call, type, calls, {}).verdict == Verdict::pass) == is_same);
      }
}

TEST_CASE("digits: properties that aren't seen are unknown, and so is the verdict if they are required", "[code]") {
  const DigitType& type = digit_types()[0];
  const auto call = allreduce_of(2, 1);
  const std::vector<DigitCall> right{call_with(type, call, right_parts(2), 0, 0)};
  CHECK(judge_digits(call, type, right, {}).verdict == Verdict::pass);
  for (const std::string id : {"order-preserving", "bitwise-reproducible", "deterministic"})
    CHECK(judge_digits(call, type, right, std::vector{id}).verdict == Verdict::unknown);
  const std::vector<DigitCall> wrong{call_with(type, call, {}, 0, 0)};
  CHECK(judge_digits(call, type, wrong, std::vector<std::string>{"deterministic"}).verdict == Verdict::fail);
}

TEST_CASE("digits: what differs is told", "[code]") {
  const DigitType& type = digit_types()[0];
  const auto call = allreduce_of(9, 2);
  auto parts = right_parts(9);
  parts[8].times = 0;
  const std::vector<DigitCall> lost{call_with(type, call, parts, 0, 0)};
  const auto report = judge_digits(call, type, lost, {});
  REQUIRE(report.properties.front().counterexample);
  CHECK(report.properties.front().counterexample->kind() == Counterexample::Missing::kind);
  CHECK(report.properties.front().counterexample->facts().contributor == 8);
  CHECK(report.properties.front().summary == "1 of 36 numbers are not the sum that is due");
}

TEST_CASE("digits: a number that is no sum fails", "[code]") {
  const DigitType& type = digit_types()[0];
  const auto call = allreduce_of(2, 1);
  std::vector<DigitCall> calls{call_with(type, call, right_parts(2), 0, 0)};
  for (const std::int64_t number : {std::int64_t{-1}, blank(type)}) {
    calls[0].numbers[0][1][0] = number;
    const auto report = judge_digits(call, type, calls, {});
    CHECK(report.verdict == Verdict::fail);
    CHECK(verifier::faulty_element(*report.properties.front().counterexample)->value == "no sum");
  }
}

}  // namespace onceover::code
