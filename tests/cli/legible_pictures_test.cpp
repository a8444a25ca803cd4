// Each picture can be read on paper, or what draw advises instead can.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <regex>

#include "run_program.h"

namespace legible_pictures_test {

using namespace onceover::support;

namespace {

const std::string program = ONCEOVER_VERIFY;
constexpr std::string_view advice = "this can be read: ";

Ended draw(const TemporaryFolder& folder, const std::string& words) {
  return run_program("'" + program + "' draw " + words + " -o picture.svg", folder.path());
}

/// Draws, and checks the picture's measures. `height` is the page's.
void check_legible(const TemporaryFolder& folder, const std::string& words, double height) {
  CAPTURE(words);
  const Ended ended = draw(folder, words);
  CAPTURE(ended.err);
  REQUIRE(ended.code == 0);
  const std::string svg = folder.read("picture.svg");
  const auto numbers = [&](const std::string& pattern) {
    std::vector<double> found;
    const std::regex number(pattern);
    for (std::sregex_iterator at(svg.begin(), svg.end(), number), end; at != end; ++at)
      found.push_back(std::stod((*at)[1]));
    return found;
  };
  const auto heights = numbers("height=\"([0-9.]+)pt\"");
  REQUIRE(heights.size() == 1);
  CHECK(heights.front() > 0);
  CHECK(heights.front() <= 72 * height + 1);
  for (const double letters : numbers("font-size=\"([0-9.]+)\"")) CHECK(letters >= 4.99);
}

/// Draws it, or what is advised instead. Returns whether it was drawn as it is.
bool check_drawn_or_advised(const TemporaryFolder& folder, const std::string& words) {
  const Ended ended = draw(folder, words);
  CAPTURE(words, ended.err);
  if (ended.code == 0) {
    check_legible(folder, words, 9);
    return true;
  }
  REQUIRE(ended.code == 2);
  const std::size_t at = ended.err.find(advice);
  REQUIRE(at != std::string::npos);
  const std::string advised = ended.err.substr(at + advice.size(), ended.err.find('\n', at) - at - advice.size());
  const bool is_wider = advised.find("--width") != std::string::npos;
  std::string kept = is_wider ? std::regex_replace(words, std::regex(" --width \\S+"), "") : words;
  if (advised.find("--view") != std::string::npos) kept = std::regex_replace(kept, std::regex("--view \\S+"), "");
  check_legible(folder, kept + " " + advised, advised.find("--height") == std::string::npos ? 9 : 60);
  return false;
}

/// How many pictures were drawn.
struct Drawn {
  std::size_t as_asked = 0;
  std::size_t as_advised = 0;
};

Drawn check_each_view(const TemporaryFolder& folder, const std::vector<std::string>& subjects) {
  Drawn drawn;
  for (const std::string& subject : subjects)
    for (const std::string view : {"steps", "time", "time --bytes 1Mi", "tree", "matrix", "term", "contention"})
      ++(check_drawn_or_advised(folder, "--view " + view + " " + subject) ? drawn.as_asked : drawn.as_advised);
  return drawn;
}

/// In a column and on a page.
void check_networks(const TemporaryFolder& folder, const std::vector<std::string>& subjects) {
  for (const std::string& subject : subjects)
    for (const std::string view : {"contention", "cut"})
      for (const std::string width : {"3.3in", "7in"})
        check_drawn_or_advised(folder, fmt::format("--view {} --algo bucket {} --width {}", view, subject, width));
}

}  // namespace

TEST_CASE("pictures of some schedules can be read, or what is advised instead") {
  const TemporaryFolder folder;
  const Drawn drawn =
      check_each_view(folder, {"--algo swing --torus 4x4 --lanes all", "--algo recursive-doubling --p 256"});
  CHECK(drawn.as_asked > 4);
  CHECK(drawn.as_advised > 0);
  CHECK(check_drawn_or_advised(folder, "--view time --bytes 1Mi --algo swing --p 16 --beside ring"));
}

TEST_CASE("every picture can be read, or what is advised instead", "[long]") {
  const TemporaryFolder folder;
  const Drawn drawn =
      check_each_view(folder, {"--algo swing --p 7", "--algo swing --torus 8x8", "--algo swing --torus 4x4 --lanes all",
                               "--algo bucket --torus 4x4x4", "--algo ring --p 16", "--algo ring --p 64",
                               "--algo recursive-doubling --p 256", "--algo pat --p 64", "--algo swing --p 1024"});
  CHECK(drawn.as_asked > 20);
  CHECK(drawn.as_advised > 10);
  CHECK_FALSE(check_drawn_or_advised(folder, "--view time --bytes 1Mi --algo swing --p 64 --beside ring"));
}

TEST_CASE("vectors can be read at any size, or what is advised instead") {
  const TemporaryFolder folder;
  for (const std::string subject : {"generalized --p 7", "ring --p 16", "swing --torus 8x8"})
    CHECK(check_drawn_or_advised(folder, "--view vectors --algo " + subject));
  CHECK(check_drawn_or_advised(folder, "--view vectors --algo ring --p 1024"));
  CHECK_FALSE(check_drawn_or_advised(folder, "--view vectors --algo ring --p 1024 --no-fold"));
}

TEST_CASE("vectors of more schedules can be read, or what is advised instead", "[long]") {
  const TemporaryFolder folder;
  for (const std::string subject : {"ring --p 64", "pat --p 64", "bruck --p 256"})
    check_drawn_or_advised(folder, "--view vectors --algo " + subject);
}

TEST_CASE("a cut that can't be read is said in words") {
  const TemporaryFolder folder;
  constexpr std::string_view says = "this says it in words: verify ";
  for (const std::string subject : {"bruck --p 1024", "bucket --torus 16x2x2 --topology hyperx",
                                    "binomial-tree --p 1024 --root 3 --topology mesh:duplex=half"}) {
    CHECK(check_drawn_or_advised(folder, "--view cut --algo " + subject));
    const Ended ended = draw(folder, "--view cut --no-fold --algo " + subject);
    CAPTURE(subject, ended.err);
    REQUIRE(ended.code == 2);
    const std::size_t at = ended.err.find(says);
    REQUIRE(at != std::string::npos);
    const Ended said = run_program("'" + program + "' " + ended.err.substr(at + says.size()), folder.path());
    CHECK(said.code == 0);
    CHECK_THAT(said.out, Catch::Contains("vector"));
  }
}

TEST_CASE("a ring whose links can't be seen between its ranks is shown as a heat map") {
  const TemporaryFolder folder;
  check_legible(folder, "--view contention --algo swing --p 64", 9);
  CHECK(folder.read("picture.svg").find("dimension 0, onward: 64 links") != std::string::npos);
  check_legible(folder, "--view contention --algo swing --p 64 --width 7in", 9);
  CHECK(folder.read("picture.svg").find("dimension 0, onward") == std::string::npos);
}

TEST_CASE("some networks can be read in a column and on a page") {
  check_networks(TemporaryFolder(), {"--torus 4x4 --topology hyperx", "--p 64 --topology fat-tree"});
}

TEST_CASE("every network can be read in a column and on a page", "[long]") {
  check_networks(TemporaryFolder(),
                 {"--torus 4x4 --topology hyperx", "--torus 8x8 --topology hx2mesh", "--p 64 --topology fat-tree",
                  "--p 64 --topology dragonfly", "--torus 4x4x4", "--p 12 --topology full",
                  "--torus 16x16 --topology hyperx", "--torus 4x4x4 --topology hyperx"});
}

TEST_CASE("a network that can't be read is shown as a heat map") {
  const TemporaryFolder folder;
  for (const std::string subject : {"--algo ring --p 256", "--algo swing --p 256 --topology fat-tree"}) {
    check_legible(folder, "--view contention " + subject, 9);
    CHECK(folder.read("picture.svg").find("A cell shows the fullest of") != std::string::npos);
  }
}

TEST_CASE("a font that isn't there is refused, if that can be known") {
  const TemporaryFolder folder;
  const std::string words = "draw --view steps --algo ring --p 4 --font ";
  const auto with_font = [&](const std::string& font, const std::string& environment = "") {
    return run_program(environment + "'" + program + "' " + words + "'" + font + "'", folder.path());
  };
  CHECK(with_font("no such font", "PATH=/nowhere ").code == 0);
  if (run_program("fc-list --format x && fc-match Times", folder.path()).code != 0) return;
  const Ended refused = with_font("no such font");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Catch::Contains("--font: no font 'no such font'; there are "));
  for (const std::string font : {"serif", "Times", "Times-Bold"}) CHECK(with_font(font).code == 0);
}

