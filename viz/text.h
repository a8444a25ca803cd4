// Texts on a picture: what they may contain, and how much room they take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::viz {

/// `text`, escaped so that DOT and SVG show it literally: quotes, backslashes and entities are escaped; control
/// characters and invalid UTF-8 are replaced.
std::string escaped(std::string_view text);

/// The width of a text in Times, in points; an estimate to within a tenth.
double text_width(std::string_view text, double font_size);

/// The size in which a label fits into a circle, at most `font_size`.
double size_in_circle(std::string_view label, double radius, double font_size);

/// The least radius of a circle in which a label fits in that size.
double radius_for(std::string_view label, double font_size);

/// The text, broken between words into lines of at most about this width.
std::vector<std::string> lines_within(std::string_view text, double width, double font_size);

}  // namespace onceover::viz
