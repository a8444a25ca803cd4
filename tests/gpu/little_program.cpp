#include "little_program.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <sstream>
#include <string_view>

#include "small_launch.h"

namespace onceover::gpu {
namespace {

constexpr std::array<std::string_view, 6> order_names{"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
constexpr std::array<std::string_view, 5> scope_names{"none", "cta", "cluster", "gpu", "sys"};
constexpr std::uint64_t out_bytes = 256;  // of a thread

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    part.erase(0, part.find_first_not_of(" \n"));
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

Action action_of(const std::vector<std::string>& words) {
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (words[0] == "ld") return Action::load;
  if (words[0] == "st") return Action::store;
  if (words[0] == "red") return Action::reduce;
  if (words[0] == "fence") return Action::fence;
  if (words[0] == "bar") return Action::barrier;
  REQUIRE(words[0] == "atom");
  return has("add") ? Action::add : Action::exchange;
}

Step step_of(std::string text) {
  Step step;
  if (text[0] == '@') {
    step.condition = std::stoi(text.substr(1));
    step.wanted = static_cast<std::uint32_t>(std::stoul(text.substr(text.find('=') + 1)));
    text = text.substr(text.find(' ') + 1);
  }
  const std::size_t end = text.find(' ');
  const std::vector<std::string> words = split(text.substr(0, end), '.');
  step.action = action_of(words);
  for (const std::string& word : words) {
    for (std::size_t at = 0; at < order_names.size(); ++at)
      if (word == order_names[at]) step.order = static_cast<Order>(at);
    for (std::size_t at = 1; at < scope_names.size(); ++at)
      if (word == scope_names[at]) step.scope = static_cast<Scope>(at);
  }
  if (words.back().ends_with("64")) step.words = 2;
  if (!step.is_memory()) return step;
  const std::string operands = text.substr(end + 1);
  step.word = 2 * static_cast<std::uint32_t>(operands[0] - 'x') + (operands.size() > 1 && operands[1] == '1' ? 1 : 0);
  const std::size_t comma = operands.find(',');
  if (comma != std::string::npos) step.value = static_cast<std::uint32_t>(std::stoul(operands.substr(comma + 1)));
  return step;
}

/// The opcode with its modifiers; `space` is "" or ".global".
std::string opcode_of(const Step& step, const std::string& space) {
  const std::string bits = step.words == 2 ? "64" : "32";
  const std::string how =
      "." + std::string(order_names[static_cast<std::size_t>(step.order)]) +
      (step.scope == Scope::none ? "" : "." + std::string(scope_names[static_cast<std::size_t>(step.scope)]));
  switch (step.action) {
    case Action::load: return "ld" + how + space + ".u" + bits;
    case Action::store: return "st" + how + space + ".u" + bits;
    case Action::add: return "atom" + how + space + ".add.u" + bits;
    case Action::exchange: return "atom" + how + space + ".exch.b" + bits;
    case Action::reduce: return "red" + how + space + ".add.u" + bits;
    case Action::fence: return "fence" + how;
    case Action::barrier: return "bar";
  }
  return "";
}

std::string text_of(const Step& step) {
  std::string text;
  if (step.condition >= 0) text = "@" + std::to_string(step.condition) + "=" + std::to_string(step.wanted) + " ";
  text += opcode_of(step, "");
  if (!step.is_memory()) return text;
  text += std::string(" ") + static_cast<char>('x' + step.word / 2) + (step.word % 2 == 1 ? "1" : "");
  return step.writes() ? text + ", " + std::to_string(step.value) : text;
}

/// Steps keep what they read in %w2k and %w2k+1.
std::string low_of(int step) {
  return "%w" + std::to_string(2 * step);
}
std::string high_of(int step) {
  return "%w" + std::to_string(2 * step + 1);
}

std::string ptx_of(const LittleThread& thread, int index) {
  const Step& step = thread.steps[static_cast<std::size_t>(index)];
  std::string text;
  std::string guard;
  if (step.condition >= 0) {
    const std::string wanted = std::to_string(step.wanted);
    text += "setp.eq.u32 %p1, " + low_of(step.condition) + ", " + wanted + ";\n";
    if (thread.steps[static_cast<std::size_t>(step.condition)].words == 2)
      text += "setp.eq.u32 %p2, " + high_of(step.condition) + ", " + wanted + ";\nand.pred %p1, %p1, %p2;\n";
    guard = "@%p1 ";
  }
  if (step.action == Action::barrier) return text + "barrier.sync 0;\n";
  text += guard + opcode_of(step, ".global");
  if (step.action == Action::fence) return text + ";\n";
  const std::string place = "[%data+" + std::to_string(4 * step.word) + "]";
  const std::uint64_t value = step.words == 2 ? (std::uint64_t{step.value} << 32 | step.value) : step.value;
  const std::string to = step.words == 2 ? "%x1" : low_of(index);
  if (step.returns()) text += " " + to + ",";
  text += " " + place;
  if (step.writes()) text += ", " + std::to_string(value);
  text += ";\n";
  if (step.returns() && step.words == 2)
    text += guard + "mov.b64 {" + low_of(index) + ", " + high_of(index) + "}, %x1;\n";
  return text;
}

/// The thread's part of its rank's kernel.
std::string ptx_of(const LittleThread& thread, const std::string& label) {
  std::string text = "setp.ne.u32 %p1, %r1, " + std::to_string(thread.block) + "; @%p1 bra " + label +
                     ";\nsetp.ne.u32 %p1, %r2, " + std::to_string(thread.thread) + "; @%p1 bra " + label + ";\n";
  const auto count = static_cast<int>(thread.steps.size());
  for (int step = 0; step < 2 * count; ++step) text += "mov.u32 %w" + std::to_string(step) + ", -1;\n";
  for (int step = 0; step < count; ++step) text += ptx_of(thread, step);
  for (int word = 0; word < 2 * count; ++word)
    text += "st.global.u32 [%out+" + std::to_string(4 * word) + "], %w" + std::to_string(word) + ";\n";
  return text + "ret;\n" + label + ":\n";
}

Observed observed_in(const LittleProgram& program, const GpuOutcome& outcome) {
  Observed observed;
  for (std::size_t thread = 0; thread < program.size(); ++thread) {
    const HeldBuffer* found = nullptr;
    for (const HeldBuffer& held : outcome.held)
      if (held.buffer == 1 + thread) found = &held;
    REQUIRE(found != nullptr);
    for (std::size_t step = 0; step < program[thread].steps.size(); ++step) {
      if (!program[thread].steps[step].returns()) continue;
      for (std::uint32_t word = 0; word < program[thread].steps[step].words; ++word)
        observed.push_back(static_cast<std::uint32_t>(found->elements[2 * step + word].bits));
    }
  }
  return observed;
}

void add(EngineJudgement& judgement, const LittleProgram& program, const GpuOutcome& outcome) {
  for (const GpuFinding& finding : outcome.findings) {
    judgement.findings.insert(finding.kind);
    if (judgement.first.empty())
      judgement.first =
          finding.sentence + ": " + finding.first.action + (finding.second ? "; " + finding.second->action : "");
  }
  judgement.all_finished = judgement.all_finished && (outcome.is_finished || outcome.is_redundant);
  if (outcome.is_finished) judgement.seen.insert(observed_in(program, outcome));
}

}  // namespace

LittleThread little_thread(const std::string& place, const std::string& steps) {
  LittleThread thread;
  const std::vector<std::string> parts = split(place, '.');
  thread.rank = static_cast<Rank>(std::stoi(parts.at(0)));
  thread.block = static_cast<std::uint32_t>(std::stoul(parts.at(1)));
  thread.thread = static_cast<std::uint32_t>(std::stoul(parts.at(2)));
  for (const std::string& step : split(steps, ';')) thread.steps.push_back(step_of(step));
  return thread;
}

std::string text_of(const LittleProgram& program) {
  std::string text;
  for (const LittleThread& thread : program) {
    text +=
        std::to_string(thread.rank) + "." + std::to_string(thread.block) + "." + std::to_string(thread.thread) + ": ";
    for (const Step& step : thread.steps) text += text_of(step) + "; ";
    text += "\n";
  }
  return text;
}

Launch launch_of(const LittleProgram& program) {
  Launch launch;
  launch.buffers.push_back({"data", 0, 64, ElementType::u32, false});
  launch.is_zeroed = {true};
  Rank ranks = 0;
  for (const LittleThread& thread : program) {
    launch.buffers.push_back({"out", thread.rank, out_bytes, ElementType::u32, false});
    launch.is_zeroed.push_back(false);
    ranks = std::max<Rank>(ranks, thread.rank + 1);
  }
  launch.ranks = ranks;
  std::string text = ptx_head;
  Call& call = launch.calls.emplace_back();
  for (Rank rank = 0; rank < ranks; ++rank) {
    RankCall& of_rank = call.ranks.emplace_back();
    KernelRun run;
    run.entry = static_cast<std::size_t>(rank);
    run.arguments.bytes.resize(8 + 8 * program.size());
    run.arguments.relocations = {{0, RelocationTarget::buffer, 0, 0, 0}};
    text += ".visible .entry rank" + std::to_string(rank) + "(.param .u64 data";
    for (std::size_t at = 0; at < program.size(); ++at) text += ", .param .u64 out" + std::to_string(at);
    text +=
        ")\n{\n.reg .b64 %data, %out, %x<2>;\n.reg .b32 %w<64>;\n.reg .b32 %r<3>;\n.reg .pred %p<3>;\n"
        "ld.param.u64 %data, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n";
    for (std::size_t at = 0; at < program.size(); ++at) {
      run.arguments.relocations.push_back({8 + 8 * at, RelocationTarget::buffer, 1 + at, 0, 0});
      if (program[at].rank != rank) continue;
      of_rank.reads.push_back(1 + at);
      run.grid.x = std::max(run.grid.x, program[at].block + 1);
      run.block.x = std::max(run.block.x, program[at].thread + 1);
      text += "ld.param.u64 %out, [out" + std::to_string(at) + "];\n" + ptx_of(program[at], "N" + std::to_string(at));
    }
    text += "ret;\n}\n";
    of_rank.kernels.push_back(run);
  }
  launch.module = module_of(text);
  return launch;
}

EngineJudgement run_by_engine(const LittleProgram& program, std::uint64_t seeds) {
  const Launch launch = launch_of(program);
  std::vector<RunOptions> runs;
  for (const ScheduleKind kind : {ScheduleKind::round_robin, ScheduleKind::first, ScheduleKind::last}) {
    RunOptions options;
    options.schedule = {kind, 0, 0};
    runs.push_back(options);
  }
  std::uint32_t warps = 0;
  for (const RankCall& rank : launch.calls[0].ranks)
    warps += static_cast<std::uint32_t>(rank.kernels[0].grid.count()) * ((rank.kernels[0].block.x + 31) / 32);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    RunOptions options;
    options.schedule = {ScheduleKind::starve_warp, 0, warp};
    runs.push_back(options);
  }
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RunOptions options;
    options.schedule = {ScheduleKind::seeded, seed, 0};
    options.older_values = true;
    runs.push_back(options);
  }
  EngineJudgement judgement;
  for (const RunOptions& options : runs) add(judgement, program, run(launch, options));
  return judgement;
}

EngineJudgement explore_by_engine(const LittleProgram& program) {
  EngineJudgement judgement;
  const Exploration all = explore(launch_of(program), {}, 100'000, [&](const GpuOutcome& outcome) {
    add(judgement, program, outcome);
    return true;
  });
  INFO(text_of(program));
  CHECK(all.why_incomplete.empty());
  judgement.interleavings = all.interleavings;
  return judgement;
}

}  // namespace onceover::gpu
