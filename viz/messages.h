// The messages of a schedule that a picture shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viz/view.h"

namespace onceover::viz {

/// A transfer with its step, and its blocks as runs of its own.
struct Message {
  int step;
  Rank src;
  Rank dst;
  Op op;
  int lane;
  Block size;  // number of blocks
  std::vector<Run> blocks;

  bool carries(Block block) const;
};

/// The steps that the options ask for, from `first` to before `end`.
struct StepRange {
  int first;
  int end;

  int size() const { return end - first; }
};
StepRange steps_shown(const Schedule& schedule, const DrawOptions& options);

/// What is drawn of a schedule: the messages that the options leave, in order, and the ranks that they need.
struct Selection {
  StepRange steps;
  std::vector<Message> messages;
  std::vector<Rank> ranks;  // upward: all, or where there are too many for a row, those that send or receive
};

/// The ranks that send or receive one of the messages, upward.
std::vector<Rank> ranks_of(const std::vector<Message>& messages);

/// Ranks that fit into a row, and messages that fit into a picture.
inline constexpr std::size_t most_in_a_row = 128;
inline constexpr std::size_t most_messages = 10'000;

/// The selection, or what to thin out if it is too large for a picture. O(transfers of the steps shown).
Drawn<Selection> select(const Schedule& schedule, const DrawOptions& options);

/// "message from-0-to-1 lane-2", "rank rank-3": the classes that a page finds messages and ranks by.
std::string class_of(const Message& message);
std::string class_of(Rank rank);

/// "swing allreduce, p = 7": what a picture is of.
std::string title_of(const Header& header);

/// "0-3,5": the blocks.
std::string runs_text(const std::vector<Run>& blocks);

/// "step 3: copy", or just "step 3" where both operations occur, or none.
std::string step_title(int step, const std::vector<Message>& messages);

}  // namespace onceover::viz
