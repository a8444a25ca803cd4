// Files that a plot is written to.
#pragma once

#include <string>

namespace onceover::cli {

/// Where a plot goes; empty: nowhere.
struct PlotFiles {
  std::string picture;  // .svg, .pdf or .png
  std::string script;

  bool any() const { return !picture.empty() || !script.empty(); }
};

}  // namespace onceover::cli
