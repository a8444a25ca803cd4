// From a trace to a picture.
//
// Accesses of one instruction by threads of one block in one call are one mark, so a block that announces itself to all
// peers has one mark with many arrows. A mark is in the first column behind those that it follows: the one before it in
// its row, and those whose flags it read. Instructions have numbers, for each call, which the lines below explain; only
// the accesses that a counterexample is about, and what waits for good, have their lines beside them.
//
// Example, a race of two ranks: rank 1's stream writes new input (A), its block announces it (1), rank 0's block reads
// the flag (2), and another thread of that block reads the input (B), ordered by nothing.

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/rows.h"
#include "base/sentences.h"
#include "viz/key.h"
#include "viz/program_view.h"

namespace onceover::viz {

namespace {

using gpu::AccessSite;

constexpr double label_room = 78, wait_room = 176, row_height = 34, mark_radius = 6.5, narrowest_column = 26;
constexpr double widest_column = 64;
constexpr std::size_t most_columns = 12, most_rows = 18, most_instructions = 16;

constexpr Stroke row_stroke{palette::pale, "solid", 0.6};
constexpr Stroke flag_stroke{palette::blue, "solid", 0.9};
constexpr Stroke mark_stroke{palette::black, "solid", 0.6};
constexpr Stroke fault_border{palette::black, "solid", 1.8};
constexpr Stroke marked_stroke{palette::vermilion, "dashed", 2.0};

/// A row: a rank's stream, or one of its blocks.
struct Actor {
  Rank rank;
  bool is_block;
  std::uint32_t block;
  auto operator<=>(const Actor&) const = default;
};

Actor actor_of(const AccessSite& site) {
  return {site.rank, !site.is_stream, site.is_stream ? 0 : site.block};
}

/// A file's name, without its folders.
std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string text(const Actor& actor) {
  return actor.is_block ? fmt::format("rank {}, block {}", actor.rank, actor.block)
                        : fmt::format("rank {}, stream", actor.rank);
}

/// What threads of a block do by one instruction in a call, or one access that a counterexample is about.
struct Mark {
  Actor actor;
  std::string label;  // "A", or a number of an instruction in a call
  bool is_fault = false;
  std::string place = {};  // of a fault: its line
  std::size_t column = 0;
};

struct Arrow {
  std::size_t from;
  std::size_t to;
};

class LaunchPicture {
 public:
  LaunchPicture(const gpu::LoadedDescription& loaded, const gpu::GpuReport& report, const gpu::GpuRun& run)
      : module_(*loaded.program.module), report_(report), run_(run) {
    for (const PropertyResult& property : run.report.properties)
      if (failed_ == nullptr && property.required && property.verdict == Verdict::fail) failed_ = &property;
    if (failed_ != nullptr)
      if (const auto* told = std::get_if<Counterexample::Told>(&failed_->counterexample->what))
        if (const auto* own = std::any_cast<gpu::FaultyAccesses>(&told->own)) faulty_ = *own;
    trace_ = gpu::trace_of(loaded, run, faulty_.place);
  }

  Drawn<Picture> draw(const ProgramDrawOptions& options) {
    shown_ranks_ = {options.ranks.begin(), options.ranks.end()};
    find_faults();
    add_flags();
    add_faults();
    place_columns();
    find_waits();
    choose_rows();
    return drawn(options.style);
  }

 private:
  bool is_shown(const Actor& actor) const { return shown_ranks_.empty() || shown_ranks_.contains(actor.rank); }

  /// "one_shot.cu:39", innermost.
  std::string place_of(const AccessSite& site) const {
    const gpu::LinePlace line = gpu::source_line(module_, site);
    return line.line == 0 ? "" : fmt::format("{}:{}", name_of(line.file), line.line);
  }

  // What is shown.

  /// Finds the accesses of the counterexample in the trace: the later one, and the earlier one before it. A wrong
  /// result is read by a stream, and was written before.
  void find_faults() {
    const auto& all = trace_.accesses;
    const std::vector<AccessSite>& sites = faulty_.sites;
    for (std::size_t k = 0; k < all.size() && !later_; ++k) {
      if (!all[k].is_watched) continue;
      const AccessSite& site = all[k].site;
      if (sites.empty() && site.is_stream && !all[k].writes && site.call == faulty_.call) later_ = k;
      if (sites.empty() && all[k].writes && !later_) earlier_ = k;
      if (sites.size() == 2 && earlier_ && site == sites[1]) later_ = k;
      if (sites.size() == 2 && site == sites[0] && !later_) earlier_ = k;
    }
    if (!later_) earlier_.reset();
  }

