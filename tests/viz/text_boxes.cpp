#include "text_boxes.h"

#include <fmt/format.h>

#include <cmath>
#include <regex>

#include "viz/primitives.h"

namespace onceover::support {

namespace {

struct Box {
  std::string text;
  double left, top, right, bottom;

  bool meets(const Box& other) const {
    constexpr double touching = 0.5;  // points: boxes are estimates, and half a point isn't seen
    return left < other.right - touching && other.left < right - touching && top < other.bottom - touching &&
           other.top < bottom - touching;
  }
};

std::string unescaped(std::string text) {
  for (const auto& [entity, letter] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1))
      text.replace(at, std::string_view(entity).size(), letter);
  return text;
}

/// From the baseline to the top of small letters, and as much narrower as widths may be wrong.
std::vector<Box> boxes_of(const std::string& svg) {
  static const std::regex text(
      R"re(<text (?:x="([^"]*)" y="([^"]*)"|transform="translate\(([^,]*),([^)]*)\) rotate\(-90\)") font-size="([^"]*)"( text-anchor="([^"]*)")?[^>]*>([^<]*)</text>)re");
  std::vector<Box> boxes;
  for (std::sregex_iterator at(svg.begin(), svg.end(), text), end; at != end; ++at) {
    const auto& found = *at;
    const bool is_upright = found[3].matched;
    const double x = std::stod(found[is_upright ? 3 : 1]), y = std::stod(found[is_upright ? 4 : 2]);
    const std::string words = unescaped(found[8]), anchor = found[7];
    if (words.find_first_not_of(' ') == std::string::npos) continue;
    const double size = std::stod(found[5]), width = 0.9 * viz::text_width(words, size);
    const double from = anchor == "start" ? 0 : anchor == "end" ? -width : -width / 2;
    const double low = -0.05 * size, high = 0.55 * size;
    if (is_upright)
      boxes.push_back({words, x - high, y - from - width, x - low, y - from});
    else
      boxes.push_back({words, x + from, y - high, x + from + width, y - low});
  }
  return boxes;
}

}  // namespace

std::vector<std::string> faults_of_texts(const std::string& svg) {
  static const std::regex frame("viewBox=\"([-0-9.]+) ([-0-9.]+) ([0-9.]+) ([0-9.]+)\"");
  std::smatch size;
  if (!std::regex_search(svg, size, frame)) return {"no picture"};
  const double left = std::stod(size[1]), top = std::stod(size[2]);
  const double right = left + std::stod(size[3]), bottom = top + std::stod(size[4]);
  std::vector<std::string> faults;
  const auto boxes = boxes_of(svg);
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    const Box& box = boxes[k];
    if (box.left < left || box.top < top || box.right > right || box.bottom > bottom)
      faults.push_back(fmt::format("'{}' outside", box.text));
    for (std::size_t other = 0; other < k; ++other)
      if (box.meets(boxes[other])) faults.push_back(fmt::format("'{}' over '{}'", box.text, boxes[other].text));
  }
  return faults;
}

std::vector<std::string> texts_of(const std::string& svg) {
  std::vector<std::string> texts;
  for (const Box& box : boxes_of(svg)) texts.push_back(box.text);
  return texts;
}

}  // namespace onceover::support
