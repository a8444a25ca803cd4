#include "viz/plot_script.h"

#include <fmt/format.h>

#include <array>

#include "viz/palette.h"
#include "viz/plot_layout.h"

namespace onceover::viz {

// Only quotes have a meaning inside, and Gnuplot doesn't read every text with two quotes in a row.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "\u2019";
    else
      out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  return out + "'";
}

LetterRoom letter_room(const Style& style, std::string_view format) {
  const bool is_cairo = format == "pdf" || format == "eps" || format == "png";
  return is_cairo ? LetterRoom{0.5 * style.font_size, 1.11 * style.font_size}
                  : LetterRoom{0.7 * style.font_size, 1.5 * style.font_size};
}

std::string Panel::offset(double right, double up) const {
  return fmt::format("offset {:.3f},{:.3f}", right / letter.width, up / letter.height);
}

std::string text_at(Point place, std::string_view text, std::string_view look) {
  return fmt::format("set label {} at screen {:.4f}, screen {:.4f} {} noenhanced\n", in_quotes(text), place.x, place.y,
                     look);
}

namespace {

struct Look {
  std::string_view colour;
  int dash;
  int point;
};

/// In each further round, colours meet other dashes and points.
Look look_of(std::size_t k) {
  constexpr std::array<Look, 6> looks{{{palette::blue, 1, 7},
                                       {palette::vermilion, 2, 4},
                                       {palette::green, 4, 8},
                                       {palette::black, 3, 2},
                                       {palette::purple, 5, 12},
                                       {palette::orange, 1, 1}}};
  const std::size_t round = k / looks.size();
  const Look& shape = looks[(k + round) % looks.size()];
  return {looks[k % looks.size()].colour, shape.dash, shape.point + (round > 0 ? 1 : 0)};
}

}  // namespace

std::string look(std::size_t k) {
  const Look look = look_of(k);
  return fmt::format("lc rgb '{}' dt {} pt {} ps 0.35 lw 1.2", look.colour, look.dash, look.point);
}

std::string line_look(std::size_t k) {
  const Look look = look_of(k);
  return fmt::format("lc rgb '{}' dt {} lw 1.2", look.colour, look.dash);
}

std::string point_look(std::size_t k) {
  const Look look = look_of(k);
  return fmt::format("point lc rgb '{}' pt {} ps 0.35 lw 1.2", look.colour, look.point);
}

std::string colour(std::size_t k) {
  return fmt::format("lc rgb '{}'", look_of(k).colour);
}

std::string margins(const Panel& panel, double left, double right, double bottom, double top) {
  return fmt::format(
      "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n"
      "set tmargin at screen {:.4f}\n",
      left, right, panel.at(bottom), panel.at(top));
}

std::string small_font(const Plot& plot) {
  return in_quotes(fmt::format(",{}", small_size(plot)));
}

}  // namespace onceover::viz
