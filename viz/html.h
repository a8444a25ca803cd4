// The parts of a page: texts, tables, JSON for the page's script, and charts of lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::viz {

/// The text, escaped so that HTML shows it literally, between tags and in quoted attributes.
std::string html_escaped(std::string_view text);

/// JSON for a <script type="application/json">: nothing in it ends the element, and it parses to the same value. The
/// characters that are escaped occur in JSON only inside strings.
std::string json_in_html(std::string_view json);

/// A paragraph with the text; text between backticks is code. `css_class` may be empty.
std::string paragraph_html(std::string_view text, std::string_view css_class = "");

/// A table whose first row is the heading. Cells that begin like a number are aligned right, in columns of digits.
std::string table_html(const std::vector<std::vector<std::string>>& rows, std::string_view caption = "");

/// Lines over two logarithmic axes.
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
