#include "viz/player.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "viz/frames.h"
#include "viz/graphviz.h"
#include "viz/holding.h"
#include "viz/html.h"
#include "viz/messages.h"

namespace onceover::viz {

namespace {

constexpr std::size_t most_cells = 250'000;       // in the tables of holdings of all steps
constexpr std::uint64_t most_work = 100'000'000;  // moves executed for these tables

bool is_on_a_line(const Header& header) {
  return header.shape.size() <= 1;
}

/// Is the picture too wide for text beside it? A row of many ranks is, and so are the slices of a torus.
bool is_wide(const Header& header) {
  return is_on_a_line(header) ? header.ranks > 24 : header.shape.size() > 2;
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

std::string row_json(const std::vector<Holding>& row) {
  std::string json;
  for (const Holding& held : row)
    json += fmt::format("{}{}", json.empty() ? "" : ",", held.has_duplicate ? -held.contributions : held.contributions);
  return fmt::format("[{}]", json);
}

std::string holdings_json(const Schedule& schedule) {
  const auto all = is_small(schedule) ? holdings(schedule) : std::nullopt;
  if (!all) return "null";
  std::string json;
  for (const auto& table : *all) {
    std::string rows;
    for (const auto& row : table) rows += fmt::format("{}{}", rows.empty() ? "" : ",", row_json(row));
    json += fmt::format("{}[{}]", json.empty() ? "" : ",\n", rows);
  }
  return fmt::format("[{}]", json);
}

std::string data_of(const Schedule& schedule, const std::vector<Message>& messages) {
  const Header& header = schedule.header();
  return fmt::format(
      "{{\"ranks\":{},\"blocks\":{},\"steps\":{},\"contributors\":{},\n\"messages\":{},\n\"holdings\":{}}}",
      header.ranks, header.all_blocks(), schedule.steps(), contributors(header), messages_json(messages),
      holdings_json(schedule));
}

}  // namespace

Drawn<Player> player(const Schedule& schedule) {
  const Header& header = schedule.header();
  DrawOptions options{.style = {.width = width_for(header), .font_size = 9, .has_classes = true}};
  const auto all = select(schedule, options);
  if (!all)
    return unsuitable(fmt::format("The schedule has more than {} messages, too many to play here.", most_messages));
  Player player{{}, {}, is_wide(header), data_of(schedule, all->messages)};
  std::string dots;
  for (const Frame& frame : TRY(frames(schedule, options))) {
    dots += frame.dot;
    player.titles.push_back(frame.title);
  }
  // One run of Graphviz renders them all.
  const auto rendered = TRY(dots.empty() ? Drawn<std::string>("") : render(dots, "svg"));
  // As wide as the page, or as the room beside the text allows, but with letters no larger than headings.
  const double room = player.is_wide ? 1150 : 700;
  const double scale = std::clamp(room / options.style.width_in_points(), 1.0, 2.4);
  player.steps = inline_svgs(rendered, title_of(header), scale);
  return player;
}

}  // namespace onceover::viz
