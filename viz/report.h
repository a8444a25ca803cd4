// The report: one page that shows everything about a schedule and loads nothing. Its player shows the steps, with a
// picture of each and data for the page's script.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "network/contention.h"
#include "programs/message_steps.h"
#include "schedules/schedule.h"
#include "viz/drawn.h"

namespace onceover::viz {

struct Player {
  std::vector<std::string> steps;  // a picture each, as an element of a page
  std::vector<std::string> titles;
  bool is_wide;     // too wide for text beside it
  bool has_blocks;  // can a block be followed?

  /// {"ranks", "blocks", "steps", "messages": [[step, src, dst, copies, lane, [[first, last], ..]], ..],
  ///  "contributors", "holdings": by step before the first, after the first, .., then rank, then block: the number of
  ///  contributions held, negative if one is held twice; null if they are too many, or can't be executed,
  ///  "unit": what amounts are counted in, null if messages have blocks, "bytes": of such a unit, 0 if it has none,
  ///  "loads": a sentence for each step on the links that it uses; null if nothing is known of them,
  ///  "faults": null or, of a program, by property [{"step", "rank", "message": [src, dst] or null, "text"}, ..],
  ///  "beside": null, or of the other schedule {"name", "messages", "differs": by step how many messages are the same,
  ///  have other blocks or another operation, are only in this schedule, and only in the other}}
  std::string data;
};

/// What a counterexample of a program says of an operation, and where that is in the steps.
struct PlacedSite {
  Rank rank;
  MessagePlace place;
  std::string text;
};

/// What a player shows besides the messages.
struct Played {
  std::shared_ptr<const Schedule> beside = {};  // another schedule for as many ranks
  const Contention* contention = nullptr;       // on `network`
  const Network* network = nullptr;
  bool has_blocks = true;         // else the blocks of messages stand for amounts
  std::uint64_t block_bytes = 0;  // of such a block; 0: it is a chunk
  std::map<std::string, std::vector<PlacedSite>, std::less<>> faults = {};  // of a program, by property
};

/// Refuses larger schedules, whose page would be too much for browsers.
Drawn<Player> player(const Schedule& schedule, const Played& played = {});

/// A part of the page under a heading. The heading is text; `html` is written unchanged.
struct ReportSection {
  std::string id;
  std::string heading;
  std::string html;
};

struct ReportPage {
  std::string title;
  std::string program;  // name and version of the program that made it
  std::vector<ReportSection> sections;
  std::string run = "null";     // JSON for the page's script: the run, as `verify --json` prints it,
  std::string player = "null";  // and the player's data
};

/// The whole page, with style sheet, script, pictures and data inside. Its security policy lets nothing else run or
/// load. The same arguments give the same bytes.
std::string report_page(const ReportPage& page);

/// The player as the content of a section: all steps one below the other; the page's script shows one of them.
std::string player_html(const Player& player, const Header& header);

}  // namespace onceover::viz
