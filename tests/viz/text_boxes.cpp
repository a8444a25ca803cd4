#include "text_boxes.h"

#include <fmt/format.h>

#include <cmath>

#include "viz/dot.h"
#include "viz/svg_shapes.h"

namespace onceover::support {

namespace {

using viz::Label;

struct Box {
  std::string text;
  double left, bottom, right, top;

  bool meets(const Box& other) const {
    constexpr double touching = 0.5;  // points: boxes are estimates, and half a point isn't seen
    return left < other.right - touching && other.left < right - touching && bottom < other.top - touching &&
           other.bottom < top - touching;
  }
};

std::string text_of(const Label& label) {
  std::string text;
  for (const Label::Part& part : label.parts) text += part.text;
  return text;
}

/// From below the baseline to the top of small letters, and as much narrower as widths may be wrong.
Box box_of(const Label& label) {
  const std::string text = text_of(label);
  const double width = 0.9 * viz::text_width(text, label.size), low = -0.05 * label.size, high = 0.55 * label.size;
  const double from = label.anchor == Label::Anchor::start    ? 0
                      : label.anchor == Label::Anchor::middle ? -width / 2
                                                              : -width;
  if (std::abs(label.angle) > 45)
    return {text, label.at.x - high, label.at.y + from, label.at.x - low, label.at.y + from + width};
  return {text, label.at.x + from, label.at.y + low, label.at.x + from + width, label.at.y + high};
}

std::vector<Label> labels_of(const viz::DrawnShapes& shapes) {
  std::vector<Label> labels;
  for (const auto& shape : shapes.list)
    if (const auto* label = std::get_if<Label>(&shape);
        label && text_of(*label).find_first_not_of(' ') != std::string::npos)
      labels.push_back(*label);
  return labels;
}

}  // namespace

std::vector<std::string> faults_of_texts(std::string_view svg) {
  const auto shapes = viz::shapes_of(svg);
  if (!shapes) return {shapes.error().message};
  std::vector<std::string> faults;
  std::vector<Box> boxes;
  for (const Label& label : labels_of(*shapes)) {
    const Box box = box_of(label);
    if (box.left < 0 || box.bottom < 0 || box.right > shapes->width || box.top > shapes->height)
      faults.push_back(fmt::format("'{}' outside", box.text));
    for (const Box& other : boxes)
      if (box.meets(other)) faults.push_back(fmt::format("'{}' over '{}'", box.text, other.text));
    boxes.push_back(box);
  }
  return faults;
}

std::vector<std::string> texts_of(std::string_view svg) {
  std::vector<std::string> texts;
  if (const auto shapes = viz::shapes_of(svg))
    for (const Label& label : labels_of(*shapes)) texts.push_back(text_of(label));
  return texts;
}

}  // namespace onceover::support
