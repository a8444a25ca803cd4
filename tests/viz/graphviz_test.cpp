#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "run_program.h"
#include "schedules/catalogue.h"
#include "text_boxes.h"
#include "viz/ink/graph.h"
#include "viz/ink/writers.h"
#include "viz/renderer.h"
#include "viz/view.h"

namespace graphviz_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

Picture picture(std::string_view view = "steps") {
  // Swing's blocks move alike only for even p, and what waits for what in it needs more width.
  const bool is_of_ring = view == vectors_view.name || view == deadlock_view.name;
  const std::string_view algorithm = is_of_ring ? "ring" : "swing";
  const SchedulePtr schedule = find_algorithm(algorithm)->make(on_line(Collective::allreduce, 7));
  return draw(*find_view(view), *schedule, {}).value();
}

/// A variable of the environment, changed as long as this object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("the same picture has the same bytes in every format") {
  for (const std::string_view view : {"steps", "tree"})
    for (const std::string_view format : picture_formats) {
      CAPTURE(view, format);
      const auto first = render(picture(view), format), second = render(picture(view), format);
      REQUIRE(first);
      CHECK(first->size() > 1000);
      CHECK(*first == *second);
    }
}

TEST_CASE("a picture doesn't depend on which fonts stand for Times on this machine") {
  const TemporaryFolder folder;
  folder.write("fonts.conf",
               "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig><alias binding=\"same\">"
               "<family>Times</family><prefer><family>DejaVu Sans</family></prefer></alias>"
               "<include>/etc/fonts/fonts.conf</include></fontconfig>");
  for (const std::string_view format : {"svg", "pdf"}) {
    const auto before = render(picture("tree"), format);
    const Variable settings("FONTCONFIG_FILE", folder.path("fonts.conf"));
    REQUIRE(run_program("fc-match Times", folder.path()).out.find("DejaVu Sans") != std::string::npos);
    CHECK(*before == *render(picture("tree"), format));
  }
}

TEST_CASE("in no committed figure a text is over another, or outside") {
  for (const auto& file : std::filesystem::directory_iterator(ONCEOVER_SOURCE "/docs/figures")) {
    if (file.path().filename() == "film.svg") continue;  // its steps lie on top of each other
    CAPTURE(file.path().filename());
    if (file.path().filename() == "scale.svg") continue;  // of the benchmarks, by Gnuplot
    std::ifstream in(file.path());
    CHECK(faults_of_texts(std::string(std::istreambuf_iterator<char>(in), {})) == std::vector<std::string>{});
  }
}

TEST_CASE("every view's SVG is XML, its PDF opens and has its letters inside") {
  const TemporaryFolder folder;
  for (const View& view : views()) {
    if (view.name == "counterexample") continue;
    CAPTURE(view.name);
    folder.write("x.svg", render(picture(view.name), "svg").value());
    folder.write("x.pdf", render(picture(view.name), "pdf").value());
    folder.write("x.png", render(picture(view.name), "png").value());
    CHECK(run_program("xmllint --noout --nonet --nowarning x.svg", folder.path()).code == 0);
    const Ended info = run_program("pdfinfo x.pdf", folder.path());
    CHECK(info.code == 0);
    CHECK(info.out.find("Pages:           1\n") != std::string::npos);
    const Ended fonts = run_program("pdffonts x.pdf | tail -n +3", folder.path());
    CHECK(fonts.out.find("LiberationSerif") != std::string::npos);
    CHECK(fonts.out.find(" yes yes ") != std::string::npos);
    CHECK(folder.read("x.png").substr(1, 3) == "PNG");
    const std::string eps = render(picture(view.name), "eps").value();
    CHECK(eps.starts_with("%!PS-Adobe-3.0 EPSF-3.0"));
  }
}

TEST_CASE("a picture is as wide as asked for") {
  const TemporaryFolder folder;
  const SchedulePtr schedule = find_algorithm("swing")->make(on_line(Collective::allreduce, 16));
  for (const double width : {3.3, 7.0}) {
    DrawOptions options;
    options.style.width = width;
    options.style.height = 100;
    for (const View& view : views()) {
      if (view.name == "counterexample") continue;
      CAPTURE(view.name, width);
      const Picture drawn = draw(view, *schedule, options).value();
      const bool is_pinned = !drawn.graph();
      folder.write("x.pdf", render(drawn, "pdf").value());
      const Ended info = run_program("pdfinfo x.pdf | sed -n 's/Page size: *\\([0-9]*\\).*/\\1/p'", folder.path());
      CHECK(std::stod(info.out) <= width * 72 + 1);
      if (is_pinned) CHECK(std::stod(info.out) >= width * 72 - 2);
    }
  }
}

