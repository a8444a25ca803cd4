#include "gpu/machine/numbers.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "small_launch.h"

namespace onceover::gpu::numbers_test {
namespace {

/// The nearest number of a small type, found by looking at all; of two, the one whose last bit is 0.
std::uint64_t nearest_of_all(ElementType type, double number) {
  const std::uint64_t end = std::uint64_t{1} << (8 * size_of(type));
  std::uint64_t best = 0;
  double least = INFINITY;
  for (std::uint64_t bits = 0; bits < end; ++bits) {
    const double candidate = number_of(type, bits);
    if (!std::isfinite(candidate) || std::signbit(candidate) != std::signbit(number)) continue;
    const double distance = std::fabs(candidate - number);
    if (distance < least || (distance == least && bits % 2 == 0)) {
      least = distance;
      best = bits;
    }
  }
  return best;
}

TEST_CASE("every small number is the bits that it has") {
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::e4m3, ElementType::e5m2}) {
    const std::uint64_t end = std::uint64_t{1} << (8 * size_of(type));
    std::uint64_t wrong = 0;
    for (std::uint64_t bits = 0; bits < end; ++bits) {
      const double number = number_of(type, bits);
      if (!std::isnan(number) && bits_of(type, number) != bits) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("numbers are rounded to the nearest, ties to even") {
  std::mt19937_64 random(7);
  for (const ElementType type : {ElementType::e4m3, ElementType::e5m2}) {
    for (int trial = 0; trial < 2000; ++trial) {
      const double number = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random() % 4096) - 2048),
                                       -11 + static_cast<int>(random() % 16) - 8) *
                            4;
      if (std::fabs(number) > 400) continue;
      CHECK(bits_of(type, number) == nearest_of_all(type, number));
    }
  }
  for (const ElementType type : {ElementType::f16, ElementType::bf16})
    for (int trial = 0; trial < 20; ++trial) {
      const double number =
          std::ldexp(static_cast<double>(random() % 100000) / 7, static_cast<int>(random() % 20) - 20);
      CHECK(bits_of(type, number) == nearest_of_all(type, number));
    }
}

TEST_CASE("what is too large is infinite, the largest, or not a number") {
  CHECK(bits_of(ElementType::f16, 65519.9) == 0x7BFF);
  CHECK(bits_of(ElementType::f16, 65520) == 0x7C00);
  CHECK(bits_of(ElementType::e4m3, 448) == 0x7E);
  CHECK(bits_of(ElementType::e4m3, 1e6) == 0x7F);
  CHECK(bits_of(ElementType::e4m3, 1e6, true) == 0x7E);
  CHECK(bits_of(ElementType::e5m2, -1e9, true) == 0xFB);
  CHECK(bits_of(ElementType::e5m2, 1e9) == 0x7C);
  CHECK(bits_of(ElementType::bf16, INFINITY) == 0x7F80);
  CHECK(bits_of(ElementType::f16, 0x1p-24) == 1);
  CHECK(bits_of(ElementType::f16, 0x1p-26) == 0);
}

TEST_CASE("inputs are finite, not zero, and different") {
  for (const ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64, ElementType::e4m3, ElementType::e5m2})
    for (std::uint64_t element = 0; element < 1000; ++element) {
      const double number = number_of(type, input_bits(type, 3, element, 1));
      CHECK((std::isfinite(number) && number != 0));
    }
  CHECK(input_bits(ElementType::f32, 0, 0, 0) != input_bits(ElementType::f32, 1, 0, 0));
  CHECK(input_bits(ElementType::f32, 0, 0, 0) != input_bits(ElementType::f32, 0, 0, 1));
}

/// What a body leaves in the first word of `out`.
HeldElement result_of(const std::string& body, GpuOutcome& outcome) {
  outcome = run(small_launch({body}), {});
  REQUIRE(kinds(outcome).empty());
  return first_out(outcome, 0);
}

TEST_CASE("conversions keep terms, and exact ones can be undone") {
  GpuOutcome outcome;
  const HeldElement half = result_of(
      "ld.global.f32 %f1, [%in]; cvt.rn.f16.f32 %h1, %f1; cvt.f32.f16 %f2, %h1; st.global.f32 [%out], %f2;", outcome);
  const TermNode widened = (*outcome.terms)[half.term];
  CHECK(widened.kind == TermKind::widened);
  CHECK((*outcome.terms)[static_cast<ValueTerm>(widened.a)].kind == TermKind::converted);
  const HeldElement back = result_of(
      "ld.global.b32 %r1, [%in]; mov.b32 {%h1, %h2}, %r1; cvt.f32.bf16 %f1, %h1; cvt.rn.bf16.f32 %h3, %f1;"
      "mov.b32 %r2, {%h3, %h2}; st.global.b32 [%out], %r2;",
      outcome);
  CHECK((*outcome.terms)[back.term].kind != TermKind::none);
}

