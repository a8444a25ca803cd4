// Anybody's text inside a page: as text, as JSON for the page's script, and pictures inline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::viz {

/// The text so that HTML shows it and nothing else, between tags and in quoted attributes.
std::string html_escaped(std::string_view text);

/// JSON so that it can stand in a <script type="application/json">: nothing in it ends the element, and it parses to
/// the same value. Where JSON has one of these characters, it is inside a string.
std::string json_in_html(std::string_view json);

/// A paragraph with the text; what stands between backticks is code. `css_class` may be empty.
std::string paragraph_html(std::string_view text, std::string_view css_class = "");

/// A table: the first row is its heading. Cells that begin like a number are set to the right, in columns of digits.
std::string table_html(const std::vector<std::vector<std::string>>& rows, std::string_view caption = "");

/// Pictures that Graphviz rendered, one after the other, as elements of a page: without what only files have, ids,
/// tooltips and fonts. `scale` is the pixels of one of the picture's points; `label` is for people who can't see it.
std::vector<std::string> inline_svgs(std::string_view rendered, std::string_view label, double scale);

}  // namespace onceover::viz
