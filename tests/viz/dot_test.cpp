#include <catch2/catch.hpp>

#include "count.h"
#include "viz/ink/writers.h"

namespace dot_test {

using namespace onceover::viz;
using onceover::support::count;

TEST_CASE("texts of any kind are shown and nothing else") {
  CHECK(escaped("swing, p = 7") == "swing, p = 7");
  CHECK(escaped("\"];evil[") == "\\\"];evil[");
  CHECK(escaped("ends with \\") == "ends with \\\\");
  CHECK(escaped("\\N \\G") == "\\\\N \\\\G");
  CHECK(escaped("&lt;") == "&amp;lt;");
  CHECK(escaped(std::string("\x01\x1f\x7f\0", 4)) == "    ");
  CHECK(escaped("a\nb") == "a\\nb");
  CHECK(escaped("×") == "×");
}

TEST_CASE("what is no UTF-8 becomes question marks") {
  CHECK(escaped("\xff") == "?");
  CHECK(escaped("\xc3") == "?");
  CHECK(escaped("\xe2\x82") == "??");
  CHECK(escaped("\xc0\xaf") == "??");
  CHECK(escaped("\xc3(") == "?(");
}

TEST_CASE("a Bézier curve is cut where asked") {
  const Curve curve{{0, 0}, {0, 4}, {8, 4}, {8, 0}};
  CHECK(curve.at(0.5).x == Approx(4));
  CHECK(curve.at(0.5).y == Approx(3));
  CHECK(curve.before(0.5).to.x == Approx(4));
  CHECK(curve.before(0.5).from.x == Approx(0));
  CHECK(curve.after(0.5).from.y == Approx(3));
  CHECK(curve.after(0.25).at(0).x == Approx(curve.at(0.25).x));
  CHECK(curve.after(0.25).to.x == Approx(8));
}

TEST_CASE("long captions are cut between words") {
  CHECK(lines_within("", 100, 8) == std::vector<std::string>{""});
  CHECK(lines_within("one two three", 1000, 8) == std::vector<std::string>{"one two three"});
  CHECK(lines_within("one two three", 30, 8) == std::vector<std::string>{"one two", "three"});
  CHECK(lines_within("incomprehensibilities", 10, 8) == std::vector<std::string>{"incomprehensibilities"});
}

TEST_CASE("labels shrink until they fit into their circle") {
  CHECK(size_in_circle("7", 6.5, 8) == 8);
  CHECK(size_in_circle("7", 4, 8) == 5);
  CHECK(size_in_circle("4095", 6.5, 8) < 7);
}

TEST_CASE("numbers have two decimals, and nothing is never negative") {
  Picture picture({}, "t", 10);
  picture.curve(Curve::straight({0, 0.001}, {1.006, 0}), {}, Heads::none);
  const std::string text = dot_of(picture);
  CHECK(text.find("-0.00") == std::string::npos);
  CHECK(text.find("1.01,0.00") != std::string::npos);
  const std::string svg = svg_of(picture);
  CHECK(svg.find("d=\"M0,0L1.01,0\"") != std::string::npos);
}

TEST_CASE("a dashed or dotted line has several dashes, however short it is") {
  const auto dashes = [](std::string_view dash, double length, Heads heads) {
    Picture picture({}, "t", 10);
    picture.curve(Curve::straight({0, 0}, {length, 0}), {palette::black, dash, 1}, heads, 0.3);
    const auto& line = std::get<Polycurve>(picture.shapes().front().form);
    double pattern = 0;
    for (const double each : line.dashes()) pattern += each;
    return pattern == 0 ? 1 : line.length() / pattern;
  };
  CHECK(dashes("dashed", 30, Heads::at_end) > 2);
  CHECK(dashes("dashed", 8, Heads::at_end) > 1.5);
  CHECK(dashes("dashed", 8, Heads::at_both) > 1.5);
  CHECK(dashes("dotted", 8, Heads::none) == Approx(3.5));
  CHECK(dashes("solid", 8, Heads::at_end) == 1);
}

TEST_CASE("a short dashed line is several lines for Graphviz, with one head") {
  Picture picture({}, "t", 10);
  picture.curve(Curve::straight({0, 0}, {8, 0}), {palette::black, "dashed", 1}, Heads::at_end, 0.3);
  const std::string text = dot_of(picture);
  CHECK(count(text, "n0 -> n1") == 2);
  CHECK(count(text, "dir=forward") == 1);
}

TEST_CASE(
    "a head ends where its line does, is at most 40 % as long as the shaft, and an open one as large as a filled one") {
  for (const std::string_view kind : {"normal", "empty", "vee"})
    for (const double length : {2.0, 5.0, 40.0}) {
      Picture picture({}, "t", 10);
      picture.curve(Curve::straight({0, 0}, {length, 0}), {.width = 0.8, .head = kind}, Heads::at_both, 0.4);
      const auto& line = std::get<Polycurve>(picture.shapes().front().form);
      const auto heads = heads_of(line);
      REQUIRE(heads.size() == 2);
      CAPTURE(kind, length);
      CHECK(length - line.shaft.back().to.x <= 0.4 * line.length() + 1e-6);
      CHECK(heads[1].corners[0].x <= length + 1e-9);
      CHECK(heads[0].corners[0].x >= -1e-9);
      if (kind != "empty") CHECK(heads[1].corners[0].x == Approx(length));
      if (kind == "empty") CHECK(heads[1].border > 0);
    }
}

TEST_CASE("SVG has roles, classes where they are asked for, titles, and no text that ends its element") {
  Picture picture({.has_classes = true}, "<&>", 40);
  picture.disc({20, 20}, 6, "3", {}, palette::white, "rank rank-3");
  picture.curve(Curve::straight({26, 20}, {60, 20}), {palette::blue, "double", 0.5}, Heads::at_end, 0.4, "message",
                "0 to 1: \"x\"");
  picture.text({80, 20}, "a < b\nand\xff more", 8);
  const std::string svg = svg_of(picture);
  CHECK(count(svg, "<g class=\"ranks\">\n<g class=\"rank rank-3\">\n<ellipse") == 1);
  CHECK(count(svg, "<g class=\"messages\">\n<g class=\"message\">\n<title>0 to 1: &quot;x&quot;</title>\n<path") == 1);
  CHECK(count(svg, "<path") == 2);
  CHECK(count(svg, ">a &lt; b</text>") == 1);
  CHECK(count(svg, ">and? more</text>") == 1);
  CHECK(count(svg, "<title>&lt;&amp;&gt;</title>") == 1);
  // Lines lie below all else.
  CHECK(svg.find("<path") < svg.find("<ellipse"));
  const std::string in_page = svg_in_page(picture, "la\"bel", 2);
  CHECK(in_page.starts_with("<svg width=\"475\""));
  CHECK(count(in_page, "aria-label=\"la&quot;bel\"") == 1);
  for (const char* gone : {"<title", "<?", "font-family", "background"}) CHECK(count(in_page, gone) == 0);
}

TEST_CASE("a font's words of style are said as such") {
  const auto font = [](const std::string& name) {
    const std::string svg = svg_of(Picture({.font = name}, "t", 1));
    const std::size_t at = svg.find("font-family");
    return svg.substr(at, svg.find(" text-anchor") - at);
  };
  CHECK(font("Times") == "font-family=\"Times,Times New Roman,Liberation Serif,serif\"");
  CHECK(font("Helvetica-Bold") == "font-family=\"Helvetica,Arial,Liberation Sans,sans-serif\" font-weight=\"bold\"");
  CHECK(font("Nimbus Roman") == "font-family=\"Nimbus Roman,serif\"");
}

}  // namespace dot_test
