#include "viz/report.h"

#include <fmt/format.h>

#include <map>

#include "viz/byte_stream.h"
#include "viz/html.h"

namespace onceover::viz {

/// The files of report/, embedded by embed_report.cmake.
namespace report_files {
extern const std::string_view page;           // page.html
extern const std::string_view player;         // player.html
extern const std::string_view style;          // page.css
extern const std::string_view script;         // the files *.js, one after the other
extern const std::string_view script_sha256;  // of the script, in hexadecimal
}  // namespace report_files

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

/// The bytes that hexadecimal digits stand for.
std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2)
    bytes += static_cast<char>(digit(hex[k]) * 16 + digit(hex[k + 1]));
  return bytes;
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
                                     {"banner", page.banner},
                                     {"links", links_html(page.sections)},
                                     {"sections", sections_html(page.sections)},
                                     {"style", std::string(report_files::style)},
                                     {"script", std::string(report_files::script)},
                                     {"script-hash", base64(bytes_of(report_files::script_sha256))},
                                     {"run", json_in_html(page.run)},
                                     {"player", json_in_html(page.player)}});
}

std::string player_html(const Player& player, const Header& header) {
  if (player.steps == 0) return "<p>There is no step: nobody sends anything.</p>\n";
  return filled(report_files::player, {{"hidden-block", player.has_blocks ? "" : " hidden"},
                                       {"rank", player.has_ranks ? "Rank" : "Row"},
                                       {"last-block", fmt::format("{}", header.blocks - 1)},
                                       {"last-rank", fmt::format("{}", header.ranks - 1)},
                                       {"last-step", fmt::format("{}", player.steps - 1)}});
}

}  // namespace onceover::viz
