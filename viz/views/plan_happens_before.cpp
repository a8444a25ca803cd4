// happens-before of a plan of MSCCL++: blocks side by side, time downward. Beside the blocks of a GPU is its memory,
// where the data of peers arrives and is read without any operation of the GPU.
//
// An operation goes to the first row below all that it waits for. A row in which data crosses columns keeps them free,
// so nothing is drawn over anything else.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "base/result.h"
#include "base/rows.h"
#include "formats/plan.h"
#include "programs/plan_memory.h"
#include "programs/plan_pipelines.h"
#include "programs/verify_plan.h"
#include "viz/folded_order.h"
#include "viz/ink/picture.h"
#include "viz/key.h"
#include "viz/plan_order.h"
#include "viz/program_view.h"

namespace onceover::viz {

namespace {

constexpr std::size_t most_plan_operations = 200;
constexpr std::uint64_t most_plan_cells = std::uint64_t{1} << 24;
constexpr std::int32_t shown_beside_marks = 6;
constexpr double widest_lane = 125;
constexpr double plan_row = 15, plan_box = 11, memory_column = 40, least_gap = 16;

constexpr Stroke lane_stroke{palette::pale, "solid", 0.8};
constexpr Stroke data_stroke{palette::blue, "solid", 1.0};
constexpr Stroke signal_stroke{palette::blue, "dashed", 0.8, "vee"};
constexpr Stroke packet_stroke{palette::green, "solid", 1.0, "empty"};
constexpr Stroke own_stroke{palette::black, "dashed", 0.8, "vee"};
constexpr Stroke fault_stroke{palette::vermilion, "dotted", 1.8};

std::string chunks_text(const PlanRange& range) {
  const char letter = name(range.buffer).front();
  return range.size == 1 ? fmt::format("{}[{}]", letter, range.index)
                         : fmt::format("{}[{}-{}]", letter, range.index, range.index + range.size - 1);
}

/// The first of them, and how many more there are.
std::string ranges_text(const std::vector<const PlanRange*>& ranges, std::string_view joint) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(ranges.size(), most); ++k)
    text += (k == 0 ? "" : std::string(joint)) + chunks_text(*ranges[k]);
  return ranges.size() > most ? fmt::format("{} +{}", text, ranges.size() - most) : text;
}

std::vector<const PlanRange*> local_ranges(const std::vector<PlanRange>& ranges) {
  std::vector<const PlanRange*> local;
  for (const PlanRange& range : ranges)
    if (range.where == PlanRange::Where::local) local.push_back(&range);
  return local;
}

std::string short_label(const PlanOperation& o) {
  return fmt::format("{} {}", o.position, o.word);
}

/// The label with the number of the iteration, counted from 1, if there are several.
std::string numbered(const std::string& label, const PlanOperation& o) {
  return o.iteration ? fmt::format("{} ({})", label, *o.iteration + 1) : label;
}

/// With the peers of signals and waits, and with the GPU's own chunks.
std::string long_label(const ExecutionPlan& plan, Rank rank, const PlanOperation& o) {
  const PlanGpu& gpu = plan.gpus[static_cast<std::size_t>(rank)];
  const std::string begin = short_label(o);
  if (o.instruction == PlanInstruction::signal || o.instruction == PlanInstruction::wait) {
    std::vector<Rank> peers;
    for (const std::int32_t id : o.ids)
      peers.push_back(
          (o.channel == ChannelType::port ? gpu.port_channels : gpu.memory_channels)[static_cast<std::size_t>(id)]
              .peer);
    return fmt::format("{} gpu {}", begin, fmt::join(peers, ","));
  }
  if (o.instruction == PlanInstruction::acquire || o.instruction == PlanInstruction::release)
    return fmt::format("{} {}", begin, fmt::join(o.ids, ","));
  if (o.instruction == PlanInstruction::barrier) return fmt::format("{} {}", begin, o.barrier);
  const std::string_view joint = plan_rule(o.word)->pairs ? "," : "+";
  const std::string from = ranges_text(local_ranges(o.sources), joint), to = ranges_text(local_ranges(o.targets), ",");
  return begin + (from.empty() ? "" : " " + from) + (to.empty() ? "" : " to " + to);
}

