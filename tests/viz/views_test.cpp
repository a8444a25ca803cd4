// What the views draw: every message, and nothing else.

#include <catch2/catch.hpp>
#include <map>
#include <regex>

#include "count.h"
#include "drawn_text.h"
#include "formats/schedule_file.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "text_boxes.h"
#include "viz/block_trace.h"
#include "viz/messages.h"
#include "viz/rank_row.h"
#include "viz/view.h"

namespace views_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

SchedulePtr schedule_of(std::string_view algorithm, std::vector<Rank> shape, bool all_lanes = false) {
  const Algorithm* row = find_algorithm(algorithm);
  const Request request{.collective = row->collectives.front(), .shape = std::move(shape), .all_lanes = all_lanes};
  REQUIRE_FALSE(refusal(*row, request));
  return row->make(request);
}

/// The picture without the black arrows in its key, which show what heads mean.
std::string without_key(const std::string& dot) {
  return std::regex_replace(dot, std::regex("n0 -> n1 [^\n]*#000000[^\n]*\n"), "");
}

/// Arrowheads: every message has one.
std::size_t heads(const std::string& with_key) {
  const std::string dot = without_key(with_key);
  return count(dot, " dir=forward") + count(dot, " dir=back") + 2 * count(dot, " dir=both");
}

std::size_t message_count(const Schedule& schedule) {
  return select(schedule, {}).value().messages.size();
}

DrawnText drawn(std::string_view view, const Schedule& schedule, const DrawOptions& options = {}) {
  const auto dot = as_text(draw(*find_view(view), schedule, options));
  if (!dot) FAIL(dot.error().message);
  return *dot;
}

}  // namespace

TEST_CASE("steps and time draw every message of every algorithm once") {
  for (const Algorithm& row : catalogue()) {
    for (const Rank p : {1, 2, 3, 6, 7, 8, 16}) {
      const Request request = on_line(row.collectives.front(), p);
      if (refusal(row, request)) continue;
      CAPTURE(row.name, p);
      const SchedulePtr schedule = row.make(request);
      CHECK(heads(drawn("steps", *schedule)) == message_count(*schedule));
      CHECK(heads(drawn("time", *schedule)) == message_count(*schedule));
    }
  }
}

TEST_CASE("steps draws every message on tori, an exchange as one line") {
  for (const std::vector<Rank>& shape : std::vector<std::vector<Rank>>{{4, 4}, {2, 4}, {6, 3}, {1, 5}})
    for (const std::string_view algorithm : {"swing", "bucket", "recursive-doubling"}) {
      const bool has_lanes = find_algorithm(algorithm)->has_lanes;
      CAPTURE(shape, algorithm);
      const SchedulePtr schedule = schedule_of(algorithm, shape, has_lanes);
      CHECK(heads(drawn("steps", *schedule)) == message_count(*schedule));
      DrawOptions flat;
      flat.wraps = false;
      CHECK(heads(drawn("steps", *schedule, flat)) == message_count(*schedule));
    }
}

TEST_CASE("between slices of a torus one line is for all ranks, unless some don't send") {
  const SchedulePtr schedule = schedule_of("swing", {3, 2, 4}, true);
  DrawOptions options;
  options.style.has_classes = true;
  const std::string dot = drawn("steps", *schedule, options);
  const SelectedMessages selection = select(*schedule, {}).value();
  for (const Message& m : selection.messages)
    CHECK(
        std::regex_search(dot, std::regex("from-" + std::to_string(m.src) + "-to-" + std::to_string(m.dst) + "[ \"]")));
  CHECK(count(dot, "A thick line between grids joins") == 1);
  CHECK(heads(dot) < message_count(*schedule));
  const std::string of_one = drawn("steps", *schedule, {.ranks = {0}});
  CHECK(count(of_one, "thick line") == 0);
  CHECK(heads(of_one) == select(*schedule, {.ranks = {0}}).value().messages.size());
}

TEST_CASE("a message that is there twice doesn't stand for another rank's, nor one number for others") {
  PlainSchedule cube{{.collective = Collective::allreduce, .ranks = 8, .blocks = 8, .shape = {2, 2, 2}}, {{}}};
  for (Rank r = 0; r < 4; ++r) cube.steps[0].push_back({r, r + 4, {0}, Op::reduce});
  const std::string whole = drawn("steps", *listed(cube));
  CHECK(count(whole, "thick line") == 1);
  CHECK(count(drawn("steps", *listed(cube), {.counts = true}), "thick line") == 1);
  cube.steps[0][1].blocks = {0, 1};
  CHECK(count(drawn("steps", *listed(cube)), "thick line") == 1);
  CHECK(count(drawn("steps", *listed(cube), {.counts = true}), "thick line") == 0);
  cube.steps[0][3] = {0, 4, {1}, Op::reduce};
  CHECK(count(drawn("steps", *listed(cube)), "thick line") == 0);
}

