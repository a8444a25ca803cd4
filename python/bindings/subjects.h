// What is judged: schedules, and programs of ranks; and what is shared about them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/bindings/calls.h"
#include "schedules/peer_schedule.h"
#include "subjects/judgeable.h"
#include "subjects/network_plan.h"
#include "subjects/subject.h"
#include "viz/view.h"

namespace onceover::python {

/// A schedule, and where it comes from.
struct HeldSchedule {
  SchedulePtr schedule;
  Origin origin;
  std::vector<Note> notes = {};
  std::map<std::string, std::string, std::less<>> settings = {};  // of a row of the catalogue
  std::optional<PeerRule> rule = {};                              // of a formula
  std::string as = {};                                            // see subjects::Made
};

/// A program read from a file.
struct HeldProgram {
  JudgeablePtr program;

  const std::string& name() const { return program->file(); }
};

/// The network that the caller names: "topology", "routing", "bandwidth", .. and what was written.
using NetworkTexts = std::map<std::string, std::string>;

struct PlacedNetwork {
  NetworkPlan plan;
  std::shared_ptr<const Network> network;
};

/// The network, for a schedule with this header. Reads files.
PlacedNetwork network_of(const NetworkTexts& texts, const Header& header);

/// The picture of a view: the bytes of a file. If it doesn't fit into a column of a paper, it
/// is drawn as wide as a page.
py::bytes picture_of(const View& view, const Schedule& schedule, DrawOptions options, const std::string& format);

}  // namespace onceover::python
