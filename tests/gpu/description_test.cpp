// Descriptions of launches: what is read, and where mistakes are reported.

#include "gpu/launch/description.h"

#include <catch2/catch.hpp>
#include <string>

#include "gpu/launch/concrete.h"
#include "gpu/ptx/reader.h"

namespace onceover::gpu::description_test {
namespace {

constexpr std::string_view ptx_text = R"(.version 7.5
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter;
.visible .entry add_all(
	.param .align 8 .b8 add_all_param_0[32],
	.param .u64 add_all_param_1,
	.param .u32 add_all_param_2
)
{
	ret;
}
)";

constexpr std::string_view launch_text = R"toml(ptx = "add.ptx"
entry = "add_all"
ranks = "2..4"
n = [8, 9]
grid = 2
block = 64
[buffer.in]
type = "f32"
count = "n"
role = "input"
[buffer.out]
type = "f32"
count = "n"
role = "output"
[buffer.flags]
type = "u32"
count = "2 * p"
role = "memory"
fill = 0
[arguments]
0 = { "8*q" = ["in@q for q in 0..p", "u64 0 for q in p..4"] }
1 = "out@r"
2 = "n"
[expect]
out = "allreduce(in)"
)toml";

std::shared_ptr<const ptx::Module> add_module() {
  return std::make_shared<const ptx::Module>(ptx::read_module("add.ptx", std::string(ptx_text)).value());
}

