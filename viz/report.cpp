#include "viz/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/result.h"
#include "base/sentences.h"
#include "base/table.h"
#include "network/flows.h"
#include "viz/block_trace.h"
#include "viz/film.h"
#include "viz/html.h"
#include "viz/messages.h"
#include "viz/renderer.h"

namespace onceover::viz {

/// The files of report/, embedded by embed_report.cmake.
namespace report_files {
extern const std::string_view page;           // page.html
extern const std::string_view player;         // player.html
extern const std::string_view style;          // page.css
extern const std::string_view script;         // page.js
extern const std::string_view script_sha256;  // of the script, in hexadecimal
}  // namespace report_files

namespace {

constexpr std::size_t most_cells = 250'000;       // in the tables of holdings of all steps
constexpr std::uint64_t most_work = 100'000'000;  // moves executed for these tables

bool is_on_a_line(const Header& header) {
  return header.shape.size() <= 1;
}

/// Is the picture too wide for text beside it? A row of many ranks is, and so are the slices of a torus.
bool is_wide(const Header& header) {
  return is_on_a_line(header) ? header.ranks > 12 : header.shape.size() > 2;
}

/// The width of the picture. A row of many ranks needs room for its circles; a torus of few would only look blown up.
double width_for(const Header& header) {
  const auto ranks = static_cast<double>(header.ranks);
  if (is_on_a_line(header)) return std::max(std::clamp(0.3 * ranks, 3.0, 8.0), 0.15 * ranks);
  return header.shape.size() > 2 ? 8 : std::clamp(0.55 * static_cast<double>(header.shape.back()), 3.0, 7.0);
}

std::string message_json(const Message& m) {
  std::string runs;
  for (const Run run : m.blocks) runs += fmt::format("{}[{},{}]", runs.empty() ? "" : ",", run.first, run.last);
  return fmt::format("[{},{},{},{},{},[{}]]", m.step, m.src, m.dst, m.op == Op::copy ? 1 : 0, m.lane, runs);
}

std::string messages_json(const std::vector<Message>& messages) {
  std::string json;
  for (const Message& m : messages) json += fmt::format("{}{}", json.empty() ? "" : ",\n", message_json(m));
  return fmt::format("[{}]", json);
}

bool is_small(const Schedule& schedule) {
  const Header& header = schedule.header();
  const auto panels = static_cast<std::uint64_t>(schedule.steps()) + 1;
  const auto cells = static_cast<std::uint64_t>(header.ranks) * static_cast<std::uint64_t>(header.all_blocks());
  return cells <= most_cells / panels && schedule.block_transfers() <= most_work / panels;
}

std::string row_json(const std::vector<BlockContent>& row) {
  std::string json;
  for (const BlockContent& held : row)
    json += fmt::format("{}{}", json.empty() ? "" : ",", held.has_duplicate ? -held.contributions : held.contributions);
  return fmt::format("[{}]", json);
}

std::string holdings_json(const Schedule& schedule) {
  const auto all = is_small(schedule) ? block_contents(schedule) : std::nullopt;
  if (!all) return "null";
  std::string json;
  for (const auto& table : *all) {
    std::string rows;
    for (const auto& row : table) rows += fmt::format("{}{}", rows.empty() ? "" : ",", row_json(row));
    json += fmt::format("{}[{}]", json.empty() ? "" : ",\n", rows);
  }
  return fmt::format("[{}]", json);
}

/// "1 link", "2.5 links".
std::string plural(double amount, std::string_view one) {
  return fmt::format("{} {}{}", number_text(amount), one, amount == 1 ? "" : "s");
}

/// "1 block", "2.5 chunks", "12 bytes": so many of a schedule's blocks.
std::string amount_text(double blocks, const Played& played) {
  if (played.block_bytes > 0) blocks *= static_cast<double>(played.block_bytes);
  return plural(blocks, played.has_blocks ? "block" : played.block_bytes > 0 ? "byte" : "chunk");
}

/// "On torus 4x4: 3 -> 4 carries most, 2 blocks in 2 messages. 16 of 64 links are used."
std::string load_text(const StepContention& s, const Played& played, const Names& names) {
  if (s.hottest < 0) return "Nobody sends anything over the network.";
  return fmt::format("On {}: {} carries most, {} in {}. {} of {} links are used; messages cross {} on average.",
                     played.network->name(), link_text(*played.network, s.hottest, names),
                     amount_text(static_cast<double>(s.load), played), counted(s.most_messages, "message"),
                     s.links_used, played.network->link_count(), plural(s.hops_mean(), "link"));
}

Json loads_json(const Schedule& schedule, const Played& played) {
  if (played.contention == nullptr) return nullptr;
  std::map<int, std::string> of_kind;
  for (const StepContention& s : played.contention->steps)
    of_kind[s.kind.step] = load_text(s, played, schedule.header().names);
  Json::Array texts;
  for (const int first : schedule.alike()) texts.emplace_back(of_kind[first]);
  return texts;
}

/// Of each step how many messages are the same, have other blocks, and are only in this schedule and the other.
Json differences_json(const Schedule& schedule, SelectedMessages one, const Schedule& beside, SelectedMessages other) {
  const SelectedMessages unmarked = one;
  mark_beside(one, schedule.header(), other, beside.header());
  mark_beside(other, beside.header(), unmarked, schedule.header());
  std::vector<std::array<std::uint64_t, 4>> steps(static_cast<std::size_t>(std::max(schedule.steps(), beside.steps())));
  for (const Message& m : one.messages)
    ++steps[static_cast<std::size_t>(m.step)][m.beside == Beside::same ? 0 : m.beside == Beside::other_blocks ? 1 : 2];
  for (const Message& m : other.messages)
    if (m.beside == Beside::not_there) ++steps[static_cast<std::size_t>(m.step)][3];
  Json::Array all;
  for (const auto& counts : steps) all.emplace_back(std::vector<std::uint64_t>(counts.begin(), counts.end()));
  return all;
}

std::string beside_json(const Schedule& schedule, const SelectedMessages& selection, const Schedule& beside,
                        const SelectedMessages& other) {
  return fmt::format("{{\"name\":{},\"messages\":{},\n\"differs\":{}}}", Json(title_of(beside.header())).dump(),
                     messages_json(other.messages), differences_json(schedule, selection, beside, other).dump());
}

/// A place after the last step is shown at that one.
Json site_json(const PlacedSite& site, int steps) {
  const auto& message = site.place.message;
  return {{"step", std::clamp(site.place.step, 0, std::max(steps - 1, 0))},
          {"rank", site.rank},
          {"message", message ? Json::array({message->first, message->second}) : Json()},
          {"text", site.text}};
}

Json faults_json(const Schedule& schedule, const Played& played) {
  if (played.has_blocks) return nullptr;
  Json faults = Json::object();
  for (const auto& [property, sites] : played.faults) {
    Json::Array all;
    for (const PlacedSite& site : sites) all.push_back(site_json(site, schedule.steps()));
    faults[property] = all;
  }
  return faults;
}

/// Of each rank "(node 1, gpu 3)"; null without a grid.
Json places_json(const Header& header) {
  if (header.names.grid.empty()) return nullptr;
  Json::Array places;
  for (Rank r = 0; r < header.ranks; ++r) places.emplace_back(header.names.place(r));
  return places;
}

std::string data_of(const Schedule& schedule, const std::vector<Message>& messages, const Played& played,
                    const std::string& beside) {
  const Header& header = schedule.header();
  const Json unit = played.has_blocks ? Json() : played.block_bytes > 0 ? Json("byte") : Json("chunk");
  return fmt::format(
      "{{\"ranks\":{},\"places\":{},\"blocks\":{},\"steps\":{},\"contributors\":{},\"unit\":{},\"bytes\":{},"
      "\n\"messages\":{},\n"
      "\"holdings\":{},\n\"loads\":{},\n\"faults\":{},\n\"beside\":{}}}",
      header.ranks, places_json(header).dump(), header.all_blocks(), schedule.steps(), contributors(header),
      unit.dump(), played.block_bytes, messages_json(messages), played.has_blocks ? holdings_json(schedule) : "null",
      loads_json(schedule, played).dump(), faults_json(schedule, played).dump(), beside);
}

/// What is played of a schedule that isn't too large.
Drawn<SelectedMessages> selected(const Schedule& schedule, const DrawOptions& options) {
  auto all = select(schedule, options);
  if (all) return all;
  return unsuitable(fmt::format("The schedule has more than {} messages, too many to play here.", most_messages));
}

}  // namespace

Drawn<Player> player(const Schedule& schedule, const Played& played) {
  const Header& header = schedule.header();
  const double width = width_for(header) * (played.beside ? 2.05 : 1);
  const DrawOptions options{.counts = !played.has_blocks,
                            .beside = played.beside,
                            .style = {.width = width, .font_size = 9, .has_classes = true}};
  const auto all = TRY(selected(schedule, options));
  std::string beside = "null";
  if (played.beside) beside = beside_json(schedule, all, *played.beside, TRY(selected(*played.beside, options)));
  Player player{
      {}, {}, is_wide(header) || played.beside, played.has_blocks, data_of(schedule, all.messages, played, beside)};
  std::string dots;
  std::vector<std::string> labels;
  for (const Frame& frame : TRY(frames(schedule, options))) {
    dots += frame.dot;
    player.titles.push_back(frame.title);
    labels.push_back(fmt::format("{}, {}", title_of(header), frame.title));
  }
  // One run of Graphviz renders them all.
  const auto rendered = TRY(dots.empty() ? Drawn<std::string>("") : render(dots, "svg"));
  // As wide as the page, or as the room beside the text allows, but with letters no larger than headings.
  const double room = player.is_wide ? 1150 : 700;
  const double scale = std::clamp(room / options.style.width_in_points(), 1.0, 2.4);
  player.steps = inline_svgs(rendered, labels, scale);
  return player;
}

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
