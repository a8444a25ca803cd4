// A picture is judged by its list of shapes. Advice is what was tried and can be read: first
// a picture as wide as a page, then fewer steps, then the messages of one rank, then a poster.
//
// Example: 40 panels of an inch each don't fit on a page of 9 inches. Half as many don't, and 8 do: --steps 0..7.

#include "viz/legible.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/result.h"
#include "viz/ink/graph.h"
#include "viz/messages.h"
#include "viz/renderer.h"

namespace onceover::viz {

namespace {

/// Why a picture can't be read, if it can't.
std::optional<DrawError> complaint(const Picture& picture) {
  if (auto tall = too_tall(picture.height(), picture.style())) return tall;
  if (picture.smallest_letters() > smallest_letters - 0.01) return std::nullopt;
  return DrawError{DrawError::Kind::too_large,
                   fmt::format("the smallest letters would have {:.1f} pt, and below {:.0f} nobody reads them",
                               picture.smallest_letters(), smallest_letters)};
}

bool is_about_size(const Drawn<Picture>& picture) {
  return !picture && picture.error().kind == DrawError::Kind::too_large;
}

/// A try: the picture, or why it is none or can't be read.
struct Attempt {
  Drawn<Picture> picture;
  double height = 0;  // in points; 0: not known
};

Attempt attempt_as_asked(const Drawing& drawing, const DrawOptions& options, bool places) {
  Drawn<Picture> picture = drawing.draw(options);
  if (picture && places) picture = placed(*std::move(picture));
  if (!picture || picture->graph()) return {std::move(picture)};
  picture->leave_out(options.style.without);
  const double height = picture->height();
  if (auto error = complaint(*picture)) return {tl::unexpected(*std::move(error)), height};
  return {std::move(picture), height};
}

bool heeds(const Drawing& drawing, std::string_view option) {
  return drawing.heeds.find(option) != std::string_view::npos;
}

/// The picture with these options; if it can't be read, thinned, then folded, then squeezed.
Attempt attempt(const Drawing& drawing, DrawOptions options, bool places) {
  Attempt tried = attempt_as_asked(drawing, options, places);
  const bool may_fold = options.fold == Fold::where_needed && heeds(drawing, "--fold");
  const auto next = [&](Fold fold) {
    if (!is_about_size(tried.picture)) return;
    options.thinned = true;
    options.fold = fold;
    tried = attempt_as_asked(drawing, options, places);
  };
  next(options.fold);
  if (may_fold) next(Fold::always);
  if (may_fold) next(Fold::never);
  return tried;
}

/// Looks for options under which a picture can be read.
class Search {
 public:
  Search(const Drawing& drawing, const DrawOptions& options, bool places)
      : drawing_(drawing), options_(options), places_(places) {}

  /// The options to add for a picture that can be read, or nothing if none were found.
  std::string advice() {
    const bool has_ranks = heeds(drawing_, "--ranks") && options_.ranks.size() != 1;
    std::vector<double> widths{options_.style.width};
    if (options_.style.width < 7) widths.push_back(7);
    for (const bool one_rank : {false, true}) {
      if (one_rank && !has_ranks) continue;
      for (const double width : widths)
        if (try_page(width, one_rank, std::nullopt)) return found_;
      for (const double width : widths)
        if (heeds(drawing_, "--steps") && try_fewer_steps(width, one_rank)) return found_;
    }
    for (const double width : {14.0, 28.0, 48.0})
      if (width > options_.style.width && try_with(width, 1.25 * width, false, std::nullopt)) return found_;
    return drawing_.otherwise != nullptr ? Search(*drawing_.otherwise, options_, places_).advice() : "";
  }

 private:
  using Steps = std::optional<std::pair<int, int>>;

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
    const Attempt result = attempt(drawing_, options, places_);
    height_ = result.height / 72;
    if (!result.picture) return false;
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
  bool places_;  // what Graphviz places, too
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

Drawn<Picture> legible(const Drawing& drawing, const DrawOptions& options, bool places) {
  Attempt found = attempt(drawing, options, places);
  if (!is_about_size(found.picture)) return std::move(found.picture);
  return tl::unexpected(
      with_advice(found.picture.error(), Search(drawing, options, places).advice(), drawing.in_words));
}

Drawn<std::string> render_legibly(const Drawing& drawing, const DrawOptions& options, std::string_view format) {
  return render(TRY(legible(drawing, options, format != "dot")), format);
}

}  // namespace onceover::viz
