// Reads a schedule file, or says what is wrong in it and where: the second reader, for files that the fast one refuses
// (schedule_scan.h). The reader is a handler of JSON events. The format nests
//
//   document > object > owners, shape: numbers
//                     > grid > axis: a name and a size
//                     > phases > phase: a name and a step
//                     > steps > step > transfer > blocks, into > run
//
// so a single word names the place, and nothing recurses. What may come at a place is written once (`expected`), for
// errors.
//
// Example: "blocks":[1,[2,3]]. The 1 is in `blocks` and becomes the run 1..1. The second [ leads into `run`, which
// takes 2 and 3; its ] adds the run 2..3. At the end of the list the two become 1..3.
//
// Numbers have ranges that depend on the ranks and blocks, which may come after the steps. So a first pass looks for
// these two only (schedule_rules.h); it ends there if they come before the steps.
//
// Each event consumes some text, and the first error ends the reading. O(text), except that the runs of lists of blocks
// are sorted.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/closest.h"
#include "base/json_source.h"
#include "base/source_text.h"
#include "base/stop.h"
#include "formats/schedule_file.h"
#include "formats/schedule_rules.h"
#include "formats/schedule_scan.h"
#include "schedules/listed_schedule.h"

namespace onceover::formats {

namespace {

class ScheduleReader {
 public:
  ScheduleReader(std::string_view name, std::string_view text, DeclaredSizes sizes)
      : name_(name),
        places_(text),
        ranks_(sizes.ranks.value_or(max_ranks)),
        has_scratch_(sizes.version == 2),
        most_blocks_(most_blocks(has_scratch_)),
        blocks_(sizes.blocks.value_or(most_blocks_)),
        all_blocks_(blocks_ + (has_scratch_ ? sizes.scratch.value_or(0) : 0)) {}

  tl::expected<SchedulePtr, SourceError> read() {
    if (!places_.parse(*this)) return tl::unexpected(*std::move(error_));
    auto schedule = std::make_shared<ListedSchedule>(std::move(header_), std::move(builder_));
    if (has_too_many_cells(*schedule))
      return tl::unexpected(
          source_error(name_, places_.text(), key_places_.find("steps")->second,
                       fmt::format("values move between {} blocks of {} ranks; the most are {} blocks "
                                   "times ranks",
                                   schedule->most_slots(), ranks_, most_cells)));
    return schedule;
  }

  // The events of nlohmann's SAX interface.
  bool null() { return unexpected("null", places_.word()); }
  bool boolean(bool value) { return unexpected(value ? "true" : "false", places_.word()); }
  bool number_integer(std::int64_t value) { return number(value); }
  bool number_unsigned(std::uint64_t value) {
    return value > INT64_MAX ? unexpected(places_.number_text(), places_.number())
                             : number(static_cast<std::int64_t>(value));
  }
  bool number_float(double, const std::string&) { return unexpected(places_.number_text(), places_.number()); }
  bool string(std::string& value);
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t);
  bool key(std::string& key);
  bool end_object();
  bool start_array(std::size_t);
  bool end_array();
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) {
    constexpr int number_overflow = 406;
    if (e.id == number_overflow) return unexpected(places_.number_text(), places_.number());
    return fail(places_.here(), "not JSON: " + json_complaint(e));
  }

 private:
  /// The innermost open bracket.
  enum class Place { document, object, owners, shape, grid, axis, phases, phase, steps, step, transfer, blocks, run };

  /// A transfer's list of blocks, and where it ends.
  struct BlockList {
    std::vector<Run> runs;
    std::size_t end = 0;
  };

  bool fail(std::size_t offset, std::string_view message) {
    if (!error_) error_ = source_error(name_, places_.text(), offset, message);
    return false;
  }

  bool unexpected(std::string_view found, std::size_t offset) {
    constexpr std::size_t longest = 60;
    const std::string shown =
        found.size() <= longest ? std::string(found) : std::string(found.substr(0, longest)) + "..";
    return fail(offset, fmt::format("expected {}, found {}", expected(), shown));
  }

  bool enter(Place place) {
    place_ = place;
    return true;
  }

  std::string expected() const;
  bool number(std::int64_t value);
  bool number_of_object(std::int64_t value);
  bool number_of_transfer(std::int64_t value);
  bool number_of_pair(std::int64_t value);
  bool name_of_pair(const std::string& value);
  bool end_pair();
  template <class Number>
  bool in_range(std::int64_t value, std::int64_t least, std::int64_t most, Number& out);
  bool run_bound(std::int64_t value);
  bool end_run();
  bool end_blocks();
  bool end_transfer();
  bool add_landed();
  bool each_once(std::vector<Run>& runs, std::size_t end);
  bool end_document();

