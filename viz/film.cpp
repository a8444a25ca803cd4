// As SVG, all frames lie on top of each other, and a style sheet shows each in its turn: frame k of n is visible for
// one n-th of the film's time, which begins k frames late.

#include "viz/film.h"

#include <fmt/format.h>

#include "base/result.h"
#include "viz/html.h"
#include "viz/ink/writers.h"
#include "viz/legible.h"
#include "viz/messages.h"
#include "viz/renderer.h"

namespace onceover::viz {

namespace {

constexpr double most_pixels = 200e6;  // of a GIF, in all frames
constexpr double pixels_a_point = 200.0 / 72;

constexpr Renderer gifsicle{.program = "gifsicle",
                            .name = "Gifsicle",
                            .package = "gifsicle",
                            .elsewhere = {},
                            .otherwise = "write the film as SVG: -o picture.svg",
                            .too_slow = "draw less: --ranks, --steps"};

Drawn<std::vector<Frame>> reel_of(const Schedule& schedule, const DrawOptions& options, std::string_view format) {
  auto reel = TRY(frames(schedule, options));
  if (reel.empty()) return unsuitable("there is no step, so there is no film");
  if (reel.size() > most_frames)
    return too_large(fmt::format("{} steps are more than the {} of a film", reel.size(), most_frames));
  double pixels = 0;
  for (const Frame& frame : reel)
    pixels += frame.picture.width() * frame.picture.height() * pixels_a_point * pixels_a_point;
  if (format == "gif" && pixels > most_pixels)
    return too_large(fmt::format("a GIF of {:.0f} million pixels is too large", pixels / 1e6));
  return reel;
}

/// Frame 0 is visible where nothing moves: in print, for readers who asked for less motion, and in some programs.
std::string style_sheet(std::size_t count) {
  const auto frames = static_cast<double>(count);
  return fmt::format(
      "<style>\n"
      ".frame {{ visibility: hidden; animation: turn {:g}s step-end infinite; }}\n"
      ".frame.first {{ visibility: visible; }}\n"
      "svg:hover .frame {{ animation-play-state: paused; }}\n"
      "@keyframes turn {{ 0% {{ visibility: visible; }} {:.4f}% {{ visibility: hidden; }} }}\n"
      "@media print, (prefers-reduced-motion: reduce) {{ .frame {{ animation: none; }} }}\n"
      "</style>\n",
      seconds_a_frame * frames, 100 / frames);
}

std::string joined_svg(const std::vector<Frame>& reel, const std::string& title) {
  std::string svg = svg_head(reel.front().picture, title) + style_sheet(reel.size());
  for (std::size_t k = 0; k < reel.size(); ++k)
    svg +=
        fmt::format("<g class=\"frame{}\" style=\"animation-delay: {:g}s\" role=\"img\" aria-label=\"{}\">\n{}</g>\n",
                    k == 0 ? " first" : "", seconds_a_frame * static_cast<double>(k), html_escaped(reel[k].title),
                    svg_shapes(reel[k].picture));
  return svg + std::string(svg_end);
}

/// Graphviz is what makes GIFs of vectors.
Drawn<std::string> joined_gif(const std::vector<Frame>& reel) {
  std::string dots;
  for (const Frame& frame : reel) dots += dot_of(frame.picture);
  const auto rendered = TRY(run(graphviz, {"-Tgif", "-Gdpi=200"}, dots, 60));
  const std::string delay = fmt::format("--delay={:g}", 100 * seconds_a_frame);
  return run(gifsicle, {"--multifile", "--loopcount=forever", delay, "--optimize=2", "--no-warnings", "-"}, rendered,
             60);
}

}  // namespace

Drawn<std::string> film(const Schedule& schedule, const DrawOptions& options, std::string_view format) {
  std::vector<Frame> reel;
  // Judged are all frames, on top of each other.
  const auto draw_frames = [&](const DrawOptions& shown) -> Drawn<Picture> {
    reel = TRY(reel_of(schedule, shown, format));
    Picture all = reel.front().picture;
    for (const Frame& frame : reel) all.add_shapes(frame.picture);
    return all;
  };
  TRY(legible({.draw = draw_frames, .heeds = steps_view.heeds, .steps = schedule.steps()}, options));
  return format == "gif" ? joined_gif(reel) : Drawn<std::string>(joined_svg(reel, title_of(schedule.header())));
}

}  // namespace onceover::viz
