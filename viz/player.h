// The report's player: what its script (report/*.js) gets of a schedule.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "network/contention.h"
#include "programs/message_steps.h"
#include "schedules/schedule.h"
#include "viz/drawn.h"

namespace onceover::viz {

struct Player {
  bool has_blocks;  // can a block be followed?
  bool has_ranks;   // or do ranks stand for other things?
  int steps;

  /// {"schedule": see below, "rows": null, or [name, short name] of each rank if these stand for other things, "unit":
  /// what amounts are counted in, null if messages have blocks, "bytes": of such a unit,
  ///  0 if it has none, "network": null, or {"name", "nodes", "ranks", "sides": of a grid, else null, "seats": by rank,
  ///  null if each is on the node of its number, "switches": names, null if they are too many, "links": from and to of
  ///  each as bytes in base 64, null if they are too many, "loads": of links, null if they aren't known or too many,
  ///  "texts": a sentence for each kind of steps, "kinds": of each step},
  ///  "faults": null or, of a program, by property [{"step", "rank", "message": [src, dst] or null, "text"}, ..],
  ///  "beside": null, or {"name", "schedule", "differs": null if there are too many messages, else by step how many are
  ///  the same, have other blocks or another operation, are only in this schedule, and only in the other}}
  ///
  /// A schedule is {"title", "ranks", "sides", "places": of ranks in a grid of names, or null, "phases": [[name, first
  /// step], ..], "blocks", "all_blocks", "steps", "lanes", "contributors", "begins": who holds a block at first,
  /// "root", "owners": null if they are the ranks in turn, "messages": folded (folded_messages.h), in base 64}.
  ///
  /// Loads are {"values": blocks on a link, "runs": for each kind of steps runs of links with the same load: their
  /// count, then of each the number of the value and its length; as bytes in base 64}.
  std::string data;
};

/// What a counterexample of a program says of an operation, and where that is in the steps.
struct PlacedSite {
  Rank rank;
  MessagePlace place;
  std::string text;
};

/// What a rank of a schedule is called if it isn't one: "rank 1, block 0", "r1 b0".
struct RowName {
  std::string full;
  std::string brief;
};

/// What a player shows besides the messages.
struct Played {
  std::shared_ptr<const Schedule> beside = {};  // another schedule for as many ranks
  const Contention* contention = nullptr;       // on `network`
  const Network* network = nullptr;
  FlowOptions flows = {};         // by which its links are loaded
  bool has_blocks = true;         // else the blocks of messages stand for amounts
  std::uint64_t block_bytes = 0;  // of such a block; 0: it is one `unit`
  std::string_view unit = "chunk";
  std::vector<RowName> rows = {};                                           // what ranks stand for; empty: themselves
  std::map<std::string, std::vector<PlacedSite>, std::less<>> faults = {};  // of a program, by property
};

/// How many links a page has, and how many loads of them in all steps that differ.
inline constexpr Link most_played_links = 1 << 16;
inline constexpr std::size_t most_played_loads = std::size_t{1} << 24;

/// Refuses what can't be folded, see folded_messages.h. The same arguments give the same bytes.
Drawn<Player> player(const Schedule& schedule, const Played& played = {});

}  // namespace onceover::viz
