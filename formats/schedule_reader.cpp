// Reads a schedule file straight into a ListedSchedule, in one pass that keeps nothing else. Each function takes one
// part of the format from the text, or keeps what it expected there and returns false; then the whole reading ends.
//
// Example: the list of blocks [1,[2,3]] is taken by `run` twice, which adds the runs 1..1 and 2..3; `normalise` makes
// them 1..3. Of [1,[2]] `run` takes "[2" and finds no comma, so it expected the run's last block at the "]".
//
// A text is read twice if it is refused, because JsonScan takes its last bracket for granted: for the message it reads
// the text with one more bracket behind it. What stands where the reader stopped, or why that is not JSON, nlohmann's
// parser says (`json_token_at`).
//
// Numbers have ranges that depend on the ranks and blocks, which may come after the steps. So `declared_sizes` looks
// for these first; it ends there if they come before the steps.
//
// It ends because each call takes some text or returns false. O(text), except that the runs of lists of blocks are
// sorted.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/json_source.h"
#include "base/sentences.h"
#include "base/stop.h"
#include "base/text.h"
#include "formats/schedule_file.h"
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

constexpr std::size_t into_key = position<transfer_keys>("into");

class ScheduleReader {
 public:
  /// With `is_closed`, the text has a bracket behind it that isn't its own.
  ScheduleReader(std::string_view text, bool is_closed) : ScheduleReader(text, is_closed, declared_sizes(text)) {}

  SchedulePtr read() {
    if (!document()) return nullptr;
    auto schedule = std::make_shared<ListedSchedule>(std::move(header_), std::move(builder_));
    if (!has_too_many_cells(*schedule)) return schedule;
    fail(places_.find("steps")->second,
         fmt::format("values move between {} blocks of {} ranks; the most are {} blocks times ranks",
                     schedule->most_slots(), ranks_, most_cells));
    return nullptr;
  }

  /// What is wrong in the text, which was refused.
  SourceError error(std::string_view name, std::string_view text) const {
    if (!fault_->is_expected) return source_error(name, text, fault_->at, fault_->what);
    constexpr std::size_t longest = 60;
    const auto found = json_token_at(text, fault_->at);
    if (!found) return source_error(name, text, found.error().offset, "not JSON: " + found.error().why);
    const std::string_view words = found->words;
    return source_error(name, text, found->offset,
                        fmt::format("expected {}, found {}{}", fault_->what, words.substr(0, longest),
                                    words.size() > longest ? ".." : ""));
  }

 private:
  /// What is wrong at a byte, or what was expected there.
  struct Fault {
    std::size_t at;
    std::string what;
    bool is_expected;
  };

  struct BlockList {
    std::vector<Run> runs = {};
    std::size_t end = 0;  // its closing bracket
  };

  ScheduleReader(std::string_view text, bool is_closed, DeclaredSizes sizes)
      : scan_(text),
        is_closed_(is_closed),
        ranks_(sizes.ranks.value_or(max_ranks)),
        has_scratch_(sizes.version == 2),
        most_blocks_(most_blocks(has_scratch_)),
        blocks_(sizes.blocks.value_or(most_blocks_)),
        most_scratch_(most_blocks_ - (sizes.blocks >= 1 && sizes.blocks <= most_blocks_ ? blocks_ : 1)),
        all_blocks_(blocks_ + (has_scratch_ ? sizes.scratch.value_or(0) : 0)) {
    constexpr std::string_view shortest = R"({"op":"copy","src":0,"dst":0,"blocks":[0]},)";
    builder_.reserve(text.size() / shortest.size());
  }

