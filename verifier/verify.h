// The verifier: from a schedule to a report.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/counterexample.h"
#include "verifier/survey.h"

namespace onceover {

enum class Verdict { pass, fail, unknown };

std::string_view name(Verdict verdict);

/// A property that schedules are judged by, under its stable id.
struct Property {
  std::string_view id;
  std::string_view asks;
  bool required_by_default;
};

/// All properties that can be judged, in the order of reports.
std::span<const Property> properties();

struct PropertyResult {
  std::string_view id;
  bool required;
  Verdict verdict;
  std::string summary;                                // one sentence
  std::optional<Counterexample> counterexample = {};  // there is one for every fail
  std::uint64_t violations = 0;                       // how many there are in all
};

struct Report {
  Verdict verdict;         // fail if a required property fails, else unknown if one is unknown
  std::string_view scope;  // which blocks the verdict rests on
  std::vector<PropertyResult> properties;
  Metrics metrics;
};

struct VerifyOptions {
  int threads = 0;                               // 0: as many as there are cores
  std::uint64_t budget = 100'000'000'000;        // block transfers and results (rank, block) at most; more is `unknown`
  std::vector<std::string> required = {};        // property ids, besides those required by default
  std::function<void(double)> on_progress = {};  // told the part done, 0 .. 1, now and then, from one thread
};

/// Judges a schedule by every property.
///
/// Every transfer of every block is executed symbolically, windows of blocks in parallel; nothing is sampled.
/// Work: O(block transfers). Memory: O(ranks) a thread, and for a listed schedule the hops of a window of blocks.
/// The same schedule gives the same report, whatever the number of threads.
/// Throws std::logic_error if the two views of the schedule disagree: a bug here, not in the schedule.
Report verify(const Schedule& schedule, const VerifyOptions& options = {});

}  // namespace onceover
