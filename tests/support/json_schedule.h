// A schedule file read a second time: slowly, from the values of nlohmann's parser.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "namespaces.h"
#include "schedules/schedule.h"

namespace onceover::support {

/// The text as JSON; nothing if it isn't JSON or repeats a key.
inline std::optional<nlohmann::json> json_of(std::string_view text) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> keys;  // of the open objects
  bool is_repeated = false;
  const auto look = [&](int, Event event, nlohmann::json& value) {
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value.get<std::string>()).second) is_repeated = true;
    return true;
  };
  auto json = nlohmann::json::parse(text, look, false);
  if (json.is_discarded() || is_repeated) return std::nullopt;
  return json;
}

/// Blocks that are sent and the blocks that they land in, sorted.
using Landings = std::vector<std::pair<Block, Block>>;

inline std::vector<Block> blocks_of(const nlohmann::json& list) {
  std::vector<Block> blocks;
  for (const auto& run : list) {
    const Block first = run.is_array() ? run.at(0).get<Block>() : run.get<Block>();
    const Block last = run.is_array() ? run.at(1).get<Block>() : first;
    for (Block b = first; b <= last; ++b) blocks.push_back(b);
  }
  return blocks;
}

inline bool says(const nlohmann::json& json, const Transfer& t) {
  const auto sent = blocks_of(json.at("blocks")), into = blocks_of(json.value("into", json.at("blocks")));
  Landings there, here;
  for (std::size_t k = 0; k < sent.size(); ++k) there.emplace_back(sent[k], into.at(k));
  t.for_each_landing([&](const BlockSet& set, Block shift) {
    set.for_each_run([&](Run run) {
      for (Block b = run.first; b <= run.last; ++b) here.emplace_back(b, b + shift);
    });
  });
  std::sort(there.begin(), there.end());
  std::sort(here.begin(), here.end());
  return json.at("src") == t.src && json.at("dst") == t.dst && json.value("lane", 0) == t.lane &&
         json.at("op") == (t.op == Op::reduce ? "reduce" : "copy") && there == here && sent.size() == into.size();
}

inline bool says(const nlohmann::json& json, const Header& header) {
  std::vector<std::pair<std::string, int>> axes, phases;
  for (const auto& axis : header.names.grid) axes.emplace_back(axis.name, axis.size);
  for (const auto& phase : header.names.phases) phases.emplace_back(phase.name, phase.first);
  const nlohmann::json none = nlohmann::json::array();
  return json.at("format") == "onceover-schedule" && json.at("collective") == name(header.collective) &&
         json.at("ranks") == header.ranks && json.at("blocks") == header.blocks &&
         json.value("scratch", 0) == header.scratch && json.value("root", 0) == header.root &&
         json.value("owners", none) == header.owners && json.value("shape", none) == header.shape &&
         json.value("algorithm", "") == header.algorithm && json.value("grid", none) == axes &&
         json.value("phases", none) == phases;
}

/// Is the text JSON without repeated keys, and does it say this schedule? Writes all blocks of a transfer out.
inline bool says(std::string_view text, const Schedule& schedule) {
  const auto json = json_of(text);
  if (!json || !says(*json, schedule.header())) return false;
  const auto& steps = json->at("steps");
  bool is_so = static_cast<int>(steps.size()) == schedule.steps();
  std::vector<Transfer> transfers;
  for (int step = 0; is_so && step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    const auto& list = steps.at(static_cast<std::size_t>(step));
    is_so = std::equal(list.begin(), list.end(), transfers.begin(), transfers.end(),
                       [](const auto& transfer, const Transfer& t) { return says(transfer, t); });
  }
  return is_so;
}

}  // namespace onceover::support
