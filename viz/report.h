// The report: one page that shows everything about a schedule and asks nobody for anything.
#pragma once

#include <string>
#include <vector>

#include "viz/player.h"

namespace onceover::viz {

/// A part of the page under a heading. The heading is text; `html` is written as it is.
struct ReportSection {
  std::string id;
  std::string heading;
  std::string html;
};

struct ReportPage {
  std::string title;
  std::string program;  // what made it: name and version
  std::vector<ReportSection> sections;
  std::string run = "null";     // JSON for the page's script: the run, as `verify --json` prints it,
  std::string player = "null";  // and the player's data
};

/// The whole page: style sheet, script, pictures and data are inside, and its security policy lets nothing else run
/// or load. The same arguments give the same bytes.
std::string report_page(const ReportPage& page);

/// The player as the content of a section: all steps one below the other, of which the page's script shows one.
std::string player_html(const Player& player, const Header& header);

}  // namespace onceover::viz