TEST_CASE("titles beside each other don't touch") {
  DrawOptions options{.thinned = true};
  const std::string dot = drawn("steps", *schedule_of("bucket", {4, 4}), options);
  const std::regex title("pos=\"([0-9.]+),([-0-9.]+)!?\"[^\n]*label=\"steps [^\"]*\"");
  std::map<std::string, std::vector<double>> rows;  // places across, by height
  for (std::sregex_iterator at(dot.begin(), dot.end(), title), end; at != end; ++at)
    rows[(*at)[2]].push_back(std::stod((*at)[1]));
  REQUIRE_FALSE(rows.empty());
  for (const auto& [height, places] : rows)
    for (std::size_t k = 1; k < places.size(); ++k) CHECK(places[k] - places[k - 1] > 100);
}

TEST_CASE("the arrows of a time chart go from the sender to the receiver") {
  const SchedulePtr schedule = schedule_of("swing", {7});
  const SelectedMessages selection = select(*schedule, {}).value();
  const RankRow row(selection.ranks, {}, 27, 7);
  std::vector<std::pair<int, int>> arrows;
  const std::string dot = without_key(drawn("time", *schedule));
  const std::regex arrow("pos=\"e,([0-9.]+),[-0-9.]+ ([0-9.]+),");
  const auto column = [&](double x) { return static_cast<int>(std::lround((x - row.x(0)) / row.spacing())); };
  for (std::sregex_iterator at(dot.begin(), dot.end(), arrow), end; at != end; ++at)
    arrows.emplace_back(column(std::stod((*at)[2])), column(std::stod((*at)[1])));
  std::vector<std::pair<int, int>> messages;
  for (const Message& m : selection.messages) messages.emplace_back(m.src, m.dst);
  std::sort(arrows.begin(), arrows.end());
  std::sort(messages.begin(), messages.end());
  CHECK(arrows == messages);
}

TEST_CASE("a tree has an edge for every move of the block") {
  for (const std::string_view algorithm : {"swing", "ring", "bruck", "pat", "generalized", "binomial-tree"})
    for (const Rank p : {2, 7, 8, 16}) {
      const SchedulePtr schedule = schedule_of(algorithm, {p});
      const auto moves = schedule->header().collective == Collective::allreduce ? 2 * (p - 1) : p - 1;
      CAPTURE(algorithm, p);
      CHECK(count(drawn("tree", *schedule), " -> ") == static_cast<std::size_t>(moves));
    }
}

TEST_CASE("where every rank adds up, the tree shows what comes to one") {
  const SchedulePtr schedule = schedule_of("recursive-doubling", {8});
  CHECK(count(drawn("tree", *schedule), "label=\" ") == 7);
  CHECK(count(drawn("tree", *schedule, {.ranks = {5, 6}}), "label=\" ") > 7);
}

TEST_CASE("the matrix says how many contributions are held, and marks those that came twice") {
  const std::string ring = drawn("matrix", *schedule_of("ring", {3}), {.steps = {{1, 3}}});
  CHECK(count(ring, "label=\"after step") == 4);
  CHECK(count(ring, "label=\"3\"") > 9);  // the last panel's nine cells are complete
  PlainSchedule twice{{.collective = Collective::reduce, .ranks = 2, .blocks = 1},
                      {{{1, 0, {0}, Op::reduce}}, {{1, 0, {0}, Op::reduce}}}};
  CHECK(count(drawn("matrix", *listed(twice)), "!\"") == 1);
}

TEST_CASE("where cells are shared, those of a shorter last line look like the others") {
  DrawOptions options{.thinned = true};
  const std::string dot = drawn("matrix", *schedule_of("recursive-doubling", {133}), options);
  const std::size_t last = dot.rfind("after step");
  REQUIRE(last != std::string::npos);
  // All ranks hold everything, so all cells have the darkest shade; the key has each shade once.
  const std::string panel = dot.substr(last, dot.find("contributions held") - last);
  for (const std::string colour : {"#70ABD3", "#93C1DF", "#B5D5EA"}) CHECK(count(panel, colour) == 0);
  CHECK(count(panel, "#4F95C7") >= 67);
}

