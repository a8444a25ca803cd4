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

std::string look(std::size_t k) {
  struct Look {
    std::string_view colour;
    int dash;
    int point;
  };
  constexpr std::array<Look, 6> looks{{{palette::blue, 1, 7},
                                       {palette::vermilion, 2, 4},
                                       {palette::green, 4, 8},
                                       {palette::black, 3, 2},
                                       {palette::purple, 5, 12},
                                       {palette::orange, 1, 1}}};
  // In each further round, colours meet other dashes and points.
  const std::size_t round = k / looks.size();
  const Look& colour = looks[k % looks.size()];
  const Look& shape = looks[(k + round) % looks.size()];
  return fmt::format("lc rgb '{}' dt {} pt {} ps 0.35 lw 1.2", colour.colour, shape.dash,
                     shape.point + (round > 0 ? 1 : 0));
}

std::string colour(std::size_t k) {
  constexpr std::string_view sample = "lc rgb '#000000'";
  return look(k).substr(0, sample.size());
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
