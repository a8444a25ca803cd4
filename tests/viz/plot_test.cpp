// Plots: every value in the script, names as they are, the same bytes twice.

#include "viz/plot.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>

#include "count.h"
#include "run_program.h"
#include "text_boxes.h"
#include "viz/ink/writers.h"
#include "viz/plot_layout.h"
#include "viz/renderer.h"

namespace plot_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

Plot small_plot() {
  Plot plot{.title = "a 'quoted' title", .x_label = "x", .y_label = "y", .x = {1, 2, 4}};
  plot.series = {{"first", {10, 20.5, 30}, {1}},
                 {"second_with_underscore", {1, std::numeric_limits<double>::infinity(), 3}, {}}};
  return plot;
}

/// Gnuplot takes the script, and makes XML of it.
void check_runs(const std::string& script) {
  const TemporaryFolder folder;
  folder.write("plot.gp", script);
  CHECK(run_program("gnuplot plot.gp > x.svg && xmllint --noout --nonet x.svg", folder.path()).code == 0);
}

}  // namespace

TEST_CASE("the script carries every value, and gaps where there is none") {
  const std::string script = gnuplot_script(small_plot(), "svg");
  CHECK_THAT(script, Catch::Contains("$data << EOD\n1 10 1\n2 20.5 NaN\n4 30 3\nEOD\n"));
  CHECK_THAT(script, Catch::Contains("set title 'a ’quoted’ title' noenhanced"));
  CHECK_THAT(script, Catch::Contains("every ::1::1 using 1:2 with points"));
}

namespace {

/// All that a plot says in words.
std::vector<std::string> words_of(const Plot& plot) {
  std::vector<std::string> words{plot.title, plot.x_label, plot.y_label};
  if (plot.series.size() > 1)
    for (const Series& each : plot.series) words.push_back(each.name);
  for (const Spread& each : plot.spreads) words.push_back(each.name);
  for (const std::string& name : plot.x_names) words.push_back(name);
  for (const AxisNote& note : plot.notes) words.push_back(note.text);
  if (plot.inset) words.push_back(plot.inset->title);
  if (plot.closeup) words.push_back(plot.closeup->title);
  return words;
}

/// Over sizes of vectors, with all that a plot of lines can have.
Plot rich_plot() {
  Plot plot{.title = "allreduce on torus 8x8", .x_label = "vector size", .y_label = "goodput, Gb/s"};
  plot.x = {32, 1024, 32768, 1048576, 33554432};
  plot.x_names = {"32 B", "1 KiB", "32 KiB", "1 MiB", "32 MiB"};
  plot.has_log_x = true;
  plot.series = {{"swing+swing-latency", {0, 1, 40, 200, 250}, {2}},
                 {"mirrored recursive doubling", {0, 2, 30, 90, 120}, {}}};
  plot.notes = {{1048576, "swing from 1 MiB"}};
  plot.inset = Inset{"gain, %", {5, -5, 10, 120, 108}, {"A", "B", "A", "A", "B"}};
  plot.closeup = Closeup{"time to 32 KiB", {{3, 4, 5}, {3, 2, 9}}, {"S 3", "M 9"}};
  return plot;
}

}  // namespace

TEST_CASE("a plot as SVG has all its words, inside the picture, and none over another") {
  Plot boxes = small_plot();
  boxes.kind = Plot::Kind::boxes;
  boxes.series.resize(1);
  Plot spreads{.title = "gains", .x_label = "gain, %", .y_label = "", .kind = Plot::Kind::spreads};
  for (const std::string name : {"torus 8x8, 1.6 Tb/s", "hyperx 64x64"})
    spreads.spreads.push_back(spread_of(name, {1, 2, 9}));
  Plot many = rich_plot();
  for (int k = 0; k < 8; ++k) many.series.push_back({"another line", {10.0 * k, 90, 30, 170, 4.0 * k}, {}});
  many.inset.reset();
  many.closeup.reset();
  for (const std::vector<Plot>& panels :
       {std::vector{small_plot()}, {boxes}, {spreads}, {rich_plot()}, {many}, {many, rich_plot()}}) {
    CAPTURE(panels.front().title, panels.size());
    const std::string svg = svg_of(picture_of(panels));
    CHECK(faults_of_texts(svg) == std::vector<std::string>{});
    const auto texts = texts_of(svg);
    for (const Plot& plot : panels)
      for (const std::string& words : words_of(plot)) {
        CAPTURE(words);
        if (!words.empty()) CHECK(std::count(texts.begin(), texts.end(), words) >= 1);
      }
  }
}

TEST_CASE("names can't leave their quotes") {
  Plot plot = small_plot();
  plot.title = "x'; system('touch evil'); y\n'\\";
  plot.series[0].name = "'.system('touch evil').'`touch evil`";
  const TemporaryFolder folder;
  folder.write("plot.gp", gnuplot_script(plot, "svg"));
  CHECK(run_program("gnuplot plot.gp > plot.svg", folder.path()).code == 0);
  CHECK(run_program("test ! -e evil && xmllint --noout --nonet plot.svg", folder.path()).code == 0);
}

TEST_CASE("plots have the same bytes each time, in every format, and open") {
  Plot boxes = small_plot();
  boxes.kind = Plot::Kind::boxes;
  Plot with_inset = small_plot();
  with_inset.inset = Inset{"gain, %", {5, -5, 10}};
  with_inset.has_log_x = with_inset.has_log_y = true;
  const TemporaryFolder folder;
  for (const Plot& plot : {small_plot(), boxes, with_inset})
    for (const std::string format : {"svg", "pdf", "eps", "png"}) {
      CAPTURE(format);
      const Picture picture = picture_of(std::vector{plot});
      const auto first = render(picture, format);
      REQUIRE(first);
      CHECK(*first == *render(picture, format));
      folder.write("x." + format, *first);
      if (format == "svg") folder.write("x.gp", gnuplot_script(plot, format));
    }
  CHECK(run_program("xmllint --noout --nonet x.svg", folder.path()).code == 0);
  CHECK(run_program("pdfinfo x.pdf", folder.path()).code == 0);
  CHECK(folder.read("x.png").substr(1, 3) == "PNG");
}

