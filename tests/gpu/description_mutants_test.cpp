// Mistakes in a description never become a pass: each is an error, or the launch fails.

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "gpu/judge.h"
#include "gpu/launch/program.h"

namespace onceover::gpu::description_mutants_test {
namespace {

const std::string examples_folder = std::string(ONCEOVER_SOURCE) + "/examples/gpu/";

/// Does a launch of the description pass, for 3 ranks?
bool passes(const std::string& name, std::string text) {
  const auto description = read_description(examples_folder + name + ".toml", std::move(text));
  if (!description) return false;
  const auto program = load_program(*description);
  if (!program) return false;
  const auto launch = concrete(*description, program->module, 3, description->sizes.front());
  if (!launch) return false;
  const GpuRun run = judge(*launch, *description, {.seeds = 1, .most_starved = 2, .most_instructions = 5'000'000});
  return run.report.verdict == verifier::Verdict::pass;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Lines that a launch can do without, or that say what is tried and not what is right.
bool is_free(const std::string& line) {
  for (const char* begin : {"#", "calls", "n =", "seeds", "[let]", "ranks", "[table]"})
    if (line.starts_with(begin)) return true;
  return line.empty();
}

TEST_CASE("a description that lacks a line is no pass") {
  const std::string name = GENERATE("two_shot", "allgather", "reduce_scatter", "double_buffer");
  const auto lines = lines_of(read_file(examples_folder + name + ".toml").value());
  REQUIRE(passes(name, joined(lines)));
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (is_free(lines[k])) continue;
    auto without = lines;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
    INFO(name << ", without line " << k + 1 << ": " << lines[k]);
    CHECK_FALSE(passes(name, joined(without)));
  }
}

TEST_CASE("a description with a wrong place, size or rank is no pass") {
  struct Change {
    const char* from;
    const char* to;
  };
  const std::string text = read_file(examples_folder + "two_shot.toml").value();
  for (const Change& change : std::vector<Change>{
           {"in@q for", "in@r for"},
           {"in@q for", "out@q for"},
           {"in@q for", "scratch@q for"},
           {"in@q for", "in@q + 4 for"},
           {"scratch@q for", "scratch@r for"},
           {"scratch@q for", "in@q for"},
           {"scratch@q for", "out@q for"},
           {"flags@q for", "flags@r for"},
           {"flags@q for", "scratch@q for"},
           {"\"64 + 8*q\"", "\"64 + 4*q\""},
           {"\"128 + 8*q\"", "\"64 + 8*q\""},
           {"\"out@r\"", "\"in@r\""},
           {"\"out@r\"", "\"out@r + 4\""},
           {"2 = \"r\"", "2 = \"0\""},
           {"3 = \"p\"", "3 = \"p - 1\""},
           {"3 = \"p\"", "3 = \"p + 1\""},
           {"4 = \"n\"", "4 = \"n - 1\""},
           {"4 = \"n\"", "4 = \"n + 1\""},
           {"5 = \"k + 1\"", "5 = \"k\""},
           {"5 = \"k + 1\"", "5 = \"1\""},
           {"fill = 0", "fill = 1"},
           {"count = \"2 * blocks * p\"", "count = \"blocks * p\""},
           {"role = \"input\"", "role = \"memory\""},
           {"out = \"allreduce(in)\"", "out = \"allreduce(in, max)\""},
           {"out = \"allreduce(in)\"", "out = \"broadcast(in, root = 0)\""},
           {"out = \"allreduce(in)\"", "out = \"scan(in)\""},
           {"grid = \"blocks\"", "grid = \"blocks + r\""},
       }) {
    std::string changed = text;
    const std::size_t at = changed.find(change.from);
    REQUIRE(at != std::string::npos);
    changed.replace(at, std::string_view(change.from).size(), change.to);
    INFO(change.from << " -> " << change.to);
    CHECK_FALSE(passes("two_shot", changed));
  }
}

}  // namespace
}  // namespace onceover::gpu::description_mutants_test