TEST_CASE("two numbers become a pair, the first in the upper half") {
  GpuOutcome outcome;
  const HeldElement pair = result_of(
      "mov.b32 %f1, 0f3F800000; mov.b32 %f2, 0f40000000; cvt.rn.bf16x2.f32 %r1, %f1, %f2; st.global.b32 [%out], %r1;",
      outcome);
  CHECK(pair.bits == 0x3F804000);
  const HeldElement bytes = result_of(
      "mov.b32 %f1, 0f3F800000; mov.b32 %f2, 0f40000000; cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;"
      "cvt.rn.f16x2.e4m3x2 %r1, %h1; st.global.b32 [%out], %r1;",
      outcome);
  CHECK(bytes.bits == 0x3C004000);
  const HeldElement sum = result_of(
      "mov.b32 %r1, 0x3C004000; add.rn.f16x2 %r2, %r1, %r1; fma.rn.f16x2 %r3, %r1, %r1, %r2; st.global.b32 [%out], "
      "%r3;",
      outcome);
  CHECK(sum.bits == 0x42004800);
}

TEST_CASE("integers are what PTX says") {
  GpuOutcome outcome;
  const auto bits = [&](const std::string& body) {
    return result_of(body + "st.global.b32 [%out], %r9;", outcome).bits;
  };
  CHECK(bits("mov.b32 %r1, -7; div.s32 %r9, %r1, 2;") == 0xFFFFFFFD);
  CHECK(bits("mov.b32 %r1, -7; shr.s32 %r9, %r1, 1;") == 0xFFFFFFFC);
  CHECK(bits("mov.b32 %r1, 5; shl.b32 %r9, %r1, 33;") == 0);
  CHECK(bits("mov.b32 %r1, 0x80000000; mul.hi.u32 %r9, %r1, 4;") == 2);
  CHECK(bits("mov.b32 %r1, -2; mul.wide.s32 %rd1, %r1, 3; add.s64 %rd1, %rd1, 7; cvt.u32.u64 %r9, %rd1;") == 1);
  CHECK(bits("mov.b32 %r1, 0xABCD; bfe.u32 %r9, %r1, 4, 8;") == 0xBC);
  CHECK(bits("mov.b32 %r1, 0xF; bfi.b32 %r9, %r1, 0, 8, 4;") == 0xF00);
  CHECK(bits("mov.b32 %r1, 0x12345678; prmt.b32 %r9, %r1, 0, 0x0123;") == 0x78563412);
  CHECK(bits("mov.b32 %r1, 0x80000001; shf.l.wrap.b32 %r9, %r1, %r1, 4;") == 0x18);
  CHECK(bits("mov.b32 %r1, 0xF0; mov.b32 %r2, 0xCC; mov.b32 %r3, 0xAA; lop3.b32 %r9, %r1, %r2, %r3, 0x1A;") == 0x1A);
  CHECK(bits("mov.b32 %r1, 0x00F0; clz.b32 %r9, %r1;") == 24);
  CHECK(bits("mov.b32 %r1, 0x00F0; bfind.u32 %r9, %r1;") == 7);
  CHECK(bits("mov.b32 %r1, 6; brev.b32 %r9, %r1;") == 0x60000000);
  CHECK(bits("mov.b32 %f1, 0f40200000; cvt.rni.s32.f32 %r9, %f1;") == 2);
  CHECK(bits("mov.b32 %f1, 0fC0600000; cvt.rzi.s32.f32 %r9, %f1;") == 0xFFFFFFFD);
  CHECK(bits("mov.b32 %r1, 300; cvt.sat.u8.u32 %r2, %r1; cvt.u32.u8 %r9, %r2;") == 255);
  CHECK(bits("mov.b32 %r1, 200; cvt.s32.s8 %r9, %r1;") == 0xFFFFFFC8);
}

TEST_CASE("functions are called, with what they are given") {
  const std::string text =
      ptx_head +
      ".visible .func (.param .b32 result) twice(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.u32 %r2, "
      "%r1, %r1;"
      " st.param.b32 [result], %r2; ret; }\n"
      ".visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .b32 %r<4>; ld.param.u64 %o, [out]; mov.u32 %r1, 21;\n"
      "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call.uni (q), twice, (p); ld.param.b32 %r2, [q]; }\n"
      "st.global.u32 [%o], %r2; ret; }\n";
  Launch launch = small_launch({""});
  launch.module = module_of(text);
  launch.calls[0].ranks[0].kernels[0].entry = 1;
  launch.calls[0].ranks[0].kernels[0].arguments.bytes.resize(8);
  launch.calls[0].ranks[0].kernels[0].arguments.relocations = {{0, RelocationTarget::buffer, 3, 0, 0}};
  const GpuOutcome outcome = run(launch, {});
  CHECK(kinds(outcome).empty());
  CHECK(first_out(outcome, 0).bits == 42);
}

}  // namespace
}  // namespace onceover::gpu::numbers_test
