// Reads what one schedule of a launch showed: which findings violate which property, and which elements are wrong.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/engine.h"
#include "gpu/launch/concrete.h"
#include "gpu/launch/description.h"
#include "verifier/counterexample.h"

namespace onceover::gpu {

/// The accesses that a counterexample is about, in its `own`: what a picture shows.
struct FaultyAccesses {
  WatchedPlace place = {};             // without a name: it is about no memory
  std::vector<AccessSite> sites = {};  // none: the place holds a wrong result
  std::uint32_t call = 0;              // in which it is wrong
};

/// What the engine found, for people.
struct ToldFinding {
  GpuFinding finding;
  std::string_view property;  // that it violates; empty: none, but there is no verdict
  std::string headline;
  std::vector<std::string> places;  // of the one or two accesses: "two_shot.cu:44"; empty for a stream
  std::vector<std::string> lines;   // first one for each access
  std::vector<LinePlace> sources;   // of the accesses; without a file for a stream
};

/// What a property's elements or findings showed.
struct Violations {
  std::uint64_t violations = 0;
  std::optional<verifier::Counterexample> first = {};
};

/// What one schedule showed.
struct Shown {
  std::map<std::string_view, Violations> violated = {};  // by the property
  std::vector<ToldFinding> findings = {};
  std::string unknown = {};  // why there is no verdict; empty: there is one
  std::uint64_t elements = 0;
  std::uint64_t harmless = 0;  // pairs of accesses that nothing orders, and that change nothing
  std::uint64_t instructions = 0;
  std::uint64_t data_branches = 0;
  std::vector<std::string> notes = {};
  std::vector<std::uint8_t> ran = {};  // GpuOutcome::ran
};

/// What the outcome shows. Each element of each output is compared with what the promise owes there.
Shown shown_by(const GpuOutcome& outcome, const ConcreteLaunch& concrete, const Description& description);

}  // namespace onceover::gpu