/// Data that goes to a peer's memory or comes from it.
struct PlanCrossing {
  Rank peer;
  bool comes = false;
  std::vector<const PlanRange*> ranges = {};
};

/// By peer; packets have a reader, and go to that.
std::vector<PlanCrossing> crossings_of(const PlanOperation& o, Rank own) {
  std::map<std::pair<Rank, bool>, PlanCrossing> found;
  const auto add = [&](const PlanRange& range, bool comes) {
    if (range.where == PlanRange::Where::local) return;
    for (const Rank rank : range.ranks)
      if (rank != own)
        found.try_emplace({rank, comes}, PlanCrossing{rank, comes}).first->second.ranges.push_back(&range);
  };
  for (const PlanRange& range : o.sources) add(range, true);
  for (std::size_t k = 0; k < o.targets.size(); ++k)
    if (!is_packet_target(o, k) || o.channel == ChannelType::multicast) add(o.targets[k], false);
  std::vector<PlanCrossing> all;
  for (auto& [key, crossing] : found) all.push_back(std::move(crossing));
  return all;
}

/// What is wrong: operations to be marked, and the reason in the verifier's words.
struct DrawnFault {
  std::vector<PlanPlace> places = {};
  std::vector<std::string> lines = {};
};

/// The picture of the chosen operations.
class PlanPicture {
 public:
  PlanPicture(const ExecutionPlan& plan, const PlanRunOrder& run, const DrawnFault& fault, std::vector<PlanPlace> shown)
      : plan_(plan), run_(run), fault_(fault), shown_(std::move(shown)) {}

  Drawn<Picture> draw(const Style& style) {
    font_ = style.font_size - 1;
    if (const auto least = lay_columns(style)) return too_large(*least);
    for (const PlanPlace& place : shown_) lay(place);
    const double width = style.width_in_points();
    std::vector<std::string> caption;
    for (const std::string& line : fault_.lines)
      for (std::string& part : lines_within(line, width - 2 * margin, font_)) caption.push_back(std::move(part));
    const double bottom = top + static_cast<double>(rows_.size()) * plan_row;
    const double below = bottom + margin + static_cast<double>(caption.size()) * (font_ + 2);
    const PictureKey key = key_of(style);
    const double height = below + key.height();
    Picture picture(style, plan_.name + ", what waits for what", height);
    draw_columns(picture, bottom);
    draw_orders(picture);
    draw_operations(picture);
    for (std::size_t k = 0; k < caption.size(); ++k)
      picture.as(Role::note)
          ->text_from({margin, bottom + (static_cast<double>(k) + 0.5) * (font_ + 2)}, caption[k], font_);
    key.draw(picture, below);
    return picture;
  }

 private:
  /// A block, or a GPU's memory.
  struct Column {
    Rank rank;
    std::int32_t block;  // -1: memory
    double left = 0;
    double width = 0;

    double middle() const { return left + width / 2; }
  };

  static constexpr double top = margin + 26;

  /// Places the columns; if they don't fit, says what would.
  std::optional<std::string> lay_columns(const Style& style) {
    std::set<std::pair<Rank, std::int32_t>> names;
    std::set<Rank> ranks;
    double least = 0;
    for (const PlanPlace& place : shown_) {
      names.emplace(std::get<0>(place), std::get<1>(place));
      ranks.insert(std::get<0>(place));
      const PlanOperation& o = plan_operation(plan_, place);
      least = std::max(least, text_width(numbered(short_label(o), o), font_) + 6);
    }
    const auto blocks = static_cast<double>(names.size());
    for (const PlanPlace& place : shown_)
      for (const PlanCrossing& c : crossings_of(plan_operation(plan_, place), std::get<0>(place)))
        if (ranks.contains(c.peer)) names.emplace(c.peer, -1);
    for (const auto& [rank, block] : names) {
      columns_.push_back({rank, block});
      index_[{rank, block}] = columns_.size() - 1;
    }
    const auto gpus = static_cast<double>(ranks.size()), memories = static_cast<double>(names.size()) - blocks;
    const double gaps = blocks + memories - 1;
    const double fixed = 2 * margin + memories * memory_column + gaps * least_gap,
                 room = style.width_in_points() - fixed;
    const double lane = std::min(room / blocks, widest_lane);
    if (lane < least) {
      const double inches = (fixed + blocks * least) / 72 + 0.1;
      return fmt::format("{} blocks of {} GPUs need {:.1f} inches", blocks, gpus, inches);
    }
    double x = margin;
    const double gap = least_gap + (gaps > 0 ? (room - blocks * lane) / gaps : 0);
    for (Column& column : columns_) {
      column.left = x;
      column.width = column.block == -1 ? memory_column : lane;
      x += column.width + gap;
    }
    return std::nullopt;
  }