  /// Does the flag tell something about the order of the two accesses? It is one of theirs, in their calls, and it was
  /// read before the later access, or by the block that does that.
  bool is_near(std::size_t from, std::size_t to) const {
    if (!later_) return true;
    const AccessSite& later = trace_.accesses[*later_].site;
    const AccessSite& earlier = trace_.accesses[earlier_.value_or(*later_)].site;
    const AccessSite& writer = trace_.accesses[from].site;
    const AccessSite& reader = trace_.accesses[to].site;
    const auto is_theirs = [&](const AccessSite& site) {
      return actor_of(site) == actor_of(later) || actor_of(site) == actor_of(earlier) ||
             (earlier.is_stream && site.rank == earlier.rank);
    };
    const bool is_in_calls = reader.call >= earlier.call && reader.call <= later.call;
    const bool is_before = to < *later_ || actor_of(reader) == actor_of(later);
    return is_in_calls && is_before && (is_theirs(writer) || is_theirs(reader));
  }

  /// Of reads of one flag by one instruction of one thread in one call the last one counts: those before it spun.
  std::vector<std::size_t> last_reads() const {
    std::map<std::tuple<Actor, std::uint32_t, std::uint32_t, std::int32_t, std::int32_t, std::string, std::uint64_t>,
             std::size_t>
        last;
    for (std::size_t k = 0; k < trace_.accesses.size(); ++k) {
      const gpu::TracedAccess& access = trace_.accesses[k];
      const AccessSite& site = access.site;
      if (access.from)
        last[{actor_of(site), site.thread, site.call, site.function, site.instruction, access.memory, access.offset}] =
            k;
    }
    std::vector<std::size_t> reads;
    for (const auto& [key, k] : last) reads.push_back(k);
    std::sort(reads.begin(), reads.end());
    return reads;
  }

  void add_flags() {
    struct Seen {
      std::size_t from;
      std::size_t to;
    };
    std::vector<Seen> seen;
    for (const std::size_t to : last_reads()) {
      const std::size_t from = *trace_.accesses[to].from;
      const Actor writer = actor_of(trace_.accesses[from].site), reader = actor_of(trace_.accesses[to].site);
      if (is_near(from, to) && is_shown(writer) && is_shown(reader)) seen.push_back({from, to});
    }
    std::vector<std::size_t> shown;
    for (const Seen& each : seen) shown.insert(shown.end(), {each.from, each.to});
    std::sort(shown.begin(), shown.end());
    for (const std::size_t k : shown) mark_of(k);
    for (const Seen& each : seen) {
      const Arrow arrow{mark_of(each.from), mark_of(each.to)};
      if (std::none_of(arrows_.begin(), arrows_.end(),
                       [&](const Arrow& known) { return known.from == arrow.from && known.to == arrow.to; }))
        arrows_.push_back(arrow);
    }
  }

  /// The mark of a flag's write or read, which is made when it is first asked for.
  std::size_t mark_of(std::size_t access) {
    const AccessSite& site = trace_.accesses[access].site;
    const auto [at, is_new] =
        known_.try_emplace({actor_of(site), site.call, site.function, site.instruction}, marks_.size());
    if (is_new) {
      marks_.push_back({actor_of(site), number_of(site)});
      order_.emplace_back(access, at->second);
    }
    return at->second;
  }

  std::string number_of(const AccessSite& site) {
    const auto [at, is_new] =
        numbers_.try_emplace({site.function, site.instruction, site.call}, instructions_.size() + 1);
    if (is_new) {
      const std::string place = gpu::place_of(module_, site);
      instructions_.push_back(
          fmt::format("{}: call {}: {}{}", at->second, site.call, site.action, place.empty() ? "" : " at " + place));
    }
    return std::to_string(at->second);
  }

  void add_faults() {
    if (earlier_) add_fault(*earlier_, "A");
    if (later_) add_fault(*later_, earlier_ ? "B" : "A");
    if (later_ || faulty_.sites.empty() || !trace_.waits.empty()) return;
    // An access that ended the run: it had no effect, so it isn't in the trace.
    const AccessSite& site = faulty_.sites.front();
    order_.emplace_back(trace_.accesses.size(), marks_.size());
    marks_.push_back({actor_of(site), "A", true, place_of(site)});
  }

  void add_fault(std::size_t access, std::string label) {
    const AccessSite& site = trace_.accesses[access].site;
    std::string place =
        site.is_stream ? (trace_.accesses[access].writes ? "new input" : "the host reads") : place_of(site);
    order_.emplace_back(access, marks_.size());
    marks_.push_back({actor_of(site), std::move(label), true, std::move(place)});
  }

