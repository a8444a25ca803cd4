// Transposed pictures show what the others show, with rows and columns exchanged.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "network/topology.h"
#include "picture_faults.h"
#include "schedules/catalogue.h"
#include "viz/ink/graph.h"
#include "viz/legible.h"
#include "viz/messages.h"

namespace transposed_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

struct Case {
  std::string_view algorithm;
  std::vector<Rank> shape;
};

SchedulePtr made(const Case& subject) {
  const Algorithm& row = *find_algorithm(subject.algorithm);
  return row.make({.collective = row.collectives.front(), .shape = subject.shape});
}

Picture drawn(const View& view, const Schedule& schedule, bool transposes, double width = 7) {
  DrawOptions options{.fold = Fold::never, .transposes = transposes, .style = {.width = width, .has_classes = true}};
  auto picture = draw(view, schedule, options);
  if (!picture) FAIL(picture.error().message);
  return *std::move(picture);
}

/// What messages are called, in any order.
std::vector<std::string> messages(const Picture& picture) {
  std::vector<std::string> all;
  for (const DrawnShape& shape : picture.shapes())
    if (shape.role == Role::message) all.push_back(shape.css_class + shape.title);
  std::sort(all.begin(), all.end());
  return all;
}

/// The number of the circle that is nearest to a place.
std::string nearest(const Picture& picture, Point at) {
  double least = 1e9;
  std::string label;
  for (const Disc& disc : all_of<Disc>(picture))
    if (const double away = std::hypot(disc.centre.x - at.x, disc.centre.y - at.y); away < least) {
      least = away;
      label = disc.label;
    }
  return label;
}

}  // namespace

TEST_CASE("transposed, a line of ranks goes down, and the same messages join the same ranks") {
  for (const Case& subject : {Case{"swing", {8}}, {"swing", {16}}, {"ring", {6}}, {"generalized", {7}}}) {
    CAPTURE(subject.algorithm, subject.shape);
    const SchedulePtr schedule = made(subject);
    const Picture down = drawn(steps_view, *schedule, true), across = drawn(steps_view, *schedule, false);
    CHECK(messages(down) == messages(across));
    const Rank ranks = schedule->header().ranks;
    const auto discs = all_of<Disc>(down);
    REQUIRE(std::ssize(discs) == ranks * schedule->steps());
    for (std::size_t k = 1; k < discs.size(); ++k)
      if (discs[k].label != "0")
        CHECK((discs[k].centre.x == discs[k - 1].centre.x && discs[k].centre.y > discs[k - 1].centre.y));
    for (const DrawnShape& shape : down.shapes()) {
      const auto* line = std::get_if<Polycurve>(&shape.form);
      if (line == nullptr || shape.css_class.empty() || !line->end) continue;
      const std::string to = nearest(down, *line->end);
      CHECK_THAT(shape.css_class, Catch::Contains("-to-" + to + " "));
    }
  }
}

TEST_CASE("transposed, the first side of a torus goes across, the last one down") {
  const SchedulePtr schedule = made({"swing", {2, 8}});
  const Picture picture = drawn(steps_view, *schedule, true);
  CHECK(messages(picture) == messages(drawn(steps_view, *schedule, false)));
  const auto discs = all_of<Disc>(picture);
  CHECK((discs[1].centre.x == discs[0].centre.x && discs[1].centre.y > discs[0].centre.y));
  CHECK((discs[8].centre.y == discs[0].centre.y && discs[8].centre.x > discs[0].centre.x));
  const SchedulePtr slices = made({"swing", {2, 3, 4}});
  CHECK(messages(drawn(steps_view, *slices, true)) == messages(drawn(steps_view, *slices, false)));
}

