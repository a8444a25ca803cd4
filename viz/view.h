// View: one row of one table for each view, and one file of views/.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "network/cost.h"
#include "network/routing.h"
#include "schedules/schedule.h"
#include "verifier/blocking.h"
#include "verifier/counterexample.h"
#include "verifier/repair/repair.h"
#include "viz/drawn.h"
#include "viz/ink/picture.h"

namespace onceover::viz {

/// Whether one of the ranks that do alike is drawn for all of them.
enum class Fold {
  where_needed,  // where all don't fit
  always,
  never,  // they are squeezed instead
};

/// What to draw of a schedule, and how. A view uses the options that its row names.
struct DrawOptions {
  /// How long messages take.
  struct Clock {
    double bytes = 0;         // of all blocks together
    double bytes_beside = 0;  // of those of the other schedule; 0: as many
    bool has_vector = true;   // are these the sizes of a vector?
    bool waits = true;        // do all ranks wait for each other after every step?
    RankSpeeds ranks = {};
  };

  std::vector<Rank> ranks = {};                   // ascending; only what these send, or end with; empty: all
  std::optional<std::pair<int, int>> steps = {};  // only the steps first .. last
  std::vector<Block> blocks = {0};                // whose paths; a sum is shown of the first
  std::vector<Block> only = {};                   // ascending; only messages that carry one of these; empty: all
  bool counts = false;                            // show how many blocks a message has
  bool thinned = false;                           // draw what is repeated once, and say so
  Fold fold = Fold::where_needed;
  bool transposes = false;                            // rows become columns
  std::optional<int> columns = {};                    // of steps, side by side at most; none: as many as fit
  bool wraps = true;                                  // draw the links around a ring or torus as such
  std::optional<Counterexample> counterexample = {};  // the one to show; none: the verifier finds one
  std::optional<Repair> repair = {};                  // of the schedule, shown with the counterexample
  std::shared_ptr<const Schedule> beside = {};        // another schedule for as many ranks, drawn to the right
  std::shared_ptr<const Network> network = {};        // where the schedule runs; null: on a torus
  Routing routing = Routing::minimal;
  std::optional<Clock> clock = {};    // draw times to scale; then there is a network
  std::vector<CallOrder> calls = {};  // orders of blocking calls, of which the first that deadlocks; empty: all
  Style style = {};
};

/// A row: a way to look at a schedule.
struct View {
  std::string_view name;
  std::string_view summary;
  std::string_view heeds;  // the options that it uses, besides the style

  /// The picture, or why it can't be drawn and what would help. Ranks, steps and blocks in the options exist in the
  /// schedule. The same arguments give the same picture. It is `style.width` wide. If Graphviz places its parts, it may
  /// be narrower, but not wider.
  Drawn<Picture> (*draw)(const Schedule&, const DrawOptions&);
};

/// All views, in the order of the documentation. To add a view, write a file in views/ and declare its
/// row at the end of this header.
std::span<const View> views();

/// The view with that name, or null.
const View* find_view(std::string_view name);

/// The check before any drawing: ranks, steps and blocks of the options exist, and so do the ranks of transfers.
/// O(transfers)
Drawn<void> check_drawable(const Schedule& schedule, const DrawOptions& options);

/// Draws the view after a check of the options and transfers: a rank, step or block that doesn't exist is refused.
/// O(transfers), and the cost of the view.
Drawn<Picture> draw(const View& view, const Schedule& schedule, const DrawOptions& options);

/// The rows, each defined in a file of its own, and their order.
extern const View steps_view;
extern const View time_view;
extern const View tree_view;
extern const View vectors_view;
extern const View matrix_view;
extern const View term_view;
extern const View counterexample_view;
extern const View deadlock_view;
extern const View contention_view;
extern const View heat_map_view;
extern const View cut_view;
inline constexpr std::array view_rows{
    &steps_view,          &time_view,     &tree_view,       &vectors_view,  &matrix_view, &term_view,
    &counterexample_view, &deadlock_view, &contention_view, &heat_map_view, &cut_view};

}  // namespace onceover::viz
