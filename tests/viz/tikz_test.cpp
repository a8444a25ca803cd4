// TikZ: everything that SVG shows, at its place, and text as it is.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <regex>

#include "run_program.h"
#include "schedules/catalogue.h"
#include "viz/ink/graph.h"
#include "viz/ink/writers.h"
#include "viz/plot.h"
#include "viz/view.h"

namespace tikz_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

/// The lines of shapes, without frame and colours.
std::string drawn(const std::function<void(Picture&)>& draw) {
  Picture picture({.width = 100.0 / 72}, "t", 49);
  draw(picture);
  const std::string tikz = tikz_of(picture);
  std::string lines;
  const std::regex shape(R"(\\(path|node).*\n)");
  for (auto at = std::sregex_iterator(tikz.begin(), tikz.end(), shape); at != std::sregex_iterator(); ++at)
    lines += at->str();
  return lines;
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

TEST_CASE("shapes are where they are, and have the style of their role") {
  CHECK(drawn([](Picture& picture) {
          picture.curve(Curve::straight({-0.5, 29.5}, {4.5, 29.5}), {palette::blue, "solid", 0.8}, Heads::none);
        }) == "\\path[draw=onceover0072B2,line width=0.8bp,onceover line/.try] (0,20) -- (5,20);\n");
  CHECK(drawn([](Picture& picture) {
          picture.disc({2.5, 3.5}, 2, "", {palette::black, "dashed", 0.5}, palette::sky);
        }) ==
        "\\path[fill=onceover56B4E9,draw=onceover000000,line width=0.5bp,dash pattern=on 5bp off 2bp,"
        "onceover rank/.try] (3,46) circle [radius=2];\n");
  CHECK(drawn([](Picture& picture) {
          picture.as(Role::panel_title)->box({-0.5, -0.5}, 5, 6, "", 8, "none", {palette::black, "solid", 1});
        }) == "\\path[draw=onceover000000,line width=1bp,onceover panel title/.try] (0,50) rectangle (5,44);\n");
}

TEST_CASE("letters keep their size, anchor and turn") {
  CHECK(drawn([](Picture& picture) {
          picture.text({4.5, 36.94}, "a_b", 8);
        }) ==
        "\\node[anchor=base,text=onceover000000,font=\\fontsize{8}{9.6}\\selectfont,onceover label/.try] at (5,10) "
        "{\\onceoverfit{11.87bp}{a\\_b}};\n");
  CHECK(drawn([](Picture& picture) {
          picture.add(Text{.at = {4.5, 39.5},
                           .anchor = Text::Anchor::end,
                           .words = "10²",
                           .size = 5,
                           .colour = palette::black,
                           .is_upright = true});
        }) ==
        "\\node[anchor=base east,text=onceover000000,font=\\fontsize{5}{6}\\selectfont,rotate=90,onceover "
        "label/.try] at (6.6,10) {\\onceoverfit{7.73bp}{10\\textsuperscript{2}}};\n");
}

TEST_CASE("every view's TikZ has all that its SVG has, and LaTeX takes it") {
  const SchedulePtr schedule = find_algorithm("swing")->make({.collective = Collective::allreduce, .shape = {2, 4}});
  std::string pages;
  for (const View& view : views()) {
    if (view.name == "counterexample") continue;
    CAPTURE(view.name);
    const Picture picture = placed(draw(view, *schedule, {}).value()).value();
    const std::string svg = svg_of(picture), tikz = tikz_of(picture);
    CHECK(count(tikz, R"(\\node\[)") == count(svg, "<text "));
    const auto white = count(svg, "<path [^>]*stroke=\"#FFFFFF\"");  // inside double lines
    const auto invisible = count(svg, "fill=\"none\"/>") + count(svg, "class=\"background\"");
    CHECK(count(tikz, R"(\\path\[)") == count(svg, "<(path|polygon|rect|ellipse) ") - invisible - white);
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
  plot.series = {{"first", {10, 20.5, 3e6}, {1}}, {"second", {1, 2, 3}, {}}};
  const std::string document = tikz_document_of(picture_of(std::vector{plot}));
  CHECK(document.find("{50 \\% of a\\_b}}") != std::string::npos);
  CHECK(document.find("{first}") != std::string::npos);
  CHECK(document.find("\\textsuperscript") != std::string::npos);
  CHECK(document.find("paperwidth=237.6bp") != std::string::npos);
  if (!has_latex()) return;
  const TemporaryFolder folder;
  check_compiles(folder, document);
  CHECK(run_program("pdfinfo x.pdf", folder.path()).out.find("237.6 x ") != std::string::npos);
}

}  // namespace tikz_test
