#include "viz/graphviz.h"

#include <fmt/format.h>

#include "base/try.h"
#include "base/words.h"
#include "viz/tikz.h"

namespace onceover::viz {

const Renderer graphviz{.program = "dot",
                        .name = "Graphviz",
                        .package = "graphviz",
                        .elsewhere = "graphviz",
                        .otherwise = "write the picture as DOT, to picture.dot",
                        .too_slow = "draw less: --ranks, --steps"};

namespace {

/// SVG has no colour "transparent", but Graphviz gives it to the background's border, which some programs then draw
/// black.
std::string with_valid_colours(std::string svg) {
  constexpr std::string_view invalid = "stroke=\"transparent\"", valid = "stroke=\"none\"";
  for (std::size_t at = svg.find(invalid); at != std::string::npos; at = svg.find(invalid, at))
    svg.replace(at, invalid.size(), valid);
  return svg;
}

/// Graphviz gives every node and line the title that it has in DOT, which is a number of ours; browsers show it beside
/// the pointer. What stays are the picture's own title, and as titles the tooltips, for which Graphviz makes links.
std::string with_own_titles(std::string_view svg) {
  constexpr std::string_view tooltip = "<a xlink:title=\"";
  std::string text;
  bool is_inside = false, ends_tooltip = false;  // behind the picture's title; behind what has a tooltip
  for (const std::string_view line : split(svg, '\n')) {
    const std::size_t begin = line.starts_with("<g id=\"a_") ? line.find(tooltip) : line.npos;
    const bool is_numbers = is_inside && (line.starts_with("<title>") || line.starts_with("<!--"));
    if (begin != line.npos)
      text += fmt::format("<title>{}</title>\n",
                          line.substr(begin + tooltip.size(), line.rfind('"') - begin - tooltip.size()));
    else if (!is_numbers && line != "</a>" && !ends_tooltip)
      text.append(line) += '\n';
    is_inside = (is_inside || line.starts_with("<title>")) && line != "</svg>";
    ends_tooltip = line == "</a>";
  }
  text.pop_back();  // behind the last line is none
  return text;
}

}  // namespace

Drawn<std::string> render(const std::string& dot, std::string_view format, int seconds) {
  if (format == "dot") return dot;
  if (format == "tikz") return tikz_of(TRY(render(dot, "svg", seconds)));
  if (format == "tex") return tikz_document_of(TRY(render(dot, "svg", seconds)));
  // One of our points is one point on paper. A PNG or GIF is for screens, so it is sharper.
  const std::string resolution = format == "png" || format == "gif" ? "-Gdpi=200" : "-Gdpi=72";
  // Only Cairo puts the letters into an EPS file.
  const std::string kind = fmt::format("-T{}{}", format, format == "eps" ? ":cairo" : "");
  auto picture = run(graphviz, {kind, resolution}, dot, seconds);
  if (!picture || format != "svg") return picture;
  return with_own_titles(with_valid_colours(*std::move(picture)));
}

}  // namespace onceover::viz
