// What is rendered, of every view at many sizes: no two texts overlap, nothing leaves the picture, labels fit into what
// they name, heads are short and over no circle, and numbers are written out.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <regex>

#include "network/topology.h"
#include "schedules/catalogue.h"
#include "text_boxes.h"
#include "viz/ink/graph.h"
#include "viz/ink/writers.h"
#include "viz/legible.h"
#include "viz/plot.h"

namespace rendered_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

/// Of shapes of one kind.
template <class Form>
std::vector<Form> all_of(const Picture& picture) {
  std::vector<Form> all;
  for (const DrawnShape& shape : picture.shapes())
    if (const auto* form = std::get_if<Form>(&shape.form)) all.push_back(*form);
  return all;
}

void check_heads(const Picture& picture, std::vector<std::string>& faults) {
  const auto discs = all_of<Disc>(picture);
  for (const Polycurve& line : all_of<Polycurve>(picture))
    for (const auto& [tip, base] :
         {std::pair{line.start, line.shaft.front().from}, std::pair{line.end, line.shaft.back().to}}) {
      if (!tip) continue;
      const double head = distance(*tip, base), shaft = line.length();
      if (head > 0.4 * shaft + 0.05)
        faults.push_back(fmt::format("a head of {:.2f} on a shaft of {:.2f}", head, shaft));
      for (const Disc& disc : discs)
        if (distance(*tip, disc.centre) < disc.radius - 0.5)
          faults.push_back(fmt::format("a head over '{}'", disc.label));
    }
}

/// Labels may be as much wider as widths may be wrong.
void check_labels(const Picture& picture, std::vector<std::string>& faults) {
  for (const Disc& disc : all_of<Disc>(picture))
    if (0.9 * text_width(disc.label, disc.size) > 2 * disc.radius)
      faults.push_back(fmt::format("'{}' is wider than its circle", disc.label));
  for (const Box& box : all_of<Box>(picture)) {
    const Text text{{}, Text::Anchor::middle, box.label, box.size, palette::black};
    for (const std::string& line : text.lines())
      if (0.9 * text_width(line, box.size) > box.width + 1)
        faults.push_back(fmt::format("'{}' is wider than its box", line));
  }
}

void check_edges(const Picture& picture, std::vector<std::string>& faults) {
  const auto check = [&](Point at, double around, const std::string& what) {
    if (at.x - around < -0.6 || at.y - around < -0.6 || at.x + around > picture.width() + 0.1 ||
        at.y + around > picture.height() + 0.6)
      faults.push_back(what + " leaves the picture");
  };
  for (const Disc& disc : all_of<Disc>(picture)) check(disc.centre, disc.radius, "circle '" + disc.label + "'");
  for (const Box& box : all_of<Box>(picture)) {
    check(box.corner, 0, "box '" + box.label + "'");
    check(box.corner + Point{box.width, box.height}, 0, "box '" + box.label + "'");
  }
  for (const Polycurve& line : all_of<Polycurve>(picture))
    for (const Curve& curve : line.shaft)
      for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0})
        check(curve.at(t), 0, fmt::format("a line at {:.1f},{:.1f}", curve.at(t).x, curve.at(t).y));
}

std::vector<std::string> faults_of(const Picture& picture) {
  std::vector<std::string> faults = faults_of_texts(svg_of(picture));
  static const std::regex exponent("[0-9]e[-+]?[0-9]");
  for (const Text& text : picture.texts())
    if (std::regex_search(text.words, exponent)) faults.push_back("'" + text.words + "' has an exponent");
  check_heads(picture, faults);
  check_labels(picture, faults);
  check_edges(picture, faults);
  if (faults.size() > 8) faults.resize(8);
  return faults;
}

struct Subject {
  std::string_view algorithm;
  std::vector<Rank> shape;
  bool all_lanes = false;
};

