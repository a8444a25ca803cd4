// LineChart: lines over two logarithmic axes, as an element of a page.
#pragma once

#include <string>
#include <vector>

#include "base/namespaces.h"

namespace onceover::viz {

struct LineChart {
  struct Line {
    std::string name;
    std::vector<double> values;  // one for each x, above 0
  };
  std::string label;  // for people who can't see it
  std::string x_title;
  std::string y_title;
  std::vector<double> x;              // ascending, above 0
  std::vector<std::string> x_labels;  // "" leaves one out
  std::vector<Line> lines;
};

/// The chart as SVG. Lines differ in colour and dashes; each has a class line-0, line-1, .., to which the page's style
/// sheet gives colours.
std::string svg_of(const LineChart& chart);

}  // namespace onceover::viz
