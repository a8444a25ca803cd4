#include "viz/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/sentences.h"
#include "schedules/catalogue.h"
#include "viz/folding.h"
#include "viz/ink/picture.h"

namespace onceover::viz {

bool Message::carries(Block block) const {
  return std::any_of(blocks.begin(), blocks.end(), [&](Run run) { return run.first <= block && block <= run.last; });
}

StepRange steps_shown(const Schedule& schedule, const DrawOptions& options) {
  return options.steps ? StepRange{options.steps->first, options.steps->second + 1} : StepRange{0, schedule.steps()};
}

namespace {

bool is_asked_for(const DrawOptions& options, Rank rank) {
  return options.ranks.empty() || std::binary_search(options.ranks.begin(), options.ranks.end(), rank);
}

bool carries_asked_for(const DrawOptions& options, const Transfer& transfer) {
  return options.only.empty() || std::any_of(options.only.begin(), options.only.end(),
                                             [&](Block block) { return transfer.blocks.contains(block); });
}

Message message_of(int step, const Transfer& transfer) {
  Message message{step, transfer.src, transfer.dst, transfer.op, transfer.lane, transfer.blocks.size(), {}};
  transfer.blocks.for_each_run([&](Run run) { message.blocks.push_back(run); });
  return message;
}

}  // namespace

std::size_t SelectedMessages::panel_of(int step) const {
  const auto is_of = [&](StepRange panel) { return panel.first <= step && step < panel.end; };
  return static_cast<std::size_t>(std::find_if(panels.begin(), panels.end(), is_of) - panels.begin());
}

std::vector<Rank> all_ranks(Rank count) {
  std::vector<Rank> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::vector<Rank> ranks_of(const std::vector<Message>& messages) {
  std::vector<Rank> ranks;
  for (const Message& m : messages) {
    ranks.push_back(m.src);
    ranks.push_back(m.dst);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

namespace {

/// The narrowest place of a rank in a row, in points: a dot, and a gap as wide.
constexpr double narrowest_place = 1.8;

using ClassesPtr = std::shared_ptr<const RankClasses>;

/// Who sends how much to whom in what way, of each message of a step, and whom it stands for.
struct Pattern {
  std::vector<std::tuple<Rank, Rank, Op, int, Block>> sent;
  ClassesPtr classes;  // null: it stands for itself

  bool operator==(const Pattern& other) const {
    const bool have_same_classes = classes == other.classes || (classes && other.classes && *classes == *other.classes);
    return have_same_classes && sent == other.sent;
  }
};

Pattern pattern_of(const std::vector<Message>& messages, std::size_t first, ClassesPtr classes) {
  Pattern pattern{{}, std::move(classes)};
  for (std::size_t k = first; k < messages.size(); ++k) {
    const Message& m = messages[k];
    pattern.sent.emplace_back(m.src, m.dst, m.op, m.lane, m.size);
  }
  std::sort(pattern.sent.begin(), pattern.sent.end());
  return pattern;
}

/// Adds the step that begins at message `first` as a panel, or joins it to the last one if both may share a panel and
/// are alike.
void add_panel(SelectedMessages& selection, int step, std::size_t first, const ClassesPtr& classes, bool may_share,
               std::optional<Pattern>& last) {
  std::optional<Pattern> pattern;
  if (may_share) pattern = pattern_of(selection.messages, first, classes);
  if (pattern && pattern == last) {
    selection.panels.back().end = step + 1;
    selection.messages.resize(first);
    return;
  }
  selection.panels.push_back({step, step + 1});
  if (classes) selection.classes.push_back(classes);
  last = std::move(pattern);
}

}  // namespace

std::size_t most_in_a_row(const Style& style) {
  return static_cast<std::size_t>(style.width_in_points() / narrowest_place);
}

std::optional<DrawError> too_tall(double height, const Style& style) {
  // Graphviz rounds sizes to points.
  if (height <= 72 * style.height + 1) return std::nullopt;
  return DrawError{
      DrawError::Kind::too_large,
      fmt::format("the picture would be {:.1f} in tall, and the page has {:g} (--height)", height / 72, style.height)};
}

DrawError row_too_long(std::size_t ranks, const Style& style) {
  return {DrawError::Kind::too_large, fmt::format("{} ranks are more than the {} that fit into a row of {:.3g} in",
                                                  ranks, most_in_a_row(style), style.width)};
}

Drawn<void> check_row(const Schedule& schedule, const DrawOptions& options) {
  const auto ranks = static_cast<std::size_t>(schedule.header().ranks);
  const std::size_t most = most_in_a_row(options.style);
  if (ranks <= most) return {};
  std::vector<bool> is_seen(ranks, false);
  std::size_t seen = 0;
  const StepRange steps = steps_shown(schedule, options);
  std::vector<Transfer> transfers;
  for (int step = steps.first; step < steps.end; ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers) {
      if (!is_asked_for(options, t.src)) continue;
      for (const Rank rank : {t.src, t.dst})
        if (!is_seen[static_cast<std::size_t>(rank)]) {
          is_seen[static_cast<std::size_t>(rank)] = true;
          ++seen;
        }
      if (seen > most) return tl::unexpected(row_too_long(ranks, options.style));
    }
  }
  return {};
}

/// How many ranks may stand for all.
static constexpr std::size_t most_classes = 16;

Drawn<SelectedMessages> select(const Schedule& schedule, const DrawOptions& options) {
  SelectedMessages selection{steps_shown(schedule, options), {}, {}, {}};
  std::vector<ClassesPtr> folded;
  if (asks_to_fold(options)) {
    auto folding = TRY(FoldedSteps::of(schedule, selection.steps, most_classes));
    selection.steps = folding.steps;
    selection.backwards = folding.backwards;
    folded = std::move(folding.classes);
  }
  std::optional<Pattern> last;  // of the last panel, if it may be shared
  const std::vector<int> alike = schedule.alike();
  std::vector<Transfer> transfers;
  for (int step = selection.steps.first; step < selection.steps.end; ++step) {
    const auto like = [&](int s) { return alike[static_cast<std::size_t>(s)]; };
    if (options.thinned && last && options.only.empty() && like(step) == like(step - 1)) {
      selection.panels.back().end = step + 1;
      continue;
    }
    const ClassesPtr classes =
        folded.empty() ? nullptr : folded[static_cast<std::size_t>(step - selection.steps.first)];
    schedule.transfers(step, transfers);
    const std::size_t first = selection.messages.size();
    for (const Transfer& t : transfers) {
      if (classes && classes->representative_of(t.src) != t.src) continue;
      if (!is_asked_for(options, t.src) || !carries_asked_for(options, t)) continue;
      selection.messages.push_back(message_of(step, t));
      if (selection.messages.size() > most_messages)
        return too_large(fmt::format("there are more than {} messages, too many for a picture", most_messages));
    }
    add_panel(selection, step, first, classes, options.thinned, last);
  }
  const Rank ranks = schedule.header().ranks;
  selection.ranks =
      static_cast<std::size_t>(ranks) <= most_in_a_row(options.style) ? all_ranks(ranks) : ranks_of(selection.messages);
  return selection;
}

namespace {

/// Do the messages carry the same blocks? Of vectors that are divided differently: the same part of them?
bool carry_the_same(const Message& a, const Header& of_a, const Message& b, const Header& of_b) {
  if (of_a.blocks == of_b.blocks) return a.blocks == b.blocks;
  return static_cast<std::uint64_t>(a.size) * static_cast<std::uint64_t>(of_b.blocks) ==
         static_cast<std::uint64_t>(b.size) * static_cast<std::uint64_t>(of_a.blocks);
}

}  // namespace

void mark_beside(SelectedMessages& selection, const Header& header, const SelectedMessages& other,
                 const Header& other_header) {
  std::map<std::tuple<int, Rank, Rank>, std::vector<const Message*>> there;
  for (const Message& m : other.messages) there[{m.step, m.src, m.dst}].push_back(&m);
  for (Message& m : selection.messages) {
    const auto found = there.find({m.step, m.src, m.dst});
    m.beside = found == there.end() ? Beside::not_there : Beside::other_blocks;
    if (found == there.end()) continue;
    for (const Message* same : found->second)
      if (same->op == m.op && carry_the_same(m, header, *same, other_header)) m.beside = Beside::same;
  }
}

Stroke stroke_of(const Message& message) {
  Stroke stroke = stroke_of(message.lane, message.op);
  switch (message.beside) {
    case Beside::nothing: return stroke;
    case Beside::same: return {palette::grey, "solid", 0.6, stroke.head};
    case Beside::other_blocks: return {palette::blue, "dashed", 1.2, stroke.head};
    case Beside::not_there: return {palette::vermilion, "solid", 1.8, stroke.head};
  }
  return stroke;
}

std::string class_of(const Message& message) {
  return fmt::format("message from-{}-to-{} lane-{}", message.src, message.dst, message.lane);
}

std::string words_of(const Message& message) {
  constexpr std::size_t longest = 40;
  const std::string blocks = runs_text(message.blocks);
  const std::string what = blocks.empty() || blocks.size() > longest ? counted(message.size, "block")
                           : message.size == 1                       ? "block " + blocks
                                                                     : "blocks " + blocks;
  return fmt::format("step {}: {} to {}, {}", message.step, message.src, message.dst, what);
}

std::string class_of(Rank rank) {
  return fmt::format("rank rank-{}", rank);
}

std::string title_of(const Header& header) {
  const std::string algorithm = header.algorithm.empty() ? "" : header.algorithm + " ";
  const std::vector<Rank> shape = header.sides();
  return fmt::format("{}{}, {}", algorithm, name(header.collective), shape_text(shape));
}

std::string sizes_text(Block least, Block most) {
  return least == most ? fmt::format("\u00d7{}", most) : fmt::format("\u00d7{} to \u00d7{}", least, most);
}

std::string runs_text(const std::vector<Run>& blocks) {
  std::string text;
  for (const Run run : blocks) {
    if (!text.empty()) text += ',';
    text += run.size() == 1   ? fmt::format("{}", run.first)
            : run.size() == 2 ? fmt::format("{},{}", run.first, run.last)
                              : fmt::format("{}-{}", run.first, run.last);
  }
  return text;
}

std::string_view phase_of(StepRange panel, const Names& names) {
  const std::string_view first = names.phase(panel.first);
  for (int step = panel.first + 1; step < panel.end; ++step)
    if (names.phase(step) != first) return {};
  return first;
}

std::string panel_title(StepRange panel, const std::vector<Message>& messages, const Names& names) {
  bool reduces = false, copies = false;
  for (const Message& m : messages)
    if (m.step == panel.first) (m.op == Op::reduce ? reduces : copies) = true;
  std::string steps = panel.size() == 1 ? fmt::format("step {}", panel.first)
                                        : fmt::format("steps {} to {} alike", panel.first, panel.end - 1);
  if (const std::string_view phase = phase_of(panel, names); !phase.empty()) steps += fmt::format(" ({})", phase);
  return reduces == copies ? steps : fmt::format("{}: {}", steps, reduces ? "reduce" : "copy");
}

std::string panel_title_within(double width, double font_size, StepRange panel, const std::vector<Message>& messages,
                               const Names& names) {
  std::string title = panel_title(panel, messages, names);
  return text_width(title, font_size) <= width ? title : panel_title(panel, messages, {});
}

PictureKey key_to(const std::vector<Message>& messages, const Style& style) {
  PictureKey key(style);
  std::set<int> lanes;
  for (const Message& m : messages) lanes.insert(m.lane);
  if (lanes.size() > 1)
    for (const int lane : lanes) key.add_line(stroke_of_lane(lane), fmt::format("lane {}", lane), Heads::none);
  const auto add_head = [&](Op op, std::string words) {
    if (std::any_of(messages.begin(), messages.end(), [&](const Message& m) { return m.op == op; }))
      key.add_line({.width = 0.8, .head = stroke_of(0, op).head}, std::move(words), Heads::at_end);
  };
  add_head(Op::reduce, "reduce");
  add_head(Op::copy, "copy");
  return key;
}

}  // namespace onceover::viz
