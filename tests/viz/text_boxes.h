// The boxes of a picture's texts, as they are rendered: what overlaps, and what is not in the picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onceover::support {

/// What is wrong with the texts of an SVG that Graphviz or Gnuplot made: "'a' over 'b'", "'a' outside". Letters are as
/// wide as in Times, to within a tenth. Texts that only touch are fine.
std::vector<std::string> faults_of_texts(std::string_view svg);

/// The texts, from the first one drawn.
std::vector<std::string> texts_of(std::string_view svg);

}  // namespace onceover::support
