// Mutants of the examples' PTX, judged by the product and by the axioms, for two ranks with few threads.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "base/files.h"
#include "gpu/judge.h"
#include "gpu/launch/program.h"
#include "gpu/ptx/reader.h"
#include "kernel_axioms.h"

namespace onceover::gpu::ptx_mutants_test {
namespace {

using Lines = std::vector<std::string>;

const std::string folder = std::string(ONCEOVER_SOURCE) + "/examples/gpu/";

/// An example, and how small it is made.
struct Small {
  std::string name;
  std::int64_t n;
  int block;
  int blocks;
  int calls;
};

std::vector<Small> small_launches() {
  return {{"one_shot", 4, 3, 1, 2},    {"two_shot", 5, 3, 1, 2},      {"reduce_scatter", 8, 3, 1, 2},
          {"allgather", 4, 3, 1, 2},   {"ring_ll", 4, 2, 1, 3},       {"packets", 4, 2, 1, 4},
          {"lamport", 2, 2, 1, 5},     {"multimem", 4, 3, 1, 1},      {"double_buffer", 4, 3, 1, 4},
          {"two_kernels", 4, 3, 1, 2}, {"broadcast", 4, 3, 1, 2},     {"one_shot", 5, 2, 2, 2},
          {"two_shot", 9, 2, 2, 2},    {"double_buffer", 5, 2, 2, 2}, {"two_kernels", 5, 2, 2, 2},
          {"broadcast", 5, 2, 2, 2}};
}

/// What nvcc makes for sm_80 and for sm_90 differs in the target only.
std::vector<std::string> compilers_of(const std::string& name) {
  return name == "multimem" ? std::vector<std::string>{"sm_90"} : std::vector<std::string>{"sm_90", "clang"};
}

Description small_description(const Small& small) {
  const std::string path = folder + small.name + ".toml";
  std::string text = read_file(path).value();
  text = std::regex_replace(text, std::regex("block = 64"), "block = " + std::to_string(small.block));
  text = std::regex_replace(text, std::regex("(blocks|grid) = 2\\b"), "$1 = " + std::to_string(small.blocks));
  text = std::regex_replace(text, std::regex("calls = [0-9]+"), "calls = " + std::to_string(small.calls));
  auto read = read_description(path, text, {.has_program = true, .ranks = {2}, .sizes = {small.n}});
  if (!read) FAIL(read.error().render());
  return *std::move(read);
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

enum class Change : std::uint8_t { scope, order, barrier, drop, offset, number, swap };
constexpr std::array change_names{"a scope weakened",  "an order weakened", "a barrier moved", "an instruction dropped",
                                  "an offset changed", "a number changed",  "two swapped"};
constexpr std::array<std::size_t, 7> most_of_a_change{100, 100, 12, 21, 10, 6, 6};

struct Mutant {
  Change change;
  std::size_t line;  // from 0
  std::string after;
  std::size_t to = 0;  // of a move, from 0
};

using Mutants = std::vector<Mutant>;

void add_if_new(Mutants& mutants, Change change, const Lines& lines, std::size_t at, const std::string& after) {
  if (after == lines[at]) return;
  const bool is_known = std::any_of(mutants.begin(), mutants.end(), [&](const Mutant& known) {
    return known.line == at && known.after == after && known.change < Change::swap;
  });
  if (!is_known) mutants.push_back({change, at, after});
}

void add_weaker(Mutants& mutants, const Lines& lines, std::size_t at) {
  const std::string& line = lines[at];
  for (const char* scope : {".gpu", ".cta"})
    add_if_new(mutants, Change::scope, lines, at, std::regex_replace(line, std::regex("\\.sys"), scope));
  if (line.find("fence") != std::string::npos) return;
  const auto order = [&](const char* pattern, const char* with) {
    add_if_new(mutants, Change::order, lines, at, std::regex_replace(line, std::regex(pattern), with));
  };
  order("\\.(release|acquire)\\.", ".relaxed.");
  if (line.find("atom.") == std::string::npos && line.find("multimem.") == std::string::npos)
    order("\\.(relaxed|release|acquire)\\.sys", "");
}

void add_offsets(Mutants& mutants, const Lines& lines, std::size_t at) {
  const std::string& line = lines[at];
  const std::size_t end = line.find(']');
  if (end == std::string::npos || line.find("_param_") != std::string::npos) return;
  const std::size_t plus = line.rfind('+', end);
  for (const int by : {4, -4, 8, -8, 16, 2}) {
    if (plus == std::string::npos) {
      add_if_new(mutants, Change::offset, lines, at, line.substr(0, end) + "+" + std::to_string(by) + line.substr(end));
      continue;
    }
    const int sum = std::stoi(line.substr(plus + 1, end - plus - 1)) + by;
    add_if_new(mutants, Change::offset, lines, at, line.substr(0, plus + 1) + std::to_string(sum) + line.substr(end));
  }
}

void add_numbers(Mutants& mutants, const Lines& lines, std::size_t at) {
  static const std::regex pattern(R"((.*, )(-?\d+)(;|,.*))");
  std::smatch match;
  if (!std::regex_match(lines[at], match, pattern)) return;
  for (const int by : {-1, 1})
    add_if_new(mutants, Change::number, lines, at,
               match[1].str() + std::to_string(std::stoll(match[2]) + by) + match[3].str());
}

/// All mutants of the instructions in these lines, some of each kind of change.
Mutants mutants_of(const Lines& lines, const std::vector<std::size_t>& instructions, std::uint32_t seed) {
  Mutants all;
  for (std::size_t k = 0; k < instructions.size(); ++k) {
    const std::size_t at = instructions[k];
    add_weaker(all, lines, at);
    add_if_new(all, Change::drop, lines, at, "");
    add_offsets(all, lines, at);
    add_numbers(all, lines, at);
    const bool is_barrier = lines[at].find("bar.sync") != std::string::npos;
    if (k + 1 < instructions.size()) all.push_back({Change::swap, at, "", instructions[k + 1]});
    for (std::size_t by = 1; is_barrier && by <= 16; ++by) {
      if (k >= by) all.push_back({Change::barrier, at, "", instructions[k - by]});
      if (k + by < instructions.size()) all.push_back({Change::barrier, at, "", instructions[k + by]});
    }
  }
  std::shuffle(all.begin(), all.end(), std::mt19937(seed));
  std::array<std::size_t, 7> counts{};
  Mutants some;
  for (const Mutant& mutant : all) {
    const auto kind = static_cast<std::size_t>(mutant.change);
    if (counts[kind]++ < most_of_a_change[kind]) some.push_back(mutant);
  }
  return some;
}

std::string changed(Lines lines, const Mutant& mutant) {
  if (mutant.change != Change::barrier && mutant.change != Change::swap) {
    lines[mutant.line] = mutant.after;
    return joined(lines);
  }
  const std::string moved = lines[mutant.line];
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(mutant.line));
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(mutant.to), moved);
  return joined(lines);
}

std::string text_of(const Mutant& mutant, const std::string& file, const Lines& lines) {
  const auto trimmed = [](const std::string& line) {
    return line.empty() ? line
                        : std::regex_replace(line.substr(line.find_first_not_of(" \t")), std::regex("[ \t]+"), " ");
  };
  std::string text = file + ":" + std::to_string(mutant.line + 1) + ": " +
                     change_names[static_cast<std::size_t>(mutant.change)] + ": " + trimmed(lines[mutant.line]);
  if (mutant.to != 0) return text + " to line " + std::to_string(mutant.to + 1);
  return mutant.after.empty() ? text : text + " becomes " + trimmed(mutant.after);
}

struct Judged {
  GpuRun product;
  KernelJudgement axioms;
};

std::optional<Judged> judged(const Description& description, const std::string& name, const std::string& text,
                             std::uint64_t most_states) {
  auto module = ptx::read_module(name, text);
  if (!module) return std::nullopt;
  const auto shared = std::make_shared<const ptx::Module>(*std::move(module));
  const auto launch = concrete(description, shared, 2, description.sizes.front());
  if (!launch) return std::nullopt;
  return Judged{judge(*launch, description, {.most_instructions = 100'000, .threads = 1}),
                judge_kernel(*launch, description, most_states)};
}

/// Mutants that do otherwise than the right kernel, and are right: each is argued in a row.
std::set<std::string> argued() {
  std::set<std::string> rows;
  const Lines lines = lines_of(read_file(std::string(ONCEOVER_SOURCE) + "/tests/gpu/ptx_survivors.tsv").value());
  for (std::size_t row = 1; row < lines.size(); ++row) rows.insert(lines[row].substr(0, lines[row].find('\t')));
  return rows;
}

struct Tally {
  int mutants = 0;
  int fail_both = 0;
  int no_verdict = 0;    // by the product, on what is wrong
  int fail_product = 0;  // by the product alone
  int unjudged = 0;      // by the axioms, and don't pass
  int same = 0;          // pass both, with the same accesses as the right kernel
  int others = 0;        // pass
  int bounded = 0;       // some loops only for three rounds
};

void count(Tally& tally, const Judged& right, const Judged& mutant, const std::string& what) {
  static const std::set<std::string> known = argued();
  ++tally.mutants;
  if (mutant.axioms.is_bounded) ++tally.bounded;
  const bool passes = mutant.product.report.verdict == verifier::Verdict::pass;
  const bool is_wrong = !mutant.axioms.wrong.empty();
  const bool is_judged = mutant.axioms.unjudged.empty();
  if (is_wrong) {
    CHECK_FALSE(passes);
    ++(mutant.product.report.verdict == verifier::Verdict::fail ? tally.fail_both : tally.no_verdict);
  } else if (!passes) {
    ++(is_judged ? tally.fail_product : tally.unjudged);
  } else if (is_judged && mutant.axioms.behaviour == right.axioms.behaviour) {
    ++tally.same;
  } else {
    ++tally.others;
    if (!known.contains(what)) FAIL_CHECK("a survivor that isn't argued: " << what << " " << mutant.axioms.unjudged);
  }
}

void compare(const Small& small, const std::string& compiler, std::size_t part, std::size_t parts, Tally& tally) {
  const Description description = small_description(small);
  const std::string name = small.name + "." + compiler + ".ptx";
  const Lines lines = lines_of(read_file(folder + "ptx/" + name).value());
  const auto right = judged(description, name, joined(lines), 100'000);
  INFO(name << ", blocks = " << small.blocks);
  REQUIRE(right);
  CHECK(right->axioms.wrong.empty());
  CHECK(right->axioms.unjudged.empty());
  CHECK(right->product.report.verdict == verifier::Verdict::pass);
  std::vector<std::size_t> instructions;
  for (const std::uint32_t line : right->axioms.lines) instructions.push_back(line - 1);
  const Mutants mutants = mutants_of(lines, instructions, static_cast<std::uint32_t>(small.blocks));
  for (std::size_t k = part; k < mutants.size(); k += parts) {
    const auto mutant = judged(description, name, changed(lines, mutants[k]), 20'000);
    if (!mutant) continue;
    const std::string what = text_of(mutants[k], name, lines);
    INFO(what << "\n" << mutant->axioms.wrong);
    count(tally, *right, *mutant, what);
  }
}

void report(const Tally& tally) {
  WARN(tally.mutants << " mutants: " << tally.fail_both << " fail by both, " << tally.no_verdict
                     << " are wrong without a verdict, " << tally.same << " do the same, " << tally.others
                     << " pass otherwise, " << tally.fail_product << " fail by the product alone, " << tally.unjudged
                     << " fail or have no verdict and aren't judged by axioms; " << tally.bounded
                     << " have loops that are bounded");
}

/// Both judges must have a verdict on most, or their agreement says little.
void check(const Tally& tally, int least) {
  report(tally);
  CHECK(tally.mutants >= least);
  CHECK(2 * tally.fail_both > tally.mutants);
  CHECK(20 * (tally.unjudged + tally.no_verdict) <= tally.mutants);
  CHECK(tally.fail_product == 0);
}

Tally compare_all(int blocks) {
  Tally tally;
  for (const Small& small : small_launches())
    if (small.blocks == blocks)
      for (const std::string& compiler : compilers_of(small.name)) compare(small, compiler, 0, 1, tally);
  return tally;
}

TEST_CASE("mutants of the examples' PTX that are wrong don't pass") {
  Tally tally;
  for (const Small& small : small_launches())
    if (small.blocks == 1) compare(small, compilers_of(small.name).back(), 3, 20, tally);
  check(tally, 30);
}

TEST_CASE("all mutants of the examples' PTX that are wrong don't pass with one block", "[long]") {
  check(compare_all(1), 1300);
}

TEST_CASE("all mutants of the examples' PTX that are wrong don't pass with two blocks", "[long]") {
  check(compare_all(2), 600);
}

}  // namespace
}  // namespace onceover::gpu::ptx_mutants_test
