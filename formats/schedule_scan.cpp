// Reads a right schedule file straight into a ListedSchedule, in one pass that keeps nothing else. Each function takes
// one part of the format from the text, and returns false if it isn't there or breaks a rule. Then the whole reading
// ends, and the other reader finds out why.
//
// Example: the list of blocks [1,[2,3]] is taken by `run` twice, which adds the runs 1..1 and 2..3; `normalise` makes
// them 1..3.
//
// It ends because each call takes some text or returns false.

#include "formats/schedule_scan.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/json_scan.h"
#include "base/stop.h"
#include "formats/schedule_rules.h"
#include "schedules/listed_schedule.h"

namespace onceover::formats {

namespace {

/// The position of a key in a table of keys, or the table's size. The comparisons are unrolled: each has a known
/// length.
template <const auto& keys>
constexpr std::size_t position(std::string_view key) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    std::size_t found = keys.size();
    (void)((keys[k] == key && (found = k, true)) || ...);
    return found;
  }
  (std::make_index_sequence<keys.size()>());
}

/// A bit for each key that a transfer must have, by its position.
constexpr std::uint32_t required_of_transfer = [] {
  std::uint32_t bits = 0;
  for (const std::string_view key : required_transfer_keys) bits |= 1U << position<transfer_keys>(key);
  return bits;
}();

class ScheduleScan {
 public:
  ScheduleScan(std::string_view text, DeclaredSizes sizes)
      : scan_(text),
        ranks_(sizes.ranks.value_or(max_ranks)),
        has_scratch_(sizes.version == 2),
        most_blocks_(most_blocks(has_scratch_)),
        blocks_(sizes.blocks.value_or(most_blocks_)),
        all_blocks_(blocks_ + (has_scratch_ ? sizes.scratch.value_or(0) : 0)) {
    constexpr std::string_view shortest = R"({"op":"copy","src":0,"dst":0,"blocks":[0]},)";
    builder_.reserve(text.size() / shortest.size());
  }

  SchedulePtr read() {
    if (!document()) return nullptr;
    auto schedule = std::make_shared<ListedSchedule>(std::move(header_), std::move(builder_));
    return has_too_many_cells(*schedule) ? nullptr : schedule;
  }

 private:
  bool document() {
    if (!scan_.take('{')) return false;
    do
      if (!member()) return false;
    while (scan_.take(','));
    auto is_there = [&](std::string_view key) { return places_.contains(key); };
    return scan_.at_end() && std::all_of(required_keys.begin(), required_keys.end(), is_there) &&
           !header_fault(header_, builder_.steps(), places_);
  }

  bool member() {
    const auto name = scan_.key();
    const std::size_t k = name ? position<document_keys>(*name) : document_keys.size();
    if (k == document_keys.size()) return false;
    const std::string_view key = document_keys[k];
    if (needs_version_2(key) && !has_scratch_) return false;
    return places_.emplace(key, 0).second && value_of(key);
  }

  bool value_of(std::string_view key) {
    int version = 0;
    if (key == "format") return scan_.string() == format_name;
    if (key == "version") return number(1, newest_version, version);
    if (key == "collective") return collective();
    if (key == "ranks") return number(1, max_ranks, header_.ranks);
    if (key == "blocks") return number(1, most_blocks_, header_.blocks);
    if (key == "scratch") return number(0, std::max<std::int64_t>(0, most_blocks_ - blocks_), header_.scratch);
    if (key == "owners") return scan_.list([&] { return number(0, ranks_ - 1, header_.owners.emplace_back()); });
    if (key == "root") return number(0, ranks_ - 1, header_.root);
    if (key == "shape") return scan_.list([&] { return number(1, max_ranks, header_.shape.emplace_back()); });
    if (key == "algorithm") return text(header_.algorithm);
    if (key == "$schema") return text(ignored_);
    if (key == "grid") return scan_.list([&] { return axis(header_.names.grid.emplace_back()); });
    if (key == "phases") return scan_.list([&] { return phase(); });
    return steps();
  }