  /// Checks that all required keys were seen. `seen` is a set of keys, or a map from keys.
  bool has_all(std::span<const std::string_view> required, const auto& seen) {
    for (const std::string_view key : required)
      if (!seen.contains(key)) return fail(places_.bracket(), fmt::format("the key \"{}\" is missing here", key));
    return true;
  }

  std::int64_t most_scratch() const { return std::max<std::int64_t>(0, most_blocks_ - blocks_); }

  std::string name_;
  JsonPlaces places_;
  std::int64_t ranks_;
  bool has_scratch_;  // version 2
  std::int64_t most_blocks_;
  std::int64_t blocks_;
  std::int64_t all_blocks_;
  std::optional<SourceError> error_;

  Place place_ = Place::document;
  std::string object_key_;
  std::string transfer_key_;
  KeyPlaces key_places_;  // of the object, for errors that are found at its end
  std::set<std::string, std::less<>> transfer_seen_;

  Header header_;
  ListedSchedule::Builder builder_;
  struct {
    Rank src, dst;
    Op op;
    int lane;
  } transfer_{};
  struct {
    std::string name;
    std::int32_t number;
    int parts;  // that are read: first the name
  } pair_{};
  BlockList blocks_sent_, into_;
  BlockList* list_ = nullptr;  // the one that is being read
  std::vector<Block> run_;
  std::uint64_t landings_ = 0;
};

std::string ScheduleReader::expected() const {
  auto range = [](std::string_view what, std::int64_t least, std::int64_t most) {
    return fmt::format("{} from {} to {}", what, least, most);
  };
  switch (place_) {
    case Place::document: return "an object {\"format\":\"onceover-schedule\", ..}";
    case Place::object:
      if (object_key_ == "format") return "\"onceover-schedule\"";
      if (object_key_ == "version") return "version 1 or 2";
      if (object_key_ == "collective") return "one of " + collective_names();
      if (object_key_ == "ranks") return range("a number of ranks", 1, max_ranks);
      if (object_key_ == "blocks") return range("a number of blocks", 1, most_blocks_);
      if (object_key_ == "scratch") return range("a number of scratch blocks", 0, most_scratch());
      if (object_key_ == "root") return range("a rank", 0, ranks_ - 1);
      if (object_key_ == "owners") return "a list of ranks, one a block";
      if (object_key_ == "shape") return "a list of sides whose product is the number of ranks";
      if (object_key_ == "algorithm") return fmt::format("a name of at most {} printable bytes", longest_name);
      if (object_key_ == "grid") return "a list of axes [name,size]";
      if (object_key_ == "phases") return "a list of phases [name,first step]";
      if (object_key_ == "$schema") return fmt::format("an address of at most {} printable bytes", longest_name);
      return "a list of steps, each a list of transfers";
    case Place::owners: return range("a rank", 0, ranks_ - 1);
    case Place::shape: return range("a side", 1, max_ranks);
    case Place::grid: return "an axis [name,size]";
    case Place::axis:
      if (pair_.parts == 0) return fmt::format("an axis's name of 1 to {} printable bytes", longest_axis_name);
      return pair_.parts == 1 ? range("the axis's size", 1, max_ranks) : "']' after the axis's name and size";
    case Place::phases: return "a phase [name,first step]";
    case Place::phase:
      if (pair_.parts == 0) return fmt::format("a phase's name of at most {} printable bytes", longest_name);
      return pair_.parts == 1 ? range("the phase's first step", next_phase(header_.names), last_step)
                              : "']' after the phase's name and first step";
    case Place::steps: return "a step, a list of transfers";
    case Place::step: return "a transfer {\"src\":.., \"dst\":.., \"blocks\":[..], \"op\":..}";
    case Place::transfer:
      if (transfer_key_ == "op") return "\"reduce\" or \"copy\"";
      if (transfer_key_ == "lane") return range("a lane", 0, max_lanes - 1);
      if (transfer_key_ == "blocks" || transfer_key_ == "into") return "a list of blocks and [first,last] runs";
      return range("a rank", 0, ranks_ - 1);
    case Place::blocks: return range("a block", 0, all_blocks_ - 1) + " or a run [first,last]";
    case Place::run:
      return range(run_.empty() ? "the run's first block" : "the run's last block", run_.empty() ? 0 : run_[0],
                   all_blocks_ - 1);
  }
  return "";
}

template <class Number>
bool ScheduleReader::in_range(std::int64_t value, std::int64_t least, std::int64_t most, Number& out) {
  if (value < least || value > most) return unexpected(places_.number_text(), places_.number());
  out = static_cast<Number>(value);
  return true;
}

