#include "viz/dot.h"

#include <catch2/catch.hpp>
#include <regex>

namespace dot_test {

using namespace onceover::viz;

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
  Dot dot = Dot::pinned({}, "t", 10);
  dot.curve(Curve::straight({0, 0.001}, {1.006, 0}), {}, Heads::none);
  const std::string text = dot.finish();
  CHECK(text.find("-0.00") == std::string::npos);
  CHECK(text.find("1.01,0.00") != std::string::npos);
}

TEST_CASE("a dashed or dotted line has several dashes, however short it is") {
  const auto lines = [](std::string_view dash, double length, Heads heads) {
    Dot dot = Dot::pinned({}, "t", 10);
    dot.curve(Curve::straight({0, 0}, {length, 0}), {palette::black, dash, 1}, heads, 0.3);
    const std::string text = dot.finish();
    const std::regex line("n0 -> n1"), head("dir=(forward|back|both)");
    const auto count = [&](const std::regex& what) {
      return std::distance(std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator());
    };
    return std::pair(count(line), count(head));
  };
  CHECK(lines("dashed", 30, Heads::at_end) == std::pair<long, long>(1, 1));
  CHECK(lines("dashed", 8, Heads::at_end) == std::pair<long, long>(2, 1));
  CHECK(lines("dashed", 8, Heads::at_both) == std::pair<long, long>(2, 2));
  CHECK(lines("dotted", 8, Heads::none) == std::pair<long, long>(4, 0));
  CHECK(lines("solid", 8, Heads::at_end) == std::pair<long, long>(1, 1));
}

}  // namespace dot_test
