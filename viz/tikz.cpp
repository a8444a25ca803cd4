// A line for each shape. Coordinates are in big points, 72 an inch, from the lower left corner, so `scale` and `shift`
// of the picture work as usual. Colours have a name each at the top, where they can be changed.
//
// Example: a red line becomes
//   \path[draw=onceoverFF0000,line width=0.8bp] (0,20) -- (5,20);

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/result.h"
#include "viz/svg_shapes.h"

namespace onceover::viz {

namespace {

/// At most two decimals, and no "-0".
std::string tex_number(double x) {
  const double rounded = std::round(x * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string coordinates(Point at) {
  return fmt::format("({},{})", tex_number(at.x), tex_number(at.y));
}

bool is_tex_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string path_text(const std::vector<OutlinePiece>& pieces) {
  std::string text;
  for (const OutlinePiece& piece : pieces) {
    switch (piece.kind) {
      case OutlinePiece::Kind::move: text += (text.empty() ? "" : " ") + coordinates(piece.to); break;
      case OutlinePiece::Kind::line: text += " -- " + coordinates(piece.to); break;
      case OutlinePiece::Kind::curve:
        text += fmt::format(" .. controls {} and {} .. {}", coordinates(piece.leaving), coordinates(piece.arriving),
                            coordinates(piece.to));
        break;
      case OutlinePiece::Kind::close: text += " -- cycle"; break;
      case OutlinePiece::Kind::ellipse:
        text += fmt::format("{} ellipse [x radius={},y radius={}]", coordinates(piece.to), tex_number(piece.leaving.x),
                            tex_number(piece.leaving.y));
        break;
    }
  }
  return text;
}

std::string colour_name(const std::string& hex) {
  return "onceover" + hex;
}

std::string dash_pattern(const std::vector<double>& dashes) {
  std::string text;
  // SVG repeats an odd list twice.
  const std::size_t count = dashes.size() % 2 == 0 ? dashes.size() : 2 * dashes.size();
  for (std::size_t k = 0; k < count; ++k)
    text +=
        fmt::format("{}{} {}bp", k == 0 ? "" : " ", k % 2 == 0 ? "on" : "off", tex_number(dashes[k % dashes.size()]));
  return text;
}

std::string shape_text(const Outline& outline, double) {
  std::string options;
  if (!outline.fill.empty()) options += fmt::format("fill={},", colour_name(outline.fill));
  if (!outline.stroke.empty())
    options += fmt::format("draw={},line width={}bp,", colour_name(outline.stroke), tex_number(outline.width));
  if (!outline.stroke.empty() && !outline.dashes.empty())
    options += fmt::format("dash pattern={},", dash_pattern(outline.dashes));
  options.pop_back();
  return fmt::format("\\path[{}] {};\n", options, path_text(outline.pieces));
}

constexpr std::size_t long_text = 20;  // letters

/// A long line that begins at the left is shrunk if it would leave the picture in the paper's font.
std::string fitted(const std::string& text, const Label& label, double width) {
  std::size_t letters = 0;
  for (const Label::Part& part : label.parts) letters += part.text.size();
  const bool may_leave = label.anchor == Label::Anchor::start && label.angle == 0 && letters > long_text;
  if (!may_leave) return text;
  const std::string room = tex_number(std::max(1.0, width - label.at.x - 1));
  return fmt::format("\\setbox0\\hbox{{{0}}}\\ifdim\\wd0>{1}bp\\resizebox{{{1}bp}}{{!}}{{\\box0}}\\else\\box0\\fi",
                     text, room);
}

std::string shape_text(const Label& label, double width) {
  constexpr std::array<std::string_view, 3> anchors{"base west", "base", "base east"};
  std::string text;
  for (const Label::Part& part : label.parts)
    text += part.is_raised ? fmt::format("\\textsuperscript{{{}}}", tex_escaped(part.text)) : tex_escaped(part.text);
  const std::string turn = std::abs(label.angle) > 0.01 ? fmt::format(",rotate={}", tex_number(label.angle)) : "";
  return fmt::format("\\node[anchor={},text={},font=\\fontsize{{{}}}{{{}}}\\selectfont{}] at {} {{{}}};\n",
                     anchors[static_cast<std::size_t>(label.anchor)], colour_name(label.colour), tex_number(label.size),
                     tex_number(1.2 * label.size), turn, coordinates(label.at), fitted(text, label, width));
}

std::set<std::string> colours_of(const DrawnShapes& shapes) {
  std::set<std::string> colours;
  for (const auto& shape : shapes.list) {
    if (const auto* label = std::get_if<Label>(&shape)) {
      colours.insert(label->colour);
      continue;
    }
    const auto& outline = std::get<Outline>(shape);
    for (const std::string& colour : {outline.fill, outline.stroke})
      if (!colour.empty()) colours.insert(colour);
  }
  return colours;
}

std::string picture_of(const DrawnShapes& shapes) {
  std::string text =
      "\\begin{tikzpicture}[x=1bp,y=1bp,line cap=butt,line join=miter,"
      "every node/.style={inner sep=0pt,outer sep=0pt}]\n";
  for (const std::string& colour : colours_of(shapes))
    text += fmt::format("\\definecolor{{{}}}{{HTML}}{{{}}}\n", colour_name(colour), colour);
  text +=
      fmt::format("\\useasboundingbox (0,0) rectangle ({},{});\n", tex_number(shapes.width), tex_number(shapes.height));
  for (const auto& shape : shapes.list)
    text += std::visit([&](const auto& it) { return shape_text(it, shapes.width); }, shape);
  return text + "\\end{tikzpicture}%\n";
}

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

Drawn<std::string> tikz_of(std::string_view svg) {
  return "% \\input this where the picture is to be; it needs \\usepackage{tikz}.\n" + picture_of(TRY(shapes_of(svg)));
}

Drawn<std::string> tikz_document_of(std::string_view svg) {
  const DrawnShapes shapes = TRY(shapes_of(svg));
  return fmt::format(
      "\\documentclass{{article}}\n"
      "\\usepackage[paperwidth={}bp,paperheight={}bp,margin=0bp]{{geometry}}\n"
      "\\usepackage{{tikz}}\n"
      "% Packages for the fonts of the paper go here.\n"
      "\\pagestyle{{empty}}\n"
      "\\setlength{{\\parindent}}{{0pt}}\n"
      "\\setlength{{\\topskip}}{{0pt}}\n"
      "\\begin{{document}}\n{}\\end{{document}}\n",
      tex_number(shapes.width), tex_number(shapes.height), picture_of(shapes));
}

}  // namespace onceover::viz
