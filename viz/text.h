// Texts on a picture: what may be in them, and how much room they take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::viz {

/// `text` so that DOT and SVG show it and nothing else: quotes, backslashes and entities escaped, no control
/// characters, no invalid UTF-8.
std::string escaped(std::string_view text);

/// How wide a text is in Times, in points; an estimate to a tenth.
double text_width(std::string_view text, double font_size);

/// The size in which a label fits into a circle, at most `font_size`.
double size_in_circle(std::string_view label, double radius, double font_size);

/// The text cut between words into lines that are about as wide at most.
std::vector<std::string> lines_within(std::string_view text, double width, double font_size);

}  // namespace onceover::viz
