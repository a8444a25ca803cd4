// Graphviz renders all frames in one run, one after the other. As SVG they lie on top of each other, and a style sheet
// shows each in its turn: frame k of n is visible for one n-th of the film's time, which begins k frames late.

#include "viz/film.h"

#include <fmt/format.h>

#include "base/result.h"
#include "viz/html.h"
#include "viz/legible.h"
#include "viz/messages.h"
#include "viz/renderer.h"

namespace onceover::viz {

namespace {

constexpr double most_pixels = 200e6;  // of a GIF, in all frames
constexpr double pixels_an_inch = 200;

constexpr Renderer gifsicle{.program = "gifsicle",
                            .name = "Gifsicle",
                            .package = "gifsicle",
                            .elsewhere = {},
                            .otherwise = "write the film as SVG: -o picture.svg",
                            .too_slow = "draw less: --ranks, --steps"};

/// The frames, as Graphviz takes them, and their titles.
struct Reel {
  std::string dots;
  std::vector<std::string> titles;
};

Drawn<Reel> reel_of(const Schedule& schedule, const DrawOptions& options, std::string_view format) {
  Reel reel;
  double pixels = 0;
  for (Frame& frame : TRY(frames(schedule, options))) {
    pixels += options.style.width * frame.height * pixels_an_inch * pixels_an_inch;
    reel.dots += frame.dot;
    reel.titles.push_back(std::move(frame.title));
  }
  if (reel.titles.empty()) return unsuitable("there is no step, so there is no film");
  if (reel.titles.size() > most_frames)
    return too_large(fmt::format("{} steps are more than the {} of a film", reel.titles.size(), most_frames));
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

std::string joined_svg(std::string_view rendered, const std::vector<std::string>& titles, const std::string& title,
                       const Style& style) {
  const std::size_t begin = rendered.find("<svg");
  const std::string_view root = rendered.substr(begin, rendered.find('>', begin) - begin);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"{}\" font-family=\"{},serif\" "
      "role=\"img\" aria-label=\"{}\">\n<title>{}</title>\n",
      attribute_of(root, "width"), attribute_of(root, "height"), attribute_of(root, "viewBox"),
      html_escaped(style.font), html_escaped(title), html_escaped(title));
  svg += style_sheet(titles.size());
  const auto pictures = inline_svgs(rendered, titles, 1);
  for (std::size_t k = 0; k < pictures.size(); ++k)
    svg += fmt::format("<g class=\"frame{}\" style=\"animation-delay: {:g}s\">\n{}</g>\n", k == 0 ? " first" : "",
                       seconds_a_frame * static_cast<double>(k), pictures[k]);
  return svg + "</svg>\n";
}

Drawn<std::string> joined_gif(const std::string& rendered) {
  const std::string delay = fmt::format("--delay={:g}", 100 * seconds_a_frame);
  return run(gifsicle, {"--multifile", "--loopcount=forever", delay, "--optimize=2", "--no-warnings", "-"}, rendered,
             60);
}

}  // namespace

Drawn<std::string> film(const Schedule& schedule, const DrawOptions& options, std::string_view format) {
  std::vector<std::string> titles;
  const auto draw_frames = [&](const DrawOptions& shown) -> Drawn<std::string> {
    auto reel = TRY(reel_of(schedule, shown, format));
    titles = std::move(reel.titles);
    return std::move(reel.dots);
  };
  const Drawing drawing{.draw = draw_frames, .heeds = steps_view.heeds, .steps = schedule.steps()};
  const auto rendered = TRY(render_legibly(drawing, options, format));
  const std::string title = title_of(schedule.header());
  return format == "gif" ? joined_gif(rendered) : joined_svg(rendered, titles, title, options.style);
}

}  // namespace onceover::viz
