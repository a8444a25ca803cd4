#include <catch2/catch.hpp>

#include "gpu/ptx/reader.h"
#include "small_launch.h"

namespace onceover::gpu::ptx_reader_test {
namespace {

std::string error_of(const std::string& text) {
  const auto module = ptx::read_module("x.ptx", text);
  if (module) return "";
  const std::string rendered = module.error().render();
  return rendered.substr(0, rendered.find('\n'));
}

std::string in_entry(const std::string& body) {
  return ptx_head + ".entry k()\n{\n" + body + "\n}\n";
}

TEST_CASE("parameters are laid out by their alignment") {
  const auto module =
      module_of(ptx_head + ".visible .entry k(.param .u32 a, .param .align 16 .b8 b[20], .param .u64 c) { ret; }");
  const ptx::Function& entry = module->functions.at(0);
  CHECK(entry.is_entry);
  REQUIRE(entry.parameters.size() == 3);
  CHECK(entry.parameters[1].offset == 16);
  CHECK(entry.parameters[2].offset == 40);
  CHECK(entry.parameter_bytes == 48);
}

TEST_CASE("an instruction keeps its place, its words and its text") {
  const auto module = module_of(in_entry(".reg .b64 %rd<3>;\n  ld.relaxed.sys.global.u32\t%rd1,\n [%rd2+4];\nret;"));
  const ptx::PtxInstruction& load = module->functions[0].instructions[0];
  CHECK(load.line == 7);
  CHECK(load.column == 3);
  CHECK(load.words == std::vector<std::string>{"ld", "relaxed", "sys", "global", "u32"});
  CHECK(load.operands[1].immediate == 4);
  CHECK(module->text_of(load) == "ld.relaxed.sys.global.u32 %rd1, [%rd2+4]");
}

TEST_CASE("a place says where it was inlined") {
  const auto module =
      module_of(ptx_head +
                ".file 1 \"a.cu\"\n.entry k() {\n.loc 1 9 1\n.loc 1 5 3, function_name $L, inlined_at 1 9 1\n"
                ".loc 1 2 3, function_name $L, inlined_at 1 5 3\nret;\n}\n");
  AccessSite site;
  site.function = 0;
  site.instruction = 0;
  CHECK(place_of(*module, site) == "a.cu:2 (inlined at a.cu:5, a.cu:9)");
}

TEST_CASE("labels and registers belong to their block") {
  const auto module =
      module_of(in_entry(".reg .pred %p;\n{ .reg .b32 %p1; L: bra L; }\n{ L: @%p bra L; bra E; }\nE: ret;"));
  const auto& instructions = module->functions[0].instructions;
  CHECK(instructions[0].target == 0);
  CHECK(instructions[1].target == 1);
  CHECK(instructions[2].target == 3);
}

TEST_CASE("numbers of all kinds are read") {
  const auto module = module_of(in_entry(
      ".reg .b64 %r;\nmov.b64 %r, -1;\nmov.b64 %r, 0x1F;\nmov.b64 %r, 0f3F800000;\nmov.b64 %r, 0d3FF0000000000000;\n"
      "mov.b64 %r, 1.5;\nmov.b64 %r, 017;\nmov.b64 %r, 18446744073709551615U;"));
  std::vector<std::uint64_t> read;
  for (const auto& instruction : module->functions[0].instructions) read.push_back(instruction.operands[1].immediate);
  CHECK(read == std::vector<std::uint64_t>{~std::uint64_t{0}, 31, 0x3F800000, 0x3FF0000000000000, 0x3FF8000000000000,
                                           15, ~std::uint64_t{0}});
}

TEST_CASE("variables have sizes and initial values") {
  const auto module = module_of(
      ptx_head +
      ".global .align 4 .u32 g[4] = {1, 2};\n.extern .shared .align 16 .b8 dyn[];\n.global .u64 pointer = g+4;\n");
  CHECK(module->variables[0].bytes == 16);
  CHECK(module->variables[0].initial == std::vector<std::uint8_t>{1, 0, 0, 0, 2, 0, 0, 0});
  CHECK(module->variables[1].is_unsized);
  REQUIRE(module->variables[2].references.size() == 1);
  CHECK(module->variables[2].references[0].addend == 4);
}

TEST_CASE("an error has its line and column") {
  CHECK(error_of(".version 6.4\n") == "x.ptx:1:1: expected a version from 7.0 to 9.x, found 6.4");
  CHECK(error_of(".version 8.x\n") == "x.ptx:1:1: expected a version from 7.0 to 9.x, found 8.x");
  CHECK(error_of(".version 8.0\n.target sm_90\n.address_size 32\n") ==
        "x.ptx:3:15: only addresses of 64 bits are supported");
  CHECK(error_of(in_entry("mov.b32 %r1, 0;")) == "x.ptx:6:9: unknown name '%r1'");
  CHECK(error_of(in_entry(".reg .b32 %r<2>;\nmov.b32 %r2, 0;")) == "x.ptx:7:9: unknown name '%r2'");
  CHECK(error_of(in_entry("bra nowhere;")) == "x.ptx:6:5: unknown label 'nowhere'");
  CHECK(error_of(in_entry("{ L: ret; } bra L;")) == "x.ptx:6:17: unknown label 'L'");
  CHECK(error_of(in_entry(".reg .b32 %a;\nmov.b32 %a, 99999999999999999999;")) ==
        "x.ptx:7:13: this number doesn't fit into 64 bits");
  CHECK(error_of(in_entry("ret")) == "x.ptx:7:1: expected an operand, found '}'");
  CHECK(error_of(ptx_head + "/* ") == "x.ptx:4:1: this comment is never closed");
  CHECK(error_of(ptx_head + ".surf x;") == "x.ptx:4:1: the directive '.surf' isn't supported");
  CHECK(error_of(in_entry("mov.b32 {{{{{{{{{{{{")) == "x.ptx:6:13: operands are nested too deep");
  CHECK(error_of(ptx_head + ".entry k() {") == "x.ptx:4:13: the function 'k' is never closed");
}

}  // namespace
}  // namespace onceover::gpu::ptx_reader_test
