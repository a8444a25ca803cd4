// The parts of a page: texts, tables, JSON for the page's script, inline pictures, and charts of lines.
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

/// Pictures that Graphviz rendered, one after the other, as elements of a page: without ids, tooltips, fonts and what
/// only files need. `scale` is how many pixels one of the picture's points takes; the labels, one for each picture, are
/// for people who can't see them.
std::vector<std::string> inline_svgs(std::string_view rendered, const std::vector<std::string>& labels, double scale);

/// The value of a tag's attribute, as it is written there; "" if the tag doesn't have it.
std::string_view attribute_of(std::string_view tag, std::string_view name);

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