  std::size_t column(Rank rank, std::int32_t block) const { return index_.at({rank, block}); }
  bool has_memory(Rank rank) const { return index_.contains({rank, -1}); }

  /// Finds the row of an operation, and of those that meet it.
  void lay(const PlanPlace& place) {
    if (row_.contains(place)) return;
    std::size_t row = 0;
    std::vector<std::size_t> taken;
    for (const PlanPlace& each : run_.with_meeting(place)) {
      if (!index_.contains({std::get<0>(each), std::get<1>(each)})) continue;
      row = std::max(row, least_row(each));
      for (const std::size_t c : columns_of(each)) taken.push_back(c);
    }
    const auto is_taken = [&](std::size_t c) { return rows_[row][c]; };
    while (row < rows_.size() && std::any_of(taken.begin(), taken.end(), is_taken)) ++row;
    while (rows_.size() <= row) rows_.emplace_back(columns_.size(), false);
    for (const std::size_t c : taken) rows_[row][c] = true;
    for (const PlanPlace& each : run_.with_meeting(place)) {
      if (!index_.contains({std::get<0>(each), std::get<1>(each)})) continue;
      row_[each] = row;
      last_row_[column(std::get<0>(each), std::get<1>(each))] = row;
    }
  }

  /// The row below all that the operation waits for.
  std::size_t least_row(const PlanPlace& place) const {
    std::size_t row = 0;
    const auto before = last_row_.find(column(std::get<0>(place), std::get<1>(place)));
    if (before != last_row_.end()) row = before->second + 1;
    for (const PlanOrder& order : run_.orders())
      if (order.after == place && row_.contains(order.before)) row = std::max(row, row_.at(order.before) + 1);
    return row;
  }

  /// Those that it takes in its row: its own, and all to the memory of a peer.
  std::vector<std::size_t> columns_of(const PlanPlace& place) const {
    const auto& [rank, block, operation] = place;
    std::size_t first = column(rank, block), last = first;
    for (const PlanCrossing& c : crossings_of(plan_operation(plan_, place), rank)) {
      if (!has_memory(c.peer)) continue;
      first = std::min(first, column(c.peer, -1));
      last = std::max(last, column(c.peer, -1));
    }
    std::vector<std::size_t> columns;
    for (std::size_t c = first; c <= last; ++c) columns.push_back(c);
    return columns;
  }

  double y_of(const PlanPlace& place) const { return top + (static_cast<double>(row_.at(place)) + 0.5) * plan_row; }
  const Column& column_of(const PlanPlace& place) const {
    return columns_[column(std::get<0>(place), std::get<1>(place))];
  }

