// The boxes of a picture's texts, as they are in its SVG: what overlaps, and what is not in the picture.
#pragma once

#include <string>
#include <vector>

namespace onceover::support {

/// What is wrong with the texts of an SVG of ours (viz/ink/writers.h): "'a' over 'b'", "'a' outside". Letters are as
/// wide as in Times, to within a tenth. Texts that only touch are fine.
std::vector<std::string> faults_of_texts(const std::string& svg);

/// The texts, from the first one drawn.
std::vector<std::string> texts_of(const std::string& svg);

}  // namespace onceover::support
