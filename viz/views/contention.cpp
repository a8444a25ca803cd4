// contention: a network whose links are as thick and dark as their loads.
//
// Each step that is asked for has a panel of its own, on one scale. Two schedules stand side by side if the network can
// be read in half the width, or below each other. With --counts, links have their loads beside them, if at least half
// of them have room. A network that can't be read in the width is shown as a heat map, which has no room for numbers.
//
// Example: 3 blocks on a link of 100 Gb/s beside links of 200 Gb/s are drawn as 6 blocks, because they take as long as
// 6 would on a fast link.
//
// O(links * panels), and the cost of the loads (network/contention.h). network_layout.h says what there is room for.

#include "network/contention.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "viz/load_scale.h"
#include "viz/messages.h"
#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr double between_panels = 8;
constexpr double room_for_words = 32;  // above and below a panel
constexpr std::size_t most_named = 8;  // hottest links whose names are shown

/// Loads, and what they are.
struct LoadPanel {
  std::string name;  // of the schedule, where there are two
  std::string steps;
  LinkLoads loads;
  double block = 1;  // the size of its blocks, in those of the picture

  double load(const LoadUnit& unit, Link link) const { return block * unit.load(loads, link); }
};

std::vector<double> loads_in(const LoadUnit& unit, const std::vector<LoadPanel>& panels) {
  std::vector<double> loads;
  for (const LoadPanel& panel : panels)
    for (Link l = 0; l < panel.loads.links(); ++l) loads.push_back(panel.load(unit, l));
  return loads;
}

/// "most: 4 blocks on 0 to 1, 3 to 2" "on each of 16 links" or "on all 32 links".
std::string hottest_text(const Network& network, const LoadUnit& unit, const LoadPanel& panel) {
  const LinkLoads& loads = panel.loads;
  const Link hottest = loads.hottest(network);
  if (hottest < 0) return "nothing is sent";
  std::vector<std::string> names;
  for (Link l = 0; l < loads.links(); ++l)
    if (!loads.is_cooler(network, l, hottest)) names.push_back(link_label(network, l));
  const std::string where =
      names.size() <= most_named
          ? fmt::format("{}", fmt::join(names, ", "))
          : fmt::format("{} {} links", std::ssize(names) == loads.links() ? "all" : "each of", names.size());
  return fmt::format("most: {} on {}", unit.text(panel.load(unit, hottest)), where);
}

/// The width of each panel, in points, if so many are side by side.
double panel_width_of(const Style& style, int across) {
  return (style.width_in_points() - 2 * margin - between_panels * (across - 1)) / across;
}

/// The panels, so many side by side, whose network is laid out once, and the key to all of them.
class ContentionPicture {
 public:
  ContentionPicture(const Header& header, const std::vector<LoadPanel>& panels, const NetworkLayout& layout, int across,
                    const DrawOptions& options)
      : header_(header),
        panels_(panels),
        layout_(layout),
        across_(static_cast<std::size_t>(across)),
        options_(options),
        unit_(layout.network()),
        scale_(loads_in(unit_, panels), unit_.name(), layout.widest_line()) {}

  Drawn<Picture> draw() const {
    Picture picture(options_.style, fmt::format("{} on {}", title_of(header_), layout_.network().name()), 0);
    double top = 0;
    std::size_t without_room = 0;
    for (std::size_t first = 0; first < panels_.size(); first += across_)
      top = draw_row(picture, first, std::min(first + across_, panels_.size()), top, without_room);
    if (const std::size_t all = numbers(); 2 * without_room > all)
      return too_large(fmt::format("of {} loads {} have no room beside their links", all, without_room));
    const PictureKey key = key_to_loads(without_room > 0);
    key.draw(picture, top);
    picture.resize(picture.width(), top + key.height());
    return picture;
  }

 private:
  double size() const { return options_.style.font_size; }
  double panel_width() const { return panel_width_of(options_.style, static_cast<int>(across_)); }
  double left(std::size_t panel) const {
    return margin + static_cast<double>(panel % across_) * (panel_width() + between_panels);
  }