TEST_CASE("transposed, folded steps have the same ranks, those of a line below each other") {
  const SchedulePtr schedule = made({"swing", {256}});
  DrawOptions options{.thinned = true, .fold = Fold::always, .transposes = true};
  options.style.has_classes = true;
  const Picture down = draw(steps_view, *schedule, options).value();
  options.transposes = false;
  CHECK(messages(down) == messages(draw(steps_view, *schedule, options).value()));
  for (const Disc& disc : all_of<Disc>(down))
    if (disc.label == "0") CHECK(nearest(down, disc.centre + Point{0, 14}) == "1");
}

TEST_CASE("transposed, messages over time begin and end on the lines of their ranks, later steps further right") {
  for (const Case& subject : {Case{"swing", {6}}, {"pat", {8}}, {"binomial-tree", {16}}, {"swing", {16}}}) {
    CAPTURE(subject.algorithm, subject.shape);
    const SchedulePtr schedule = made(subject);
    const Picture picture = drawn(time_view, *schedule, true);
    CHECK(messages(picture) == messages(drawn(time_view, *schedule, false)));
    std::map<std::string, double> y;
    for (const Disc& disc : all_of<Disc>(picture)) y[disc.label] = disc.centre.y;
    std::map<int, double> begins;
    for (const DrawnShape& shape : picture.shapes()) {
      const auto* line = std::get_if<Polycurve>(&shape.form);
      if (line == nullptr || shape.title.empty()) continue;
      int step = 0, from = 0, to = 0;
      REQUIRE(std::sscanf(shape.title.c_str(), "step %d: %d to %d", &step, &from, &to) == 3);
      CHECK(std::abs(line->shaft.front().from.y - y.at(std::to_string(from))) < 2.5);
      CHECK(std::abs(line->end->y - y.at(std::to_string(to))) < 2.5);
      begins[step] = line->shaft.front().from.x;
    }
    for (const auto& [step, x] : begins)
      if (step > 0) CHECK(x > begins.at(step - 1));
  }
}

TEST_CASE("transposed, a matrix has the ranks across, and each cell has the same number") {
  const SchedulePtr schedule = made({"swing", {8}});
  const auto cells = [&](bool transposes) {
    const Picture picture = drawn(matrix_view, *schedule, transposes);
    std::vector<std::string> labels;
    for (const DrawnShape& shape : picture.shapes())
      if (const auto* box = std::get_if<onceover::viz::Box>(&shape.form); box != nullptr && box->border.width < 0.4)
        labels.push_back(box->label);
    return labels;
  };
  const auto rows = cells(false), columns = cells(true);
  REQUIRE(rows.size() == 7 * 64);
  REQUIRE(columns.size() == rows.size());
  for (std::size_t panel = 0; panel < 7; ++panel)
    for (std::size_t rank = 0; rank < 8; ++rank)
      for (std::size_t block = 0; block < 8; ++block)
        CHECK(rows[64 * panel + 8 * rank + block] == columns[64 * panel + 8 * block + rank]);
  CHECK_THAT(drawn(matrix_view, *schedule, true).note(), Catch::Contains("Blocks are down, ranks across"));
}