TEST_CASE("the matrix of a symmetric schedule is that of all its blocks, one by one") {
  for (const SchedulePtr& schedule : {schedule_of("swing", {8}), schedule_of("rabenseifner", {8}),
                                      schedule_of("bucket", {2, 4}), schedule_of("swing", {4, 4})}) {
    PlainSchedule split = plain(*schedule);  // into messages that have no symmetry, and the same blocks
    PlainTransfer& whole = split.steps.front().front();
    REQUIRE(whole.blocks.size() > 1);
    PlainTransfer rest = whole;
    whole.blocks.resize(1);
    rest.blocks.erase(rest.blocks.begin());
    split.steps.front().push_back(rest);
    REQUIRE(find_symmetry(*schedule, 1, 1'000'000).found);
    REQUIRE_FALSE(find_symmetry(*listed(split), 1, 1'000'000).found);
    const DrawOptions tall{.style = {.height = 40}};
    CHECK(drawn("matrix", *schedule, tall) == drawn("matrix", *listed(split), tall));
  }
}

TEST_CASE("what can't be executed has no matrix and no term, but a counterexample") {
  const PlainSchedule into_nothing{{.collective = Collective::broadcast, .ranks = 3, .blocks = 1},
                                   {{{1, 2, {0}, Op::copy}}, {{0, 1, {0}, Op::copy}}}};
  for (const std::string_view view : {"matrix", "term"}) {
    const auto dot = as_text(draw(*find_view(view), *listed(into_nothing), {}));
    REQUIRE_FALSE(dot);
    CHECK(dot.error().message.find("block 0 can't be executed; --view counterexample") != std::string::npos);
  }
  CHECK(count(drawn("counterexample", *listed(into_nothing)), std::string(palette::vermilion)) >= 2);
}

TEST_CASE("of lost data the picture shows all messages with its block, to the last step, and where the data is") {
  // Block 1 of rank 0 gets to rank 1, that of rank 3 nowhere; block 0 is another matter.
  const Header header{.collective = Collective::allreduce, .ranks = 4, .blocks = 2};
  const DrawnText lost = drawn(
      "counterexample",
      *listed({header,
               {{{0, 1, {0, 1}, Op::reduce}, {3, 2, {0}, Op::reduce}},
                {{1, 2, {1}, Op::reduce}},
                {},
                {{2, 0, {0}, Op::copy}},
                {{2, 3, {1}, Op::reduce}}}}),
      {.counterexample = Counterexample{.what = Counterexample::Missing{.contributor = 3}, .rank = 1, .block = 1}});
  CHECK(count(lost, "rank 1 ends without rank 3's contribution to block 1.") == 1);
  std::map<std::string_view, int> colours;
  for (const DrawnShape& shape : lost.picture.shapes())
    if (const auto* line = std::get_if<Polycurve>(&shape.form); line && !shape.title.empty())
      ++colours[line->stroke.colour];
  CHECK(colours[palette::black] == 3);  // of five messages, three have block 1
  CHECK(colours[palette::pale] == 1);   // the other one of step 0; steps 2 and 3 show nothing
  CHECK(count(lost, "0 to 1, blocks 0,1") == 1);
  CHECK(count(lost, "\"step 4\\l\"") == 1);
  CHECK(count(lost, "\"steps\\l\"") == 1);  // 2 and 3, in which it doesn't move
  const std::string red(palette::vermilion);
  CHECK(count(lost, "dir=none arrowsize=0.40 arrowhead=normal arrowtail=normal color=\"" + red) == 4);  // rank 3's line
  CHECK(count(lost, "dir=forward arrowsize=0.40 arrowhead=normal arrowtail=normal color=\"" + red) == 0);
  CHECK(faults_of_texts(*lost.svg()) == std::vector<std::string>{});
}

TEST_CASE("a contribution is followed through reductions and copies until a copy replaces it") {
  const Header header{.collective = Collective::allreduce, .ranks = 3, .blocks = 1};
  const ContributionTrace where(
      *listed({header,
               {{{0, 1, {0}, Op::reduce}}, {{2, 1, {0}, Op::copy}, {1, 2, {0}, Op::reduce}}, {{2, 0, {0}, Op::copy}}}}),
      0, 0);
  const auto stays = [&](Rank rank) {
    std::vector<std::pair<int, int>> found;
    for (const StepRange stay : where.held().at(rank)) found.emplace_back(stay.first, stay.end);
    return found;
  };
  using Stays = std::vector<std::pair<int, int>>;
  CHECK(stays(0) == Stays{{0, 3}});
  CHECK(stays(1) == Stays{{1, 2}});
  CHECK(stays(2) == Stays{{2, 3}});
  CHECK(where.legs().size() == 3);
}

