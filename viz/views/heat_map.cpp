// heat-map: a row for each link and a column for each step, cells as dark as the link's load.
//
// Links are grouped by where they lead and, where there are many, some share a row; so do steps a column. A cell then
// shows the fullest of its links in the fullest of its steps, so the hottest link is never hidden. Transposed, links
// are across, their groups side by side.
//
// Example: a torus 16x16 has 1024 links in four groups, one for each direction. On a page of 3.3 inches 8 share a row.
//
// O(links * steps), and the cost of the loads (network/contention.h).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "network/contention.h"
#include "viz/ink/picture.h"
#include "viz/load_scale.h"
#include "viz/messages.h"
#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

/// The cells of a table and their size in points.
struct Cells {
  std::size_t rows;
  std::size_t columns;
  double width;
  double height;
};

using Row = std::vector<std::string_view>;

/// One row, down to the bottom of the table.
void draw_row(Picture& picture, Point corner, double column, double height, const Row& row, bool is_on_paper) {
  for (std::size_t begin = 0, end = 0; begin < row.size(); begin = end) {
    end = static_cast<std::size_t>(std::find_if(row.begin() + static_cast<std::ptrdiff_t>(begin), row.end(),
                                                [&](std::string_view each) { return each != row[begin]; }) -
                                   row.begin());
    is_on_paper = is_on_paper && row[begin] == palette::white;
    if (is_on_paper) continue;
    picture.box(corner + Point{column * static_cast<double>(begin), 0},
                column * static_cast<double>(row.size() - begin), height, "", 1, row[begin], {row[begin], "solid", 0});
  }
}

/// Fills the cells of a table that begins at `corner`. A colour goes on to the right and down until the next one is
/// drawn over it: where two shapes only touched, browsers would let a hairline of paper through. Rows like the one
/// above need no shapes, nor do white cells on paper. O(cells).
void fill_cells(Picture& picture, Point corner, const Cells& cells,
                const std::function<std::string_view(std::size_t row, std::size_t column)>& fill) {
  Row above(cells.columns, palette::white);
  bool is_on_paper = true;  // nothing is drawn yet
  for (std::size_t k = 0; k < cells.rows; ++k) {
    Row row;
    for (std::size_t column = 0; column < cells.columns; ++column) row.push_back(fill(k, column));
    if (row == above) continue;
    draw_row(picture, corner + Point{0, cells.height * static_cast<double>(k)}, cells.width,
             cells.height * static_cast<double>(cells.rows - k), row, is_on_paper);
    is_on_paper = false;
    above = std::move(row);
  }
}

constexpr double tallest_table = 290;  // points
constexpr double least_row = 2;
constexpr double largest_row = 8;
constexpr double least_column = 2;
constexpr double largest_column = 34;
constexpr double between_groups = 8;  // side by side
constexpr double room_beside_name = 4;
constexpr std::uint64_t most_loads = 100'000'000;
// Messages whose ways are found in a minute: in grids a line at a time, elsewhere by a search of the whole network.
constexpr std::uint64_t most_messages_in_grid = 50'000'000;
constexpr std::uint64_t most_messages_elsewhere = 500'000;

struct LinkGroup {
  std::string name;
  std::vector<Link> links;
};

/// How the links of a network are called together.
class GroupNames {
 public:
  explicit GroupNames(const Network& network) : network_(network), distances_(distances_from_ranks(network)) {}

  std::string operator()(Link link) const {
    if (network_.grid()) return name_in_grid(link);
    const LinkData& l = network_.link(link);
    const int from = distance(l.from), to = distance(l.to);
    if (from != to) return fmt::format("{} {} {}", level_name(from), from < to ? "up to" : "down to", level_name(to));
    if (from == 0) return "rank to rank";
    if (!network_.groups()) return "switch to switch";
    const auto group = [&](Node node) { return (node - network_.groups()->first) / network_.groups()->size; };
    return group(l.from) == group(l.to) ? "within groups" : "between groups";
  }

 private:
  int distance(Node node) const { return distances_[static_cast<std::size_t>(node)]; }
  static std::string level_name(int level) { return level == 0 ? "ranks" : fmt::format("level {}", level); }

