// TikZ: everything that SVG shows, at its place, and text as it is.

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "run_program.h"
#include "schedules/catalogue.h"
#include "viz/plot.h"
#include "viz/renderer.h"
#include "viz/svg_shapes.h"
#include "viz/view.h"

namespace tikz_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

std::string svg(const std::string& content) {
  return R"(<svg width="100pt" height="50pt" xmlns:xlink="http://www.w3.org/1999/xlink">)" + content + "</svg>";
}

/// The lines of shapes, without frame and colours.
std::string shapes_in(const std::string& tikz) {
  std::string lines;
  const std::regex shape(R"(\\(path|node).*\n)");
  for (auto at = std::sregex_iterator(tikz.begin(), tikz.end(), shape); at != std::sregex_iterator(); ++at)
    lines += at->str();
  return lines;
}

std::string drawn(const std::string& content) {
  const auto tikz = tikz_of(svg(content));
  return tikz ? shapes_in(*tikz) : tikz.error().message;
}

std::ptrdiff_t count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator());
}

bool has_latex() {
  return run_program("command -v pdflatex", "/").code == 0;
}

/// Compiles a document, and says how many pages it has and what it needs to be told.
void check_compiles(const TemporaryFolder& folder, const std::string& document) {
  folder.write("x.tex", document);
  const Ended tex = run_program("pdflatex -interaction=nonstopmode -halt-on-error x.tex", folder.path());
  CAPTURE(tex.out);
  REQUIRE(tex.code == 0);
  CHECK(tex.out.find("(1 page,") != std::string::npos);
  CHECK(tex.out.find("Missing character") == std::string::npos);
}

}  // namespace

TEST_CASE("a text is what TeX shows") {
  CHECK(tex_escaped("50 % of a_b & #1 {x} \\y ~ ^ $") ==
        "50 \\% of a\\_b \\& \\#1 \\{x\\} \\textbackslash{}y \\textasciitilde{} \\textasciicircum{} \\$");
  CHECK(tex_escaped("0-3,5") == "0--3,5");
  CHECK(tex_escaped("-5 and (-7)") == "$-$5 and ($-$7)");
  CHECK(tex_escaped("swing-latency") == "swing-latency");
  CHECK(tex_escaped("×8 µs") == "$\\times$8 $\\mu$s");
  CHECK(tex_escaped("é\n") == "é ");
}

