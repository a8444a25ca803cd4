// A picture is judged as Graphviz has made it, so nothing is estimated. Advice is what was tried and can be read: first
// a picture as wide as a page, then fewer steps, then the messages of one rank, then a poster.
//
// Example: 40 panels of an inch each don't fit on a page of 9 inches. Half as many don't, and 8 do: --steps 0..7.

#include "viz/legible.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "viz/messages.h"
#include "viz/renderer.h"

namespace onceover::viz {

namespace {

/// The number behind each `key="` of a text, up to its end or its unit.
std::vector<double> numbers_after(std::string_view text, std::string_view key) {
  std::vector<double> numbers;
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    double value = 0;
    const char* begin = text.data() + at + key.size();
    if (read_decimal(begin, text.data() + text.size(), value).ec == std::errc{}) numbers.push_back(value);
  }
  return numbers;
}

/// The first of these numbers near the beginning of the text.
std::optional<double> first_after(std::string_view text, std::string_view key) {
  const auto numbers = numbers_after(text.substr(0, 2000), key);
  return numbers.empty() ? std::nullopt : std::optional(numbers.front());
}

double least(const std::vector<double>& sizes) {
  return sizes.empty() ? std::numeric_limits<double>::infinity() : *std::min_element(sizes.begin(), sizes.end());
}

/// A try: the picture, or why it is none or can't be read.
struct Attempt {
  Drawn<std::string> dot;
  std::string svg = {};                                                 // if it had to be rendered to be measured
  PictureSize measures = {0, std::numeric_limits<double>::infinity()};  // 0: not known

  bool is_about_size() const { return !dot && dot.error().kind == DrawError::Kind::too_large; }
};

/// Renders the picture unless it is pinned, which says its measures itself.
Drawn<void> measure(Attempt& attempt, std::string_view format) {
  if (const auto height = first_after(*attempt.dot, pinned_height)) {
    attempt.measures = {*height / 72, least(numbers_after(*attempt.dot, " fontsize=\""))};
    return {};
  }
  if (format == "dot") return {};
  attempt.svg = TRY(render(*attempt.dot, "svg"));
  attempt.measures = size_of_picture(attempt.svg);
  return {};
}

/// Why a picture can't be read, if it can't.
std::optional<DrawError> complaint(const PictureSize& measures, const Style& style) {
  if (auto tall = too_tall(72 * measures.height, style)) return tall;
  if (measures.smallest_letters > smallest_letters - 0.01) return std::nullopt;
  return DrawError{DrawError::Kind::too_large,
                   fmt::format("the smallest letters would have {:.1f} pt, and below {:.0f} nobody reads them",
                               measures.smallest_letters, smallest_letters)};
}

Attempt attempt_as_asked(const Drawing& drawing, const DrawOptions& options, std::string_view format) {
  Attempt attempt{drawing.draw(options)};
  if (!attempt.dot) return attempt;
  if (const auto done = measure(attempt, format); !done)
    attempt.dot = tl::unexpected(done.error());
  else if (auto error = complaint(attempt.measures, options.style))
    attempt.dot = tl::unexpected(*std::move(error));
  return attempt;
}

/// The picture with these options, thinned if it can't be read otherwise.
Attempt attempt(const Drawing& drawing, DrawOptions options, std::string_view format) {
  Attempt plain = attempt_as_asked(drawing, options, format);
  if (!plain.is_about_size()) return plain;
  options.thinned = true;
  return attempt_as_asked(drawing, options, format);
}

/// Looks for options under which a picture can be read.
class Search {
 public:
  Search(const Drawing& drawing, const DrawOptions& options, std::string_view format)
      : drawing_(drawing), options_(options), format_(format) {}

