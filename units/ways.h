// The ways of data through a schedule file: at which place of its text each message is.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/schedule_patch.h"
#include "units/measurement.h"
#include "verifier/counterexample.h"

namespace onceover::units {

/// Finds messages of a schedule in the file that it was read from. Both must outlive this object. Making it costs
/// O(text); memory: a place for each message and line.
class Ways {
 public:
  static constexpr std::size_t most_moves = 1000;

  Ways(const Schedule& schedule, std::string_view text);

  /// A path of data of `block`, move by move, each at the message that made it. `alike` counts the earlier paths along
  /// the same ranks, which took other messages. Nothing if the path has no moves or more than `most_moves`, which
  /// nobody follows. O(messages in the steps of the path).
  Flow flow_of(const Counterexample::Path& path, std::optional<Block> block, std::size_t alike = 0) const;

 private:
  std::optional<std::size_t> offset_of(const Counterexample::Leg& leg, std::optional<Block> block,
                                       std::size_t alike) const;
  std::pair<std::size_t, std::size_t> place_at(std::size_t offset) const;

  const Schedule& schedule_;
  std::vector<StepPlace> steps_;
  std::vector<std::size_t> line_begins_;
};

}  // namespace onceover::units