TEST_CASE("shapes keep their places under groups, turns and marks") {
  CHECK(drawn(R"svg(<path fill="none" stroke="#ff0000" stroke-width="0.8" d="M0,30L5,30 C1,2 3,4 5,6"/>)svg") ==
        "\\path[draw=onceoverFF0000,line width=0.8bp] (0,20) -- (5,20) .. controls (1,48) and (3,46) .. (5,44);\n");
  CHECK(drawn(R"svg(<g transform="translate(10 5) scale(2)" stroke="black" fill="none" stroke-dasharray="5,2">)svg"
              R"svg(<path d="M0,0h5v1z"/></g>)svg") ==
        "\\path[draw=onceover000000,line width=2bp,dash pattern=on 10bp off 4bp] "
        "(10,45) -- (20,45) -- (20,43) -- cycle;\n");
  CHECK(
      drawn(
          R"svg(<defs><circle id="dot" r="1" stroke="currentColor"/></defs>)svg"
          R"svg(<use xlink:href="#dot" fill="none" color="rgb(0, 114, 178)" transform="translate(3,4) scale(2)"/>)svg") ==
      "\\path[draw=onceover0072B2,line width=2bp] (3,46) ellipse [x radius=2,y radius=2];\n");
  CHECK(drawn(R"svg(<polygon fill="black" stroke="none" fill-opacity="0.5" points="0,0 1,0 1,1"/>)svg") ==
        "\\path[fill=onceover808080] (0,50) -- (1,50) -- (1,49) -- cycle;\n");
  CHECK(drawn(R"svg(<polygon fill="none" stroke="transparent" points="0,0 1,0"/>)svg").empty());
}

TEST_CASE("letters keep their size, anchor, turn and exponents") {
  CHECK(drawn(R"svg(<text text-anchor="middle" x="5" y="40" font-size="8">a_b</text>)svg") ==
        "\\node[anchor=base,text=onceover000000,font=\\fontsize{8}{9.6}\\selectfont] at (5,10) {a\\_b};\n");
  CHECK(
      drawn(
          R"svg(<g transform="translate(5,40) rotate(270)" font-size="6" text-anchor="end"><text>up</text></g>)svg") ==
      "\\node[anchor=base east,text=onceover000000,font=\\fontsize{6}{7.2}\\selectfont,rotate=90] at (5,10) "
      "{up};\n");
  CHECK(drawn(R"svg(<text font-size="5"><tspan>10</tspan><tspan dy="-4px">-2</tspan></text>)svg") ==
        "\\node[anchor=base west,text=onceover000000,font=\\fontsize{5}{6}\\selectfont] at (0,50) "
        "{10\\textsuperscript{$-$2}};\n");
}

TEST_CASE("a long line stays on the picture, whatever the font") {
  CHECK(drawn(R"svg(<text x="5" y="40" font-size="8">a line of many letters</text>)svg") ==
        "\\node[anchor=base west,text=onceover000000,font=\\fontsize{8}{9.6}\\selectfont] at (5,10) "
        "{\\setbox0\\hbox{a line of many letters}\\ifdim\\wd0>94bp\\resizebox{94bp}{!}{\\box0}\\else\\box0\\fi};\n");
}

TEST_CASE("what TikZ has no place for is refused, not left out") {
  CHECK(drawn("<image/>") == "the picture has an element <image> that can't be read");
  CHECK(drawn(R"svg(<path d="M0,0A1"/>)svg") == "the picture has an element <path> that can't be read");
  CHECK(drawn(R"svg(<path d="M0,"/>)svg") == "the picture has an element <path> that can't be read");
  CHECK(drawn(R"svg(<path fill="puce" d="M0,0"/>)svg") == "the picture has an unknown colour, puce");
  CHECK(drawn(R"svg(<g transform="skewX(3)"/>)svg") == "the picture has an unknown transformation, skewX(3)");
  CHECK(drawn(R"svg(<use xlink:href="#no"/>)svg") == "the picture uses a mark that isn't there");
  CHECK(drawn(R"svg(<g id="a"><use xlink:href="#a"/></g>)svg") == "the picture's groups are nested too deeply");
  CHECK(drawn(R"svg(<use id="a" xlink:href="#a"/>)svg") == "the picture uses a mark that isn't there");
  CHECK_FALSE(tikz_of("no svg"));
}

TEST_CASE("every view's TikZ has all that its SVG has, and LaTeX takes it") {
  const SchedulePtr schedule = find_algorithm("swing")->make({.collective = Collective::allreduce, .shape = {2, 4}});
  std::string pages;
  for (const View& view : views()) {
    if (view.name == "counterexample") continue;
    CAPTURE(view.name);
    const std::string dot = draw(view, *schedule, {}).value();
    const std::string svg = render(dot, "svg").value(), tikz = render(dot, "tikz").value();
    CHECK(count(tikz, R"(\\node\[)") == count(svg, "<text "));
    const auto invisible = count(svg, R"svg(fill="(none|transparent)" stroke="(none|transparent)")svg");
    CHECK(count(tikz, R"(\\path\[)") == count(svg, "<(path|polygon|polyline|ellipse) ") - invisible);
    CHECK(count(tikz, R"(\{)") == count(tikz, R"(\})"));
    pages += "\\setbox0\\hbox{" + tikz + "}\n";
  }
  if (!has_latex()) return;
  const TemporaryFolder folder;
  check_compiles(folder,
                 "\\documentclass{article}\\usepackage{tikz}\\begin{document}\n" + pages + "x\\end{document}\n");
}

TEST_CASE("a plot is TikZ as well, and a document is as large as its picture") {
  Plot plot{.title = "50 % of a_b", .x_label = "x", .y_label = "y", .x = {1, 2, 4}};
  plot.has_log_x = plot.has_log_y = true;
  plot.series = {{"first", {10, 20.5, 3000}, {1}}, {"second", {1, 2, 3}, {}}};
  const std::string document = render_plot(gnuplot_script(plot, "tex"), "tex").value();
  CHECK(document.find("{50 \\% of a\\_b}") != std::string::npos);
  CHECK(document.find("{first}") != std::string::npos);
  CHECK(document.find("\\textsuperscript") != std::string::npos);
  CHECK(document.find("paperwidth=238bp") != std::string::npos);
  if (!has_latex()) return;
  const TemporaryFolder folder;
  check_compiles(folder, document);
  CHECK(run_program("pdfinfo x.pdf", folder.path()).out.find("238 x ") != std::string::npos);
}

}  // namespace tikz_test