  void draw_columns(Picture& picture, double bottom) const {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Column& c = columns_[k];
      picture.curve(Curve::straight({c.middle(), top - 3}, {c.middle(), bottom}), lane_stroke, Heads::none);
      picture.text({c.middle(), margin + 18}, c.block == -1 ? "memory" : fmt::format("block {}", c.block), font_);
      if (k > 0 && columns_[k - 1].rank == c.rank) continue;
      std::size_t last = k;
      while (last + 1 < columns_.size() && columns_[last + 1].rank == c.rank) ++last;
      const double right = columns_[last].left + columns_[last].width;
      picture.as(Role::panel_title)->text({(c.left + right) / 2, margin + 5}, fmt::format("gpu {}", c.rank), font_ + 1);
      picture.curve(Curve::straight({c.left, margin + 11}, {right, margin + 11}), {palette::grey, "solid", 0.8},
                    Heads::none);
    }
  }

  const Stroke& stroke_of_order(const PlanOrder& order) const {
    if (moves_data(plan_operation(plan_, order.before).instruction)) return packet_stroke;
    return std::get<0>(order.before) == std::get<0>(order.after) ? own_stroke : signal_stroke;
  }

  /// What the lines mean, those that there are.
  PictureKey key_of(const Style& style) const {
    const auto has = [&](const Stroke& stroke) {
      return std::any_of(run_.orders().begin(), run_.orders().end(), [&](const PlanOrder& order) {
        return row_.contains(order.before) && row_.contains(order.after) && &stroke_of_order(order) == &stroke;
      });
    };
    const bool has_memory_columns =
        std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.block == -1; });
    PictureKey key(style);
    if (has_memory_columns) key.add_line(data_stroke, "data", Heads::at_end);
    if (has(signal_stroke)) key.add_line(signal_stroke, "signal", Heads::at_end);
    if (has(packet_stroke)) key.add_line(packet_stroke, "packets", Heads::at_end);
    if (has(own_stroke)) key.add_line(own_stroke, "within a GPU", Heads::at_end);
    if (!fault_.places.empty()) key.add_box(palette::white, {palette::vermilion, "solid", 1.2}, "at fault");
    const bool has_iterations = std::any_of(shown_.begin(), shown_.end(), [&](const PlanPlace& place) {
      return plan_operation(plan_, place).iteration.has_value();
    });
    if (has_iterations) key.add_words("(2): in the second iteration of its pipeline.");
    return key;
  }

  void draw_orders(Picture& picture) const {
    for (const PlanOrder& order : run_.orders()) {
      if (!row_.contains(order.before) || !row_.contains(order.after)) continue;
      connect(picture, order.before, order.after, stroke_of_order(order), Heads::at_end);
    }
    for (const PlanPlace& place : shown_) {
      const std::vector<PlanPlace> all = run_.with_meeting(place);
      const bool is_whole = std::find(shown_.begin(), shown_.end(), all.back()) != shown_.end();
      if (all.size() > 1 && all.front() == place && is_whole)
        connect(picture, place, all.back(), own_stroke, Heads::none);
    }
    if (fault_.places.size() == 2 && row_.contains(fault_.places[0]) && row_.contains(fault_.places[1]))
      connect(picture, fault_.places[0], fault_.places[1], fault_stroke, Heads::none);
  }

  /// From the side of one box to that of the other.
  void connect(Picture& picture, const PlanPlace& from, const PlanPlace& to, const Stroke& stroke, Heads heads) const {
    const Column &a = column_of(from), &b = column_of(to);
    if (a.left == b.left) {
      const double x = a.left + a.width - 4;
      const double way = y_of(from) < y_of(to) ? plan_box / 2 : -plan_box / 2;
      picture.as(Role::line)->curve(Curve::straight({x, y_of(from) + way}, {x, y_of(to) - way}), stroke, heads);
      return;
    }
    const bool is_right = a.left < b.left;
    picture.as(Role::line)
        ->curve(Curve::straight({is_right ? a.left + a.width : a.left, y_of(from)},
                                {is_right ? b.left : b.left + b.width, y_of(to)}),
                stroke, heads);
  }

  void draw_operations(Picture& picture) const {
    for (const PlanPlace& place : shown_) {
      const PlanOperation& o = plan_operation(plan_, place);
      const Column& c = column_of(place);
      const double y = y_of(place);
      for (const PlanCrossing& crossing : crossings_of(o, std::get<0>(place)))
        if (has_memory(crossing.peer)) draw_crossing(picture, crossing, c, y);
      const bool is_faulty = std::find(fault_.places.begin(), fault_.places.end(), place) != fault_.places.end();
      const std::string_view beside = fault_.places.empty() ? palette::black : palette::grey;
      const Stroke border{is_faulty ? palette::vermilion : beside, "solid", is_faulty ? 1.2 : 0.6};
      if (is_faulty)
        picture.as(Role::node)
            ->box({c.left - 2, y - plan_box / 2 - 2}, c.width + 4, plan_box + 4, "", font_, palette::white, border);
      std::string label = numbered(long_label(plan_, std::get<0>(place), o), o);
      if (text_width(label, font_) > c.width - 8) label = numbered(short_label(o), o);
      picture.as(Role::node)->box({c.left, y - plan_box / 2}, c.width, plan_box, label, font_, palette::white, border);
    }
  }

  void draw_crossing(Picture& picture, const PlanCrossing& crossing, const Column& own, double y) const {
    const Column& memory = columns_[column(crossing.peer, -1)];
    const bool is_right = own.left < memory.left;
    const Point here{is_right ? own.left + own.width : own.left, y};
    const Point there{is_right ? memory.left : memory.left + memory.width, y};
    picture.as(Role::line)
        ->curve(crossing.comes ? Curve::straight(there, here) : Curve::straight(here, there), data_stroke);
    std::string label = ranges_text(crossing.ranges, ",");
    if (text_width(label, font_) > memory.width - 2)
      label = fmt::format("{}{}", chunks_text(*crossing.ranges.front()),
                          crossing.ranges.size() > 1 ? fmt::format(" +{}", crossing.ranges.size() - 1) : "");
    picture.as(Role::node)
        ->box({memory.left, y - plan_box / 2}, memory.width, plan_box, label,
              std::min(font_, font_ * (memory.width - 2) / text_width(label, font_)), palette::white,
              {palette::grey, "solid", 0.6});
  }

  const ExecutionPlan& plan_;
  const PlanRunOrder& run_;
  const DrawnFault& fault_;
  std::vector<PlanPlace> shown_;  // in an order that waits allow
  double font_ = 7;
  std::vector<Column> columns_;
  std::map<std::pair<Rank, std::int32_t>, std::size_t> index_;
  std::vector<std::vector<bool>> rows_;  // which columns are taken
  std::map<PlanPlace, std::size_t> row_;
  std::map<std::size_t, std::size_t> last_row_;  // by column
};