TEST_CASE("transposed, a heat map has the links across, and each cell is as dark") {
  for (const Case& subject :
       {Case{"swing", {4}}, {"swing", {8}}, {"swing", {4, 4}}, {"ring", {64}}, {"bucket", {4, 4, 4}}}) {
    CAPTURE(subject.algorithm, subject.shape);
    const SchedulePtr schedule = made(subject);
    const Picture rows = drawn(heat_map_view, *schedule, false), columns = drawn(heat_map_view, *schedule, true);
    CHECK(faults_of(columns) == std::vector<std::string>());
    const auto frames = [](const Picture& picture) {
      std::vector<onceover::viz::Box> all;
      for (const auto& box : all_of<onceover::viz::Box>(picture))
        if (box.fill == "none") all.push_back(box);
      return all;
    };
    const auto down = frames(rows), across = frames(columns);
    REQUIRE(down.size() == 2 * subject.shape.size());
    REQUIRE(across.size() == down.size());
    // The colour of the topmost shape at a place, given in parts of a frame.
    const auto colour = [](const Picture& picture, const onceover::viz::Box& frame, double x, double y) {
      const Point at = frame.corner + Point{x * frame.width, y * frame.height};
      std::string_view found = palette::white;
      for (const auto& box : all_of<onceover::viz::Box>(picture))
        if (box.fill != "none" && at.x > box.corner.x && at.y > box.corner.y && at.x < box.corner.x + box.width &&
            at.y < box.corner.y + box.height)
          found = box.fill;
      return found;
    };
    const auto links = static_cast<double>(schedule->header().ranks);
    const auto steps = static_cast<double>(schedule->steps());
    std::set<std::string_view> colours;
    for (std::size_t group = 0; group < down.size(); ++group)
      for (double link = 0.5; link < links; ++link)
        for (double step = 0.5; step < steps; ++step) {
          const auto one = colour(rows, down[group], step / steps, link / links);
          CHECK(colour(columns, across[group], link / links, step / steps) == one);
          colours.insert(one);
        }
    CHECK(colours.size() > 1);
    CHECK(across.front().corner.y == across.back().corner.y);
    for (const Text& text : all_of<Text>(rows))
      if (text.words.find(" to ") != std::string::npos && text.words.find(',') == std::string::npos) {
        const auto texts = all_of<Text>(columns);
        const bool is_there =
            std::any_of(texts.begin(), texts.end(), [&](const Text& other) { return other.words == text.words; });
        CHECK((is_there || schedule->header().ranks > 16));
      }
  }
}

namespace {

/// Texts but notes, each as one line, in any order.
std::vector<std::string> words_in(const Picture& picture) {
  std::vector<std::string> all;
  for (const Text& text : picture.texts()) all.push_back(text.words);
  for (const DrawnShape& shape : picture.shapes())
    if (const auto* text = std::get_if<Text>(&shape.form);
        text && (shape.role == Role::note || shape.role == Role::key))
      all.erase(std::find(all.begin(), all.end(), text->words));
  for (std::string& words : all) std::replace(words.begin(), words.end(), '\n', ' ');
  std::sort(all.begin(), all.end());
  return all;
}

/// The moves of a picture of vectors as "3 to 1", in their order from the first step on, each step's sorted.
std::vector<std::string> moves_in(const Picture& picture, bool transposes) {
  const auto along = [&](Point at) { return transposes ? at.y : at.x; };
  const auto from_edge = [&](Point at) { return transposes ? at.x : at.y; };
  std::vector<std::pair<double, std::string>> places;  // in circles, or numbers if they are too small for these
  for (const Disc& disc : all_of<Disc>(picture))
    if (!disc.label.empty()) places.emplace_back(along(disc.centre), disc.label);
  const bool has_circles = !places.empty();
  for (const Text& text : all_of<Text>(picture))
    if (!has_circles && text.words.find_first_not_of("0123456789") == std::string::npos)
      places.emplace_back(along(text.at), text.words);
  const auto place = [&](Point at) {
    for (const auto& [there, label] : places)
      if (std::abs(there - along(at)) < 0.5) return label;
    return std::string("nowhere");
  };
  std::map<double, std::vector<std::string>> steps;
  for (const DrawnShape& shape : picture.shapes()) {
    const auto* line = std::get_if<Polycurve>(&shape.form);
    if (line == nullptr || !line->end || shape.role == Role::key) continue;
    const Point from = line->shaft.front().from;
    steps[std::round(from_edge(from))].push_back(place(from) + " to " + place(*line->end));
  }
  std::vector<std::string> all;
  for (auto& [from, step] : steps) {
    std::sort(step.begin(), step.end());
    all.insert(all.end(), step.begin(), step.end());
    all.emplace_back("then");
  }
  return all;
}

}  // namespace