  /// Marks in the order of the run go to the first column behind those that they follow. Columns beyond those that fit
  /// are left out: the earliest if something fails, else the latest.
  void place_columns() {
    std::sort(order_.begin(), order_.end());
    std::map<Actor, std::size_t> next;
    std::size_t after_fault = 0;
    std::vector<bool> is_placed(marks_.size(), false);
    for (const auto& [access, k] : order_) {
      Mark& mark = marks_[k];
      mark.column = next[mark.actor];
      for (const Arrow& arrow : arrows_)
        if (arrow.to == k && is_placed[arrow.from]) mark.column = std::max(mark.column, marks_[arrow.from].column + 1);
      if (mark.is_fault) mark.column = std::max(mark.column, after_fault);
      if (mark.is_fault) after_fault = mark.column + 1;
      next[mark.actor] = mark.column + 1;
      is_placed[k] = true;
      columns_ = std::max(columns_, mark.column + 1);
    }
    if (columns_ <= most_columns) return;
    const std::size_t cut = failed_ == nullptr ? 0 : columns_ - most_columns;
    for (Mark& mark : marks_) {
      const bool is_in = mark.column >= cut && mark.column < cut + most_columns;
      if (mark.is_fault && mark.column < cut) mark.column = cut;
      if (!is_in && !mark.is_fault) mark.label.clear();
      mark.column -= std::min(mark.column, cut);
    }
    left_out_ = true;
    columns_ = most_columns;
  }

  bool is_drawn(const Mark& mark) const { return !mark.label.empty() && row_.contains(mark.actor); }

  /// Who waits: a block's threads that wait for one thing together are one. Those that spin come first, since those at
  /// a barrier mostly wait for them.
  void find_waits() {
    std::vector<gpu::TracedWait> waits = trace_.waits;
    std::stable_partition(waits.begin(), waits.end(), [](const gpu::TracedWait& wait) { return wait.spins; });
    std::map<Actor, std::vector<std::string>> all;
    for (const gpu::TracedWait& wait : waits) {
      const Actor actor = actor_of(wait.site);
      if (!is_shown(actor)) continue;
      std::string what = fmt::format("waits at a barrier at {}", place_of(wait.site));
      if (wait.spins)
        what = fmt::format("spins at {} on {}, byte {}, and reads {}", place_of(wait.site), wait.memory, wait.offset,
                           wait.value);
      add_new(all[actor], std::move(what));
    }
    waits_ = std::move(all);
  }

  /// The rows that have something to show; those of the counterexample first, if there are too many.
  void choose_rows() {
    std::set<Actor> rows, first;
    for (const Mark& mark : marks_) {
      if (!mark.label.empty()) rows.insert(mark.actor);
      if (mark.is_fault) first.insert(mark.actor);
    }
    for (const auto& [actor, what] : waits_) rows.insert(actor);
    std::set<Actor> chosen = first;
    for (const Actor& actor : rows)
      if (chosen.size() < most_rows) chosen.insert(actor);
    rows_left_out_ = rows.size() - std::min(rows.size(), chosen.size());
    for (const Actor& actor : chosen) row_.emplace(actor, row_.size());
  }

  // The picture.

  double left_of_columns() const { return margin + label_room; }

  Drawn<Picture> drawn(const Style& style) {
    if (row_.empty()) return unsuitable("no block or stream of these ranks writes or reads a flag of others");
    const double right = waits_.empty() ? 30 : wait_room;
    const double room = style.width_in_points() - left_of_columns() - right - margin;
    column_ = columns_ > 0 ? std::min(room / static_cast<double>(columns_), widest_column) : widest_column;
    if (room <= 0 || column_ < narrowest_column) {
      const double needed = left_of_columns() + right + margin + static_cast<double>(columns_) * narrowest_column;
      return too_large(fmt::format("{} need {:.1f} inches", counted(columns_, "column"), needed / 72 + 0.1));
    }
    const double bottom = margin + title_height + static_cast<double>(row_.size()) * row_height;
    const PictureKey key = key_of(style);
    const auto lines = words(style);
    const double line_height = style.font_size + 2, below = bottom + 8 + key.height();
    const double height = below + static_cast<double>(lines.size()) * line_height + margin;
    const std::string title = fmt::format("{}, {}", name_of(report_.file), shape());
    Picture picture(style, title, height);
    picture.as(Role::title)->text_from({margin, margin + title_height / 2}, title, style.font_size);
    draw_rows(picture, style);
    draw_arrows(picture);
    draw_marks(picture);
    draw_waits(picture, style);
    key.draw(picture, bottom + 8);
    for (std::size_t k = 0; k < lines.size(); ++k)
      picture.as(Role::note)
          ->text_from({margin, below + (static_cast<double>(k) + 0.5) * line_height}, lines[k], style.font_size - 1);
    return picture;
  }