TEST_CASE("panels lie below each other, each with its own data") {
  Plot second = small_plot();
  second.series[0].values = {7, 8, 9};
  const std::vector<Plot> panels{small_plot(), second};
  const std::string script = gnuplot_script(panels, "svg");
  CHECK_THAT(script, Catch::Contains("$data << EOD\n1 10 1\n"));
  CHECK_THAT(script, Catch::Contains("$data2 << EOD\n1 7 1\n"));
  CHECK_THAT(script, Catch::Contains("reset\n"));
  check_runs(script);
}

TEST_CASE("a small plot may have letters, and a close-up the values of each series") {
  Plot plot = small_plot();
  plot.series = {{"first", {1, 1, 1, 1, 30}, {}}, {"second", {1, 1, 1, 1, 3}, {}}};
  plot.x = {1, 2, 4, 8, 16};
  plot.has_log_x = true;
  plot.inset = Inset{"gain, %", {5, -5, 10, 0, 1}, {"A", "B", "A", "A", "B"}};
  plot.closeup = Closeup{"near", {{3, 4}, {9, 2}}, {"F 3", "S 9"}};
  const std::string script = gnuplot_script(plot, "svg");
  CHECK_THAT(script, Catch::Contains("$inset << EOD\n1 5 A\n2 -5 B\n4 10 A\n8 0 A\n16 1 B\nEOD\n"));
  CHECK_THAT(script, Catch::Contains("$closeup << EOD\n1 3 9\n2 4 2\nEOD\n"));
  check_runs(script);
  CHECK(count(svg_of(picture_of(std::vector{plot})), ">S 9</text>") == 1);
}

TEST_CASE("a distribution has quartiles, whiskers within 1.5 times their distance, and outliers") {
  const Spread s = spread_of("x", {5, 1, 3, 2, 4, 100});
  CHECK(s.q1 == 2.25);
  CHECK(s.median == 3.5);
  CHECK(s.q3 == 4.75);
  CHECK(s.low == 1);
  CHECK(s.high == 5);
  CHECK(s.outliers == std::vector<double>{100});
  CHECK(spread_of("one", {7}).median == 7);
  Plot plot{.title = "gains", .x_label = "%", .y_label = ""};
  plot.kind = Plot::Kind::spreads;
  CHECK_FALSE(plot.has_values());
  plot.spreads = {s, spread_of("none beyond", {1, 2, 3})};
  CHECK(plot.has_values());
  check_runs(gnuplot_script(plot, "svg"));
  CHECK(count(svg_of(picture_of(std::vector{plot})), ">none beyond</text>") == 1);
}

TEST_CASE("the key is inside where no line is, and below if there is no such place") {
  Plot rising{.title = "t", .x_label = "x", .y_label = "y", .x = {1, 2, 3, 4}};
  rising.series = {{"one", {0, 0, 0, 9}, {}}, {"two", {0, 0, 1, 8}, {}}};
  CHECK(inside_of(rising).key);
  Plot full = rising;
  full.series.clear();
  for (int k = 0; k < 12; ++k) full.series.push_back({"a long name of a line", std::vector<double>(4, k), {}});
  CHECK_FALSE(inside_of(full).key);
}

TEST_CASE("a small plot that has no room is left out") {
  Plot plot{.title = "t", .x_label = "x", .y_label = "y", .x = {1, 2, 4}};
  for (int k = 0; k < 12; ++k) plot.series.push_back({"x", std::vector<double>(3, k), {}});
  plot.inset = Inset{"gain", {1, 2, 3}};
  CHECK(count(svg_of(picture_of(std::vector{plot})), ">gain<") == 0);
  plot.series.resize(1);
  CHECK(count(svg_of(picture_of(std::vector{plot})), ">gain<") == 1);
}

TEST_CASE("a logarithmic axis has at least some ticks") {
  Plot plot = small_plot();
  plot.has_log_y = true;
  plot.series = {{"one", {150, 300, 4000}, {}}};
  CHECK(ticks_of_y(plot) == std::vector<double>{200, 500, 1000, 2000});
}

TEST_CASE("a note is a line at its place with its words") {
  Plot plot = small_plot();
  plot.notes = {{2, "second from 2"}};
  const std::string script = gnuplot_script(plot, "svg");
  CHECK_THAT(script, Catch::Contains("set arrow from first 2, graph 0 to first 2, graph 1 nohead"));
  CHECK_THAT(script, Catch::Contains("set label 'second from 2' at first 2, graph 0.960 left"));
}

TEST_CASE("values on a scale") {
  Plot plot = small_plot();
  plot.y_label = "goodput, Gb/s";
  CHECK_FALSE(on_scale(plot, PlotScale::percent));
  plot.peak = 40;
  const auto percent = on_scale(plot, PlotScale::percent);
  REQUIRE(percent);
  CHECK(percent->series[0].values == std::vector<double>{25, 51.25, 75});
  CHECK(percent->y_label == "goodput, % of peak");
  CHECK(on_scale(plot, PlotScale::log)->has_log_y);
  CHECK_FALSE(on_scale(plot, PlotScale::linear)->has_log_y);
  plot.series[0].values[0] = 0;
  CHECK_FALSE(on_scale(plot, PlotScale::log));
}

}  // namespace plot_test