  // All keep the first fault, and return false. They are cold, so that what calls them is small enough to be inlined.
  bool fail(std::size_t at, std::string why) { return keep({at, std::move(why), false}); }
  [[gnu::cold]] bool expected(std::string_view what) { return keep({scan_.place(), std::string(what), true}); }
  [[gnu::cold]] bool expected(std::string_view what, std::int64_t least, std::int64_t most) {
    return expected(fmt::format("{} from {} to {}", what, least, most));
  }
  bool not_json() { return expected("JSON"); }
  [[gnu::cold]] bool keep(Fault fault) {
    if (!fault_) fault_ = std::move(fault);
    return false;
  }

  /// Takes a string that `is_right`.
  template <class IsRight>
  bool string(IsRight&& is_right, std::string_view what) {
    const auto value = scan_.string();
    if (!value) return expected(what);
    return is_right(*value) || keep({scan_.string_place(), std::string(what), true});
  }

  bool number(std::int64_t least, std::int64_t most, std::int32_t& out, std::string_view what) {
    const auto value = scan_.whole(least, most);
    out = value.value_or(0);
    return value || expected(what, least, most);
  }

  template <class TakeElement>
  bool list(std::string_view what, TakeElement&& take_element) {
    if (!scan_.is_next('[')) return expected(what);
    return scan_.list(take_element) || not_json();
  }

  bool document() {
    if (!scan_.take('{')) return expected("an object {\"format\":\"onceover-schedule\", ..}");
    do
      if (!member()) return false;
    while (scan_.take(','));
    const std::size_t end = scan_.place();
    if (is_closed_ ? !scan_.take('}') : !scan_.at_end()) return not_json();
    for (const std::string_view key : required_keys)
      if (!places_.contains(key)) return is_missing(key, end);
    if (const auto fault = header_fault(header_, builder_.steps(), places_)) return fail(fault->at, fault->why);
    return scan_.at_end() || not_json();
  }

  bool member() {
    const auto name = scan_.string();
    if (!name) return (places_.empty() && scan_.is_next('}')) || not_json();
    const std::size_t at = scan_.string_place(), k = position<document_keys>(*name);
    if (k == document_keys.size()) return is_unknown(*name, document_keys);
    const std::string_view key = document_keys[k];
    if (!has_scratch_ && needs_version_2(key)) return needs_version(key);
    if (!places_.emplace(key, at).second) return stands_twice(key);
    return (scan_.take(':') || not_json()) && value_of(key);
  }

  bool is_unknown(std::string_view key, std::span<const std::string_view> known) {
    return fail(scan_.string_place(), fmt::format("unknown key \"{}\"{}", key.substr(0, 60), suggestion(key, known)));
  }
  bool needs_version(std::string_view key) {
    return fail(scan_.string_place(), fmt::format("the key \"{}\" needs \"version\":2", key));
  }
  bool stands_twice(std::string_view key) {
    return fail(scan_.string_place(), fmt::format("the key \"{}\" stands twice", key));
  }
  bool is_missing(std::string_view key, std::size_t end) {
    return fail(end, fmt::format("the key \"{}\" is missing here", key));
  }

  bool value_of(std::string_view key) {
    if (key == "format") return string([](auto text) { return text == format_name; }, "\"onceover-schedule\"");
    if (key == "version") return scan_.whole(1, newest_version) || expected("version 1 or 2");
    if (key == "collective") return collective();
    if (key == "ranks") return number(1, max_ranks, header_.ranks, "a number of ranks");
    if (key == "blocks") return number(1, most_blocks_, header_.blocks, "a number of blocks");
    if (key == "scratch") return number(0, most_scratch_, header_.scratch, "a number of scratch blocks");
    if (key == "owners")
      return list("a list of ranks, one a block",
                  [&] { return number(0, ranks_ - 1, header_.owners.emplace_back(), "a rank"); });
    if (key == "root") return number(0, ranks_ - 1, header_.root, "a rank");
    if (key == "shape")
      return list("a list of sides whose product is the number of ranks",
                  [&] { return number(1, max_ranks, header_.shape.emplace_back(), "a side"); });
    if (key == "algorithm") return named(header_.algorithm, "a name");
    if (key == "$schema") return named(ignored_, "an address");
    if (key == "grid")
      return list("a list of axes [name,size]", [&] { return axis(header_.names.grid.emplace_back()); });
    if (key == "phases") return list("a list of phases [name,first step]", [&] { return phase(); });
    return list("a list of steps, each a list of transfers", [&] {
      builder_.begin_step();
      return list("a step, a list of transfers", [&] { return transfer(); });
    });
  }