  /// The options to add for a picture that can be read, or nothing if none were found.
  std::string advice() {
    const bool has_ranks = heeds("--ranks") && options_.ranks.size() != 1;
    std::vector<double> widths{options_.style.width};
    if (options_.style.width < 7) widths.push_back(7);
    for (const bool one_rank : {false, true}) {
      if (one_rank && !has_ranks) continue;
      for (const double width : widths)
        if (try_page(width, one_rank, std::nullopt)) return found_;
      for (const double width : widths)
        if (heeds("--steps") && try_fewer_steps(width, one_rank)) return found_;
    }
    for (const double width : {14.0, 28.0, 48.0})
      if (width > options_.style.width && try_with(width, 1.25 * width, false, std::nullopt)) return found_;
    return drawing_.otherwise != nullptr ? Search(*drawing_.otherwise, options_, format_).advice() : "";
  }

 private:
  using Steps = std::optional<std::pair<int, int>>;

  bool heeds(std::string_view option) const { return drawing_.heeds.find(option) != std::string_view::npos; }

  /// Ever fewer of the first steps that are asked for: as many as would fit if all were equally tall, at most half.
  bool try_fewer_steps(double width, bool one_rank) {
    const int first = options_.steps ? options_.steps->first : 0;
    int count = options_.steps ? options_.steps->second - first + 1 : drawing_.steps;
    height_ = 0;
    while (count > 1) {
      const double fit = height_ > 0 ? count * options_.style.height / height_ : count;
      count = std::clamp(static_cast<int>(fit), 1, std::max(count / 2, 1));
      if (try_page(width, one_rank, std::pair(first, first + count - 1))) return true;
    }
    return false;
  }

  bool try_page(double width, bool one_rank, Steps steps) {
    return try_with(width, options_.style.height, one_rank, steps);
  }

  /// Can the picture be read with these options? Then they are found, as a user would write them.
  bool try_with(double width, double height, bool one_rank, Steps steps) {
    DrawOptions options = options_;
    options.style.width = width;
    options.style.height = std::max(height, options_.style.height);
    if (one_rank) options.ranks = {options_.ranks.empty() ? 0 : options_.ranks.front()};
    if (steps) options.steps = steps;
    const Attempt result = attempt(drawing_, options, format_);
    height_ = result.measures.height;
    if (!result.dot) return false;
    std::vector<std::string> words;
    if (!drawing_.words.empty()) words.emplace_back(drawing_.words);
    if (one_rank) words.push_back(fmt::format("--ranks {}", options.ranks.front()));
    if (steps && steps->first == steps->second) words.push_back(fmt::format("--steps {}", steps->first));
    if (steps && steps->first < steps->second)
      words.push_back(fmt::format("--steps {}..{}", steps->first, steps->second));
    if (width > options_.style.width) words.push_back(fmt::format("--width {:g}in", width));
    if (height > options_.style.height) words.push_back(fmt::format("--height {:g}in", height));
    found_ = fmt::format("{}", fmt::join(words, " "));
    return true;
  }

  const Drawing& drawing_;
  const DrawOptions& options_;
  std::string_view format_;
  std::string found_;
  double height_ = 0;  // of the last picture tried, in inches; 0 if there was none
};

/// The same error, with what can be read.
DrawError with_advice(const DrawError& error, const std::string& advice, const std::string& in_words) {
  const std::string says = !advice.empty()     ? "this can be read: " + advice
                           : !in_words.empty() ? "this says it in words: " + in_words
                                               : "no part of it was found that can be";
  return {error.kind, fmt::format("{}; {}", error.message, says)};
}

}  // namespace

PictureSize size_of_picture(std::string_view svg) {
  const double scale = first_after(svg, "transform=\"scale(").value_or(1);
  return {first_after(svg, "height=\"").value_or(0) / 72, least(numbers_after(svg, " font-size=\"")) * scale};
}

Drawn<std::string> render_legibly(const Drawing& drawing, const DrawOptions& options, std::string_view format) {
  Attempt found = attempt(drawing, options, format);
  if (found.is_about_size())
    return tl::unexpected(with_advice(found.dot.error(), Search(drawing, options, format).advice(), drawing.in_words));
  if (format == "svg" && !found.svg.empty()) return std::move(found.svg);
  return render(TRY(std::move(found.dot)), format);
}

}  // namespace onceover::viz