TEST_CASE("counts that don't fit side by side stand above each other, and none is left out") {
  DrawOptions one{.ranks = {0}, .steps = {{0, 3}}};
  const std::string dot = drawn("time", *schedule_of("swing", {64, 64}), one);
  for (const std::string words : {"×2048", "×1024", "×512", "×256"}) CHECK(count(dot, "\"" + words + "\"") == 1);
  const DrawnText many = drawn("time", *schedule_of("swing", {32}), {.steps = {{0, 1}}, .fold = Fold::never});
  CHECK(count(many, "\"×16\"") == 32);
  CHECK(count(many, "\"×8\"") == 32);
  CHECK(faults_of_texts(*many.svg()) == std::vector<std::string>{});
  const std::string tight = drawn("time", *schedule_of("swing", {128}), {.steps = {{0, 0}}, .fold = Fold::never});
  CHECK(count(tight, "\"×64\"") + count(tight, "\"×64\\l\"") >= 1);
}

TEST_CASE("a repair is green beside the counterexample: dashed what it adds, dotted what it leaves out") {
  const Header header{.collective = Collective::reduce, .ranks = 3, .blocks = 1};
  const std::string green(palette::green);
  // Rank 2 sends to rank 0 twice; rank 2's contribution never leaves.
  const std::string twice =
      drawn("counterexample",
            *listed({header, {{{1, 0, {0}, Op::reduce}, {2, 0, {0}, Op::reduce}}, {{2, 0, {0}, Op::reduce}}}}));
  CHECK(count(twice, green + "\" style=\"dotted\"") == 2);  // it, and its key
  CHECK(count(twice, "suggested: 2 doesn't send it to 0") == 1);
  const DrawnText lost = drawn("counterexample", *listed({header, {{{1, 0, {0}, Op::reduce}}}}));
  CHECK(count(lost, green + "\" style=\"dashed\"") == 1);
  CHECK(count(lost, "suggested: 2 sends it to 0") == 1);
  CHECK(count(lost, "Suggested:") == 1);
}

TEST_CASE("terms that differ are marked, equal ones are shown once") {
  CHECK(count(drawn("term", *schedule_of("swing-latency", {8})), "subgraph") == 2);
  CHECK(count(drawn("term", *schedule_of("swing-latency", {8})), "penwidth=2.00") == 2);
  CHECK(count(drawn("term", *schedule_of("swing", {8})), "subgraph") == 1);
}

TEST_CASE("no view lets a schedule's name out of its quotes") {
  const auto named = [](const std::string& name) {
    return listed({{.collective = Collective::reduce, .ranks = 3, .blocks = 1, .algorithm = name},
                   {{{1, 0, {0}, Op::reduce}}, {{1, 0, {0}, Op::reduce}}}});
  };
  for (const View& view : views()) {
    if (view.name == deadlock_view.name) continue;  // there is none
    if (view.name == vectors_view.name) continue;   // it has no view of this schedule
    const std::string harmless = drawn(view.name, *named("harmless")).svg().value();
    for (const std::string name :
         {"\"];evil[label=\"", "<script>alert(1)</script>", "\\", "-->", "]]>", "\xff\x01{|}"}) {
      CAPTURE(view.name, name);
      const auto svg = drawn(view.name, *named(name)).svg();
      REQUIRE(svg);
      CHECK(count(*svg, "<") == count(harmless, "<"));
    }
  }
}

TEST_CASE("schedules that no file could hold are refused or drawn, not fallen over") {
  const PlainSchedule nowhere{{.collective = Collective::reduce, .ranks = 3, .blocks = 1}, {{{1, 7, {0}, Op::reduce}}}};
  const PlainSchedule to_itself{{.collective = Collective::allreduce, .ranks = 4, .blocks = 1, .shape = {2, 2}},
                                {{{1, 1, {0}, Op::reduce}}, {{3, 0, {0}, Op::reduce}}}};
  for (const View& view : views()) {
    CAPTURE(view.name);
    CHECK_FALSE(as_text(draw(view, *listed(nowhere), {})));
    if (view.name == vectors_view.name || view.name == deadlock_view.name) {
      CHECK_FALSE(as_text(draw(view, *listed(to_itself), {})));
      continue;
    }
    const DrawnText dot = drawn(view.name, *listed(to_itself));
    CHECK(dot.find("nan") == std::string::npos);
    CHECK(dot.svg());
  }
}

