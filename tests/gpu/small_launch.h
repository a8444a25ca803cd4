// Launches of a few lines of PTX, for tests.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpu/engine.h"
#include "gpu/ptx/reader.h"

namespace onceover::gpu {

inline std::shared_ptr<const ptx::Module> module_of(const std::string& text) {
  auto module = ptx::read_module("test.ptx", text);
  INFO((module ? "" : module.error().render()));
  REQUIRE(module);
  return std::make_shared<const ptx::Module>(*std::move(module));
}

inline const std::string ptx_head = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Each rank runs its own body, which finds the addresses of `data`, `flag` and `out` (16 words each) in %data, %flag
/// and %out. Data and flag are rank 0's, and zero at first; each rank has an `out` of its own. `in` is rank 0's input,
/// whose address is in %in.
inline Launch small_launch(const std::vector<std::string>& bodies, std::uint32_t threads = 1, std::uint32_t blocks = 1,
                           std::size_t calls = 1) {
  std::string text = ptx_head;
  for (std::size_t rank = 0; rank < bodies.size(); ++rank)
    text += ".visible .entry rank" + std::to_string(rank) +
            "(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n"
            ".reg .b64 %data, %flag, %out, %in, %rd<20>;\n.reg .b32 %r<30>;\n.reg .b16 %h<10>;\n.reg .f32 %f<10>;\n"
            ".reg .pred %p<5>;\n.reg .b128 %q<3>;\n.shared .align 16 .b8 room[64];\n"
            "ld.param.u64 %data, [p0]; ld.param.u64 %flag, [p1]; ld.param.u64 %out, [p2]; ld.param.u64 %in, [p3];\n" +
            bodies[rank] + "\nret;\n}\n";
  Launch launch;
  launch.module = module_of(text);
  launch.ranks = static_cast<Rank>(bodies.size());
  const auto add = [&](const char* name, Rank rank, bool is_zeroed) {
    launch.buffers.push_back({name, rank, 64, ElementType::f32, false});
    launch.is_zeroed.push_back(is_zeroed);
    return launch.buffers.size() - 1;
  };
  const std::size_t data = add("data", 0, true);
  const std::size_t flag = add("flag", 0, true);
  const std::size_t in = add("in", 0, false);
  std::vector<std::size_t> outs;
  for (Rank rank = 0; rank < launch.ranks; ++rank) outs.push_back(add("out", rank, false));
  for (std::size_t call = 0; call < calls; ++call) {
    Call& made = launch.calls.emplace_back();
    for (std::size_t rank = 0; rank < bodies.size(); ++rank) {
      RankCall& of_rank = made.ranks.emplace_back();
      if (rank == 0 && call == 0) of_rank.fills = {in};
      of_rank.poisons = {outs[rank]};
      of_rank.reads = {outs[rank]};
      KernelRun run;
      run.entry = rank;
      run.grid.x = blocks;
      run.block.x = threads;
      run.arguments.bytes.resize(32);
      run.arguments.relocations = {{0, RelocationTarget::buffer, data, 0, 0},
                                   {8, RelocationTarget::buffer, flag, 0, 0},
                                   {16, RelocationTarget::buffer, outs[rank], 0, 0},
                                   {24, RelocationTarget::buffer, in, 0, 0}};
      of_rank.kernels.push_back(run);
    }
  }
  return launch;
}

/// What the first word of `out` of a rank held after the last call.
inline HeldElement first_out(const GpuOutcome& outcome, std::size_t rank, std::size_t element = 0) {
  const HeldBuffer* found = nullptr;
  for (const HeldBuffer& held : outcome.held)
    if (held.buffer == 3 + rank) found = &held;
  REQUIRE(found != nullptr);
  return found->elements[element];
}

inline std::vector<FindingKind> kinds(const GpuOutcome& outcome) {
  std::vector<FindingKind> found;
  for (const GpuFinding& finding : outcome.findings) found.push_back(finding.kind);
  return found;
}

}  // namespace onceover::gpu
