#include "viz/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/result.h"
#include "base/sentences.h"
#include "base/table.h"
#include "network/flows.h"
#include "viz/block_trace.h"
#include "viz/byte_stream.h"
#include "viz/folded_messages.h"
#include "viz/messages.h"

namespace onceover::viz {

namespace {

/// Of each rank "(node 1, gpu 3)"; null without a grid.
Json places_json(const Header& header) {
  if (header.names.grid.empty()) return nullptr;
  Json::Array places;
  for (Rank r = 0; r < header.ranks; ++r) places.emplace_back(header.names.place(r));
  return places;
}

Json phases_json(const Names& names) {
  Json::Array phases;
  for (const Names::Phase& phase : names.phases) phases.push_back(Json::array({phase.name, phase.first}));
  return phases;
}

std::string_view word_of(Holders holders) {
  switch (holders) {
    case Holders::everyone: return "everyone";
    case Holders::owner: return "owner";
    case Holders::root: return "root";
    case Holders::origin: return "origin";
  }
  return "";
}

Drawn<Json> schedule_json(const Schedule& schedule) {
  const Header& header = schedule.header();
  const std::string messages = TRY(folded_messages(schedule));
  return Json{{"title", title_of(header)},
              {"ranks", header.ranks},
              {"sides", header.sides()},
              {"places", places_json(header)},
              {"phases", phases_json(header.names)},
              {"blocks", header.blocks},
              {"all_blocks", header.all_blocks()},
              {"steps", schedule.steps()},
              {"lanes", header.lanes},
              {"contributors", contributors(header)},
              {"begins", word_of(contract(header.collective).begins)},
              {"root", header.root},
              {"owners", header.owners.empty() ? Json() : Json(header.owners)},
              {"messages", base64(messages)}};
}

/// "1 link", "2.5 links".
std::string plural(double amount, std::string_view one) {
  return fmt::format("{} {}{}", number_text(amount), one, amount == 1 ? "" : "s");
}

std::string_view unit_of(const Played& played) {
  return played.has_blocks ? "block" : played.block_bytes > 0 ? "byte" : played.unit;
}

/// "1 block", "2.5 chunks", "12 bytes": so many of a schedule's blocks.
std::string amount_text(double blocks, const Played& played) {
  if (played.block_bytes > 0) blocks *= static_cast<double>(played.block_bytes);
  return plural(blocks, unit_of(played));
}

/// "On torus 4x4: 3 -> 4 carries most, 2 blocks in 2 messages. 16 of 64 links are used."
std::string load_of_step_text(const StepContention& s, const Played& played, const Names& names) {
  if (s.hottest < 0) return "Nobody sends anything over the network.";
  return fmt::format("On {}: {} carries most, {} in {}. {} of {} links are used; messages cross {} on average.",
                     played.network->name(), link_text(*played.network, s.hottest, names),
                     amount_text(static_cast<double>(s.load), played), counted(s.most_messages, "message"),
                     s.links_used, played.network->link_count(), plural(s.hops_mean(), "link"));
}

/// The kind of each step, a number for each.
std::vector<int> kinds_of(const Schedule& schedule) {
  std::map<int, int> number;
  for (const StepKind& kind : step_kinds(schedule)) number.emplace(kind.step, static_cast<int>(number.size()));
  std::vector<int> kinds;
  for (const int first : schedule.alike()) kinds.push_back(number.at(first));
  return kinds;
}

/// Runs of links with the same load.
struct LoadRun {
  double load;
  std::uint64_t links;
};

std::vector<LoadRun> runs_of(const LinkLoads& loads) {
  std::vector<LoadRun> runs;
  for (Link link = 0; link < loads.links(); ++link) {
    const double load = loads.nearest_load(link);
    if (runs.empty() || runs.back().load != load) runs.push_back({load, 0});
    ++runs.back().links;
  }
  return runs;
}

Json written(const std::vector<std::vector<LoadRun>>& kinds) {
  std::map<double, std::uint64_t> numbers;
  for (const auto& runs : kinds)
    for (const LoadRun& run : runs) numbers.emplace(run.load, 0);
  Json::Array values;
  for (auto& [load, number] : numbers) {
    number = values.size();
    values.emplace_back(load);
  }
  ByteStream out;
  for (const auto& runs : kinds) {
    out.put(runs.size());
    for (const LoadRun& run : runs) {
      out.put(numbers.at(run.load));
      out.put(run.links);
    }
  }
  return {{"values", values}, {"runs", base64(out.bytes())}};
}

Json loads_json(const Schedule& schedule, const Played& played) {
  const auto kinds = step_kinds(schedule).size();
  if (played.contention == nullptr ||
      kinds * static_cast<std::size_t>(played.network->link_count()) > most_played_loads)
    return nullptr;
  std::vector<std::vector<LoadRun>> runs(kinds);
  const auto done = follow(schedule, *played.network, played.flows,
                           [&](std::size_t k, const StepFlows& flows) { runs[k] = runs_of(flows.loads); });
  return done ? written(runs) : Json();
}

Json links_json(const Network& network) {
  ByteStream out;
  for (const LinkData& link : network.links()) {
    out.put(static_cast<std::uint64_t>(link.from));
    out.put(static_cast<std::uint64_t>(link.to));
  }
  return base64(out.bytes());
}

Json seats_json(const Network& network) {
  std::vector<Node> seats;
  bool is_moved = false;
  for (Rank r = 0; r < network.ranks(); ++r) {
    seats.push_back(network.seat(r));
    is_moved = is_moved || seats.back() != r;
  }
  return is_moved ? Json(seats) : Json();
}

Json switches_json(const Network& network) {
  constexpr Node most_named = 2000;
  if (network.nodes() - network.ranks() > most_named) return nullptr;
  Json::Array names;
  for (Node node = network.ranks(); node < network.nodes(); ++node) names.emplace_back(network.node_text(node));
  return names;
}

Json texts_json(const Schedule& schedule, const Played& played) {
  Json::Array texts;
  if (played.contention != nullptr)
    for (const StepContention& s : played.contention->steps)
      texts.emplace_back(load_of_step_text(s, played, schedule.header().names));
  return texts;
}

Json network_json(const Schedule& schedule, const Played& played) {
  if (played.network == nullptr) return nullptr;
  const Network& network = *played.network;
  const bool has_links = network.link_count() <= most_played_links;
  return {{"name", network.name()},
          {"nodes", network.nodes()},
          {"ranks", network.ranks()},
          {"sides", network.grid() ? Json(network.grid()->sides()) : Json()},
          {"seats", seats_json(network)},
          {"switches", switches_json(network)},
          {"links", has_links ? links_json(network) : Json()},
          {"loads", has_links ? loads_json(schedule, played) : Json()},
          {"texts", texts_json(schedule, played)},
          {"kinds", kinds_of(schedule)}};
}

/// Of each step how many messages are the same, have other blocks, and are only in this schedule and the other.
Json differences_json(const Schedule& schedule, const Schedule& beside) {
  auto one = select(schedule, {}), other = select(beside, {});
  if (!one || !other) return nullptr;
  const SelectedMessages unmarked = *one;
  mark_beside(*one, schedule.header(), *other, beside.header());
  mark_beside(*other, beside.header(), unmarked, schedule.header());
  std::vector<std::array<std::uint64_t, 4>> steps(static_cast<std::size_t>(std::max(schedule.steps(), beside.steps())));
  for (const Message& m : one->messages)
    ++steps[static_cast<std::size_t>(m.step)][m.beside == Beside::same ? 0 : m.beside == Beside::other_blocks ? 1 : 2];
  for (const Message& m : other->messages)
    if (m.beside == Beside::not_there) ++steps[static_cast<std::size_t>(m.step)][3];
  Json::Array all;
  for (const auto& counts : steps) all.emplace_back(std::vector<std::uint64_t>(counts.begin(), counts.end()));
  return all;
}

Drawn<Json> beside_json(const Schedule& schedule, const Played& played) {
  if (!played.beside) return Json();
  const Json other = TRY(schedule_json(*played.beside));
  return Json{{"name", title_of(played.beside->header())},
              {"schedule", other},
              {"differs", differences_json(schedule, *played.beside)}};
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

Json rows_json(const Played& played) {
  Json::Array rows;
  for (const RowName& row : played.rows) rows.push_back(Json::array({row.full, row.brief}));
  return played.rows.empty() ? Json() : Json(rows);
}

}  // namespace

Drawn<Player> player(const Schedule& schedule, const Played& played) {
  const Json unit = played.has_blocks ? Json() : Json(unit_of(played));
  const Json folded = TRY(schedule_json(schedule));
  const Json beside = TRY(beside_json(schedule, played));
  const Json data{{"schedule", folded},
                  {"rows", rows_json(played)},
                  {"unit", unit},
                  {"bytes", played.block_bytes},
                  {"network", network_json(schedule, played)},
                  {"faults", faults_json(schedule, played)},
                  {"beside", beside}};
  return Player{played.has_blocks, played.rows.empty(), schedule.steps(), data.dump()};
}

}  // namespace onceover::viz
