#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/stop.h"
#include "formats/schedule_file.h"

namespace onceover::formats {

namespace {

using Text = fmt::memory_buffer;

void write_key(Text& out, std::string_view key, std::string_view json) {
  fmt::format_to(std::back_inserter(out), "{}\"{}\":{}", out.size() == 1 ? "" : ",", key, json);
}

void write_header(Text& out, const Header& h, std::string_view version) {
  auto quoted = [](std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  };
  out.push_back('{');
  write_key(out, "format", "\"onceover-schedule\"");
  write_key(out, "version", version);
  write_key(out, "collective", quoted(name(h.collective)));
  write_key(out, "ranks", std::to_string(h.ranks));
  write_key(out, "blocks", std::to_string(h.blocks));
  if (h.scratch > 0) write_key(out, "scratch", std::to_string(h.scratch));
  if (!h.owners.empty()) write_key(out, "owners", fmt::format("[{}]", fmt::join(h.owners, ",")));
  if (is_rooted(h.collective)) write_key(out, "root", std::to_string(h.root));
  if (!h.shape.empty()) write_key(out, "shape", fmt::format("[{}]", fmt::join(h.shape, ",")));
  if (!h.algorithm.empty()) write_key(out, "algorithm", quoted(h.algorithm));
  auto pairs = [&](const auto& list, auto number) {
    std::vector<std::string> texts;
    for (const auto& each : list) texts.push_back(fmt::format("[{},{}]", quoted(each.name), each.*number));
    return fmt::format("[{}]", fmt::join(texts, ","));
  };
  if (!h.names.grid.empty()) write_key(out, "grid", pairs(h.names.grid, &Names::Axis::size));
  if (!h.names.phases.empty()) write_key(out, "phases", pairs(h.names.phases, &Names::Phase::first));
}

void write_runs(Text& out, const BlockSet& blocks, Block shift, bool& is_first) {
  blocks.for_each_run([&](Run run) {
    if (!is_first) out.push_back(',');
    is_first = false;
    auto end = std::back_inserter(out);
    if (run.first == run.last)
      fmt::format_to(end, "{}", run.first + shift);
    else
      fmt::format_to(end, "[{},{}]", run.first + shift, run.last + shift);
  });
}

/// Where blocks land, in the order in which they are listed.
void write_into(Text& out, const Transfer& t) {
  fmt::format_to(std::back_inserter(out), "],\"into\":[");
  bool is_first = true;
  t.for_each_landing([&](const BlockSet& set, Block shift) { write_runs(out, set, shift, is_first); });
}

void write_transfer(Text& out, const Transfer& t, bool with_lane) {
  fmt::format_to(std::back_inserter(out), "{{\"src\":{},\"dst\":{},\"blocks\":[", t.src, t.dst);
  bool is_first = true;
  t.for_each_landing([&](const BlockSet& set, Block) { write_runs(out, set, 0, is_first); });
  if (t.landings != nullptr) write_into(out, t);
  fmt::format_to(std::back_inserter(out), "],\"op\":\"{}\"", name(t.op));
  if (with_lane) fmt::format_to(std::back_inserter(out), ",\"lane\":{}", t.lane);
  out.push_back('}');
}

/// Writes the buffer out once it is large; false if that failed.
bool flush(Text& out, std::FILE* file, std::size_t at_least) {
  if (out.size() < at_least) return true;
  const bool written = std::fwrite(out.data(), 1, out.size(), file) == out.size();
  out.clear();
  return written;
}

constexpr std::size_t large = 1 << 16;

}  // namespace

std::string transfer_text(const Transfer& t, bool with_lane) {
  Text out;
  write_transfer(out, t, with_lane);
  return fmt::to_string(out);
}

bool write_schedule(const Schedule& schedule, std::FILE* file) {
  const bool with_lane = schedule.header().lanes > 1;
  Text out;
  write_header(out, schedule.header(), schedule.groups() == nullptr ? "1" : "2");
  fmt::format_to(std::back_inserter(out), ",\n\"steps\":[");
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    fmt::format_to(std::back_inserter(out), "{}\n[", step == 0 ? "" : ",");
    for (std::size_t k = 0; k < transfers.size(); ++k) {
      stop_point();
      fmt::format_to(std::back_inserter(out), "{}", k == 0 ? "" : ",\n ");
      write_transfer(out, transfers[k], with_lane);
      if (!flush(out, file, large)) return false;
    }
    out.push_back(']');
  }
  fmt::format_to(std::back_inserter(out), "\n]}}\n");
  return flush(out, file, 0);
}

}  // namespace onceover::formats