  bool collective() {
    return string(
        [&](std::string_view text) {
          const auto known = collective_named(text);
          header_.collective = known.value_or(Collective::allreduce);
          return known.has_value();
        },
        "one of " + collective_names());
  }

  bool named(std::string& out, std::string_view what) {
    return string([&](std::string_view text) { return is_name(out = text); },
                  fmt::format("{} of at most {} printable bytes", what, longest_name));
  }

  bool axis(Names::Axis& out) {
    if (!scan_.take('[')) return expected("an axis [name,size]");
    return string([&](std::string_view text) { return is_axis_name(out.name = text); },
                  fmt::format("an axis's name of 1 to {} printable bytes", longest_axis_name)) &&
           after_comma(1, max_ranks, out.size, "the axis's size") &&
           (scan_.take(']') || expected("']' after the axis's name and size"));
  }

  bool phase() {
    if (!scan_.take('[')) return expected("a phase [name,first step]");
    Names::Phase phase;
    const bool is_taken = named(phase.name, "a phase's name") &&
                          after_comma(next_phase(header_.names), last_step, phase.first, "the phase's first step") &&
                          (scan_.take(']') || expected("']' after the phase's name and first step"));
    if (is_taken) header_.names.phases.push_back(std::move(phase));
    return is_taken;
  }

  bool after_comma(std::int64_t least, std::int64_t most, std::int32_t& out, std::string_view what) {
    return scan_.take(',') ? number(least, most, out, what) : expected(what, least, most);
  }

  bool transfer() {
    stop_point();
    if (!scan_.take('{')) return expected("a transfer {\"src\":.., \"dst\":.., \"blocks\":[..], \"op\":..}");
    transfer_ = {};
    sent_.runs.clear();
    into_.runs.clear();
    std::uint32_t seen = 0;
    do
      if (!member_of_transfer(seen)) return false;
    while (scan_.take(','));
    if (!scan_.take('}')) return not_json();
    if ((seen & required_of_transfer) == required_of_transfer) return add_transfer();
    for (const std::string_view key : required_transfer_keys)
      if ((seen >> position<transfer_keys>(key) & 1) == 0) return is_missing(key, scan_.place_before());
    return false;
  }

  /// `seen` has a bit for each key, by its position.
  bool member_of_transfer(std::uint32_t& seen) {
    const auto name = scan_.string();
    if (!name) return (seen == 0 && scan_.is_next('}')) || not_json();
    const std::size_t k = position<transfer_keys>(*name);
    if (k == transfer_keys.size()) return is_unknown(*name, transfer_keys);
    if (k == into_key && !has_scratch_) return needs_version(*name);
    if ((seen >> k & 1) != 0) return stands_twice(transfer_keys[k]);
    seen |= 1U << k;
    return (scan_.take(':') || not_json()) && value_of_transfer(k);
  }

  bool value_of_transfer(std::size_t k) {
    switch (k) {
      case 0: return number(0, ranks_ - 1, transfer_.src, "a rank");
      case 1: return number(0, ranks_ - 1, transfer_.dst, "a rank");
      // With "into", which may still come, a block may be sent twice.
      case 2: return runs(sent_) && (has_scratch_ || each_once(sent_));
      case into_key: return runs(into_);
      case 4: return operation();
      default: return number(0, max_lanes - 1, transfer_.lane, "a lane");
    }
  }