TEST_CASE("transposed, vectors have their places down, and each step moves the same to the right") {
  for (const Case& subject : {Case{"generalized", {7}}, {"swing", {8}}, {"rabenseifner", {16}}, {"pat", {8}}}) {
    CAPTURE(subject.algorithm, subject.shape);
    const SchedulePtr schedule = made(subject);
    const Picture across = drawn(vectors_view, *schedule, false), down = drawn(vectors_view, *schedule, true);
    CHECK(words_in(down) == words_in(across));
    CHECK(moves_in(down, true).size() > 4);
    CHECK(moves_in(down, true) == moves_in(across, false));
    CHECK(faults_of(down) == std::vector<std::string>());
    CHECK_THAT(down.note(), Catch::Contains("Below: how many vectors move"));
  }
  const SchedulePtr large = made({"swing", {256}});
  DrawOptions options{.fold = Fold::always, .transposes = true};
  const Picture folded = draw(vectors_view, *large, options).value();
  options.transposes = false;
  CHECK(words_in(folded) == words_in(draw(vectors_view, *large, options).value()));
  CHECK(faults_of(folded) == std::vector<std::string>());
}

TEST_CASE("folded vectors whose places don't fit across a column have them down") {
  for (const Case& subject : {Case{"swing", {1024}}, {"swing", {4096}}, {"swing", {64, 64}}}) {
    CAPTURE(subject.algorithm, subject.shape);
    const SchedulePtr schedule = made(subject);
    const DrawOptions options{.thinned = true, .fold = Fold::always};
    const auto picture = draw(vectors_view, *schedule, options);
    REQUIRE(picture);
    CHECK(faults_of(*picture) == std::vector<std::string>());
    CHECK(picture->height() <= 72 * options.style.height);
    CHECK(picture->smallest_letters() > smallest_letters - 0.01);
    CHECK_THAT(picture->note(), Catch::Contains("Below: how many vectors move"));
    DrawOptions wide = options;
    wide.style.width = 14;
    wide.style.height = 14;
    CHECK(words_in(*picture) == words_in(draw(vectors_view, *schedule, wide).value()));
    CHECK(moves_in(*picture, true) == moves_in(draw(vectors_view, *schedule, wide).value(), false));
  }
}

TEST_CASE("numbers of places for which circles are a little too small stand without circles") {
  for (const Case& subject : {Case{"rabenseifner", {1024}}, {"bruck", {1024}}}) {
    CAPTURE(subject.algorithm);
    const Picture picture = draw(vectors_view, *made(subject), {.thinned = true, .fold = Fold::always}).value();
    CHECK(picture.smallest_letters() > smallest_letters - 0.01);
    CHECK(faults_of(picture) == std::vector<std::string>());
  }
}

TEST_CASE("transposed, trees and terms go to the right, with the same words") {
  for (const View* view : {&tree_view, &term_view})
    for (const Case& subject : {Case{"swing", {8}}, {"ring", {6}}, {"rabenseifner", {8}}}) {
      CAPTURE(view->name, subject.algorithm, subject.shape);
      const SchedulePtr schedule = made(subject);
      const Picture down = placed(drawn(*view, *schedule, false)).value();
      const Picture right = placed(drawn(*view, *schedule, true)).value();
      CHECK(words_in(right) == words_in(down));
      CHECK(faults_of(right) == std::vector<std::string>());
      std::size_t lines = 0;
      for (const auto& line : all_of<Polycurve>(right)) {
        if (!line.end && view == &tree_view) continue;
        const Point to = line.end ? *line.end : line.shaft.back().to;
        CHECK(line.shaft.front().from.x < to.x);
        ++lines;
      }
      CHECK(lines > 4);
    }
}

TEST_CASE("with times to scale, a picture isn't transposed") {
  const SchedulePtr schedule = made({"swing", {8}});
  DrawOptions options{.transposes = true, .clock = DrawOptions::Clock{.bytes = 1 << 20}};
  options.network = std::make_shared<const onceover::network::Network>(
      *onceover::network::make_topology({.name = "torus", .shape = {8}}));
  const auto picture = draw(time_view, *schedule, options);
  REQUIRE_FALSE(picture);
  CHECK(picture.error().message == "--transpose: with --bytes, time goes down");
}

}  // namespace transposed_test
