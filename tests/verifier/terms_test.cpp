#include "verifier/terms.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <random>

#include "verifier/term_judgement.h"

namespace terms_test {

using namespace onceover::programs;

TEST_CASE("equal terms have equal ids and different terms have different ones") {
  TermTable terms(5);
  std::mt19937 random(1);
  for (int round = 0; round < 3; ++round) {
    terms.clear();
    std::map<std::pair<Term, Term>, Term> known;
    std::vector<Term> all;
    for (Rank r = 0; r < 5; ++r) all.push_back(terms.leaf(r));
    for (int k = 0; k < 20000; ++k) {
      const Term a = all[random() % std::min<std::size_t>(all.size(), 200)];
      const Term b = all[random() % std::min<std::size_t>(all.size(), 200)];
      const Term sum = terms.sum(a, b);
      const auto [entry, is_new] = known.try_emplace(std::minmax(a, b), sum);
      REQUIRE(entry->second == sum);
      REQUIRE(terms.first(sum) == std::min(a, b));
      REQUIRE(terms.second(sum) == std::max(a, b));
      REQUIRE(terms.depth(sum) == 1 + std::max(terms.depth(a), terms.depth(b)));
      if (is_new) all.push_back(sum);
    }
    REQUIRE(terms.id_end() == 6 + known.size());
  }
}

TEST_CASE("leaves are their ranks") {
  TermTable terms(3);
  for (Rank r = 0; r < 3; ++r) {
    REQUIRE(terms.is_leaf(terms.leaf(r)));
    REQUIRE(terms.rank_of(terms.leaf(r)) == r);
  }
  REQUIRE_FALSE(terms.is_leaf(terms.sum(terms.leaf(0), terms.leaf(0))));
}

namespace {

/// How often each rank's leaf is in the term.
std::vector<int> leaves_of(const TermTable& terms, Term term) {
  std::vector<int> counts(static_cast<std::size_t>(terms.ranks()));
  std::vector<Term> to_visit{term};
  while (!to_visit.empty()) {
    const Term next = to_visit.back();
    to_visit.pop_back();
    if (terms.is_leaf(next)) {
      ++counts[static_cast<std::size_t>(terms.rank_of(next))];
    } else {
      to_visit.push_back(terms.first(next));
      to_visit.push_back(terms.second(next));
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("what is known of a term's leaves is what is found by going down to them") {
  std::mt19937 random(7);
  int known = 0;
  int unknown = 0;
  int each_once = 0;
  for (int round = 0; round < 2000; ++round) {
    const Rank ranks = 1 + static_cast<Rank>(random() % 8);
    TermTable terms(ranks);
    LeafWalk walk(ranks);
    std::vector<Term> all;
    for (Rank r = 0; r < ranks; ++r) all.push_back(terms.leaf(r));
    const auto operands = 2 + random() % 6;  // few: operands come again soon
    for (int sum = 0; sum < 9; ++sum) {
      auto some = [&] { return all[all.size() - 1 - random() % std::min(all.size(), operands)]; };
      all.push_back(terms.sum(some(), some()));
    }
    for (const Term term : all) {
      const std::vector<int> counts = leaves_of(terms, term);
      const bool are_different = std::all_of(counts.begin(), counts.end(), [](int n) { return n <= 1; });
      const int total = std::accumulate(counts.begin(), counts.end(), 0);
      if (const auto different = terms.different_leaves(term)) {
        REQUIRE(are_different);
        REQUIRE(*different == total);
        ++known;
      } else {
        ++unknown;
      }
      for (Rank end = 1; end <= ranks; ++end) {
        const bool expected = total == end && are_different &&
                              std::all_of(counts.begin(), counts.begin() + end, [](int n) { return n == 1; });
        REQUIRE(walk.has_each_once(terms, term, end) == expected);
        each_once += expected ? 1 : 0;
      }
    }
  }
  CHECK(known > 1000);
  CHECK(unknown > 1000);
  CHECK(each_once > 1000);
}

TEST_CASE("a term's leaves are counted as long as no operand comes twice") {
  TermTable terms(4);
  const Term pair = terms.sum(terms.leaf(0), terms.leaf(1));
  CHECK(terms.different_leaves(pair) == 2);
  CHECK(terms.different_leaves(terms.sum(pair, terms.leaf(2))) == 3);
  CHECK_FALSE(terms.different_leaves(terms.sum(pair, terms.leaf(3))));
  CHECK_FALSE(terms.different_leaves(terms.sum(terms.leaf(3), terms.leaf(3))));
  terms.clear();
  CHECK(terms.different_leaves(terms.sum(terms.leaf(0), terms.leaf(3))) == 2);
}

}  // namespace terms_test
