#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "run_program.h"
#include "schedules/catalogue.h"
#include "text_boxes.h"
#include "viz/renderer.h"
#include "viz/view.h"

namespace graphviz_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

std::string picture(std::string_view view = "steps") {
  // Swing's blocks move alike only for even p.
  const std::string_view algorithm = view == vectors_view.name ? "ring" : "swing";
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
    const Ended fonts = run_program("pdffonts x.pdf | tail -n +3 | grep -v ' yes yes '", folder.path());
    CHECK(fonts.out.empty());
    CHECK(folder.read("x.png").substr(1, 3) == "PNG");
    const std::string eps = render(picture(view.name), "eps").value();
    CHECK(eps.starts_with("%!PS-Adobe-3.0 EPSF-3.0"));
    CHECK(eps.find("/FontType") != std::string::npos);
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
      const std::string dot = draw(view, *schedule, options).value();
      const bool is_pinned = dot.find("pos=") != std::string::npos;
      folder.write("x.pdf", render(dot, "pdf").value());
      const Ended info = run_program("pdfinfo x.pdf | sed -n 's/Page size: *\\([0-9]*\\).*/\\1/p'", folder.path());
      CHECK(std::stod(info.out) <= width * 72 + 1);
      if (is_pinned) CHECK(std::stod(info.out) >= width * 72 - 2);
    }
  }
}

TEST_CASE("without Graphviz the message says what to do, and DOT still comes out") {
  const TemporaryFolder empty;
  const Variable path("PATH", empty.path());
  const auto svg = render(picture(), "svg");
  REQUIRE_FALSE(svg);
  CHECK(svg.error().kind == DrawError::Kind::no_program);
  CHECK(svg.error().message ==
        "Graphviz isn't installed: its program 'dot' is not found. Install it, or write the picture as DOT, to "
        "picture.dot\n"
        "  apt-get install graphviz                Debian, Ubuntu\n"
        "  dnf install graphviz                    RHEL, Fedora\n"
        "  zypper install graphviz                 SUSE\n"
        "  conda install -c conda-forge graphviz   conda, without root");
  CHECK(render(picture(), "dot") == picture());
}

TEST_CASE("a Graphviz that fails or hangs is no picture") {
  const TemporaryFolder tools;
  const Variable path("PATH", tools.path() + ":" + std::getenv("PATH"));
  tools.write("dot", "#!/bin/sh\necho half a picture; echo sorry >&2; exit 3\n");
  run_program("chmod +x dot", tools.path());
  const auto failed = render(picture(), "svg");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "Graphviz ended with exit code 3: sorry\n");
  tools.write("dot", "#!/bin/sh\nexec sleep 60\n");
  const auto slow = render(picture(), "svg", 1);
  REQUIRE_FALSE(slow);
  CHECK(slow.error().kind == DrawError::Kind::slow);
}

TEST_CASE("malformed DOT is Graphviz' error, not a picture") {
  const auto svg = render("digraph {", "svg");
  REQUIRE_FALSE(svg);
  CHECK(svg.error().kind == DrawError::Kind::failed);
}

}  // namespace graphviz_test