  std::string shape() const {
    return run_.size > 0 ? fmt::format("p = {}, n = {}", run_.ranks, run_.size) : fmt::format("p = {}", run_.ranks);
  }

  Point place(const Mark& mark) const {
    return {left_of_columns() + (static_cast<double>(mark.column) + 0.5) * column_, middle_of(mark.actor)};
  }
  double middle_of(const Actor& actor) const {
    return margin + title_height + (static_cast<double>(row_.at(actor)) + 0.5) * row_height;
  }

  void draw_rows(Picture& picture, const Style& style) const {
    const double end = left_of_columns() + static_cast<double>(columns_) * column_ + 6;
    for (const auto& [actor, row] : row_) {
      picture.text_from({margin, middle_of(actor)}, text(actor), style.font_size);
      picture.as(Role::line)
          ->curve(Curve::straight({left_of_columns() - 4, middle_of(actor)}, {end, middle_of(actor)}), row_stroke);
    }
  }

  void draw_arrows(Picture& picture) const {
    for (const Arrow& arrow : arrows_)
      if (is_drawn(marks_[arrow.from]) && is_drawn(marks_[arrow.to]))
        picture.as(Role::line)->curve(between(place(marks_[arrow.from]), place(marks_[arrow.to])), flag_stroke);
    const Mark* before = nullptr;
    for (const Mark& mark : marks_) {
      if (!mark.is_fault || !is_drawn(mark)) continue;
      if (before != nullptr && !faulty_.sites.empty())
        picture.curve(between(place(*before), place(mark)), marked_stroke, Heads::none);
      before = &mark;
    }
  }

  /// From the edge of a mark to the edge of another.
  static Curve between(Point from, Point to) {
    const Point way = to - from;
    const double length = std::max(1.0, std::hypot(way.x, way.y));
    const Point inset = (mark_radius + 1) / length * way;
    return Curve::straight(from + inset, to - inset);
  }

  void draw_marks(Picture& picture) const {
    for (const Mark& mark : marks_) {
      if (!is_drawn(mark)) continue;
      const Point at = place(mark);
      if (mark.is_fault) {
        picture.as(Role::node)->disc(at, mark_radius + 1, mark.label, fault_border, palette::orange);
        draw_label(picture, at, mark.place, picture.style().font_size - 1, is_labelled_above(mark));
      } else {
        picture.as(Role::node)->disc(at, mark_radius, mark.label, mark_stroke);
      }
    }
  }

  /// Is the label of a fault above it? Where the line to the other one isn't.
  bool is_labelled_above(const Mark& mark) const {
    for (const Mark& other : marks_)
      if (other.is_fault && is_drawn(other) && other.actor != mark.actor)
        return row_.at(other.actor) > row_.at(mark.actor);
    return mark.label == "A";
  }

  static void draw_label(Picture& picture, Point at, const std::string& label, double size, bool is_above) {
    if (label.empty()) return;
    const double width = text_width(label, size) + 4, height = size + 1;
    const double most = picture.style().width_in_points() - margin - width;
    const double y = is_above ? at.y - mark_radius - 2 - height : at.y + mark_radius + 2;
    picture.as(Role::label)
        ->box({std::clamp(at.x - width / 2, margin, std::max(margin, most)), y}, width, height, label, size,
              palette::white, {palette::white, "solid", 0.3});
  }

  void draw_waits(Picture& picture, const Style& style) const {
    const double x = left_of_columns() + static_cast<double>(columns_) * column_ + 14;
    const double size = style.font_size - 1;
    for (const auto& [actor, what] : waits_) {
      if (!row_.contains(actor)) continue;
      picture.as(Role::node)->disc({x, middle_of(actor)}, mark_radius + 1, "W", fault_border, palette::orange);
      std::string words = what.front();
      if (what.size() > 1) words += fmt::format("; and {} more", what.size() - 1);
      auto lines = lines_within(words, wait_room - 30, size);
      if (lines.size() > 3) lines.resize(3);
      for (std::size_t k = 0; k < lines.size(); ++k) {
        const double up = (static_cast<double>(lines.size()) - 1) / 2 - static_cast<double>(k);
        picture.text_from({x + mark_radius + 5, middle_of(actor) - up * (size + 1)}, lines[k], size);
      }
    }
  }

