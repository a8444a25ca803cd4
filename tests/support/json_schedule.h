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

// Whether a text is a schedule file, by docs/schedule-file.md and not by the reader.

/// The whole number under the key, or `otherwise`; -1, which is none of a file's, if there is something else.
inline std::int64_t whole(const nlohmann::json& json, const char* key, std::int64_t otherwise = -1) {
  if (!json.contains(key)) return otherwise;
  return json.at(key).is_number_integer() ? std::max<std::int64_t>(-1, json.at(key).get<std::int64_t>()) : -1;
}

inline bool is_from_to(const nlohmann::json& json, std::int64_t least, std::int64_t most) {
  return json.is_number_integer() && json >= least && json <= most;
}

/// Has it these keys, and no others but the optional ones?
inline bool has_keys(const nlohmann::json& json, const std::set<std::string>& needed, std::set<std::string> optional) {
  if (!json.is_object()) return false;
  optional.insert(needed.begin(), needed.end());
  return std::all_of(needed.begin(), needed.end(), [&](const auto& key) { return json.contains(key); }) &&
         std::all_of(json.items().begin(), json.items().end(),
                     [&](const auto& item) { return optional.count(item.key()) == 1; });
}

/// Printable ASCII; of other letters, this reader doesn't know which are allowed.
inline bool is_plain_name(const nlohmann::json& json, std::size_t least, std::size_t most) {
  if (!json.is_string()) return false;
  const auto& text = json.get_ref<const std::string&>();
  return text.size() >= least && text.size() <= most &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

template <class IsRight>
bool is_list(const nlohmann::json& json, IsRight&& is_right) {
  return json.is_array() && std::all_of(json.begin(), json.end(), is_right);
}

/// Whole numbers from 1 on, at most 16, whose product is `ranks`.
inline bool are_sides(const nlohmann::json& list, std::int64_t ranks) {
  std::int64_t product = 1;
  return list.size() <= 16 &&
         is_list(list,
                 [&](const auto& side) {
                   if (!is_from_to(side, 1, ranks)) return false;
                   return (product *= side.template get<std::int64_t>()) <= ranks;
                 }) &&
         product == ranks;
}

/// Blocks and runs; with `once`, each block at most once.
inline bool are_blocks(const nlohmann::json& list, std::int64_t all_blocks, bool once) {
  const bool is_right = is_list(list, [&](const auto& run) {
    if (!run.is_array()) return is_from_to(run, 0, all_blocks - 1);
    return run.size() == 2 && is_from_to(run[0], 0, all_blocks - 1) &&
           is_from_to(run[1], run[0].template get<std::int64_t>(), all_blocks - 1);
  });
  if (!is_right || list.empty()) return false;
  const auto blocks = blocks_of(list);
  return !once || std::set<Block>(blocks.begin(), blocks.end()).size() == blocks.size();
}

struct FileSizes {
  std::int64_t ranks, all_blocks;
  bool has_scratch;
};

inline bool is_transfer(const nlohmann::json& json, const FileSizes& sizes) {
  const bool lands = json.is_object() && json.contains("into");
  return has_keys(json, {"src", "dst", "blocks", "op"}, {"lane", "into"}) && (!lands || sizes.has_scratch) &&
         is_from_to(json["src"], 0, sizes.ranks - 1) && is_from_to(json["dst"], 0, sizes.ranks - 1) &&
         (json["op"] == "copy" || json["op"] == "reduce") &&
         is_from_to(json.value("lane", nlohmann::json(0)), 0, 1023) &&
         are_blocks(json["blocks"], sizes.all_blocks, !lands) &&
         (!lands || (are_blocks(json["into"], sizes.all_blocks, true) &&
                     blocks_of(json["into"]).size() == blocks_of(json["blocks"]).size()));
}

inline bool are_names(const nlohmann::json& json, std::int64_t ranks) {
  nlohmann::json sizes = nlohmann::json::array();
  std::set<std::string> axes;
  std::int64_t next = 0;
  const auto is_axis = [&](const auto& axis) {
    if (!axis.is_array() || axis.size() != 2 || !is_plain_name(axis[0], 1, 64)) return false;
    sizes.push_back(axis[1]);
    return axes.insert(axis[0].template get<std::string>()).second;
  };
  const auto is_phase = [&](const auto& phase) {
    if (!phase.is_array() || phase.size() != 2 || !is_plain_name(phase[0], 0, 256)) return false;
    if (!is_from_to(phase[1], next, std::ssize(json["steps"]) - 1)) return false;
    next = phase[1].template get<std::int64_t>() + 1;
    return true;
  };
  return (!json.contains("grid") || (is_list(json["grid"], is_axis) && are_sides(sizes, ranks))) &&
         (!json.contains("phases") || is_list(json["phases"], is_phase));
}

inline bool fits_collective(const nlohmann::json& json, Collective collective, std::int64_t ranks,
                            std::int64_t blocks) {
  const bool is_alltoall = collective == Collective::alltoall;
  const bool has_owners = json.contains("owners");
  return (!json.contains("root") || (is_rooted(collective) && is_from_to(json["root"], 0, ranks - 1))) &&
         (!is_alltoall || (blocks % (ranks * ranks) == 0 && !has_owners)) &&
         (!has_owners || (std::ssize(json["owners"]) == blocks &&
                          is_list(json["owners"], [&](const auto& owner) { return is_from_to(owner, 0, ranks - 1); })));
}

/// Is the text surely a schedule file? Of large ones it isn't known.
inline bool is_schedule_file(std::string_view text) {
  constexpr std::int64_t most = 1 << 12;
  const auto json = json_of(text);
  if (!json || !has_keys(*json, {"format", "version", "collective", "ranks", "blocks", "steps"},
                         {"scratch", "owners", "root", "shape", "algorithm", "grid", "phases", "$schema"}))
    return false;
  const auto& file = *json;
  const auto version = whole(file, "version"), ranks = whole(file, "ranks"), blocks = whole(file, "blocks"),
             scratch = whole(file, "scratch", 0);
  const auto collective = file["collective"].is_string() ? collective_named(file["collective"].get<std::string>())
                                                         : std::optional<Collective>();
  if (file["format"] != "onceover-schedule" || version < 1 || version > 2 || !collective || ranks < 1 || ranks > most ||
      blocks < 1 || blocks > most || scratch < 0 || scratch > most)
    return false;
  const FileSizes sizes{ranks, blocks + scratch, version == 2};
  const auto is_name_or_none = [&](const char* key) {
    return is_plain_name(file.value(key, nlohmann::json("")), 0, 256);
  };
  return (!file.contains("scratch") || sizes.has_scratch) && fits_collective(file, *collective, ranks, blocks) &&
         (!file.contains("shape") || are_sides(file["shape"], ranks)) && is_name_or_none("algorithm") &&
         is_name_or_none("$schema") &&
         is_list(file["steps"],
                 [&](const auto& step) {
                   return is_list(step, [&](const auto& transfer) { return is_transfer(transfer, sizes); });
                 }) &&
         are_names(file, ranks);
}

}  // namespace onceover::support