/// The ranks whose memory the operation reads, or writes to.
std::vector<Rank> peers_of(const PlanOperation& o, Rank own, bool comes) {
  std::vector<Rank> peers;
  for (const PlanCrossing& crossing : crossings_of(o, own))
    if (crossing.comes == comes) peers.push_back(crossing.peer);
  return peers;
}

OrderedProgram ordered(const ExecutionPlan& plan, const PlanRunOrder& run, const std::string& note) {
  enum : std::size_t { signal, packets, within, meeting };
  OrderedProgram ordered{.title = plan.name,
                         .rank_word = "gpu",
                         .thread_word = "block",
                         .crossing = "signals and packets",
                         .note = note,
                         .operations = {},
                         .reasons = {{signal_stroke, "signal"},
                                     {packet_stroke, "packets"},
                                     {own_stroke, "within a GPU"},
                                     {own_stroke, "barrier", Heads::none}},
                         .waits = {}};
  std::vector<PlanPlace> places = run.places();
  std::sort(places.begin(), places.end());
  std::map<PlanPlace, std::size_t> number;
  for (const PlanPlace& place : places) {
    const auto& [rank, block, operation] = place;
    const PlanOperation& o = plan_operation(plan, place);
    number.emplace(place, number.size());
    ordered.operations.push_back({.rank = rank,
                                  .thread = block,
                                  .number = fmt::format("{}", o.position),
                                  .words = std::string(o.word),
                                  .from = peers_of(o, rank, true),
                                  .to = peers_of(o, rank, false)});
  }
  for (const PlanOrder& order : run.orders()) {
    const bool is_own = std::get<0>(order.before) == std::get<0>(order.after);
    const bool moves = moves_data(plan_operation(plan, order.before).instruction);
    ordered.waits.push_back({number.at(order.before), number.at(order.after),
                             moves    ? packets
                             : is_own ? within
                                      : signal});
  }
  for (const PlanPlace& place : places) {
    const PlanPlace first = run.with_meeting(place).front();
    if (first != place) ordered.waits.push_back({number.at(first), number.at(place), meeting, true});
  }
  return ordered;
}

/// The operations near a marked one: what is shown if there are too many.
std::vector<PlanPlace> beside_marks(const std::vector<PlanPlace>& places, const DrawnFault& fault) {
  std::vector<PlanPlace> near;
  for (const PlanPlace& place : places) {
    const auto& [rank, block, operation] = place;
    const auto is_near = [&, r = rank, b = block, k = operation](const PlanPlace& mark) {
      return std::get<0>(mark) == r && std::get<1>(mark) == b && std::abs(std::get<2>(mark) - k) <= shown_beside_marks;
    };
    if (std::any_of(fault.places.begin(), fault.places.end(), is_near)) near.push_back(place);
  }
  return near;
}