  PictureKey key_of(const Style& style) const {
    PictureKey key(style);
    if (!arrows_.empty()) key.add_line(flag_stroke, "a flag: its write, and a read that saw it", Heads::at_end);
    if (has_pair()) key.add_line(marked_stroke, "nothing orders A and B");
    if (!waits_.empty()) key.add_disc(palette::orange, fault_border, "W waits for good");
    return key;
  }

  bool has_pair() const { return earlier_ && later_ && !faulty_.sites.empty(); }

  /// What is wrong, what the numbers stand for, and what is left out: lines of the picture's width.
  std::vector<std::string> words(const Style& style) const {
    std::vector<std::string> all;
    if (failed_ != nullptr) {
      all = describe(*failed_->counterexample);
      if (has_pair()) all[1] = "A: " + all[1];
      if (has_pair()) all[2] = "B: " + all[2];
      all.front() = fmt::format("{} fails: {}", failed_->id, all.front());
    }
    const auto explained = explained_instructions();
    const std::size_t shown = std::min(explained.size(), most_instructions);
    all.insert(all.end(), explained.begin(), explained.begin() + static_cast<std::ptrdiff_t>(shown));
    if (shown < explained.size())
      all.push_back(fmt::format("and {} more", counted(explained.size() - shown, "instruction")));
    all.push_back(remarks());
    // The width of a text is an estimate.
    const double room = 0.92 * (style.width_in_points() - 2 * margin);
    std::vector<std::string> lines;
    for (const std::string& each : all)
      for (std::string& line : lines_within(each, room, style.font_size - 1)) lines.push_back(std::move(line));
    return lines;
  }

  /// Those of marks that are drawn.
  std::vector<std::string> explained_instructions() const {
    std::vector<std::string> explained;
    for (std::size_t k = 0; k < instructions_.size(); ++k)
      if (std::any_of(marks_.begin(), marks_.end(), [&](const Mark& mark) {
            return !mark.is_fault && is_drawn(mark) && mark.label == std::to_string(k + 1);
          }))
        explained.push_back(instructions_[k]);
    return explained;
  }

  std::string remarks() const {
    return words_of(
        {"Time goes to the right, not to scale.",
         left_out_ ? (failed_ == nullptr ? "What comes later is left out." : "What came before is left out.") : "",
         rows_left_out_ > 0
             ? fmt::format("{} left out: --ranks.",
                           rows_left_out_ == 1 ? "One row is" : fmt::format("{} rows are", rows_left_out_))
             : "",
         trace_.is_whole ? "" : "The run is longer than what was recorded."});
  }

  const gpu::ptx::Module& module_;
  const gpu::GpuReport& report_;
  const gpu::GpuRun& run_;
  const PropertyResult* failed_ = nullptr;
  gpu::FaultyAccesses faulty_ = {};
  gpu::RunTrace trace_ = {};
  std::set<Rank> shown_ranks_ = {};
  std::optional<std::size_t> earlier_ = {}, later_ = {};  // the accesses of the counterexample
  std::vector<Mark> marks_ = {};
  std::vector<Arrow> arrows_ = {};
  std::vector<std::pair<std::size_t, std::size_t>> order_ = {};  // the first access of each mark, and the mark
  using Instruction = std::tuple<Actor, std::uint32_t, std::int32_t, std::int32_t>;
  std::map<Instruction, std::size_t> known_ = {};
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, std::size_t> numbers_ = {};
  std::vector<std::string> instructions_ = {};
  std::map<Actor, std::vector<std::string>> waits_ = {};
  std::map<Actor, std::size_t> row_ = {};
  std::size_t columns_ = 0;
  std::size_t rows_left_out_ = 0;
  bool left_out_ = false;
  double column_ = 0;
};

}  // namespace

Drawn<Picture> draw_launches(const gpu::LoadedDescription& loaded, const gpu::GpuReport& report,
                             const ProgramDrawOptions& options) {
  const auto failing = std::find_if(report.runs.begin(), report.runs.end(),
                                    [](const gpu::GpuRun& run) { return run.report.verdict == Verdict::fail; });
  const gpu::GpuRun& run = failing == report.runs.end() ? report.runs.front() : *failing;
  if (run.report.verdict == Verdict::fail && !run.failed_under)
    return unsuitable("the failure is of one among all interleavings, which can't be run again by itself");
  return LaunchPicture(loaded, report, run).draw(options);
}

}  // namespace onceover::viz