  std::string name_in_grid(Link link) const {
    const auto& grid = *network_.grid();
    const auto dimension = static_cast<std::size_t>(
        std::upper_bound(grid.first_link.begin(), grid.first_link.end(), link) - grid.first_link.begin() - 1);
    const Line& line = grid.lines[dimension];
    const auto number = static_cast<std::size_t>(link - grid.first_link[dimension]) % line.links.size();
    const LinkData& l = line.links[number];
    if (l.to >= line.side) return fmt::format("dimension {}, to switches", dimension);
    if (l.from >= line.side) return fmt::format("dimension {}, from switches", dimension);
    const bool is_ring = line.nodes == line.side && std::ssize(line.links) == 2 * line.side;
    const bool is_next = line.side == 2 ? number % 2 == 0 : (l.to - l.from + line.side) % line.side == 1;
    const bool is_onward = is_ring ? is_next : l.to > l.from;
    return fmt::format("dimension {}, {}", dimension, is_onward ? "onward" : "backward");
  }

  const Network& network_;
  std::vector<int> distances_;
};

/// In the order of their first links.
std::vector<LinkGroup> groups_of_links(const Network& network) {
  const GroupNames name(network);
  std::vector<LinkGroup> groups;
  std::map<std::string, std::size_t> position;
  for (Link link = 0; link < network.link_count(); ++link) {
    const auto [at, is_new] = position.emplace(name(link), groups.size());
    if (is_new) groups.push_back({at->first, {}});
    groups[at->second].links.push_back(link);
  }
  return groups;
}

std::size_t divided_up(std::size_t count, std::size_t by) {
  return (count + by - 1) / by;
}

/// Would the loads take long to compute? Judged by their number and that of the messages.
bool is_too_much(const Schedule& schedule, const Network& network, StepRange steps) {
  if (static_cast<std::uint64_t>(steps.size()) * static_cast<std::uint64_t>(network.link_count()) > most_loads)
    return true;
  std::uint64_t messages = 0;
  std::vector<Transfer> transfers;
  const std::uint64_t most = network.grid() ? most_messages_in_grid : most_messages_elsewhere;
  for (int step = steps.first; step < steps.end && messages <= most; ++step) {
    schedule.transfers(step, transfers);
    messages += transfers.size();
  }
  return messages > most;
}