/// Checks all views of a subject; returns how many there are.
std::size_t check_views(const Subject& subject, double width) {
  const Algorithm& row = *find_algorithm(subject.algorithm);
  const Request request{
      .collective = row.collectives.front(), .shape = subject.shape, .all_lanes = subject.all_lanes && row.has_lanes};
  if (refusal(row, request)) return 0;
  const SchedulePtr schedule = row.make(request);
  std::size_t drawn = 0;
  for (const View& view : views())
    for (const bool has_more : {false, true}) {
      if (view.name == counterexample_view.name) continue;
      DrawOptions options{.counts = has_more, .style = {.width = width}};
      if (view.name == time_view.name && has_more) {
        options.network = std::make_shared<const onceover::network::Network>(
            *onceover::network::make_topology({.name = "torus", .shape = schedule->header().sides()}));
        options.clock = {.bytes = 1 << 20};
      } else if (has_more && view.name != steps_view.name) {
        continue;
      }
      const Drawing drawing{.draw = [&](const DrawOptions& shown) { return draw(view, *schedule, shown); }};
      const auto picture = legible(drawing, options);
      if (!picture) continue;
      CAPTURE(view.name, subject.algorithm, subject.shape, subject.all_lanes, width, has_more);
      CHECK(faults_of(*picture) == std::vector<std::string>{});
      ++drawn;
    }
  return drawn;
}

}  // namespace

TEST_CASE("nothing overlaps or leaves its picture, at many sizes") {
  std::size_t drawn = 0;
  for (const double width : {3.3, 7.0})
    for (const Subject& subject : {Subject{"swing", {2}},
                                   {"swing", {7}},
                                   {"swing", {16}},
                                   {"ring", {8}},
                                   {"ring", {32}},
                                   {"recursive-doubling", {8}},
                                   {"pat", {8}},
                                   {"bruck", {7}},
                                   {"binomial-tree", {16}},
                                   {"swing", {4, 4}},
                                   {"swing", {4, 4}, true},
                                   {"bucket", {3, 3}},
                                   {"bucket", {2, 3, 4}},
                                   {"swing", {8, 8}}})
      drawn += check_views(subject, width);
  CHECK(drawn > 180);
}

TEST_CASE("plots of values of any size, with any number of lines, have nothing over another or outside") {
  const std::vector<std::string> sizes{"32 B",  "256 B", "2 KiB",  "16 KiB", "128 KiB",
                                       "1 MiB", "8 MiB", "64 MiB", "512 MiB"};
  for (const double width : {3.3, 7.0})
    for (const double unit : {1e-7, 1e-3, 1.0, 12.5, 3e4, 7e8, 2e13})
      for (const std::size_t lines : {1, 2, 6, 13})
        for (const bool is_log : {false, true}) {
          Plot plot{.title = "allreduce on torus 64x64", .x_label = "vector size", .y_label = "time, us"};
          plot.style.width = width;
          plot.has_log_x = true;
          plot.has_log_y = is_log;
          for (std::size_t k = 0; k < sizes.size(); ++k)
            plot.x.push_back(std::pow(2.0, 5 + 3 * static_cast<double>(k)));
          if (lines != 2) plot.x_names = sizes;
          for (std::size_t n = 0; n < lines; ++n) {
            Series series{fmt::format("algorithm {}", n), {}, {3}};
            for (std::size_t k = 0; k < sizes.size(); ++k)
              series.values.push_back(unit * (1 + static_cast<double>(n)) * std::pow(1.0 + static_cast<double>(k), 2));
            plot.series.push_back(std::move(series));
          }
          plot.notes = {{plot.x[2], "one from 2 KiB"}, {plot.x[6], "another from 8 MiB"}};
          CAPTURE(width, unit, lines, is_log);
          CHECK(faults_of(picture_of(std::vector{plot, plot})) == std::vector<std::string>{});
          Plot boxes{.title = "loads", .x_label = "step", .y_label = "blocks", .kind = Plot::Kind::boxes};
          boxes.style.width = width;
          for (std::size_t k = 0; k < 10 * lines; ++k) boxes.x.push_back(static_cast<double>(k));
          boxes.series = {{"loads", std::vector<double>(boxes.x.size(), unit), {}}};
          CHECK(faults_of(picture_of(std::vector{boxes})) == std::vector<std::string>{});
        }
}

TEST_CASE("nothing overlaps or leaves its picture, at more sizes", "[long]") {
  for (const double width : {2.0, 3.3, 5.0, 7.0})
    for (const Algorithm& row : catalogue())
      for (const std::vector<Rank>& shape : std::vector<std::vector<Rank>>{{1},
                                                                           {2},
                                                                           {3},
                                                                           {5},
                                                                           {8},
                                                                           {13},
                                                                           {16},
                                                                           {24},
                                                                           {32},
                                                                           {64},
                                                                           {2, 2},
                                                                           {4, 4},
                                                                           {4, 8},
                                                                           {3, 5},
                                                                           {2, 2, 2},
                                                                           {4, 4, 4}})
        for (const bool all_lanes : {false, true}) check_views({row.name, shape, all_lanes}, width);
}

}  // namespace rendered_test
