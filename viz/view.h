// The views: one row of one table each, one file of views/ each.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "network/routing.h"
#include "schedules/schedule.h"
#include "verifier/counterexample.h"
#include "viz/dot.h"
#include "viz/drawn.h"

namespace onceover::viz {

/// What to draw of a schedule, and how. A view heeds what its row names.
struct DrawOptions {
  std::vector<Rank> ranks = {};                       // upward; only what these send, or end with; empty: all
  std::optional<std::pair<int, int>> steps = {};      // only the steps first .. last
  std::vector<Block> blocks = {0};                    // whose ways; of several, a sum is shown of the first
  bool counts = false;                                // how many blocks a message has
  bool wraps = true;                                  // a ring's and a torus' wrap-around links are drawn as such
  std::optional<Counterexample> counterexample = {};  // to be shown; none: the verifier is asked for one
  std::shared_ptr<const Network> network = {};        // where the schedule runs; none: on a torus
  Routing routing = Routing::minimal;
  Style style = {};
};

/// A row: a way to look at a schedule.
struct View {
  std::string_view name;
  std::string_view summary;
  std::string_view heeds;  // the options that it heeds, besides the style

  /// The picture as text in DOT, or why it can't be drawn and what would help. Ranks, steps and blocks named in the
  /// options exist in the schedule. The same arguments give the same text. The picture is `style.width` wide, to two
  /// points, if everything in it is pinned; what Graphviz lays out may be narrower, but not wider.
  Drawn<std::string> (*draw)(const Schedule&, const DrawOptions&);
};

/// All views, in the order of the documentation. A new view is a file of views/ and a row of this table.
std::span<const View> views();

/// The view of that name, or null.
const View* find_view(std::string_view name);

/// Draws the view after a look at the options and the transfers: a rank, step or block that the schedule doesn't have
/// is refused. O(transfers), and what the view takes.
Drawn<std::string> draw(const View& view, const Schedule& schedule, const DrawOptions& options);

/// The rows, each defined in a file of its own.
extern const View steps_view;
extern const View time_view;
extern const View tree_view;
extern const View matrix_view;
extern const View term_view;
extern const View counterexample_view;
extern const View contention_view;

}  // namespace onceover::viz