  bool number(std::int64_t least, std::int64_t most, std::int32_t& out) {
    const auto value = scan_.whole(most);
    out = value.value_or(0);
    return value && *value >= least;
  }

  bool collective() {
    const auto name = scan_.string();
    const auto named = name ? collective_named(*name) : std::nullopt;
    header_.collective = named.value_or(Collective::allreduce);
    return named.has_value();
  }

  bool text(std::string& out) {
    const auto name = scan_.string();
    out = name.value_or("");
    return name && is_name(out);
  }

  bool axis(Names::Axis& out) {
    return scan_.take('[') && text(out.name) && is_axis_name(out.name) && scan_.take(',') &&
           number(1, max_ranks, out.size) && scan_.take(']');
  }

  bool phase() {
    Names::Phase phase;
    const bool is_taken = scan_.take('[') && text(phase.name) && scan_.take(',') &&
                          number(next_phase(header_.names), last_step, phase.first) && scan_.take(']');
    if (is_taken) header_.names.phases.push_back(std::move(phase));
    return is_taken;
  }

  bool steps() {
    return scan_.list([&] {
      builder_.begin_step();
      return scan_.list([&] { return transfer(); });
    });
  }

  bool transfer() {
    stop_point();
    if (!scan_.take('{')) return false;
    transfer_ = {};
    sent_.clear();
    into_.clear();
    std::uint32_t seen = 0;
    do {
      const auto name = scan_.key();
      const std::size_t k = name ? position<transfer_keys>(*name) : transfer_keys.size();
      if (k == transfer_keys.size() || (seen >> k & 1) != 0 || !value_of_transfer(k)) return false;
      seen |= 1U << k;
    } while (scan_.take(','));
    return scan_.take('}') && (seen & required_of_transfer) == required_of_transfer && add_transfer();
  }

  bool value_of_transfer(std::size_t k) {
    switch (k) {
      case 0: return number(0, ranks_ - 1, transfer_.src);
      case 1: return number(0, ranks_ - 1, transfer_.dst);
      case 2: return runs(sent_);
      case 3: return has_scratch_ && runs(into_);
      case 4: return operation();
      default: return number(0, max_lanes - 1, transfer_.lane);
    }
  }

  bool operation() {
    const auto name = scan_.string();
    transfer_.op = name == "reduce" ? Op::reduce : Op::copy;
    return name == "reduce" || name == "copy";
  }

  bool runs(std::vector<Run>& out) {
    return scan_.list([&] { return run(out.emplace_back()); }) && !out.empty();
  }

  bool run(Run& out) {
    const bool is_pair = scan_.take('[');
    if (!number(0, all_blocks_ - 1, out.first)) return false;
    out.last = out.first;
    return !is_pair || (scan_.take(',') && number(out.first, all_blocks_ - 1, out.last) && scan_.take(']'));
  }

  bool add_transfer() {
    const auto [src, dst, op, lane] = transfer_;
    header_.lanes = std::max(header_.lanes, lane + 1);
    if (into_.empty()) {
      if (sent_.size() > 1 && normalise(sent_)) return false;
      builder_.add(src, dst, sent_, op, lane);
      return true;
    }
    const std::uint64_t landed = blocks_in(into_);
    if (blocks_in(sent_) != landed || (landings_ += landed) > most_landings) return false;
    auto landings = landed_runs(sent_, into_);
    if (normalise(into_)) return false;
    builder_.add(src, dst, landings, op, lane);
    return true;
  }

  JsonScan scan_;
  std::int64_t ranks_;
  bool has_scratch_;  // version 2
  std::int64_t most_blocks_;
  std::int64_t blocks_;
  std::int64_t all_blocks_;

  Header header_;
  std::string ignored_;
  KeyPlaces places_;  // only which keys there are
  ListedSchedule::Builder builder_;
  struct {
    Rank src, dst;
    Op op;
    int lane;
  } transfer_{};
  std::vector<Run> sent_, into_;
  std::uint64_t landings_ = 0;
};

}  // namespace

SchedulePtr scan_schedule(std::string_view text) {
  return ScheduleScan(text, declared_sizes(text)).read();
}

}  // namespace onceover::formats