/// The text with the first `from` replaced.
std::string with(std::string_view from, std::string_view to) {
  std::string text(launch_text);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// "line:column: message" of the first mistake in a launch for 3 ranks; "" if there is none.
std::string mistake(std::string text) {
  const auto description = read_description("x.toml", std::move(text));
  auto told = [](const SourceError& e) {
    return std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.message;
  };
  if (!description) return told(description.error());
  const auto launch = concrete(*description, add_module(), 3, 8);
  return launch ? "" : told(launch.error());
}

TEST_CASE("a description becomes a launch") {
  const auto description = read_description("x.toml", std::string(launch_text));
  REQUIRE(description);
  CHECK(description->ranks == std::vector<Rank>{2, 3, 4});
  CHECK(description->sizes == std::vector<std::int64_t>{8, 9});
  const auto made = concrete(*description, add_module(), 3, 9);
  REQUIRE(made);
  const Launch& launch = made->launch;
  CHECK(launch.buffers.size() == 9);
  CHECK(launch.buffers[made->buffer_of(1, 2, 0)].name == "out");
  CHECK(launch.buffers[made->buffer_of(1, 2, 0)].rank == 2);
  CHECK(launch.buffers[made->buffer_of(1, 2, 0)].bytes == 36);
  REQUIRE(launch.calls.size() == 3);
  const RankCall& call = launch.calls[1].ranks[2];
  CHECK(call.fills == std::vector<std::size_t>{made->buffer_of(0, 2, 1)});
  CHECK(call.poisons == std::vector<std::size_t>{made->buffer_of(1, 2, 1)});
  REQUIRE(call.kernels.size() == 1);
  const KernelRun& kernel = call.kernels.front();
  CHECK(kernel.grid.count() == 2);
  CHECK(kernel.block.count() == 64);
  REQUIRE(kernel.arguments.bytes.size() >= 44);
  REQUIRE(kernel.arguments.relocations.size() == 4);
  CHECK(kernel.arguments.relocations[1].at == 8);
  CHECK(kernel.arguments.relocations[1].index == made->buffer_of(0, 1, 0));
  CHECK(kernel.arguments.relocations[3].at == 32);
  CHECK(kernel.arguments.bytes[40] == 9);
  CHECK(made->expected.front().results[2].size() == 9);
}

TEST_CASE("addresses: offsets, variables of the module, multicast") {
  CHECK(mistake(with("1 = \"out@r\"", "1 = \"out@(r + 0) + 4*r\"")).empty());
  CHECK(mistake(with("1 = \"out@r\"", "1 = \"counter@r\"")).empty());
  CHECK(mistake(with("1 = \"out@r\"", "1 = \"out@mc\"")).empty());
  CHECK(mistake(with("1 = \"out@r\"", "1 = \"out@r + 33\"")) == "22:14: byte 33 isn't in 'out', which has 32");
  CHECK(mistake(with("1 = \"out@r\"", "1 = \"out@(r + 1)\"")) == "22:11: there is no rank 3 of 3");
  CHECK(mistake(with("1 = \"out@r\"", "1 = \"out@r+1)\"")).starts_with("22:13: "));
  CHECK(
      mistake(with("1 = \"out@r\"", "1 = \"ou@r\"")) ==
      "22:6: no buffer, table or variable of the module 'ou'; did you mean 'out'?; there are in, out, flags, counter");
}

TEST_CASE("buffers take turns") {
  const auto description =
      read_description("x.toml", with("role = \"memory\"\nfill = 0", "role = \"memory\"\nfill = 0\nturns = 2") + "");
  REQUIRE(description);
  const auto made = concrete(*description, add_module(), 2, 8);
  REQUIRE(made);
  CHECK(made->launch.buffers.size() == 8);
  CHECK(made->buffer_of(2, 1, 0) == made->buffer_of(2, 1, 2));
  CHECK(made->buffer_of(2, 1, 0) != made->buffer_of(2, 1, 1));
}

TEST_CASE("mistakes are reported at their place") {
  CHECK(mistake(std::string(launch_text)).empty());
  CHECK(mistake(with("grid = 2", "gird = 2")).starts_with("5:1: no key 'gird' in a launch; did you mean 'grid'?"));
  CHECK(mistake(with("role = \"input\"", "role = \"inputs\"")) ==
        "10:8: role: no role 'inputs'; did you mean 'input'?");
  CHECK(mistake(with("type = \"f32\"", "type = \"f23\"")).starts_with("8:8: type: no type 'f23'; did you mean 'f32'?"));
  CHECK(mistake(with("count = \"n\"", "count = \"m\"")).starts_with("9:10: no variable or function 'm'"));
  CHECK(mistake(with("count = \"n\"", "count = \"n / (p - 3)\"")).find("no value for p = 3 n = 8: ") !=
        std::string::npos);
  CHECK(mistake(with("fill = 0", "fil = 0")).starts_with("19:1: no key 'fil' in a buffer; did you mean 'fill'?"));
  CHECK(mistake(with("entry = \"add_all\"", "entry = \"ad_all\"")) ==
        "2:9: no entry 'ad_all' in add.ptx; did you mean 'add_all'?; there are add_all");
  CHECK(mistake(with("2 = \"n\"", "")) == "2:9: no argument 2 for 'add_all', which has 3 parameters");
  CHECK(mistake(with("2 = \"n\"", "2 = \"n\"\n3 = \"n\"")) ==
        "24:1: there is no argument 3: 'add_all' has 3 parameters");
  CHECK(mistake(with("2 = \"n\"", "2 = \"u64 n\"")) == "23:6: bytes 0..7 aren't in argument 2, which has 4");
  CHECK(mistake(with("2 = \"n\"", "2 = \"s16 n\"")).find("2 of 4 bytes of argument 2 are described by nothing") !=
        std::string::npos);
  CHECK(mistake(with("2 = \"n\"", "2 = \"u32 0 - n\"")) == "23:10: -8 isn't a number of type u32");
  CHECK(mistake(with("2 = \"n\"", "2 = \"u23 n\"")) == "23:6: no type or name 'u23'; did you mean 'u32'?");
  CHECK(mistake(with("\"u64 0 for q in p..4\"", "\"u64 0 for q in p-1..4\"")) ==
        "21:8: byte 16 of argument 0 is described twice");
  CHECK(mistake(with(", \"u64 0 for q in p..4\"", ""))
            .find("8 of 32 bytes of argument 0 are described by nothing, from "
                  "byte 24") != std::string::npos);
  CHECK(mistake(with("out = \"allreduce(in)\"", "out = \"alreduce(in)\"")).find("did you mean 'allreduce'?") !=
        std::string::npos);
  CHECK(mistake(with("out = \"allreduce(in)\"", "out = \"allreduce(flags)\"")).find("'flags' is no input") !=
        std::string::npos);
  CHECK(mistake(with("out = \"allreduce(in)\"", "out = \"reduce-scatter(in)\"")).starts_with("25:8: "));
  CHECK(mistake(with("out = \"allreduce(in)\"", "")).find("say what 'out' must hold after a call") !=
        std::string::npos);
  CHECK(mistake(with("block = 64", "block = 2048")).find("a block of 2048 threads") != std::string::npos);
  CHECK(mistake(with("grid = 2", "grid = 2\ncluster = 3")) == "6:11: clusters of 3 don't fill a grid of 2");
  CHECK(mistake(with("grid = 2", "grid = 2\nwaive = \"rce-free\""))
            .starts_with("6:9: waive: no property 'rce-free'; did you mean 'race-free'?"));
  CHECK(mistake(with("ranks = \"2..4\"", "ranks = \"4..2\"")).starts_with("3:9: ranks: expected numbers from 1 to 64"));
  CHECK(mistake(with("role = \"output\"", "role = \"memory\"")).find("no buffer is an output") != std::string::npos);
}

TEST_CASE("every layout can be read") {
  for (const LaunchLayout& layout : launch_layouts()) {
    INFO(layout.name);
    const auto text = with("grid = 2", "grid = 2\nlayout = \"" + std::string(layout.name) + "\"");
    CHECK(mistake(text).empty());
  }
}

TEST_CASE("a description is told from other TOML files") {
  CHECK(looks_like_description(launch_text));
  CHECK_FALSE(looks_like_description("[[check]]\nname = \"mine\"\n"));
  CHECK_FALSE(looks_like_description("no TOML"));
  CHECK_FALSE(looks_like_description("{\"ptx\" = \n[buffer.in]"));
  CHECK(looks_like_description("seeds = [\nptx =\t\"a.ptx\""));
}

}  // namespace
}  // namespace onceover::gpu::description_test
