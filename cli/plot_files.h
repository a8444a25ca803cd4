// The files to which a plot is written.
#pragma once

#include <string>

#include "base/namespaces.h"

namespace onceover::cli {

/// Where a plot goes; empty: nowhere.
struct PlotFiles {
  std::string picture;  // .svg, .pdf, ..
  std::string script;

  /// Does one of them go to standard output, where it is alone?
  bool is_printed() const { return picture == "-" || script == "-"; }

  bool any() const { return !picture.empty() || !script.empty(); }
};

}  // namespace onceover::cli