TEST_CASE("steps alike share a panel, and the picture says so") {
  const TemporaryFolder folder;
  check_legible(folder, "--view steps --algo ring --p 64", 9);
  const std::string picture = folder.read("picture.svg");
  CHECK(picture.find("steps 0 to 62 alike: reduce") != std::string::npos);
  CHECK(picture.find("Steps 63 to 125: the same backwards, with arrows turned, as copies.") != std::string::npos);
  check_legible(folder, "--view steps --algo ring --p 64 --no-fold", 9);
  CHECK(folder.read("picture.svg").find("steps 63 to 125 alike: copy") != std::string::npos);
  CHECK(draw(folder, "--view steps --algo ring --p 4").code == 0);
  CHECK(folder.read("picture.svg").find("alike") == std::string::npos);
}

TEST_CASE("a counterexample keeps its ways if they fit onto the page, and else says what it leaves out") {
  const TemporaryFolder folder;
  // A ring in which one message has the wrong block, late enough for many steps before it to be alike.
  run_program("'" + program + "' export --algo ring --p 24 --to json -o ring.json", folder.path());
  std::string text = folder.read("ring.json");
  const std::string right = R"({"src":5,"dst":6,"blocks":[19],"op":"reduce"})";
  const std::size_t at = text.find(right);
  REQUIRE(at != std::string::npos);
  folder.write("ring.json", text.replace(at, right.size(), R"({"src":5,"dst":6,"blocks":[18],"op":"reduce"})"));
  check_legible(folder, "--view counterexample ring.json", 9);
  const std::string squeezed = folder.read("picture.svg");
  check_legible(folder, "--view counterexample ring.json --height 4in", 4);
  const std::string thinned = folder.read("picture.svg");
  check_legible(folder, "--view counterexample ring.json --height 60in", 60);
  const std::string whole = folder.read("picture.svg");
  const std::regex red_arrow("<polygon fill=\"#D55E00\"");
  const auto arrows = [&](const std::string& svg) {
    return std::distance(std::sregex_iterator(svg.begin(), svg.end(), red_arrow), std::sregex_iterator());
  };
  CHECK(thinned.find(" to<") != std::string::npos);
  CHECK(thinned.find("9 messages not drawn") != std::string::npos);
  CHECK(arrows(thinned) > 0);
  CHECK(arrows(squeezed) == arrows(whole));
}

TEST_CASE("the page may be chosen") {
  const TemporaryFolder folder;
  const std::string words = "--view tree --algo ring --p 16 --no-fold";
  CHECK_THAT(draw(folder, words).err, Catch::Contains("in tall, and the page has 9 (--height)"));
  check_legible(folder, words + " --height 17in", 17);
  CHECK(draw(folder, words + " --height 2ft").code == 2);
}

}  // namespace legible_pictures_test
