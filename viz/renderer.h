// Programs that make pictures: text in, bytes out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viz/drawn.h"

namespace onceover::viz {

/// A program on the search path.
struct Renderer {
  std::string_view program;    // "dot"
  std::string_view name;       // "Graphviz", for people
  std::string_view package;    // of Debian
  std::string_view elsewhere;  // of RHEL, SUSE and conda-forge; empty: not known there
  std::string_view otherwise;  // what can be done without it
  std::string_view too_slow;   // what would be faster
};

/// The commands that install it, one for each kind of system, each on a line of its own.
std::string ways_to_install(const Renderer& renderer);

/// The output of the program for `input`. It runs without a shell, for at most `seconds`. The same input gives the same
/// bytes: the date in a PDF or EPS is overwritten, and letters don't depend on the machine's settings (fonts.h).
Drawn<std::string> run(const Renderer& renderer, std::vector<std::string> arguments, const std::string& input,
                       int seconds);

}  // namespace onceover::viz