/// A plan as it is drawn, in the order that one call has, and what is wrong with it.
struct DrawnPlan {
  ExecutionPlan plan;  // its pipelines unrolled
  std::unique_ptr<const PlanRunOrder> run = {};
  DrawnFault fault = {};
  std::string note = {};
};

/// How many iterations of its pipelines are drawn: those that the fault is in; without one, two if a message has so
/// many, else the fewest that one has.
Drawn<std::uint32_t> drawn_iterations(const ExecutionPlan& plan, const FoundFault& fault) {
  if (const auto why = unjudged_pipelines(plan)) return unsuitable("happens-before: " + *why);
  const PipelineSizes sizes = pipeline_sizes(plan, sizes_of(plan), most_plan_cells);
  if (sizes.iterations.empty()) return unsuitable("happens-before: its pipelines have too many iterations");
  const std::uint32_t least = std::max(2U, fault.iterations());
  return has(sizes.iterations, least) ? least : std::max(fault.iterations(), sizes.iterations.front());
}

Drawn<std::shared_ptr<const DrawnPlan>> drawn_plan(const ExecutionPlan& plan) {
  if (plan.unjudged) return unsuitable("happens-before: " + *plan.unjudged);
  if (ill_formed_barrier(plan))
    return unsuitable("happens-before: a barrier doesn't fit its blocks, so nothing follows it; 'verify' says which");
  const auto found = std::make_shared<DrawnPlan>(DrawnPlan{.plan = plan});
  const FoundFault fault = fault_of(plan);
  std::uint32_t units = 1;
  if (has_pipelines(plan)) {
    units = TRY(drawn_iterations(plan, fault));
    found->plan = unrolled(plan, units);
    found->note = fmt::format("Here each pipeline has {}.", counted(units, "iteration"));
  } else if (const auto sizes = sizes_to_judge(plan, sizes_of(plan)); sizes && !sizes->empty()) {
    units = sizes->front();
  }
  if (cells_needed(found->plan, units) > most_plan_cells)
    return unsuitable("happens-before: the plan has too much memory");
  found->run = std::make_unique<const PlanRunOrder>(found->plan, units);
  found->fault = {fault.places(found->plan), fault.lines};
  return std::shared_ptr<const DrawnPlan>(found);
}

Drawn<Picture> draw_order_of(const DrawnPlan& found, const ProgramDrawOptions& options) {
  const auto& [plan, all, fault_found, note] = found;
  const PlanRunOrder& run = *all;
  DrawnFault fault = fault_found;
  if (!note.empty()) fault.lines.push_back(note);
  for (const Rank rank : options.ranks)
    if (rank >= static_cast<Rank>(plan.gpus.size()))
      return unsuitable(fmt::format("--ranks: there is no GPU {}; GPUs go from 0 to {}", rank, plan.gpus.size() - 1));
  const bool is_folded = options.fold == Fold::always;
  if (is_folded && fault.places.empty() && run.places().size() <= most_operations_to_fold)
    return draw_folded(ordered(plan, run, note), options.ranks, options.style);
  std::vector<PlanPlace> shown;
  for (const PlanPlace& place : run.places())
    if (options.ranks.empty() || std::binary_search(options.ranks.begin(), options.ranks.end(), std::get<0>(place)))
      shown.push_back(place);
  if ((is_folded || shown.size() > most_plan_operations) && !fault.places.empty()) {
    shown = beside_marks(run.places(), fault);
    fault.lines.emplace_back("Only what is near these operations is drawn.");
  }
  if (shown.size() > most_plan_operations)
    return too_large(fmt::format("{} operations are too many to be seen; up to {} can be drawn", shown.size(),
                                 most_plan_operations));
  if (shown.empty()) return unsuitable("happens-before: there are no operations to draw");
  return PlanPicture(plan, run, fault, std::move(shown)).draw(options.style);
}

}  // namespace

OrderPictures happens_before(const ExecutionPlan& plan) {
  const auto found = drawn_plan(plan);
  return [found](const ProgramDrawOptions& options) -> Drawn<Picture> { return draw_order_of(*TRY(found), options); };
}

}  // namespace onceover::viz
