// The report: one page that shows everything about a schedule and loads nothing, its player first (player.h).
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.h"
#include "viz/player.h"

namespace onceover::viz {

/// A part of the page under a heading. The heading is text; `html` is written unchanged.
struct ReportSection {
  std::string id;
  std::string heading;
  std::string html;
};

struct ReportPage {
  std::string title;
  std::string program;  // name and version of the program that made it
  std::string banner;   // HTML below the title: the verdict
  std::vector<ReportSection> sections;
  std::string run = "null";     // JSON for the page's script: the run, as `verify --json` prints it,
  std::string player = "null";  // and the player's data
};

/// The whole page, with style sheet, script, pictures and data inside. Its security policy lets nothing else run or
/// load. The same arguments give the same bytes.
std::string report_page(const ReportPage& page);

/// The player as the content of a section, which the page's script fills.
std::string player_html(const Player& player, const Header& header);

}  // namespace onceover::viz