namespace {

/// Where numbers of ranks, or calls side by side, don't fit.
bool may_be_refused(const View& view) {
  return view.heeds.find("--topology") != std::string_view::npos || view.name == deadlock_view.name;
}

}  // namespace

TEST_CASE("the narrowest and the widest picture, with letters of any size, can be rendered") {
  for (const double width : {1.0, 50.0})
    for (const double font_size : {5.0, 40.0})
      for (const View& view : views()) {
        if (view.name == "counterexample") continue;
        DrawOptions options;
        options.style.width = width;
        options.style.height = 1000;
        options.style.font_size = font_size;
        CAPTURE(view.name, width, font_size);
        for (const Rank p : {3, 16}) {
          const auto dot = as_text(draw(view, *schedule_of("swing", {p}), options));
          if (!dot && dot.error().kind == DrawError::Kind::too_large && width == 1 && may_be_refused(view)) continue;
          REQUIRE(dot);
          CHECK_FALSE(std::regex_search(*dot, std::regex("[=\", ]-?nan")));
          CHECK(dot->svg());
        }
      }
}

TEST_CASE("one rank, no steps: there is a picture or a message") {
  for (const View& view : views()) {
    CAPTURE(view.name);
    const auto dot = as_text(draw(view, *schedule_of("swing", {1}), {}));
    if (dot)
      CHECK(dot->svg());
    else
      CHECK(dot.error().kind == DrawError::Kind::unsuitable);
  }
}

TEST_CASE("messages for the eye") {
  CHECK(runs_text({{0, 0}, {2, 3}, {5, 9}}) == "0,2,3,5-9");
  CHECK(title_of({.ranks = 4}) == "allreduce, p = 4");
  CHECK(title_of({.ranks = 8, .shape = {2, 4}, .algorithm = "swing"}) == "swing allreduce, torus 2x4");
}

TEST_CASE("ranks are labelled by their places in a grid, where all fit, and a key says how") {
  PlainSchedule ring = plain(*schedule_of("ring", {6}));
  ring.header.names.grid = {{"node", 3}, {"gpu", 2}};
  for (const std::string_view view : {"steps", "time", "tree"}) {
    CAPTURE(view);
    const std::string picture = drawn(view, *listed(ring));
    CHECK(count(picture, "\"2.1\"") >= 1);
    if (view != "time") CHECK(count(picture, "\"5\"") == 0);  // there it is a block, too
    CHECK(count(picture, "labelled") == 1);
    CHECK(count(picture, "node.gpu:") == 1);
  }
  const std::string matrix = drawn("matrix", *listed(ring));
  CHECK(count(matrix, "\"2.1\"") == 11);  // a panel before the steps, and one after each
  CHECK(count(matrix, "node.gpu") == 1);

  ring.header.names.grid = {{"gpu", 6}};  // the number says as much
  CHECK(count(drawn("steps", *listed(ring)), "labelled") == 0);
  PlainSchedule wide = plain(*schedule_of("ring", {64}));
  wide.header.names.grid = {{"a", 1}, {"b", 1}, {"c", 1}, {"node", 8}, {"gpu", 8}};
  CHECK(count(drawn("time", *listed(wide)), "labelled") == 0);
  CHECK(count(drawn("steps", *listed(wide)), "labelled") == 1);  // folded, there is room
}

TEST_CASE("titles of steps say the phase, where it fits") {
  PlainSchedule ring = plain(*schedule_of("ring", {4}));
  ring.header.names.phases = {{"scatter", 0}, {"gather", 3}};
  const std::string steps = drawn("steps", *listed(ring));
  CHECK(count(steps, "step 0 (scatter): reduce") == 1);
  CHECK(count(steps, "step 5 (gather): copy") == 1);
  CHECK(count(drawn("time", *listed(ring)), "\"gather\\l\"") == 3);
  ring.header.shape = {2, 2};
  CHECK(count(drawn("steps", *listed(ring)), "step 5 (gather): copy") == 1);

  ring.header.names.phases = {{std::string(200, 'm'), 0}};
  for (const std::string_view view : {"steps", "time"}) CHECK(count(drawn(view, *listed(ring)), "mmm") == 0);
}

}  // namespace views_test
