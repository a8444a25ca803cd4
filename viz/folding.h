// Folding: which ranks a picture draws for all that do alike, and what it says of those that it leaves out.
//
// Of each step's ranks that send alike (verifier/rank_classes.h) the lowest is drawn, with its messages; a rank that
// sends like no other is drawn, too. The messages of the others are these, shifted or moved by xor. If the second half
// of the steps copies what the first half reduces, backwards, only the first half is drawn.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viz/messages.h"
#include "viz/rank_row.h"

namespace onceover::viz {

/// Who stands for whom, in the steps that are drawn.
struct FoldedSteps {
  StepRange steps;
  std::vector<std::shared_ptr<const RankClasses>> classes;  // of each of them
  std::optional<StepRange> backwards = {};                  // the steps after them, if these are the same backwards

  /// Refused if more than `most` ranks of a step would have to be drawn. O(messages log messages) of those steps that
  /// differ from others.
  static Drawn<FoldedSteps> of(const Schedule& schedule, StepRange steps, std::size_t most);
};

/// What a folded picture says of the ranks and steps that aren't drawn. Refers to the selection.
class FoldedWords {
 public:
  explicit FoldedWords(const SelectedMessages& selection);

  /// Does each rank that is drawn as a sender stand for as many?
  bool is_one_size() const { return size_of_all_.has_value(); }

  /// "1 of 6", or "alone": the rank as a sender in the step.
  std::string of_rank(int step, Rank rank) const;

  /// "0 for 6, 1 alone": for how many each rank of the panel stands; empty if all stand for as many.
  std::string of_panel(std::size_t panel, const RankLabels& labels) const;

  /// "Steps 6 to 11: the same backwards, with arrows turned, as copies. Each bold rank stands for 32 that send as far
  /// and the same way in the step."
  std::string note(std::string_view drawn = "bold rank") const;

 private:
  std::vector<Rank> senders(std::size_t panel) const;

  const SelectedMessages& selection_;
  std::optional<Rank> size_of_all_;  // if all that is drawn stands for as many ranks
};

/// The options with folding, if the user left that open and circles of so many ranks don't fit into a row.
std::optional<DrawOptions> folded_if_crowded(Rank ranks, const DrawOptions& options);

/// The ranks of the messages side by side. Where ranks are shifted, the first sender is in the middle.
std::vector<Rank> row_of_folded(const SelectedMessages& selection, Rank count);

}  // namespace onceover::viz
