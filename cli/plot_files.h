// The files to which a plot is written, and how it looks.
#pragma once

#include <optional>
#include <string>

#include "subjects/option_values.h"
#include "viz/plot.h"

namespace onceover::cli {

/// Where a plot goes; empty: nowhere.
struct PlotFiles {
  std::string picture;  // .svg, .pdf, ..
  std::string script;
  std::optional<double> width = {};     // inches
  std::string font = {};                // not given: the style's
  std::optional<PlotScale> scale = {};  // not given: as the plot is made

  /// Does one of them go to standard output, where it is alone?
  bool is_printed() const { return picture == "-" || script == "-"; }

  bool any() const { return !picture.empty() || !script.empty(); }
};

}  // namespace onceover::cli