  bool operation() {
    return string(
        [&](std::string_view text) {
          transfer_.op = text == "reduce" ? Op::reduce : Op::copy;
          return text == "reduce" || text == "copy";
        },
        "\"reduce\" or \"copy\"");
  }

  // Inlined, because this is a seventh of the time that a file of single blocks takes.
  [[gnu::always_inline]] bool runs(BlockList& out) {
    if (!list("a list of blocks and [first,last] runs", [&] { return run(out.runs.emplace_back()); })) return false;
    out.end = scan_.place_before();
    return !out.runs.empty() || fail(out.end, fmt::format("expected {}, found an empty list", block_or_run()));
  }

  std::string block_or_run() const {
    return fmt::format("a block from 0 to {} or a run [first,last]", all_blocks_ - 1);
  }

  [[gnu::always_inline]] bool run(Run& out) {
    if (!scan_.take('[')) {
      const auto block = scan_.whole(0, all_blocks_ - 1);
      out.first = out.last = block.value_or(0);
      return block || expected(block_or_run());
    }
    if (!number(0, all_blocks_ - 1, out.first, "the run's first block") ||
        !after_comma(out.first, all_blocks_ - 1, out.last, "the run's last block"))
      return false;
    if (scan_.take(']')) return true;
    return scan_.take(',') ? fail(scan_.place(), "expected ']' after the run's first and last block") : not_json();
  }

  /// Sorts the runs; an error if a block is in two of them.
  bool each_once(BlockList& list) {
    if (list.runs.size() < 2) return true;
    const auto twice = normalise(list.runs);
    return !twice || fail(list.end, fmt::format("block {} is in this list twice", *twice));
  }

  bool add_transfer() {
    const auto [src, dst, op, lane] = transfer_;
    header_.lanes = std::max(header_.lanes, lane + 1);
    if (!into_.runs.empty()) return add_landed();
    if (has_scratch_ && !each_once(sent_)) return false;
    builder_.add(src, dst, sent_.runs, op, lane);
    return true;
  }

  /// Adds a transfer whose blocks land in those of "into", one by one.
  bool add_landed() {
    const std::uint64_t sent = blocks_in(sent_.runs), landed = blocks_in(into_.runs);
    if (sent != landed)
      return fail(into_.end, fmt::format("expected {} blocks, as many as in \"blocks\", found {}", sent, landed));
    if ((landings_ += landed) > most_landings)
      return fail(into_.end, fmt::format("expected at most {} blocks in all \"into\" together", most_landings));
    auto landings = landed_runs(sent_.runs, into_.runs);
    if (!each_once(into_)) return false;
    builder_.add(transfer_.src, transfer_.dst, landings, transfer_.op, transfer_.lane);
    return true;
  }

  JsonScan scan_;
  bool is_closed_;
  std::int64_t ranks_;
  bool has_scratch_;  // version 2
  std::int64_t most_blocks_;
  std::int64_t blocks_;
  std::int64_t most_scratch_;  // with at least 1 block where "blocks" is wrong itself
  std::int64_t all_blocks_;
  std::optional<Fault> fault_;

  Header header_;
  std::string ignored_;
  KeyPlaces places_;
  ListedSchedule::Builder builder_;
  struct {
    Rank src, dst;
    Op op;
    int lane;
  } transfer_{};
  BlockList sent_, into_;
  std::uint64_t landings_ = 0;
};

}  // namespace

bool looks_like_schedule_file(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

tl::expected<SchedulePtr, SourceError> read_schedule(std::string_view name, std::string_view text) {
  if (SchedulePtr schedule = ScheduleReader(text, false).read()) return schedule;
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return tl::unexpected(source_error(name, text, nul, "not JSON: a NUL byte"));
  const std::string closed = std::string(text) + '}';
  ScheduleReader reader(closed, true);
  if (SchedulePtr schedule = reader.read()) return schedule;
  return tl::unexpected(reader.error(name, text));
}

}  // namespace onceover::formats