TEST_CASE("without Graphviz and librsvg messages say what to do, and what needs none still comes out") {
  const TemporaryFolder empty;
  const Variable path("PATH", empty.path());
  for (const std::string_view format : {"svg", "tikz", "tex", "dot"}) CHECK(render(picture(), format));
  const auto tree = render(picture("tree"), "svg");
  REQUIRE_FALSE(tree);
  CHECK(tree.error().kind == DrawError::Kind::no_program);
  CHECK(tree.error().message ==
        "Graphviz isn't installed: its program 'dot' is not found. Install it, or write the picture as DOT, to "
        "picture.dot\n"
        "  apt-get install graphviz                Debian, Ubuntu\n"
        "  dnf install graphviz                    RHEL, Fedora\n"
        "  zypper install graphviz                 SUSE\n"
        "  conda install -c conda-forge graphviz   conda, without root");
  CHECK(render(picture("tree"), "dot"));
  CHECK(render(picture(), "pdf").error().message ==
        "librsvg isn't installed: its program 'rsvg-convert' is not found. Install it, or write the picture as SVG, to "
        "picture.svg\n"
        "  apt-get install librsvg2-bin            Debian, Ubuntu\n"
        "  dnf install librsvg2-tools              RHEL, Fedora\n"
        "  zypper install rsvg-convert             SUSE\n"
        "  conda install -c conda-forge librsvg    conda, without root");
}

TEST_CASE("a Graphviz that fails, hangs or prints nonsense is no picture") {
  const TemporaryFolder tools;
  const Variable path("PATH", tools.path() + ":" + std::getenv("PATH"));
  const auto with = [&](const std::string& script) {
    tools.write("dot", "#!/bin/sh\n" + script + "\n");
    run_program("chmod +x dot", tools.path());
    return render(picture("tree"), "svg", 1);
  };
  CHECK(with("echo half a picture; echo sorry >&2; exit 3").error().message ==
        "Graphviz ended with exit code 3: sorry\n");
  CHECK(with("exec sleep 60").error().kind == DrawError::Kind::slow);
  for (const std::string nonsense : {"echo stop", "echo node b0v0 1", "echo 'edge b0v0 b0v1 4 1 1'",
                                     "echo 'edge a b 99999999999 1 2 solid black'", "echo 'node b0v0 nan inf'"})
    CHECK(with(nonsense).error().kind == DrawError::Kind::failed);
}

TEST_CASE("all parts of a graph get their places: nodes, labels, frames around their nodes, heads") {
  const SchedulePtr schedule = find_algorithm("ring")->make(on_line(Collective::allreduce, 4));
  const Picture tree = placed(draw(tree_view, *schedule, {.blocks = {0, 1}}).value()).value();
  std::size_t discs = 0, boxes = 0, heads = 0;
  for (const DrawnShape& shape : tree.shapes()) {
    if (std::holds_alternative<Disc>(shape.form)) ++discs;
    if (std::holds_alternative<Box>(shape.form)) ++boxes;
    if (const auto* line = std::get_if<Polycurve>(&shape.form)) heads += heads_of(*line).size();
  }
  CHECK(discs == 14);  // seven of each block
  CHECK(boxes == 2);
  CHECK(heads == 12);
  CHECK(faults_of_texts(svg_of(tree)) == std::vector<std::string>{});
  for (const DrawnShape& shape : tree.shapes())
    if (const auto* disc = std::get_if<Disc>(&shape.form)) {
      std::size_t inside = 0;
      for (const DrawnShape& other : tree.shapes())
        if (const auto* box = std::get_if<Box>(&other.form))
          inside += box->corner.x < disc->centre.x - disc->radius &&
                    disc->centre.x + disc->radius < box->corner.x + box->width &&
                    box->corner.y < disc->centre.y - disc->radius &&
                    disc->centre.y + disc->radius < box->corner.y + box->height;
      CHECK(inside == 1);
    }
}

}  // namespace graphviz_test
