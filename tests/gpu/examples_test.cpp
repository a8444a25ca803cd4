// The examples pass, and each of their seeded bugs is found, from the PTX that is kept.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/toml.h"
#include "gpu/judge.h"
#include "gpu/launch/program.h"
#include "verifier/counterexample.h"

namespace onceover::gpu::examples_test {
namespace {

const std::string folder = std::string(ONCEOVER_SOURCE) + "/examples/gpu/";

Description description_of(const std::string& name) {
  const std::string path = folder + name + ".toml";
  auto read = read_description(path, read_file(path).value());
  if (!read) FAIL(read.error().render());
  return *std::move(read);
}

GpuRun judged(const Description& description, const LoadedProgram& program, Rank p, std::int64_t n,
              const GpuJudgeOptions& options) {
  const auto launch = concrete(description, program.module, p, n);
  if (!launch) FAIL(launch.error().render());
  return judge(*launch, description, options);
}

/// Why the run doesn't pass.
std::string why(const GpuRun& run) {
  std::string text;
  for (const verifier::PropertyResult& property : run.report.properties)
    if (property.required && property.verdict != verifier::Verdict::pass) {
      text += std::string(property.id) + ": " + property.summary + "\n";
      if (property.counterexample)
        for (const std::string& line : verifier::describe(*property.counterexample)) text += "  " + line + "\n";
    }
  return text;
}

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("the examples pass") {
  const std::string name = GENERATE(from_range(examples()));
  const Description description = description_of(name);
  const LoadedProgram program = load_program(description).value();
  for (const Rank p : {2, 3, 4}) {
    INFO(name << ", p = " << p);
    const GpuRun run = judged(description, program, p, description.sizes.front(),
                              {.seeds = 2, .most_starved = 6, .most_instructions = 50'000'000});
    INFO(why(run));
    CHECK(run.report.verdict == verifier::Verdict::pass);
  }
}

TEST_CASE("the examples pass as clang compiles them, too") {
  const std::string name = GENERATE(from_range(examples()));
  if (name == "multimem") return;  // it needs sm_90
  const std::string ptx = folder + "ptx/" + name + ".clang.ptx";
  INFO(name);
  REQUIRE(std::filesystem::exists(ptx));
  const Description description = description_of(name);
  const GpuRun run = judged(description, load_ptx(ptx).value(), 2, description.sizes.back(), {.seeds = 2});
  INFO(why(run));
  CHECK(run.report.verdict == verifier::Verdict::pass);
}

TEST_CASE("the examples pass for all that they say", "[long]") {
  const std::string name = GENERATE(from_range(examples()));
  const Description description = description_of(name);
  const LoadedProgram program = load_program(description).value();
  for (const Rank p : description.ranks)
    for (const std::int64_t n : description.sizes) {
      INFO(name << ", p = " << p << ", n = " << n);
      const GpuRun run = judged(description, program, p, n, {});
      INFO(why(run));
      CHECK(run.report.verdict == verifier::Verdict::pass);
    }
}

/// A row of bugs.toml.
struct Bug {
  std::string name;
  std::string property;
  std::string finding;
};

std::vector<Bug> bugs() {
  const auto table = read_toml("bugs.toml", read_file(folder + "bugs.toml").value(), "a list of bugs").value();
  std::vector<Bug> rows;
  for (const TomlValue& row : *table.find("bug")->list()) {
    const auto text = [&](std::string_view key) { return *row.table()->find(key)->text(); };
    rows.push_back({text("name"), text("property"), text("finding")});
  }
  return rows;
}

void check_found(const Bug& bug) {
  const std::string example = bug.name.substr(0, bug.name.rfind('-'));
  INFO(bug.name);
  const Description description = description_of(example);
  const LoadedProgram program = load_ptx(folder + "ptx/bugs/" + bug.name + ".ptx").value();
  const GpuRun run = judged(description, program, 4, description.sizes.back(), {.most_instructions = 20'000'000});
  INFO(why(run));
  CHECK(run.report.verdict == verifier::Verdict::fail);
  const auto property = std::find_if(run.report.properties.begin(), run.report.properties.end(),
                                     [&](const verifier::PropertyResult& each) { return each.id == bug.property; });
  REQUIRE(property != run.report.properties.end());
  CHECK(property->verdict == verifier::Verdict::fail);
  const std::string told = why(run);
  CHECK(told.find(bug.finding) != std::string::npos);
}

TEST_CASE("each eighth seeded bug is found") {
  const auto rows = bugs();
  for (std::size_t k = 0; k < rows.size(); k += 8) check_found(rows[k]);
}

TEST_CASE("each seeded bug is found", "[long]") {
  for (const Bug& bug : bugs()) check_found(bug);
}

TEST_CASE("there are bugs of each example, at least forty in all") {
  const auto rows = bugs();
  CHECK(rows.size() >= 40);
  for (const std::string& name : examples())
    CHECK(std::any_of(rows.begin(), rows.end(), [&](const Bug& bug) { return bug.name.starts_with(name + "-"); }));
}

}  // namespace
}  // namespace onceover::gpu::examples_test
