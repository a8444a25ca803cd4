#include "optimum/group_words.h"

#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "network/contention.h"
#include "networks.h"
#include "verifier/verify.h"

namespace group_words_test {

using namespace onceover::optimum;
using onceover::support::network_of;

namespace {

const LetterSet& set_named(std::string_view name) {
  for (const LetterSet& set : letter_sets())
    if (set.name == name) return set;
  throw std::logic_error("no such set");
}

bool is_right(const Schedule& schedule) {
  return onceover::verifier::verify(schedule).verdict == onceover::verifier::Verdict::pass;
}

/// The sum over the steps of the blocks on the hottest link, of the schedule itself.
Rational load_of(const Schedule& schedule, const Network& network) {
  Rational sum = 0;
  const auto steps = contention(schedule, network, {})->steps;
  for (const auto& step : steps) sum += step.load * step.kind.times;
  return sum;
}

/// Visits every word of so many letters.
void for_each_word(const Word& letters, std::size_t length, const std::function<void(const Word&)>& visit) {
  Word word;
  const std::function<void()> extend = [&] {
    if (word.size() == length) return visit(word);
    for (const int f : letters) {
      word.push_back(f);
      extend();
      word.pop_back();
    }
  };
  extend();
}

}  // namespace

TEST_CASE("of all pairings on a ring, Swing and its mirror image load the links least") {
  const std::vector<Rational> loads{3, 8, 19, 44, 99, 220};
  Word swing{1, -1}, mirrored{-1, 1};
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const Rank p = Rank{4} << k;
    CAPTURE(p);
    const auto least = least_words(set_named("pairs"), network_of("torus", {p}), 1'000'000);
    REQUIRE(least);
    CHECK(least->load == loads[k]);
    CHECK(least->count == 2);
    CHECK(std::set<Word>(least->words.begin(), least->words.end()) == std::set<Word>{swing, mirrored});
    const int next = 1 - 2 * swing.back();
    swing.push_back(next);
    mirrored.push_back(-next);
  }
}

TEST_CASE("the search finds what trying all words finds, and each of its words is a right schedule") {
  for (const auto& [topology, ranks] : {std::pair("torus", 4), std::pair("torus", 8), std::pair("mesh", 8)})
    for (const LetterSet& set : letter_sets()) {
      CAPTURE(topology, ranks, set.name);
      const Network network = network_of(topology, {ranks});
      std::optional<Rational> best;
      std::set<Word> all;
      for_each_word(set.letters(ranks), ranks == 4 ? 2 : 3, [&](const Word& word) {
        const SchedulePtr schedule = schedule_of(set, word, ranks);
        if (!is_right(*schedule)) return;
        const Rational load = load_of(*schedule, network);
        if (!best || load < *best) all.clear();
        if (!best || load <= *best) all.insert(word), best = load;
      });
      const auto least = least_words(set, network, 1'000'000);
      REQUIRE(least);
      CHECK(least->load == *best);
      CHECK(least->count == all.size());
      CHECK(std::set<Word>(least->words.begin(), least->words.end()) == all);
    }
}

TEST_CASE("without pairs the ring is loaded less than by Swing") {
  const LetterSet& mirror = set_named("mirror");
  for (const auto& [ranks, load] : {std::pair(8, 7), std::pair(16, 17), std::pair(32, 40), std::pair(64, 92)}) {
    const Network ring = network_of("torus", {ranks});
    const auto least = least_words(mirror, ring, 1'000'000);
    REQUIRE(least);
    CHECK(least->load == Rational(load));
    const SchedulePtr schedule = schedule_of(mirror, least->words[0], ranks);
    CHECK(is_right(*schedule));
    CHECK(load_of(*schedule, ring) == Rational(load));
  }
}

TEST_CASE("a search beyond its budget has no result") {
  const auto least = least_words(set_named("xor"), network_of("torus", {8}), 5);
  REQUIRE(!least);
  CHECK(least.error() == "more than 5 beginnings of words to try; raise --budget to go on");
}

}  // namespace group_words_test
