#include "verifier/terms.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace onceover;

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