bool ScheduleReader::number(std::int64_t value) {
  switch (place_) {
    case Place::object: return number_of_object(value);
    case Place::transfer: return number_of_transfer(value);
    case Place::owners: return in_range(value, 0, ranks_ - 1, header_.owners.emplace_back());
    case Place::shape: return in_range(value, 1, max_ranks, header_.shape.emplace_back());
    case Place::axis:
    case Place::phase: return number_of_pair(value);
    case Place::blocks: {
      Run run{};
      if (!in_range(value, 0, all_blocks_ - 1, run.first)) return false;
      run.last = run.first;
      list_->runs.push_back(run);
      return true;
    }
    case Place::run: return run_bound(value);
    default: return unexpected(places_.number_text(), places_.number());
  }
}

bool ScheduleReader::number_of_object(std::int64_t value) {
  int version = 0;
  if (object_key_ == "version") return in_range(value, 1, newest_version, version);
  if (object_key_ == "ranks") return in_range(value, 1, max_ranks, header_.ranks);
  if (object_key_ == "blocks") return in_range(value, 1, most_blocks_, header_.blocks);
  if (object_key_ == "scratch") return in_range(value, 0, most_scratch(), header_.scratch);
  if (object_key_ == "root") return in_range(value, 0, ranks_ - 1, header_.root);
  return unexpected(places_.number_text(), places_.number());
}

bool ScheduleReader::number_of_transfer(std::int64_t value) {
  if (transfer_key_ == "src") return in_range(value, 0, ranks_ - 1, transfer_.src);
  if (transfer_key_ == "dst") return in_range(value, 0, ranks_ - 1, transfer_.dst);
  if (transfer_key_ == "lane") return in_range(value, 0, max_lanes - 1, transfer_.lane);
  return unexpected(places_.number_text(), places_.number());
}

bool ScheduleReader::number_of_pair(std::int64_t value) {
  if (pair_.parts != 1) return unexpected(places_.number_text(), places_.number());
  const bool is_in_range = place_ == Place::axis ? in_range(value, 1, max_ranks, pair_.number)
                                                 : in_range(value, next_phase(header_.names), last_step, pair_.number);
  ++pair_.parts;
  return is_in_range;
}

bool ScheduleReader::name_of_pair(const std::string& value) {
  const bool is_name_here = place_ == Place::axis ? is_axis_name(value) : is_name(value);
  if (pair_.parts != 0 || !is_name_here) return unexpected(fmt::format("\"{}\"", value), places_.string());
  ++pair_.parts;
  pair_.name = value;
  return true;
}

/// Adds the axis or the phase.
bool ScheduleReader::end_pair() {
  if (pair_.parts != 2) return unexpected("']'", places_.bracket());
  if (place_ == Place::axis) {
    header_.names.grid.push_back({std::move(pair_.name), pair_.number});
    return enter(Place::grid);
  }
  header_.names.phases.push_back({std::move(pair_.name), pair_.number});
  return enter(Place::phases);
}

bool ScheduleReader::run_bound(std::int64_t value) {
  if (run_.size() == 2) return fail(places_.number(), "expected ']' after the run's first and last block");
  const std::int64_t least = run_.empty() ? 0 : run_[0];
  return in_range(value, least, all_blocks_ - 1, run_.emplace_back());
}

bool ScheduleReader::string(std::string& value) {
  const bool in_object = place_ == Place::object;
  if (in_object && object_key_ == "format" && value == format_name) return true;
  if (place_ == Place::axis || place_ == Place::phase) return name_of_pair(value);
  if (in_object && object_key_ == "algorithm" && is_name(value)) {
    header_.algorithm = value;
    return true;
  }
  if (in_object && object_key_ == "$schema" && is_name(value)) return true;
  if (in_object && object_key_ == "collective")
    if (const auto collective = collective_named(value)) {
      header_.collective = *collective;
      return true;
    }
  if (place_ == Place::transfer && transfer_key_ == "op" && (value == "reduce" || value == "copy")) {
    transfer_.op = value == "reduce" ? Op::reduce : Op::copy;
    return true;
  }
  return unexpected(fmt::format("\"{}\"", value), places_.string());
}

bool ScheduleReader::start_object(std::size_t) {
  if (place_ == Place::document) return enter(Place::object);
  if (place_ != Place::step) return unexpected("an object", places_.bracket());
  transfer_ = {};
  transfer_seen_.clear();
  blocks_sent_.runs.clear();
  into_.runs.clear();
  return enter(Place::transfer);
}

bool ScheduleReader::key(std::string& key) {
  const bool in_object = place_ == Place::object;
  const std::span<const std::string_view> known =
      in_object ? std::span<const std::string_view>(document_keys) : std::span<const std::string_view>(transfer_keys);
  if (std::find(known.begin(), known.end(), key) == known.end())
    return fail(places_.string(), fmt::format("unknown key \"{}\"{}", key.substr(0, 60), suggestion(key, known)));
  if (!has_scratch_ && needs_version_2(key))
    return fail(places_.string(), fmt::format("the key \"{}\" needs \"version\":2", key));
  const bool is_new = in_object ? key_places_.emplace(key, places_.string()).second : transfer_seen_.insert(key).second;
  if (!is_new) return fail(places_.string(), fmt::format("the key \"{}\" stands twice", key));
  (in_object ? object_key_ : transfer_key_) = key;
  return true;
}

