#include "viz/report.h"

#include <fmt/format.h>

#include <map>

#include "viz/html.h"
#include "viz/report_files.h"

namespace onceover::viz {

namespace {

using Values = std::map<std::string_view, std::string>;

/// The template with each {{name}} replaced by its value. Values aren't searched for further names.
std::string filled(std::string_view text, const Values& values) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find("{{", at);
    if (begin == std::string_view::npos) return out + std::string(text.substr(at));
    const std::size_t end = text.find("}}", begin);
    out += text.substr(at, begin - at);
    out += values.at(text.substr(begin + 2, end - begin - 2));
    at = end + 2;
  }
  return out;
}

int digit(char hex) {
  return hex <= '9' ? hex - '0' : hex - 'a' + 10;
}

/// Content security policies write hashes in base 64; 64 hexadecimal digits are 256 bits.
std::string base64(std::string_view hex) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : hex) {
    bits = bits << 4 | static_cast<unsigned>(digit(c));
    count += 4;
    if (count < 6) continue;
    count -= 6;
    out += letters[bits >> count & 63];
  }
  if (count > 0) out += letters[bits << (6 - count) & 63];
  return out + std::string((4 - out.size() % 4) % 4, '=');
}

std::string sections_html(const std::vector<ReportSection>& sections) {
  std::string html;
  for (const ReportSection& section : sections)
    html += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 id=\"{0}-heading\">{1}</h2>\n{2}</section>\n",
        section.id, html_escaped(section.heading), section.html);
  return html;
}

std::string links_html(const std::vector<ReportSection>& sections) {
  std::string html;
  for (const ReportSection& section : sections)
    html += fmt::format("<a href=\"#{}\">{}</a>\n", section.id, html_escaped(section.heading));
  return html;
}

}  // namespace

std::string report_page(const ReportPage& page) {
  return filled(report_files::page, {{"title", html_escaped(page.title)},
                                     {"program", html_escaped(page.program)},
                                     {"links", links_html(page.sections)},
                                     {"sections", sections_html(page.sections)},
                                     {"style", std::string(report_files::style)},
                                     {"script", std::string(report_files::script)},
                                     {"script-hash", base64(report_files::script_sha256)},
                                     {"run", json_in_html(page.run)},
                                     {"player", json_in_html(page.player)}});
}

std::string player_html(const Player& player, const Header& header) {
  if (player.steps.empty()) return "<p>There is no step: nobody sends anything.</p>\n";
  std::string figures, ranks;
  for (std::size_t k = 0; k < player.steps.size(); ++k)
    figures += fmt::format("<figure class=\"step paper\" data-step=\"{}\" aria-label=\"{}\">{}</figure>\n", k,
                           html_escaped(player.titles[k]), player.steps[k]);
  for (Rank r = 0; r < header.ranks; ++r)
    ranks += fmt::format("<option value=\"{}\">{}</option>", r, html_escaped(header.names.rank(r)));
  return filled(report_files::player, {{"figures", figures},
                                       {"ranks", ranks},
                                       {"width", player.is_wide ? "wide" : "narrow"},
                                       {"hidden-block", player.has_blocks ? "" : " hidden"},
                                       {"last-block", fmt::format("{}", header.blocks - 1)},
                                       {"last-step", fmt::format("{}", player.steps.size() - 1)}});
}

}  // namespace onceover::viz
