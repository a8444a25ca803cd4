// RankLabels: what the ranks of a picture are called in their circles.
#pragma once

#include <string>

#include "schedules/names.h"

namespace onceover::viz {

/// Places in the grid that a schedule's ranks have, such as "1.3", or numbers where places would be too small to read.
class RankLabels {
 public:
  /// With as much room as they need. Ranks have places if there are two axes or more.
  explicit RankLabels(const Names& names);

  /// In circles of that radius in points, into which all must fit.
  RankLabels(const Names& names, double radius);

  std::string operator()(Rank rank) const;

  /// "node.gpu"; empty if labels are numbers.
  std::string axes() const;

  /// "Ranks are labelled node.gpu: 1.3 is rank 11."; empty if labels are numbers.
  std::string explanation() const;

 private:
  Names names_ = {};  // without a grid, labels are numbers
};

}  // namespace onceover::viz
