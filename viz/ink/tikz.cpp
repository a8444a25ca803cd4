// A line for each shape, lines first. Coordinates are in big points, 72 an inch, from the lower left corner, so `scale`
// and `shift` of the picture work as usual. Colours have a name each at the top, where they can be changed.
//
// Example: a red line of a message becomes
//   \path[draw=onceoverFF0000,line width=0.8bp,onceover message/.try] (0,20) -- (5,20);

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "viz/ink/writers.h"

namespace onceover::viz {

namespace {

constexpr double around_tikz = 0.5;  // points beyond the edges, for lines on them

/// At most two decimals, and no "-0".
std::string tex_number(double x) {
  const double rounded = std::round(x * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

bool is_tex_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string colour_name(std::string_view hex) {
  return fmt::format("onceover{}", hex.substr(1));
}

bool is_tex_colour(std::string_view colour) {
  return colour.starts_with('#');
}

std::string dash_pattern(const std::vector<double>& dashes) {
  std::string text;
  for (std::size_t k = 0; k < dashes.size(); ++k)
    text += fmt::format("{}{} {}bp", k == 0 ? "" : " ", k % 2 == 0 ? "on" : "off", tex_number(dashes[k]));
  return text.empty() ? "" : fmt::format("dash pattern={},", text);
}

/// Makes a text as narrow as its picture has room for, if the paper's font is wider than Times.
constexpr std::string_view fit_macro =
    "\\providecommand\\onceoverfit[2]{\\setbox0\\hbox{#2}"
    "\\ifdim\\wd0>#1\\resizebox{#1}{\\height}{\\box0}\\else\\box0\\fi}\n";

std::string fitted(std::string_view line, double font_size) {
  constexpr double slack = 1.03;  // of the estimated widths
  return fmt::format("\\onceoverfit{{{}bp}}{{{}}}", tex_number(slack * text_width(line, font_size)), tex_escaped(line));
}

/// The shapes of a picture, one after the other.
class TikzWriter {
 public:
  explicit TikzWriter(const Picture& picture) : width_(picture.width()), height_(picture.height() + 2 * around_tikz) {
    for (const bool are_lines : {true, false})
      for (const DrawnShape& shape : picture.shapes()) {
        if (shape.is_line() != are_lines) continue;
        role_ = name(shape.role);
        std::visit([&](const auto& it) { add(it); }, shape.form);
      }
  }

  std::string finish() const {
    std::string all =
        "\\begin{tikzpicture}[x=1bp,y=1bp,line cap=butt,line join=miter,"
        "every node/.style={inner sep=0pt,outer sep=0pt}]\n";
    all += fit_macro;
    for (const std::string_view colour : colours_)
      all += fmt::format("\\definecolor{{{}}}{{HTML}}{{{}}}\n", colour_name(colour), colour.substr(1));
    return all + fmt::format("\\useasboundingbox (0,0) rectangle ({},{});\n{}\\end{{tikzpicture}}%\n",
                             tex_number(width_), tex_number(height_), shapes_);
  }

 private:
  std::string coordinates(Point at) const {
    return fmt::format("({},{})", tex_number(at.x + around_tikz), tex_number(height_ - around_tikz - at.y));
  }

  std::string named(std::string_view colour) {
    colours_.insert(colour);
    return colour_name(colour);
  }

  void path(const std::string& look, const std::string& outline) {
    if (!look.empty()) shapes_ += fmt::format("\\path[{}onceover {}/.try] {};\n", look, role_, outline);
  }

  std::string look(std::string_view fill, const Stroke& border) {
    std::string all;
    if (is_tex_colour(fill)) all += fmt::format("fill={},", named(fill));
    if (border.width <= 0) return all;
    all += fmt::format("draw={},line width={}bp,", named(border.colour), tex_number(border.width));
    if (border.dash == "dashed") all += dash_pattern({5, 2});
    if (border.dash == "dotted") all += dash_pattern({1, 5});
    return all;
  }

  void add(const Disc& disc) {
    path(look(disc.fill, disc.border),
         fmt::format("{} circle [radius={}]", coordinates(disc.centre), tex_number(disc.radius)));
    add_label(disc.centre, disc.label, disc.size);
  }

  void add(const Box& box) {
    const Point size{box.width, box.height};
    path(look(box.fill, box.border),
         fmt::format("{} rectangle {}", coordinates(box.corner), coordinates(box.corner + size)));
    add_label(box.corner + 0.5 * size, box.label, box.size);
  }

  void add_label(Point centre, const std::string& label, double size) {
    if (!label.empty()) add(Text{centre, Text::Anchor::middle, label, size, palette::black});
  }

  void add(const Text& text) {
    constexpr std::array<std::string_view, 3> anchors{"base west", "base", "base east"};
    const auto lines = text.lines();
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const double down = text.below(k, lines.size()) + text.to_baseline();
      const Point at = text.at + (text.is_upright ? Point{down, 0} : Point{0, down});
      shapes_ += fmt::format(
          "\\node[anchor={},text={},font=\\fontsize{{{}}}{{{}}}\\selectfont{},onceover {}/.try] at {} {{{}}};\n",
          anchors[static_cast<std::size_t>(text.anchor)], named(text.colour), tex_number(text.size),
          tex_number(1.2 * text.size), text.is_upright ? ",rotate=90" : "", role_, coordinates(at),
          fitted(lines[k], text.size));
    }
  }

  void add(const Polycurve& line) {
    std::string outline = coordinates(line.shaft.front().from);
    for (const Curve& c : line.shaft) outline += piece(c);
    std::string look =
        fmt::format("draw={},line width={}bp,", named(line.stroke.colour), tex_number(line.stroke.width));
    if (line.is_double())
      look += fmt::format("double={},double distance={}bp,", named(palette::white), tex_number(line.stroke.width));
    path(look + dash_pattern(line.dashes()), outline);
    for (const Head& head : heads_of(line)) add(head, line.stroke.colour);
  }

  std::string piece(const Curve& c) const {
    return c.is_straight() ? " -- " + coordinates(c.to)
                           : fmt::format(" .. controls {} and {} .. {}", coordinates(c.leaving),
                                         coordinates(c.arriving), coordinates(c.to));
  }

  void add(const Head& head, std::string_view colour) {
    std::string outline;
    for (const Point corner : head.corners) outline += coordinates(corner) + " -- ";
    path(look(head.border > 0 ? palette::white : colour, {colour, "solid", head.border}), outline + "cycle");
  }

  double width_;
  double height_;
  std::string_view role_;
  std::set<std::string_view> colours_;
  std::string shapes_;
};

}  // namespace

std::string tex_escaped(std::string_view text) {
  static const std::map<std::string_view, std::string_view> special{{"\\", "\\textbackslash{}"},
                                                                    {"{", "\\{"},
                                                                    {"}", "\\}"},
                                                                    {"$", "\\$"},
                                                                    {"&", "\\&"},
                                                                    {"#", "\\#"},
                                                                    {"%", "\\%"},
                                                                    {"_", "\\_"},
                                                                    {"~", "\\textasciitilde{}"},
                                                                    {"^", "\\textasciicircum{}"},
                                                                    {"<", "\\textless{}"},
                                                                    {">", "\\textgreater{}"},
                                                                    {"|", "\\textbar{}"},
                                                                    {"\u00a0", "~"},
                                                                    {"\u00b5", "$\\mu$"},
                                                                    {"\u00b2", "\\textsuperscript{2}"},
                                                                    {"\u00b9", "\\textsuperscript{1}"},
                                                                    {"\u2070", "\\textsuperscript{0}"},
                                                                    {"\u2074", "\\textsuperscript{4}"},
                                                                    {"\u2075", "\\textsuperscript{5}"},
                                                                    {"\u2076", "\\textsuperscript{6}"},
                                                                    {"\u2077", "\\textsuperscript{7}"},
                                                                    {"\u2078", "\\textsuperscript{8}"},
                                                                    {"\u2079", "\\textsuperscript{9}"},
                                                                    {"\u207b", "\\textsuperscript{$-$}"},
                                                                    {"\u00b3", "\\textsuperscript{3}"},
                                                                    {"\u00b7", "$\\cdot$"},
                                                                    {"\u00d7", "$\\times$"},
                                                                    {"\u2013", "--"},
                                                                    {"\u2019", "'"},
                                                                    {"\u2026", "\\dots{}"},
                                                                    {"\u2192", "$\\to$"},
                                                                    {"\u2212", "$-$"},
                                                                    {"\u2264", "$\\le$"},
                                                                    {"\u2265", "$\\ge$"},
                                                                    {"\u22ef", "$\\cdots$"}};
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    std::size_t size = 1;
    while (k + size < text.size() && (static_cast<unsigned char>(text[k + size]) & 0xC0) == 0x80) ++size;
    const std::string_view character = text.substr(k, size);
    const bool is_before_digit = k + 1 < text.size() && is_tex_digit(text[k + 1]);
    const bool is_after_digit = k > 0 && is_tex_digit(text[k - 1]);
    const bool begins = k == 0 || text[k - 1] == ' ' || text[k - 1] == '(';
    if (const auto found = special.find(character); found != special.end())
      out += found->second;
    else if (character == "-" && is_before_digit && (is_after_digit || begins))
      out += is_after_digit ? "--" : "$-$";
    else
      out += static_cast<unsigned char>(text[k]) < ' ' ? " " : std::string(character);
    k += size;
  }
  return out;
}

std::string tikz_of(const Picture& picture) {
  return "% \\input this where the picture is to be; it needs \\usepackage{tikz}.\n" + TikzWriter(picture).finish();
}

std::string tikz_document_of(const Picture& picture) {
  return fmt::format(
      "\\documentclass{{article}}\n"
      "\\usepackage[paperwidth={}bp,paperheight={}bp,margin=0bp]{{geometry}}\n"
      "\\usepackage{{tikz}}\n"
      "% Packages for the fonts of the paper, and styles of the picture's parts, go here.\n"
      "\\pagestyle{{empty}}\n"
      "\\setlength{{\\parindent}}{{0pt}}\n"
      "\\setlength{{\\topskip}}{{0pt}}\n"
      "\\begin{{document}}\n{}\\end{{document}}\n",
      tex_number(picture.width()), tex_number(picture.height() + 2 * around_tikz), TikzWriter(picture).finish());
}

}  // namespace onceover::viz
