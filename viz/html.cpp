#include "viz/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace onceover::viz {

namespace {

std::string_view html_entity(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return {};
  }
}

std::string cell_html(const std::string& cell) {
  const bool is_number = !cell.empty() && (cell[0] == '-' || is_digit(cell[0]));
  return fmt::format("<td{}>{}</td>", is_number ? " class=\"number\"" : "", html_escaped(cell));
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view entity = html_entity(c);
    const bool is_control = (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7f';
    if (entity.empty())
      out += is_control ? ' ' : c;
    else
      out += entity;
  }
  return out;
}

std::string json_in_html(std::string_view json) {
  std::string out;
  for (std::size_t k = 0; k < json.size(); ++k) {
    const char c = json[k];
    const std::string_view next = json.substr(k, 3);
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", c);
    } else if (next == "\u2028" || next == "\u2029") {
      out += next == "\u2028" ? "\\u2028" : "\\u2029";
      k += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string paragraph_html(std::string_view text, std::string_view css_class) {
  std::string html = css_class.empty() ? "<p>" : fmt::format("<p class=\"{}\">", css_class);
  bool is_code = false;
  for (const char c : html_escaped(text)) {
    if (c != '`') html += c;
    if (c == '`') html += (is_code = !is_code) ? "<code>" : "</code>";
  }
  return html + (is_code ? "</code></p>\n" : "</p>\n");
}

std::string table_html(const std::vector<std::vector<std::string>>& rows, std::string_view caption) {
  std::string html = "<div class=\"table\"><table>\n";
  if (!caption.empty()) html += fmt::format("<caption>{}</caption>\n", html_escaped(caption));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    html += k == 0 ? "<thead><tr>" : "<tr>";
    for (const std::string& cell : rows[k])
      html += k == 0 ? fmt::format("<th scope=\"col\">{}</th>", html_escaped(cell)) : cell_html(cell);
    html += k == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

namespace {

constexpr double width = 640, height = 360;
constexpr double left = 62, right = 30, top = 12, bottom = 46;

struct Scale {
  double first;  // decimal logarithms
  double last;
  double from;  // pixels
  double to;

  double operator()(double value) const {
    const double part = last > first ? (std::log10(value) - first) / (last - first) : 0.5;
    return from + part * (to - from);
  }
};

/// The decades that hold all values.
Scale decades(const std::vector<LineChart::Line>& lines) {
  double least = 1e300, most = 1e-300;
  for (const LineChart::Line& line : lines)
    for (const double value : line.values) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  return {std::floor(std::log10(least)), std::ceil(std::log10(most)), height - bottom, top};
}

std::string text(double x, double y, std::string_view anchor, std::string_view content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     html_escaped(content));
}

std::string rule(double x1, double y1, double x2, double y2) {
  return fmt::format("<path class=\"rule\" d=\"M{:.1f},{:.1f}L{:.1f},{:.1f}\"/>\n", x1, y1, x2, y2);
}

std::string axes(const LineChart& chart, const Scale& x, const Scale& y) {
  std::string svg;
  for (int decade = static_cast<int>(y.first); decade <= static_cast<int>(y.last); ++decade) {
    const double value = std::pow(10, decade);
    svg += rule(left, y(value), width - right, y(value));
    svg += text(left - 6, y(value) + 4, "end", fmt::format("{:g}", value));
  }
  for (std::size_t k = 0; k < chart.x.size(); ++k)
    if (!chart.x_labels[k].empty()) {
      svg += rule(x(chart.x[k]), height - bottom, x(chart.x[k]), height - bottom + 4);
      svg += text(x(chart.x[k]), height - bottom + 18, "middle", chart.x_labels[k]);
    }
  svg += text((left + width - right) / 2, height - 6, "middle", chart.x_title);
  return svg + fmt::format("<text transform=\"translate(14,{:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                           (top + height - bottom) / 2, html_escaped(chart.y_title));
}

std::string line_svg(const LineChart& chart, std::size_t number, const Scale& x, const Scale& y) {
  const LineChart::Line& line = chart.lines[number];
  std::string path;
  for (std::size_t k = 0; k < line.values.size(); ++k)
    path += fmt::format("{}{:.1f},{:.1f}", k == 0 ? "M" : "L", x(chart.x[k]), y(line.values[k]));
  return fmt::format("<path class=\"line line-{}\" d=\"{}\"><title>{}</title></path>\n", number, path,
                     html_escaped(line.name));
}

/// The key, below on the right, where rising lines leave room.
std::string key(const LineChart& chart) {
  std::string svg;
  const double first = height - bottom - 12 - 20 * static_cast<double>(chart.lines.size() - 1);
  for (std::size_t k = 0; k < chart.lines.size(); ++k) {
    const double y = first + 20 * static_cast<double>(k);
    svg += fmt::format("<path class=\"line line-{}\" d=\"M{:.1f},{:.1f}h34\"/>\n", k, width - 240.0, y - 4);
    svg += text(width - 198, y, "start", chart.lines[k].name);
  }
  return svg;
}

}  // namespace

std::string svg_of(const LineChart& chart) {
  const Scale x{std::log10(chart.x.front()), std::log10(chart.x.back()), left + 8, width - right - 8};
  const Scale y = decades(chart.lines);
  std::string svg =
      fmt::format("<svg class=\"chart\" width=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width,
                  width, height, html_escaped(chart.label));
  svg += axes(chart, x, y);
  // The first line is what the page is about, so it lies on top.
  for (std::size_t k = chart.lines.size(); k-- > 0;) svg += line_svg(chart, k, x, y);
  return svg + key(chart) + "</svg>\n";
}

}  // namespace onceover::viz