  /// How many links have a load, in all panels.
  std::size_t numbers() const {
    const auto loads = loads_in(unit_, panels_);
    return static_cast<std::size_t>(std::count_if(loads.begin(), loads.end(), [](double load) { return load > 0; }));
  }

  /// Returns where the panels first .. end-1 end, and adds the loads that have no room beside their links.
  double draw_row(Picture& picture, std::size_t first, std::size_t end, double top, std::size_t& without_room) const {
    const double after_titles = draw_words(picture, first, end, top + 1.5, Role::panel_title, size(),
                                           [&](const LoadPanel& panel) { return title_lines(panel); });
    for (std::size_t k = first; k < end; ++k) without_room += draw_loads(picture, panels_[k], {left(k), after_titles});
    return draw_words(
        picture, first, end, after_titles + layout_.height() + 0.5, Role::note, size() - 1,
        [&](const LoadPanel& panel) { return lines(hottest_text(layout_.network(), unit_, panel), size() - 1); });
  }

  std::vector<std::string> lines(const std::string& words, double size) const {
    return lines_within(words, 0.97 * panel_width(), size);
  }

  /// In one line, or the steps in a line of their own.
  std::vector<std::string> title_lines(const LoadPanel& panel) const {
    if (panel.name.empty()) return {panel.steps};
    auto title = lines(fmt::format("{}, {}", panel.name, panel.steps), size());
    if (title.size() == 1) return title;
    title = lines(panel.name, size());
    title.push_back(panel.steps);
    return title;
  }

  /// Lines in the middle of each panel, from `top` on. Returns where the lowest end.
  template <class LinesOf>
  double draw_words(Picture& picture, std::size_t first, std::size_t end, double top, Role role, double size,
                    LinesOf&& lines_of) const {
    double bottom = top;
    for (std::size_t k = first; k < end; ++k) {
      double y = top;
      for (const std::string& line : lines_of(panels_[k])) {
        picture.as(role)->text({left(k) + panel_width() / 2, y + (size + 2) / 2}, line, size);
        y += size + 2;
      }
      bottom = std::max(bottom, y);
    }
    return bottom + 2.5;
  }

  /// Returns how many have no room beside their links.
  std::size_t draw_loads(Picture& picture, const LoadPanel& panel, Point corner) const {
    const auto load = [&](Link l) { return panel.load(unit_, l); };
    NetworkLook look{.stroke =
                         [&](Link l) {
                           return load(l) <= 0 && layout_.hides_unused() ? Stroke{.width = 0} : scale_.stroke(load(l));
                         },
                     .load = [&](Link l) { return unit_.text(load(l)); }};
    if (options_.counts) look.number = [&](Link l) { return load(l) > 0 ? load_text(load(l)) : ""; };
    return draw_network(picture, layout_, corner, look);
  }

  PictureKey key_to_loads(bool lacks_numbers) const {
    PictureKey key(options_.style);
    scale_.explain_lines(key);
    layout_.explain(key);
    if (options_.counts)
      key.add_words(words_of({"A load stands on the right-hand side of its arrow.",
                              lacks_numbers ? "Where it has no room, only the shade shows it." : ""}));
    if (layout_.network().is_half_duplex()) key.add_words("A half-duplex link shows what goes either way.");
    if (panels_.back().block != 1) key.add_words(fmt::format("A block is 1/{} of the vector.", header_.blocks));
    if (layout_.hides_unused()) key.add_words("Links without load are not drawn.");
    return key;
  }

  const Header& header_;
  const std::vector<LoadPanel>& panels_;
  const NetworkLayout& layout_;
  std::size_t across_;
  const DrawOptions& options_;
  LoadUnit unit_;
  LoadScale scale_;
};

/// The steps first .. end-1 of a schedule, in words.
struct PanelSteps {
  std::string words;
  int first, end;
};