bool ScheduleReader::end_object() {
  stop_point();
  return place_ == Place::transfer ? end_transfer() : end_document();
}

bool ScheduleReader::start_array(std::size_t) {
  const std::size_t here = places_.bracket();
  switch (place_) {
    case Place::object:
      if (object_key_ == "owners") return enter(Place::owners);
      if (object_key_ == "shape") return enter(Place::shape);
      if (object_key_ == "grid") return enter(Place::grid);
      if (object_key_ == "phases") return enter(Place::phases);
      if (object_key_ == "steps") return enter(Place::steps);
      break;
    case Place::grid: pair_ = {}; return enter(Place::axis);
    case Place::phases: pair_ = {}; return enter(Place::phase);
    case Place::steps: builder_.begin_step(); return enter(Place::step);
    case Place::transfer:
      if (transfer_key_ != "blocks" && transfer_key_ != "into") break;
      list_ = transfer_key_ == "blocks" ? &blocks_sent_ : &into_;
      return enter(Place::blocks);
    case Place::blocks: run_.clear(); return enter(Place::run);
    default: break;
  }
  return unexpected("a list", here);
}

bool ScheduleReader::end_array() {
  switch (place_) {
    case Place::run: return end_run();
    case Place::blocks: return end_blocks();
    case Place::step: return enter(Place::steps);
    case Place::axis:
    case Place::phase: return end_pair();
    default: return enter(Place::object);
  }
}

bool ScheduleReader::end_run() {
  if (run_.size() != 2) return unexpected("']'", places_.bracket());
  list_->runs.push_back({run_[0], run_[1]});
  return enter(Place::blocks);
}

bool ScheduleReader::end_blocks() {
  list_->end = places_.bracket();
  if (list_->runs.empty()) return unexpected("an empty list", list_->end);
  // With "into", which may still come, a block may be sent twice.
  if (list_ == &into_ || has_scratch_) return enter(Place::transfer);
  return each_once(list_->runs, list_->end) && enter(Place::transfer);
}

/// Sorts the runs; an error if a block is in two of them.
bool ScheduleReader::each_once(std::vector<Run>& runs, std::size_t end) {
  const auto twice = normalise(runs);
  return !twice || fail(end, fmt::format("block {} is in this list twice", *twice));
}

bool ScheduleReader::end_transfer() {
  if (!has_all(required_transfer_keys, transfer_seen_)) return false;
  header_.lanes = std::max(header_.lanes, transfer_.lane + 1);
  if (transfer_seen_.contains("into")) return add_landed() && enter(Place::step);
  if (has_scratch_ && !each_once(blocks_sent_.runs, blocks_sent_.end)) return false;
  builder_.add(transfer_.src, transfer_.dst, blocks_sent_.runs, transfer_.op, transfer_.lane);
  return enter(Place::step);
}

/// Adds a transfer whose blocks land in those of "into", one by one.
bool ScheduleReader::add_landed() {
  const std::uint64_t sent = blocks_in(blocks_sent_.runs), landed = blocks_in(into_.runs);
  if (sent != landed)
    return fail(into_.end, fmt::format("expected {} blocks, as many as in \"blocks\", found {}", sent, landed));
  if ((landings_ += landed) > most_landings)
    return fail(into_.end, fmt::format("expected at most {} blocks in all \"into\" together", most_landings));
  auto runs = landed_runs(blocks_sent_.runs, into_.runs);
  if (!each_once(into_.runs, into_.end)) return false;
  builder_.add(transfer_.src, transfer_.dst, runs, transfer_.op, transfer_.lane);
  return true;
}

bool ScheduleReader::end_document() {
  if (!has_all(required_keys, key_places_)) return false;
  if (const auto fault = header_fault(header_, builder_.steps(), key_places_)) return fail(fault->at, fault->why);
  return enter(Place::document);
}

}  // namespace

bool looks_like_schedule_file(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

tl::expected<SchedulePtr, SourceError> parse_schedule_with_places(std::string_view name, std::string_view text) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return tl::unexpected(source_error(name, text, nul, "not JSON: a NUL byte"));
  return ScheduleReader(name, text, declared_sizes(text)).read();
}

tl::expected<SchedulePtr, SourceError> read_schedule(std::string_view name, std::string_view text) {
  if (SchedulePtr schedule = scan_schedule(text)) return schedule;
  return parse_schedule_with_places(name, text);
}

}  // namespace onceover::formats
