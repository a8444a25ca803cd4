#include "gpu/value_terms.h"

#include <catch2/catch.hpp>

namespace onceover::gpu {
namespace {

TEST_CASE("a sum's operands may be in either order") {
  ValueTerms terms;
  const ValueTerm a = terms.leaves(ElementType::f32, 0, 1, 0);
  const ValueTerm b = terms.leaves(ElementType::f32, 1, 1, 0);
  const ValueTerm sum = terms.combined(Combining::add, ElementType::f32, a, b);
  CHECK(terms.combined(Combining::add, ElementType::f32, b, a) == sum);
  CHECK(terms.combined(Combining::maximum, ElementType::f32, a, b) != sum);
}

TEST_CASE("a sum with zero is the other operand") {
  ValueTerms terms;
  const ValueTerm a = terms.leaves(ElementType::f32, 0, 1, 0);
  CHECK(terms.combined(Combining::add, ElementType::f32, a, terms.constant(ElementType::f32, 0)) == a);
  CHECK(terms.combined(Combining::add, ElementType::f32, terms.constant(ElementType::f32, 0x80000000), a) == a);
  CHECK(terms.combined(Combining::add, ElementType::f32, terms.constant(ElementType::f32, 1), a) != a);
}

TEST_CASE("what is widened and rounded back is the same") {
  ValueTerms terms;
  const ValueTerm a = terms.leaves(ElementType::bf16, 0, 1, 0);
  const ValueTerm wide = terms.converted(ElementType::f32, ElementType::bf16, a);
  CHECK(terms[wide].kind == TermKind::widened);
  CHECK(terms.converted(ElementType::bf16, ElementType::f32, wide) == a);
  CHECK(terms[terms.converted(ElementType::f16, ElementType::f32, wide)].kind == TermKind::converted);
}

TEST_CASE("terms stay the same when there are many") {
  ValueTerms terms;
  const auto first = static_cast<std::uint32_t>(terms.leaves(ElementType::f32, 0, 10000, 0));
  const auto leaf = [&](std::uint32_t element) { return static_cast<ValueTerm>(first + element); };
  CHECK(terms[leaf(77)].b == 77);
  std::vector<ValueTerm> sums;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t element = 0; element + 1 < 10000; ++element) {
      const ValueTerm sum = terms.combined(Combining::add, ElementType::f32, leaf(element), leaf(element + 1));
      if (round == 0)
        sums.push_back(sum);
      else
        REQUIRE(sum == sums[element]);
    }
  CHECK(terms.size() == 1 + 10000 + 9999);
}

TEST_CASE("two sums by the switch are two terms, since they may be added up in different orders") {
  ValueTerms terms;
  const ValueTerm a = terms.leaves(ElementType::f32, 0, 1, 0);
  const ValueTerm b = terms.leaves(ElementType::f32, 1, 1, 0);
  const ValueTerm sum = terms.combined(Combining::add, ElementType::f32, a, b);
  CHECK(terms.switched(ElementType::f32, sum, 1) != terms.switched(ElementType::f32, sum, 2));
  CHECK(terms.switched(ElementType::f32, sum, 1) == terms.switched(ElementType::f32, sum, 1));
}

TEST_CASE("an operand that was used in another term doesn't make a new one") {
  ValueTerms terms;
  const ValueTerm a = terms.leaves(ElementType::f32, 0, 1, 0);
  const ValueTerm b = terms.leaves(ElementType::f32, 1, 1, 0);
  const ValueTerm c = terms.leaves(ElementType::f32, 2, 1, 0);
  const ValueTerm ab = terms.combined(Combining::add, ElementType::f32, a, b);
  const ValueTerm bc = terms.combined(Combining::add, ElementType::f32, b, c);
  const ValueTerm ac = terms.combined(Combining::add, ElementType::f32, a, c);
  CHECK(terms.combined(Combining::add, ElementType::f32, c, a) == ac);
  CHECK(terms.combined(Combining::add, ElementType::f32, c, b) == bc);
  CHECK(terms.combined(Combining::add, ElementType::f32, b, a) == ab);
  CHECK(terms.converted(ElementType::f16, ElementType::f32, a) ==
        terms.converted(ElementType::f16, ElementType::f32, a));
}

}  // namespace
}  // namespace onceover::gpu
