#include "verifier/promise.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "reference_promise.h"
#include "verifier/term_judgement.h"

namespace promise_test {

using namespace onceover::support;

std::vector<std::vector<Labels>> owed_by(const Promise& promise) {
  std::vector<std::vector<Labels>> all;
  for (Rank r = 0; r < promise.ranks(); ++r) {
    const PromisedResult result = promise.result(r);
    all.emplace_back();
    for (std::int64_t k = 0; k < result.size(); ++k) {
      const Owed owed = result.owed(k);
      all.back().emplace_back();
      for (const Rank giver : owed.ranks) all.back().back().emplace_back(giver, owed.element);
    }
    CHECK(result.owed(-1).ranks.empty());
    CHECK(result.owed(result.size()).ranks.empty());
  }
  return all;
}

PairCounts all_equal(Rank p, std::int64_t count) {
  return PairCounts(static_cast<std::size_t>(p), std::vector<std::int64_t>(static_cast<std::size_t>(p), count));
}

/// The same counts from everyone, which differ by the rank that gets them or, where results have parts, gives them.
PairCounts by_rank(const PromiseRow& row, const std::vector<std::int64_t>& counts) {
  PairCounts all = all_equal(static_cast<Rank>(counts.size()), 0);
  for (std::size_t src = 0; src < counts.size(); ++src)
    for (std::size_t dst = 0; dst < counts.size(); ++dst) all[src][dst] = counts[row.input_has_parts ? dst : src];
  return all;
}

std::vector<std::int64_t> random_counts(std::size_t size, std::mt19937& random) {
  std::vector<std::int64_t> counts;
  for (std::size_t k = 0; k < size; ++k) counts.push_back(random() % 4);
  return counts;
}

std::vector<Rank> roots(const PromiseRow& row, Rank p) {
  std::vector<Rank> all{0};
  for (Rank r = 1; r < p && row.is_rooted(); ++r) all.push_back(r);
  return all;
}

TEST_CASE("what is owed is what doing the collective leaves: equal counts, all roots") {
  for (const PromiseRow& row : promise_rows()) {
    if (row.givers == Givers::listed) continue;
    for (Rank p = 1; p <= 9; ++p)
      for (const Rank root : roots(row, p))
        for (const std::int64_t count : {0, 1, 3}) {
          INFO(row.name << ", p = " << p << ", root " << root << ", " << count << " elements");
          const auto wanted = results_of(row.promised, root, all_equal(p, count));
          CHECK(owed_by(Promise(row, p, root, even_parts(row, count))) == wanted);
        }
  }
}

TEST_CASE("what is owed is what doing the collective leaves: another count for each rank") {
  std::mt19937 random(1);
  for (const Promised promised : {Promised::reduce_scatter, Promised::scatter, Promised::gather, Promised::allgather})
    for (Rank p = 1; p <= 9; ++p)
      for (const Rank root : roots(promise_row(promised), p)) {
        const PromiseRow& row = promise_row(promised);
        INFO(row.name << ", p = " << p << ", root " << root);
        const auto counts = random_counts(static_cast<std::size_t>(p), random);
        const auto wanted = results_of(promised, root, by_rank(row, counts));
        CHECK(owed_by(Promise(row, p, root, parts_by_rank(row, counts))) == wanted);
      }
}

TEST_CASE("what is owed is what doing the collective leaves: another count for each pair") {
  std::mt19937 random(2);
  for (Rank p = 1; p <= 9; ++p)
    for (int round = 0; round < 4; ++round) {
      PairCounts pairs;
      std::vector<std::int64_t> flat;
      for (Rank r = 0; r < p; ++r) {
        pairs.push_back(random_counts(static_cast<std::size_t>(p), random));
        flat.insert(flat.end(), pairs.back().begin(), pairs.back().end());
      }
      const PromiseRow& row = promise_row(Promised::alltoall);
      CHECK(owed_by(Promise(row, p, 0, parts_by_pair(p, flat))) == results_of(Promised::alltoall, 0, pairs));
    }
}

TEST_CASE("parts may lie anywhere, with gaps between them in which nothing is owed") {
  const PromiseRow& row = promise_row(Promised::allgather);
  PartSizes sizes = parts_by_rank(row, {2, 0, 3});
  sizes.begins = [](Rank dst) { return std::vector<std::int64_t>{5, 9, dst}; };
  const Promise promise(row, 3, 0, sizes);
  const PromisedResult result = promise.result(1);
  CHECK(result.size() == 7);
  REQUIRE(result.runs().size() == 2);
  CHECK(result.runs()[0].begin == 1);
  for (const std::int64_t gap : {0, 4, 7, 9}) CHECK(result.owed(gap).ranks.empty());
  CHECK(result.owed(3).ranks.front() == 2);
  CHECK(result.owed(3).element == 2);
  CHECK(result.owed(5).ranks.front() == 0);
  CHECK(result.owed(5).element == 0);
}

TEST_CASE("rows of schedules' collectives have their names, and roots where these have") {
  for (const Contract& contract : contracts) {
    const PromiseRow& row = promise_row(contract.collective);
    CHECK(row.name == contract.name);
    CHECK(&row == &promise_row(row.promised));
    CHECK(row.is_rooted() == is_rooted(contract.collective));
  }
  for (const PromiseRow& row : promise_rows()) CHECK(&row == &promise_row(row.promised));
}

TEST_CASE("in place, the smaller buffer lies where it is a part of the larger") {
  for (const PromiseRow& row : promise_rows()) {
    if (row.givers == Givers::listed || !(row.input_has_parts || row.result_has_parts)) continue;
    const auto counts =
        row.input_has_parts && row.result_has_parts ? even_parts(row, 2) : parts_by_rank(row, {2, 3, 1});
    for (const Rank root : roots(row, 3))
      for (Rank r = 0; r < 3; ++r) {
        const Promise promise(row, 3, root, counts);
        const SharedBegins begins = promise.in_place(r);
        const PromisedResult result = promise.result(r);
        INFO(row.name << ", root " << root << ", rank " << r);
        CHECK((begins.input == 0 || begins.result == 0));
        if (row.input_has_parts && row.result_has_parts) CHECK(begins.input + begins.result == 0);
        if (row.input_has_parts && !row.result_has_parts) CHECK(result.owed(0).element == begins.result);
        if (row.input_has_parts || !promise.gets(r)) continue;
        CHECK(result.owed(begins.input).ranks.front() == r);
        CHECK(result.owed(begins.input).element == 0);
      }
  }
}

TEST_CASE("a permutation gives each rank what another has, a barrier nothing") {
  const Promise promise = Promise::permutation({2, Promise::nobody, 0}, 2);
  const std::vector<std::vector<Labels>> wanted{{{{2, 0}}, {{2, 1}}}, {}, {{{0, 0}}, {{0, 1}}}};
  CHECK(owed_by(promise) == wanted);
  const PromiseRow& barrier = promise_row(Promised::barrier);
  for (const auto& result : owed_by(Promise(barrier, 4, 0, even_parts(barrier, 3)))) CHECK(result.empty());
}

Promise stated(std::string_view text, Rank ranks, Rank root, std::int64_t count) {
  auto promise = Promise::stated(text, ranks, root, count);
  if (!promise) FAIL(promise.error());
  return *std::move(promise);
}

TEST_CASE("a stated promise is the collective that it spells out") {
  constexpr std::pair<const char*, Promised> whole[] = {
      {"out[r] = sum(in[q] for all q)", Promised::allreduce},
      {"out[r] = sum(in[q] for q < p and not (r != root))", Promised::reduce},
      {"out[r]=sum(in[q]for q<=r)", Promised::scan},
      {" out [r] = sum ( in [q] for q < r ) ", Promised::exscan},
      {"out[r][k] = sum(in[q] for q <= r)", Promised::scan},
      {"out[r] = in[root]", Promised::broadcast}};
  for (const auto& [text, promised] : whole)
    for (Rank p = 2; p <= 9; ++p)
      for (const Rank root : roots(promise_row(promised), p)) {
        INFO(text << ", p = " << p << ", root " << root);
        CHECK(owed_by(stated(text, p, root, 3)) == results_of(promised, root, all_equal(p, 3)));
      }
  for (Rank p = 1; p <= 9; ++p) {
    const auto wanted = results_of(Promised::alltoall, 0, all_equal(p, 2));
    CHECK(owed_by(stated("out[r][k] = in[k / 2][2 * r + k mod 2]", p, 0, 2 * p)) == wanted);
  }
}

TEST_CASE("a stated sum may leave out ranks, also for some elements only") {
  const Promise promise = stated("out[r][k] = sum(in[q][1 - k] for even(q + k) and q != r)", 5, 0, 2);
  const std::vector<Labels> wanted{{{2, 1}, {4, 1}}, {{1, 0}, {3, 0}}};
  CHECK(owed_by(promise)[0] == wanted);
  const PromisedResult result = promise.result(0);
  CHECK(result.owed(0).place_of({4, 1}) == 1);
  CHECK(result.owed(0).place_of({3, 1}) == 2);
  CHECK(result.owed(0).place_of({4, 0}) == 2);
  CHECK(stated("out[r] = in[(r + 1) mod p]", 3, 0, 1 << 20).result(0).runs().size() == 1);
}

TEST_CASE("a stated promise that says nothing, or the impossible, is refused") {
  const auto why = [](std::string_view text, std::int64_t count = 3) {
    const auto promise = Promise::stated(text, 4, 0, count);
    return promise ? std::string("none") : promise.error();
  };
  using Catch::Contains;
  for (const char* text : {"", "out = in", "out[r] in[r]", "out[q] = in[q]", "out[r] = in[r", "out[r] = in[r] + in[0]",
                           "out[r] = in[r][0]", "out[r] = sum(in[r] for all q)", "out[r] = sum(in[q] for all q",
                           "out[r] = sum(in[q])", "out[r] = sum(in[q] for all q) + 1"})
    CHECK_THAT(why(text), Contains("expected out[r] = in[A]"));
  CHECK_THAT(why("out[r] = in[r + ]"), Contains("promise:1:"));
  CHECK_THAT(why("out[r] = in[k]"), Contains("is about k, which needs out[r][k]"));
  CHECK_THAT(why("out[r] = sum(in[q] for k < q)"), Contains("is about k"));
  CHECK_THAT(why("out[r] = in[q]"), Contains("is about q, which only the condition of a sum may be"));
  CHECK_THAT(why("out[r] = sum(in[q] for q)"), Contains("'q' must be a comparison"));
  CHECK_THAT(why("out[r] = sum(in[q] for 1)"), Contains("must be a comparison"));
  CHECK_THAT(why("out[r] = sum(in[q] for q < r or 1)"), Contains("must be a comparison"));
  CHECK_THAT(why("out[r] = in[r + 1]"), Contains("there is no rank 4, which rank 3 is to get data from"));
  CHECK_THAT(why("out[r][k] = in[r][k + 1]"), Contains("there is no element 3 for element 2 of rank 0"));
  CHECK_THAT(why("out[r] = in[1 / r]"), Contains("has no value for r = 0"));
  CHECK_THAT(why("out[r] = sum(in[q] for q > p)"), Contains("it promises nothing"));
  CHECK_THAT(why("out[r] = in[r]", 0), Contains("it promises nothing"));
  CHECK_THAT(why("out[r][k] = in[r]", 1 << 21), Contains("too many"));
}

TEST_CASE("a term holds what is owed if it has each contribution once, from the right element, and nothing else") {
  constexpr Rank p = 3;
  TermTable terms(2 * p);  // leaf 2r + k: element k of rank r
  LeafWalk walk(p);
  const auto leaf = [&](Rank r, Rank k) { return terms.leaf(2 * r + k); };
  const auto holds = [&](Term term, const Owed& owed) {
    return walk.holds(terms, term, owed, [&](Term t) {
      return Contribution{terms.rank_of(t) / 2, terms.rank_of(t) % 2};
    });
  };
  const PromiseRow& row = promise_row(Promised::exscan);
  const Promise promise(row, p, 0, even_parts(row, 2));
  const PromisedResult second = promise.result(1), third = promise.result(2);
  const Term right = terms.sum(leaf(1, 1), leaf(0, 1));
  CHECK(holds(right, third.owed(1)));
  CHECK(!holds(right, third.owed(0)));
  CHECK(!holds(right, second.owed(1)));
  CHECK(!holds(right, third.owed(2)));
  CHECK(holds(leaf(0, 1), second.owed(1)));
  CHECK(!holds(leaf(0, 0), second.owed(1)));
  CHECK(!holds(leaf(0, 1), third.owed(1)));
  CHECK(!holds(Term::nothing, second.owed(1)));
  CHECK(!holds(terms.sum(leaf(1, 1), leaf(0, 0)), third.owed(1)));
  CHECK(!holds(terms.sum(leaf(2, 1), leaf(0, 1)), third.owed(1)));
  CHECK(!holds(terms.sum(right, leaf(0, 1)), third.owed(1)));
  CHECK(!holds(terms.sum(right, leaf(2, 1)), third.owed(1)));
  CHECK(!holds(terms.sum(leaf(1, 1), leaf(1, 1)), third.owed(1)));
}

}  // namespace promise_test
