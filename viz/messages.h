// The messages of a schedule that a picture shows, and the key to their lines.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/rank_classes.h"
#include "viz/key.h"
#include "viz/view.h"

namespace onceover::viz {

/// What another schedule, drawn beside this one, does at the same step.
enum class Beside {
  nothing,       // no other schedule is drawn
  same,          // it sends the same
  other_blocks,  // it sends other blocks between these ranks, or with the other operation
  not_there,     // it sends nothing between them
};

/// A transfer with its step, and with its blocks as runs of its own.
struct Message {
  int step;
  Rank src;
  Rank dst;
  Op op;
  int lane;
  Block size;  // number of blocks
  std::vector<Run> blocks;
  Beside beside = Beside::nothing;

  bool carries(Block block) const;
};

/// Do the options ask for a folded picture? Ranks that are named, those of two schedules, and those that send a certain
/// block are drawn themselves: ranks that send alike may send other blocks.
inline bool asks_to_fold(const DrawOptions& options) {
  return options.fold == Fold::always && options.ranks.empty() && options.only.empty() && !options.beside;
}

/// The steps that the options ask for: first .. end-1.
struct StepRange {
  int first;
  int end;

  int size() const { return end - first; }
};
StepRange steps_shown(const Schedule& schedule, const DrawOptions& options);

/// The part of a schedule that is drawn: the messages that the options leave, in order, and the ranks that they need.
struct SelectedMessages {
  StepRange steps;
  std::vector<StepRange> panels;  // the steps in order, each alone; thinned: with those after it that are alike
  std::vector<Message> messages;  // of the first step of each panel
  std::vector<Rank> ranks;        // ascending: all, or those that send or receive if there are too many for a row
  std::vector<std::shared_ptr<const RankClasses>> classes = {};  // folded: of each panel, whose messages are those of
                                                                 // representatives
  std::optional<StepRange> backwards = {};  // folded: further steps, which copy what the others reduce, backwards

  bool is_folded() const { return !classes.empty(); }

  /// The panel that a step is in, by its position.
  std::size_t panel_of(int step) const;
};

/// 0 .. count-1.
std::vector<Rank> all_ranks(Rank count);

/// The ranks that send or receive one of the messages, ascending.
std::vector<Rank> ranks_of(const std::vector<Message>& messages);

/// How many messages fit into a picture, and how many ranks into a row across it.
inline constexpr std::size_t most_messages = 10'000;
std::size_t most_in_a_row(const Style& style);

/// The refusal of a picture that is taller than its page; `height` is in points.
std::optional<DrawError> too_tall(double height, const Style& style);

/// The refusal of a row of so many ranks.
DrawError row_too_long(std::size_t ranks, const Style& style);

/// Refuses a row of more ranks than fit, as soon as so many are seen. O(transfers) at most.
Drawn<void> check_row(const Schedule& schedule, const DrawOptions& options);

/// The selection. Steps are alike if they have the same senders, receivers, operations and amounts. Folded, it has the
/// messages of one rank of each class of a step, and is refused if a step has too many classes.
/// O(transfers of the steps shown).
Drawn<SelectedMessages> select(const Schedule& schedule, const DrawOptions& options);

/// Says of each message what the other selection does at its step. `header` and `other_header` are of their schedules:
/// if these divide the vector differently, blocks are the same if they are as much of it.
void mark_beside(SelectedMessages& selection, const Header& header, const SelectedMessages& other,
                 const Header& other_header);

/// The line of a message: that of its lane; beside another schedule, by what that does, which can be told without
/// colours: thin if it does the same, thick if not, dashed if only blocks differ.
Stroke stroke_of(const Message& message);

/// "message from-0-to-1 lane-2", "rank rank-3": the classes by which a page finds messages and ranks.
std::string class_of(const Message& message);
std::string class_of(Rank rank);

/// "step 3: 0 to 4, block 2", "step 3: 0 to 4, 12 blocks": the title of a message.
std::string words_of(const Message& message);

/// "swing allreduce, p = 7": the title of a picture.
std::string title_of(const Header& header);

/// "×16", or "×1 to ×16": how many blocks messages have.
std::string sizes_text(Block least, Block most);

/// "0-3,5": the blocks as text.
std::string runs_text(const std::vector<Run>& blocks);

/// The phase that all steps of a panel are in; empty if there is none.
std::string_view phase_of(StepRange panel, const Names& names);

/// "step 3: copy", or just "step 3" if the step has both operations or no messages; "steps 3 to 5 alike: copy". With
/// the phase it is "step 3 (exchange): copy".
std::string panel_title(StepRange panel, const std::vector<Message>& messages, const Names& names);

/// The same; without the phase, if that doesn't fit into `width` points.
std::string panel_title_within(double width, double font_size, StepRange panel, const std::vector<Message>& messages,
                               const Names& names);

/// For below a picture of messages: a sample for each lane if there are several, and what their heads mean. Empty if
/// there are no messages.
PictureKey key_to(const std::vector<Message>& messages, const Style& style);

}  // namespace onceover::viz
