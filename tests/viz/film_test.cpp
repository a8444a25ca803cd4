// Films of steps, and two schedules side by side.

#include "viz/film.h"

#include <catch2/catch.hpp>
#include <regex>

#include "count.h"
#include "drawn_text.h"
#include "schedules/catalogue.h"
#include "viz/messages.h"

namespace film_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

SchedulePtr made(std::string_view algorithm, std::vector<Rank> shape) {
  const Algorithm* row = find_algorithm(algorithm);
  const Request request{.collective = Collective::allreduce, .shape = std::move(shape)};
  REQUIRE_FALSE(refusal(*row, request));
  return row->make(request);
}

/// The places of rank 0's circles.
std::vector<std::string> places_of_rank_0(const std::string& dot) {
  std::vector<std::string> places;
  const std::regex circle(R"re(pos="([^"]*)"[^\n]*class="rank rank-0")re");
  for (std::sregex_iterator at(dot.begin(), dot.end(), circle), end; at != end; ++at) places.push_back((*at)[1]);
  return places;
}

/// How many messages of the schedule look so beside the other.
std::size_t marked(const SchedulePtr& schedule, const SchedulePtr& other, Beside how) {
  SelectedMessages selection = select(*schedule, {}).value();
  mark_beside(selection, schedule->header(), select(*other, {}).value(), other->header());
  return static_cast<std::size_t>(std::count_if(selection.messages.begin(), selection.messages.end(),
                                                [&](const Message& m) { return m.beside == how; }));
}

}  // namespace

TEST_CASE("frames are of one size, with the ranks at the same places") {
  for (const std::vector<Rank>& shape : {std::vector<Rank>{8}, std::vector<Rank>{4, 4}}) {
    const SchedulePtr schedule = made("swing", shape);
    const auto all = frames(*schedule, {.style = {.has_classes = true}}).value();
    REQUIRE(all.size() == static_cast<std::size_t>(schedule->steps()));
    for (std::size_t k = 0; k < all.size(); ++k) {
      CHECK(all[k].picture.height() == all[0].picture.height());
      CHECK(places_of_rank_0(dot_of(all[k].picture)) == places_of_rank_0(dot_of(all[0].picture)));
      CHECK(places_of_rank_0(dot_of(all[k].picture)).size() == 1);
      CHECK(all[k].title.starts_with("step " + std::to_string(k)));
    }
  }
}

TEST_CASE("a film as SVG has each step once, without a script, and can be read") {
  const SchedulePtr schedule = made("swing", {8});
  const std::string svg = film(*schedule, {}, "svg").value();
  CHECK(count(svg, "<g class=\"frame") == 6);
  CHECK(count(svg, "<g class=\"frame first\"") == 1);
  CHECK(count(svg, "<script") == 0);
  CHECK(count(svg, ">3 of 6</text>") == 1);
  CHECK(count(svg, "aria-label=\"step 4: copy\"") == 1);
  CHECK(svg.find("animation: turn 9s step-end infinite") != std::string::npos);
  CHECK(svg.find("16.6667% { visibility: hidden; }") != std::string::npos);
  CHECK(svg.find("style=\"animation-delay: 7.5s\"") != std::string::npos);
  CHECK(svg.find("prefers-reduced-motion") != std::string::npos);
  CHECK(film(*schedule, {}, "svg").value() == svg);
}

TEST_CASE("a film as GIF has each step once, and loops") {
  const auto gif = film(*made("swing", {6}), {}, "gif");
  if (!gif) FAIL(gif.error().message);
  CHECK(gif->starts_with("GIF89a"));
  CHECK(count(*gif, "NETSCAPE2.0") == 1);
  // A graphic control extension stands before each frame, with its delay in hundredths of a second.
  CHECK(count(*gif, "\x21\xf9\x04") == 6);
  CHECK(std::regex_search(*gif, std::regex("\x21\xf9\x04[\\s\\S]\x96[\\s\\S]")));
}

TEST_CASE("a film of too many steps is thinned, and refused if that isn't enough") {
  // 254 steps of a ring are two that look alike.
  CHECK(count(film(*made("ring", {128}), {}, "svg").value(), "<g class=\"frame") == 2);
  const auto large = film(*made("swing", {16, 16}), {.style = {.width = 40, .height = 30}}, "gif");
  REQUIRE_FALSE(large);
  CHECK(large.error().message.find("million pixels is too large; this can be read: --steps 0") != std::string::npos);
}

TEST_CASE("messages beside another schedule are the same, have other blocks, or are only here") {
  const SchedulePtr swing = made("swing", {8}), doubling = made("recursive-doubling", {8});
  CHECK(marked(swing, swing, Beside::same) == 48);
  // Both exchange with the same neighbour at step 0, one of half the vector and the other of all of it.
  CHECK(marked(swing, doubling, Beside::same) == 0);
  CHECK(marked(swing, doubling, Beside::other_blocks) == 8);
  CHECK(marked(swing, doubling, Beside::not_there) == 40);
  CHECK(marked(doubling, swing, Beside::not_there) == 16);
  // Their vectors have one block and eight: what counts is how much of it a message carries.
  const SchedulePtr rabenseifner = made("rabenseifner", {8});
  CHECK(marked(rabenseifner, rabenseifner, Beside::same) == 48);
}

TEST_CASE("two schedules are side by side, each with all its messages, told apart by more than colour") {
  const SchedulePtr swing = made("swing", {4, 4}), doubling = made("recursive-doubling", {4, 4});
  DrawOptions options{.beside = doubling, .style = {.width = 7, .has_classes = true}};
  const std::string dot = as_text(draw(steps_view, *swing, options)).value();
  const auto heads = [](const std::string& text) {
    return count(text, " dir=forward") + count(text, " dir=back") + 2 * count(text, " dir=both");
  };
  CHECK(heads(dot) == 128 + 64);
  CHECK(count(dot, "class=\"rank rank-5\"") == 8);
  CHECK(count(dot, "class=\"rank rank-5 beside\"") == 4);
  CHECK(count(dot, "no more steps") == 2);
  const auto line = [](Beside how) {
    Message message{};
    message.beside = how;
    return stroke_of(message);
  };
  CHECK(line(Beside::same).width < 0.8);
  CHECK(line(Beside::other_blocks).dash == "dashed");
  CHECK(line(Beside::not_there).dash == "solid");
  CHECK(line(Beside::not_there).width > 1.5);

  options.beside = made("swing", {8});
  CHECK(as_text(draw(steps_view, *swing, options)).error().message ==
        "--beside: it has 8 ranks, and what it is compared with has 16");
}

}  // namespace film_test
