// Traces for Perfetto: what they show is what the schedule has.

#include "formats/perfetto.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "base/json.h"
#include "formats/schedule_file.h"
#include "schedules/catalogue.h"
#include "written.h"

namespace perfetto_test {

using namespace onceover::programs;
using onceover::base::Json;

namespace {

Json trace_of(const Schedule& schedule, const PerfettoOptions& options = {}) {
  const auto json =
      Json::parse(onceover::support::written([&](std::FILE* file) { return write_perfetto(schedule, options, file); }));
  REQUIRE(json);
  return *json;
}

std::string text_of(const Json& event, std::string_view key) {
  return std::string(event[key].text_or_empty());
}

std::uint64_t number_of(const Json& event, std::string_view key) {
  REQUIRE(event[key].count() != nullptr);
  return *event[key].count();
}

/// "step 3: 0 -> 4 reduce, lane 1, 2 blocks".
std::string words(const Json& args) {
  return fmt::format("step {}: {} -> {} {}, lane {}, {} blocks", number_of(args, "step"), number_of(args, "src"),
                     number_of(args, "dst"), args["op"].text_or_empty(), number_of(args, "lane"),
                     number_of(args, "blocks"));
}

std::multiset<std::string> transfers_of(const Schedule& schedule) {
  std::multiset<std::string> all;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      all.insert(fmt::format("step {}: {} -> {} {}, lane {}, {} blocks", step, t.src, t.dst, name(t.op), t.lane,
                             t.blocks.size()));
  }
  return all;
}

/// The transfers that a trace shows, after checks that each has its sender, receiver and arrow once.
std::multiset<std::string> shown_in(const Json& trace) {
  std::multiset<std::string> all;
  std::map<std::string, std::set<std::uint64_t>> seen;  // by category or arrow's end
  for (const Json& event : trace["traceEvents"]) {
    const std::string phase = text_of(event, "ph"), category = text_of(event, "cat");
    if (phase == "M" || category == "step") continue;
    const bool is_slice = phase == "X";
    const std::uint64_t number = is_slice ? number_of(event["args"], "transfer") : number_of(event, "id");
    REQUIRE(seen[is_slice ? category : phase].insert(number).second);
    const std::string_view end = category == "receive" || phase == "f" ? "dst" : "src";
    if (is_slice) REQUIRE(number_of(event, "pid") == number_of(event["args"], end));
    if (is_slice && category != "receive") all.insert(words(event["args"]));
  }
  REQUIRE(seen["send"] == seen["receive"]);
  REQUIRE(seen["send"] == seen["s"]);
  REQUIRE(seen["send"] == seen["f"]);
  return all;
}

/// Events of one thread may contain each other, but not overlap.
void check_threads(const Json& trace) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::set<std::uint64_t>> begins;
  for (const Json& event : trace["traceEvents"])
    if (text_of(event, "ph") == "X") {
      const auto thread = std::pair(number_of(event, "pid"), number_of(event, "tid"));
      REQUIRE(begins[thread].insert(number_of(event, "ts")).second);
    }
}

}  // namespace

TEST_CASE("a trace has each transfer of a schedule once, as its sender and its receiver see it") {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const Rank p : {1, 2, 5, 8}) {
        if (refusal(row, on_line(collective, p))) continue;
        CAPTURE(row.name, name(collective), p);
        const SchedulePtr schedule = row.make(on_line(collective, p));
        const Json trace = trace_of(*schedule);
        REQUIRE(shown_in(trace) == transfers_of(*schedule));
        check_threads(trace);
      }
}

TEST_CASE("a trace of several lanes names them, and shows their steps at the same time") {
  const SchedulePtr schedule = find_algorithm("swing")->make({.shape = {4, 4}, .all_lanes = true});
  const Json trace = trace_of(*schedule);
  CHECK(shown_in(trace) == transfers_of(*schedule));
  std::set<std::string> threads;
  for (const Json& event : trace["traceEvents"])
    if (text_of(event, "name") == "thread_name") threads.insert(text_of(event["args"], "name"));
  CHECK(threads.contains("sends, lane 3"));
  CHECK(threads.contains("receives, lane 0"));
}

TEST_CASE("a trace shows the times that it is given, and amounts in their unit") {
  const SchedulePtr schedule = find_algorithm("ring")->make({.shape = {2}});
  std::vector<TransferTime> times;
  for (std::size_t k = 0; k < transfers_of(*schedule).size(); ++k) times.push_back({1000.0 * k, 1000.0 * k + 500});
  const Json trace = trace_of(
      *schedule, {.times = times, .unit = "byte", .unit_size = 8, .has_blocks = false, .about_times = "on a wire"});
  CHECK(trace["displayTimeUnit"] == Json("ns"));
  CHECK(trace["otherData"]["times"] == Json("on a wire"));
  for (const Json& event : trace["traceEvents"]) {
    if (text_of(event, "ph") != "X") continue;
    CHECK(number_of(event, "ts") == number_of(event["args"], "transfer"));
    CHECK(event["dur"] == Json(0.5));
    CHECK(number_of(event["args"], "bytes") == 8);
    CHECK_FALSE(event["args"].contains("which"));
  }
}

TEST_CASE("a trace lists the first runs of blocks, and says how many more there are") {
  std::string blocks = "0";
  for (int k = 1; k < 20; ++k) blocks += fmt::format(",{}", 2 * k);
  const auto schedule = read_schedule(
      "s.json", fmt::format(
                    R"({{"format":"onceover-schedule","version":1,"collective":"broadcast","ranks":2,"blocks":39,
          "steps":[[{{"src":0,"dst":1,"blocks":[{}],"op":"copy"}}]]}})",
                    blocks));
  REQUIRE(schedule);
  const Json trace = trace_of(**schedule);
  for (const Json& event : trace["traceEvents"])
    if (text_of(event, "cat") == "send") {
      CHECK(number_of(event["args"], "blocks") == 20);
      CHECK(event["args"]["which"] == Json("0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 and 4 more runs"));
    }
}

}  // namespace perfetto_test