/// Steps that only the other schedule has are there, and empty.
std::vector<PanelSteps> steps_of_panels(const Schedule& schedule, const DrawOptions& options) {
  if (!options.steps) return {{"all steps", 0, schedule.steps()}};
  std::vector<PanelSteps> all;
  for (int s = options.steps->first; s <= options.steps->second; ++s)
    all.push_back({fmt::format("step {}", s), std::min(s, schedule.steps()), std::min(s + 1, schedule.steps())});
  return all;
}

/// Adds the panels of a schedule; `name` says which it is, where there are two.
Drawn<void> add_panels(std::vector<LoadPanel>& panels, const Schedule& schedule, const std::string& name, double block,
                       const Network& network, const DrawOptions& options) {
  for (const PanelSteps& range : steps_of_panels(schedule, options)) {
    auto loads = loads_of(schedule, network, options.routing, range.first, range.end);
    if (!loads) return unsuitable("the loads outgrow 126 bits");
    panels.push_back({name, range.words, std::move(*loads), block});
  }
  return {};
}

/// Of two schedules, the same steps follow each other.
Drawn<std::vector<LoadPanel>> panels_of(const Schedule& schedule, const Network& network, const DrawOptions& options) {
  std::vector<LoadPanel> panels;
  if (!options.beside) {
    TRY(add_panels(panels, schedule, "", 1, network, options));
    return panels;
  }
  const Header &header = schedule.header(), &other = options.beside->header();
  const double block = static_cast<double>(header.blocks) / static_cast<double>(other.blocks);
  std::vector<LoadPanel> ones, others;
  TRY(add_panels(ones, schedule, title_of(header), 1, network, options));
  TRY(add_panels(others, *options.beside, title_of(other), block, network, options));
  for (std::size_t k = 0; k < ones.size(); ++k) {
    panels.push_back(std::move(ones[k]));
    panels.push_back(std::move(others[k]));
  }
  return panels;
}

/// How many panels are side by side: as many as the options say, or two of two schedules, or one; fewer if the network
/// can't be read in that width, and, unless the options say it, more if the page is too low.
struct Arrangement {
  int across;
  std::unique_ptr<NetworkLayout> layout;
};

Drawn<Arrangement> arrange(const Network& network, int panels, const DrawOptions& options) {
  const auto laid_out = [&](int across) { return layout_of(network, panel_width_of(options.style, across)); };
  const int step = options.beside ? 2 : 1;
  int across = std::min(options.columns.value_or(step), panels);
  auto layout = laid_out(across);
  while (!layout && across > 1) layout = laid_out(--across);
  if (!layout) return tl::unexpected(layout.error());
  const auto is_too_tall = [&] {
    const int rows = (panels + across - 1) / across;
    return rows * ((*layout)->height() + room_for_words) > 72 * options.style.height - room_for_words;
  };
  while (!options.columns && across < panels && is_too_tall()) {
    auto narrower = laid_out(across + step);
    if (!narrower) break;
    layout = std::move(narrower);
    across += step;
  }
  return Arrangement{across, *std::move(layout)};
}

Drawn<Picture> draw_contention(const Schedule& schedule, const DrawOptions& options) {
  if (options.thinned && !options.beside && !options.counts) return heat_map_view.draw(schedule, options);
  const auto network = TRY(network_of(schedule.header(), options));
  TRY(layout_of(*network, panel_width_of(options.style, 1)));  // first, since loads take longer
  const auto panels = TRY(panels_of(schedule, *network, options));
  const Arrangement arranged = TRY(arrange(*network, static_cast<int>(panels.size()), options));
  return ContentionPicture(schedule.header(), panels, *arranged.layout, arranged.across, options).draw();
}

}  // namespace

const View contention_view{
    .name = "contention",
    .summary = "the network, links as thick and dark as their load, over all steps or in each",
    .heeds = "--steps --counts --columns --beside --topology and the other options of the network",
    .draw = draw_contention,
};

}  // namespace onceover::viz
