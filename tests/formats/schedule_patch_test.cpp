#include "formats/schedule_patch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "formats/schedule_file.h"
#include "mutator.h"
#include "schedules/catalogue.h"
#include "written.h"

namespace schedule_patch_test {

using namespace onceover::formats;
using namespace onceover::support;

namespace {

std::string written_text(const Schedule& schedule) {
  return onceover::support::written([&](std::FILE* file) { return write_schedule(schedule, file); });
}

/// The messages of each step, in any order.
std::vector<std::vector<std::string>> messages(const Schedule& schedule) {
  std::vector<std::vector<std::string>> steps;
  for (int step = 0; step < schedule.steps(); ++step) {
    std::vector<Transfer> transfers;
    schedule.transfers(step, transfers);
    auto& texts = steps.emplace_back();
    for (const Transfer& t : transfers) texts.push_back(transfer_text(t, schedule.header().lanes > 1));
    std::sort(texts.begin(), texts.end());
  }
  return steps;
}

/// Without line breaks, or with spaces wherever JSON allows them.
std::string respaced(std::string text, bool is_wide) {
  std::erase(text, '\n');
  if (!is_wide) return text;
  std::string wide;
  for (const char c : text)
    wide += std::string("[]{},:").find(c) == std::string::npos ? std::string(1, c) : std::string(" \n") + c + "\t";
  return wide;
}

}  // namespace

TEST_CASE("a schedule file with a patch says the other schedule") {
  int patches = 0;
  std::size_t several = 0;
  for (const std::string_view algorithm : {"ring", "swing", "bruck", "recursive-doubling"}) {
    const auto original = find_algorithm(algorithm)->make({.shape = {6}});
    const std::string text = written_text(*original);
    Mutator mutator(3);
    for (int k = 0; k < 60; ++k) {
      PlainSchedule other = mutator.mutant_of(plain(*original));
      for (int more = k % 4; more > 0; --more) other = mutator.mutant_of(other);
      const auto to = listed(other);
      for (const std::string& from : {text, respaced(text, false), respaced(text, true)}) {
        const auto read = read_schedule("s.json", from);
        REQUIRE(read);
        const auto patch = schedule_patch(from, **read, *to);
        if (!patch) {
          CHECK(to->steps() != original->steps());
          continue;
        }
        const std::string result = patched(from, *patch);
        INFO(result);
        const auto again = read_schedule("s.json", result);
        REQUIRE(again);
        CHECK(messages(**again) == messages(*to));
        several = std::max(several, patch->size());
        ++patches;
      }
    }
  }
  CHECK(patches > 300);
  CHECK(several > 2);
}

TEST_CASE("a patch changes no more than the messages that differ") {
  const std::string text =
      R"({"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":2,"blocks":1,
"steps":[[{"src":0, "dst":1, "blocks":[0], "op":"reduce"}, {"src":1, "dst":0, "blocks":[0], "op":"copy"}], []]})";
  const auto from = read_schedule("s.json", text);
  REQUIRE(from);
  const auto after = [&](const std::vector<std::vector<PlainTransfer>>& steps) {
    const auto patch = schedule_patch(text, **from, *listed({(*from)->header(), steps}));
    REQUIRE(patch);
    return patched(text, *patch);
  };
  const PlainTransfer there{0, 1, {0}, Op::reduce}, back{1, 0, {0}, Op::copy}, both{1, 0, {0}, Op::reduce};
  CHECK(after({{there, back}, {}}) == text);
  const auto with = [&](const std::string& part, const std::string& replacement) {
    std::string changed = text;
    return changed.replace(changed.find(part), part.size(), replacement);
  };
  const std::string second = R"({"src":1, "dst":0, "blocks":[0], "op":"copy"})";
  CHECK(after({{there, both}, {}}) == with(second, R"({"src":1,"dst":0,"blocks":[0],"op":"reduce"})"));
  CHECK(after({{there}, {}}) == with(", " + second, ""));
  CHECK(after({{back}, {}}) == with(R"({"src":0, "dst":1, "blocks":[0], "op":"reduce"}, )", ""));
  CHECK(after({{there, back}, {back}}) == with("[]]", R"([{"src":1,"dst":0,"blocks":[0],"op":"copy"}]])"));
  CHECK(after({{}, {}}) == with(R"([{"src":0, "dst":1, "blocks":[0], "op":"reduce"}, )" + second + "]", "[]"));
}

TEST_CASE("there is no patch between schedules with other names") {
  const std::string head =
      R"({"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":2,"blocks":1,)";
  const auto from = read_schedule("s.json", head + R"("phases":[["a",0]],"steps":[[],[]]})");
  const auto to = read_schedule("s.json", head + R"("phases":[["a",1]],"steps":[[],[]]})");
  REQUIRE(from);
  REQUIRE(to);
  CHECK(schedule_patch(head, **from, **to) == std::nullopt);
}

}  // namespace schedule_patch_test
