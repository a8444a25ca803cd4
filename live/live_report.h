// The report on a running library, as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "live/judge.h"

namespace onceover::live {

/// One call, and its results.
struct LiveRun {
  LiveCall call;
  std::string setting = {};  // what is special about the machine: "hosts 1,3"
  std::size_t element_bytes;
  int repeats;
  LiveReport report;
  Json terms = nullptr;  // of reductions, if they are asked for: see terms_json
  Json match = nullptr;  // if it is asked for
  std::vector<std::string> match_text = {};
  std::vector<std::string> notes = {};  // lines that follow the findings
};

/// The terms of a reduction: runs of elements with the same values on every rank, {"first", "last", "ranks"}. "ranks"
/// has a text for each rank, such as "((0+1)+2)", or null if the rank has no such element.
Json terms_json(const LiveCall& call, const Values& values, const CallOutcome& outcome);

/// A line for each run, and what failed. With `full`, every property of every run.
std::string runs_text(std::span<const LiveRun> runs, bool full);

/// What every report ends with.
struct Ending {
  std::string holds;  // if all calls pass
  std::string scope;  // what was tried
  std::vector<std::string> not_tried = {};
  std::vector<std::string> waived = {};
};

/// The document of docs/schema/live.schema.json.
Json live_json(const std::string& library, std::span<const LiveRun> runs, const Ending& ending);

/// Fail if one run fails, else unknown if one is unknown.
Verdict overall(std::span<const LiveRun> runs);

}  // namespace onceover::live