class HeatMap {
 public:
  HeatMap(const Schedule& schedule, const Network& network, const DrawOptions& options)
      : schedule_(schedule),
        network_(network),
        options_(options),
        unit_(network),
        groups_(groups_of_links(network)),
        steps_(steps_shown(schedule, options)) {
    const bool is_transposed = options.transposes;
    const double groups = static_cast<double>(groups_.size());
    if (is_transposed) label_ = text_width(fmt::format("step {}", steps_.end), small()) + 5;
    const double down = std::min(tallest_table, 0.8 * 72 * options.style.height);
    const double for_links = is_transposed ? room_across() - between_groups * (groups - 1) : down - heading() * groups;
    while (static_cast<double>(rows()) * least_row > std::max(40.0, for_links) && rows() > groups_.size()) ++per_row_;
    row_ = std::min(is_transposed ? largest_column : largest_row,
                    std::max(40.0, for_links) / static_cast<double>(std::max<std::size_t>(1, rows())));
    if (!is_transposed) label_ = widest_label() + 5;
    const double for_steps = std::max(is_transposed ? down : room_across(), least_column);
    const auto steps = static_cast<std::size_t>(steps_.size());
    per_column_ = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::ceil(static_cast<double>(steps) * least_column / for_steps)));
    columns_ = divided_up(steps, per_column_);
    column_ = std::min(is_transposed ? largest_row : largest_column,
                       for_steps / static_cast<double>(std::max<std::size_t>(1, columns_)));
  }

  /// Is there room for the names of the links, and for columns beside them?
  bool is_too_narrow() const {
    if (!options_.transposes) return room_across() < 0.3 * options_.style.width_in_points();
    const double lengths = row_ * static_cast<double>(rows());
    if (lengths + between_groups * static_cast<double>(groups_.size() - 1) > room_across() + 0.1) return true;
    return std::any_of(groups_.begin(), groups_.end(), [&](const LinkGroup& group) {
      const auto lines = lines_above(group);
      return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return text_width(line, small()) > length_of(group) + between_groups - room_beside_name;
      });
    });
  }

  /// Finds the loads; false if they outgrow their numbers.
  bool measure() {
    cells_.assign(rows() * columns_, 0);
    for (int step = steps_.first; step < steps_.end; ++step) {
      const auto loads = loads_of(schedule_, network_, options_.routing, step, step + 1);
      if (!loads) return false;
      add(*loads, step);
    }
    return true;
  }

  Picture draw(const std::string& title) const {
    const double size = options_.style.font_size, width = options_.style.width_in_points() - 2 * margin;
    const auto heading_lines = lines_within(title, width, size);
    const auto caption = lines_within(caption_text(), width, size - 1);
    const double above =
        (size + 2) * static_cast<double>(heading_lines.size()) + (options_.transposes ? 4 : small() + 6);
    double height = above + height_of_table();
    height += 6 + (size + 1) * static_cast<double>(caption.size());
    const LoadScale scale(cells_, unit_.name(), 3);
    PictureKey key(options_.style);
    scale.explain_cells(key);
    Picture picture(options_.style, title, height + key.height());
    picture.as(Role::title)->lines(0, heading_lines, size, size + 2);
    (options_.transposes ? draw_columns(picture, above, scale) : draw_rows(picture, above, scale));
    key.draw(picture,
             picture.as(Role::note)->lines(above + height_of_table() + 6.5, caption, size - 1, size + 1) - 0.5);
    return picture;
  }

 private:
  double room_across() const { return options_.style.width_in_points() - 2 * margin - label_; }
  double small() const { return options_.style.small(); }
  double heading() const { return small() + 5; }

  /// Along the links.
  double length_of(const LinkGroup& group) const { return row_ * static_cast<double>(rows_of(group)); }
  /// Along the steps.
  double length_of_steps() const { return column_ * static_cast<double>(columns_); }

  static std::string name_of(const LinkGroup& group) {
    return fmt::format("{}: {} links", group.name, group.links.size());
  }

  /// Above a group that is beside others.
  std::vector<std::string> lines_above(const LinkGroup& group) const {
    return lines_within(name_of(group), length_of(group) + between_groups - room_beside_name, small());
  }

  /// Above all groups that are side by side: their names, and those of links, which read upward.
  double height_above() const {
    std::size_t lines = 0;
    for (const LinkGroup& group : groups_) lines = std::max(lines, lines_above(group).size());
    return static_cast<double>(lines) * (small() + 1) + widest_label() + 6;
  }

  double height_of_table() const {
    if (options_.transposes) return height_above() + length_of_steps();
    return heading() * static_cast<double>(groups_.size()) + row_ * static_cast<double>(rows());
  }
  std::size_t rows_of(const LinkGroup& group) const { return divided_up(group.links.size(), per_row_); }

  std::size_t rows() const {
    std::size_t count = 0;
    for (const LinkGroup& group : groups_) count += rows_of(group);
    return count;
  }

  /// Rows whose first link is named: as many as there is room for.
  std::size_t named_every() const { return static_cast<std::size_t>(std::max(1.0, std::ceil((small() + 0.5) / row_))); }

  template <class Visit>
  void for_each_name(const LinkGroup& group, Visit&& visit) const {
    for (std::size_t row = 0; row < rows_of(group); row += named_every())
      visit(row, link_label(network_, group.links[row * per_row_]));
  }

  double widest_label() const {
    double widest = text_width("step", small());
    for (const LinkGroup& group : groups_)
      for_each_name(
          group, [&](std::size_t, const std::string& name) { widest = std::max(widest, text_width(name, small())); });
    return widest;
  }

  void add(const LinkLoads& loads, int step) {
    const std::size_t column = static_cast<std::size_t>(step - steps_.first) / per_column_;
    std::size_t first = 0;
    for (const LinkGroup& group : groups_) {
      for (std::size_t k = 0; k < group.links.size(); ++k) {
        const double load = unit_.load(loads, group.links[k]);
        double& cell = cells_[(first + k / per_row_) * columns_ + column];
        cell = std::max(cell, load);
        if (load <= most_) continue;
        most_ = load;
        hottest_ = group.links[k];
        hottest_step_ = step;
      }
      first += rows_of(group);
    }
  }

  double left() const { return margin + label_; }

  /// How many columns have a number between them if a number takes so much room.
  std::size_t numbered_every(double room) const {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(room / column_)));
  }
  std::string number_of(std::size_t column) const {
    return fmt::format("{}", static_cast<std::size_t>(steps_.first) + column * per_column_);
  }

  void draw_rows(Picture& picture, double top, const LoadScale& scale) const {
    const double y = top - small() / 2 - 2;
    picture.text_from({margin, y}, "step", small());
    for (std::size_t k = 0; k < columns_; k += numbered_every(text_width(fmt::format("{}", steps_.end), small()) + 3))
      picture.text({left() + column_ * (static_cast<double>(k) + 0.5), y}, number_of(k), small());
    std::size_t first = 0;
    for (const LinkGroup& group : groups_) {
      draw_group(picture, group, first, top, scale);
      top += heading() + length_of(group);
      first += rows_of(group);
    }
  }

  void draw_group(Picture& picture, const LinkGroup& group, std::size_t first, double top,
                  const LoadScale& scale) const {
    picture.as(Role::panel_title)->text_from({left(), top + heading() / 2}, name_of(group), small());
    top += heading();
    for_each_name(group, [&](std::size_t row, const std::string& name) {
      picture.text_from({left() - text_width(name, small()) - 3, top + row_ * (static_cast<double>(row) + 0.5)}, name,
                        small());
    });
    fill_cells(
        picture, {left(), top}, {rows_of(group), columns_, column_, row_},
        [&](std::size_t row, std::size_t column) { return scale.fill(cells_[(first + row) * columns_ + column]); });
    draw_frame(picture, {left(), top}, {length_of_steps(), length_of(group)});
  }

  static void draw_frame(Picture& picture, Point corner, Point size) {
    picture.box(corner, size.x, size.y, "", 1, "none", {palette::black, "solid", 0.5});
  }

  void draw_columns(Picture& picture, double top, const LoadScale& scale) const {
    const double table = top + height_above();
    for (std::size_t k = 0; k < columns_; k += numbered_every(small() + 0.5)) {
      const std::string number = k == 0 ? "step " + number_of(k) : number_of(k);
      picture.text_from({left() - text_width(number, small()) - 3, table + column_ * (static_cast<double>(k) + 0.5)},
                        number, small());
    }
    double x = left();
    std::size_t first = 0;
    for (const LinkGroup& group : groups_) {
      draw_group_across(picture, group, first, {x, top}, table, scale);
      x += length_of(group) + between_groups;
      first += rows_of(group);
    }
  }

  void draw_group_across(Picture& picture, const LinkGroup& group, std::size_t first, Point corner, double table,
                         const LoadScale& scale) const {
    double y = corner.y + (small() + 1) / 2;
    for (const std::string& line : lines_above(group)) {
      picture.as(Role::panel_title)->text_from({corner.x, y}, line, small());
      y += small() + 1;
    }
    for_each_name(group, [&](std::size_t row, const std::string& name) {
      picture.add({.at = {corner.x + row_ * (static_cast<double>(row) + 0.5), table - 3},
                   .anchor = Text::Anchor::start,
                   .words = name,
                   .size = small(),
                   .colour = palette::black,
                   .is_upright = true});
    });
    fill_cells(
        picture, {corner.x, table}, {columns_, rows_of(group), row_, column_},
        [&](std::size_t step, std::size_t link) { return scale.fill(cells_[(first + link) * columns_ + step]); });
    draw_frame(picture, {corner.x, table}, {length_of(group), length_of_steps()});
  }

  std::string caption_text() const {
    std::string text = hottest_ < 0 ? "nothing is sent"
                                    : fmt::format("most: {}, first in step {} on {}", unit_.text(most_), hottest_step_,
                                                  link_label(network_, hottest_));
    if (per_row_ == 1 && per_column_ == 1) return text;
    std::vector<std::string> shared;
    if (per_row_ > 1) shared.push_back(fmt::format("{} links", per_row_));
    if (per_column_ > 1) shared.push_back(fmt::format("{} steps", per_column_));
    return fmt::format("{}. A cell shows the fullest of {}", text, fmt::join(shared, " in "));
  }

  const Schedule& schedule_;
  const Network& network_;
  const DrawOptions& options_;
  LoadUnit unit_;
  std::vector<LinkGroup> groups_;
  StepRange steps_;
  std::size_t per_row_ = 1;     // links that share a row
  std::size_t per_column_ = 1;  // steps that share a column
  std::size_t columns_ = 0;
  double row_ = 0;  // heights and widths, in points
  double column_ = 0;
  double label_ = 0;
  std::vector<double> cells_;  // row by row
  double most_ = 0;
  Link hottest_ = -1;
  int hottest_step_ = 0;
};

Drawn<Picture> draw_heat_map(const Schedule& schedule, const DrawOptions& options) {
  const auto network = TRY(network_of(schedule.header(), options));
  if (schedule.steps() == 0) return unsuitable("heat-map: the schedule has no steps");
  if (is_too_much(schedule, *network, steps_shown(schedule, options)))
    return too_large("the loads of so many links in so many steps would take long to compute");
  HeatMap map(schedule, *network, options);
  if (map.is_too_narrow())
    return too_large(fmt::format("the names of links need more width than {:.3g} in", options.style.width));
  if (!map.measure()) return unsuitable("the loads outgrow 126 bits");
  return map.draw(fmt::format("{} on {}", title_of(schedule.header()), network->name()));
}

}  // namespace

const View heat_map_view{
    .name = "heat-map",
    .summary = "links down, steps across, cells as dark as the link's load in the step",
    .heeds = "--steps --transpose --topology and the other options of the network",
    .draw = draw_heat_map,
};

}  // namespace onceover::viz
