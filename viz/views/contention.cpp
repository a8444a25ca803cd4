// contention: a network whose links are as thick and dark as their loads.
//
// Each step that is asked for has a panel of its own; of two schedules, one below the other, on the same scale. With
// --counts, links have their loads beside them, if at least half of them have room. A network that can't be read in the
// width is shown as a heat map, which has no room for numbers.
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

constexpr double panel_title_height = 14;
constexpr std::size_t most_named = 8;  // hottest links whose names are shown

/// Loads, and a title that says what they are.
struct LoadPanel {
  std::string title;
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

/// The panels, whose network is laid out once, and the key to all of them.
class ContentionPicture {
 public:
  ContentionPicture(const Header& header, const std::vector<LoadPanel>& panels, const NetworkLayout& layout,
                    const DrawOptions& options)
      : header_(header),
        panels_(panels),
        layout_(layout),
        options_(options),
        unit_(layout.network()),
        scale_(loads_in(unit_, panels), unit_.name(), layout.widest_line()) {}

  Drawn<Picture> draw() const {
    Picture picture(options_.style, fmt::format("{} on {}", title_of(header_), layout_.network().name()), 0);
    double top = 0;
    std::size_t without_room = 0;
    for (const LoadPanel& panel : panels_) top = draw_panel(picture, panel, top, without_room);
    if (const std::size_t all = numbers(); 2 * without_room > all)
      return too_large(fmt::format("of {} loads {} have no room beside their links", all, without_room));
    const PictureKey key = key_to_loads(without_room > 0);
    key.draw(picture, top);
    picture.resize(picture.width(), top + key.height());
    return picture;
  }

 private:
  double size() const { return options_.style.font_size; }
  double width() const { return options_.style.width_in_points() - 2 * margin; }

  /// How many links have a load, in all panels.
  std::size_t numbers() const {
    const auto loads = loads_in(unit_, panels_);
    return static_cast<std::size_t>(std::count_if(loads.begin(), loads.end(), [](double load) { return load > 0; }));
  }

  /// Returns where it ends, and adds the loads that have no room beside their links.
  double draw_panel(Picture& picture, const LoadPanel& panel, double top, std::size_t& without_room) const {
    picture.as(Role::panel_title)->text({margin + width() / 2, top + panel_title_height / 2}, panel.title, size());
    top += panel_title_height;
    const auto load = [&](Link l) { return panel.load(unit_, l); };
    NetworkLook look{.stroke =
                         [&](Link l) {
                           return load(l) <= 0 && layout_.hides_unused() ? Stroke{.width = 0} : scale_.stroke(load(l));
                         },
                     .load = [&](Link l) { return unit_.text(load(l)); }};
    if (options_.counts) look.number = [&](Link l) { return load(l) > 0 ? load_text(load(l)) : ""; };
    without_room += draw_network(picture, layout_, {margin, top}, look);
    const auto caption = lines_within(hottest_text(layout_.network(), unit_, panel), 0.97 * width(), size() - 1);
    return picture.as(Role::note)->lines(top + layout_.height() + 0.5, caption, size() - 1, size() + 1) + 3.5;
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
    panels.push_back({name.empty() ? range.words : fmt::format("{}, {}", name, range.words), std::move(*loads), block});
  }
  return {};
}

Drawn<std::vector<LoadPanel>> panels_of(const Schedule& schedule, const Network& network, const DrawOptions& options) {
  std::vector<LoadPanel> panels;
  if (!options.beside) {
    TRY(add_panels(panels, schedule, "", 1, network, options));
    return panels;
  }
  const Header &header = schedule.header(), &other = options.beside->header();
  TRY(add_panels(panels, schedule, title_of(header), 1, network, options));
  const double block = static_cast<double>(header.blocks) / static_cast<double>(other.blocks);
  TRY(add_panels(panels, *options.beside, title_of(other), block, network, options));
  return panels;
}

Drawn<Picture> draw_contention(const Schedule& schedule, const DrawOptions& options) {
  if (options.thinned && !options.beside && !options.counts) return heat_map_view.draw(schedule, options);
  const auto network = TRY(network_of(schedule.header(), options));
  const auto layout = TRY(layout_of(*network, options.style.width_in_points() - 2 * margin));
  const auto panels = TRY(panels_of(schedule, *network, options));
  return ContentionPicture(schedule.header(), panels, *layout, options).draw();
}

}  // namespace

const View contention_view{
    .name = "contention",
    .summary = "the network, links as thick and dark as their load, over all steps or in each",
    .heeds = "--steps --counts --beside --topology and the other options of the network",
    .draw = draw_contention,
};

}  // namespace onceover::viz
