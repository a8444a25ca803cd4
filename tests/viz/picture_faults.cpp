#include "picture_faults.h"

#include <fmt/format.h>

#include <cmath>
#include <regex>

#include "text_boxes.h"
#include "viz/ink/writers.h"

namespace onceover::support {

using namespace viz;

namespace {

double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

void check_heads(const Picture& picture, std::vector<std::string>& faults) {
  const auto discs = all_of<Disc>(picture);
  for (const Polycurve& line : all_of<Polycurve>(picture))
    for (const auto& [tip, base] :
         {std::pair{line.start, line.shaft.front().from}, std::pair{line.end, line.shaft.back().to}}) {
      if (!tip) continue;
      const double head = distance(*tip, base), shaft = line.length();
      if (head > 0.4 * shaft + 0.05)
        faults.push_back(fmt::format("a head of {:.2f} on a shaft of {:.2f}", head, shaft));
      for (const Disc& disc : discs)
        if (distance(*tip, disc.centre) < disc.radius - 0.5)
          faults.push_back(fmt::format("a head over '{}'", disc.label));
    }
}

/// Labels may be as much wider as widths may be wrong.
void check_labels(const Picture& picture, std::vector<std::string>& faults) {
  for (const Disc& disc : all_of<Disc>(picture))
    if (0.9 * text_width(disc.label, disc.size) > 2 * disc.radius)
      faults.push_back(fmt::format("'{}' is wider than its circle", disc.label));
  for (const viz::Box& box : all_of<viz::Box>(picture)) {
    const Text text{{}, Text::Anchor::middle, box.label, box.size, palette::black};
    for (const std::string& line : text.lines())
      if (0.9 * text_width(line, box.size) > box.width + 1)
        faults.push_back(fmt::format("'{}' is wider than its box", line));
  }
}

void check_edges(const Picture& picture, std::vector<std::string>& faults) {
  const auto check = [&](Point at, double around, const std::string& what) {
    if (at.x - around < -0.6 || at.y - around < -0.6 || at.x + around > picture.width() + 0.1 ||
        at.y + around > picture.height() + 0.6)
      faults.push_back(what + " leaves the picture");
  };
  for (const Disc& disc : all_of<Disc>(picture)) check(disc.centre, disc.radius, "circle '" + disc.label + "'");
  for (const viz::Box& box : all_of<viz::Box>(picture)) {
    check(box.corner, 0, "box '" + box.label + "'");
    check(box.corner + Point{box.width, box.height}, 0, "box '" + box.label + "'");
  }
  for (const Polycurve& line : all_of<Polycurve>(picture))
    for (const Curve& curve : line.shaft)
      for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0})
        check(curve.at(t), 0, fmt::format("a line at {:.1f},{:.1f}", curve.at(t).x, curve.at(t).y));
}

}  // namespace

std::vector<std::string> faults_of(const Picture& picture) {
  std::vector<std::string> faults = faults_of_texts(svg_of(picture));
  static const std::regex exponent("[0-9]e[-+]?[0-9]");
  for (const Text& text : picture.texts())
    if (std::regex_search(text.words, exponent)) faults.push_back("'" + text.words + "' has an exponent");
  check_heads(picture, faults);
  check_labels(picture, faults);
  check_edges(picture, faults);
  if (faults.size() > 8) faults.resize(8);
  return faults;
}

}  // namespace onceover::support
