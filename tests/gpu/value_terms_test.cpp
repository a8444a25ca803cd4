#include "gpu/value_terms.h"

#include <catch2/catch.hpp>

namespace onceover::gpu {
namespace {

TEST_CASE("a sum's operands may be in either order") {
  ValueTerms terms;
  const ValueTerm a = terms.leaf(ElementType::f32, 0, 3, 0);
  const ValueTerm b = terms.leaf(ElementType::f32, 1, 3, 0);
  const ValueTerm sum = terms.combined(Combining::add, ElementType::f32, a, b);
  CHECK(terms.combined(Combining::add, ElementType::f32, b, a) == sum);
  CHECK(terms.combined(Combining::maximum, ElementType::f32, a, b) != sum);
}

TEST_CASE("a sum with zero is the other operand") {
  ValueTerms terms;
  const ValueTerm a = terms.leaf(ElementType::f32, 0, 3, 0);
  CHECK(terms.combined(Combining::add, ElementType::f32, a, terms.constant(ElementType::f32, 0)) == a);
  CHECK(terms.combined(Combining::add, ElementType::f32, terms.constant(ElementType::f32, 0x80000000), a) == a);
  CHECK(terms.combined(Combining::add, ElementType::f32, terms.constant(ElementType::f32, 1), a) != a);
}

TEST_CASE("what is widened and rounded back is the same") {
  ValueTerms terms;
  const ValueTerm a = terms.leaf(ElementType::bf16, 0, 3, 0);
  const ValueTerm wide = terms.converted(ElementType::f32, ElementType::bf16, a);
  CHECK(terms[wide].kind == TermKind::widened);
  CHECK(terms.converted(ElementType::bf16, ElementType::f32, wide) == a);
  CHECK(terms[terms.converted(ElementType::f16, ElementType::f32, wide)].kind == TermKind::converted);
}

TEST_CASE("terms stay the same when there are many") {
  ValueTerms terms;
  const ValueTerm first = terms.leaf(ElementType::f32, 0, 0, 0);
  for (std::uint64_t element = 0; element < 10000; ++element) terms.leaf(ElementType::f32, 0, element, 0);
  CHECK(terms.leaf(ElementType::f32, 0, 0, 0) == first);
  CHECK(terms.size() == 10001);
}

}  // namespace
}  // namespace onceover::gpu
