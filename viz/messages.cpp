#include "viz/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "schedules/catalogue.h"

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

Message message_of(int step, const Transfer& transfer) {
  Message message{step, transfer.src, transfer.dst, transfer.op, transfer.lane, transfer.blocks.size(), {}};
  transfer.blocks.for_each_run([&](Run run) { message.blocks.push_back(run); });
  return message;
}

std::vector<Rank> all_ranks(Rank count) {
  std::vector<Rank> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

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

Drawn<Selection> select(const Schedule& schedule, const DrawOptions& options) {
  Selection selection{steps_shown(schedule, options), {}, {}};
  std::vector<Transfer> transfers;
  for (int step = selection.steps.first; step < selection.steps.end; ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers) {
      if (!is_asked_for(options, t.src)) continue;
      selection.messages.push_back(message_of(step, t));
      if (selection.messages.size() > most_messages)
        return unsuitable(
            fmt::format("steps {}..{} have more than {} messages, too many for a picture; thin them out "
                        "with --ranks 0,1 (what these send) and --steps 0..2",
                        selection.steps.first, selection.steps.end - 1, most_messages));
    }
  }
  const Rank ranks = schedule.header().ranks;
  selection.ranks = ranks <= static_cast<Rank>(most_in_a_row) ? all_ranks(ranks) : ranks_of(selection.messages);
  return selection;
}

std::string class_of(const Message& message) {
  return fmt::format("message from-{}-to-{} lane-{}", message.src, message.dst, message.lane);
}

std::string class_of(Rank rank) {
  return fmt::format("rank rank-{}", rank);
}

std::string title_of(const Header& header) {
  const std::string algorithm = header.algorithm.empty() ? "" : header.algorithm + " ";
  const std::vector<Rank> shape = header.sides();
  return fmt::format("{}{}, {}", algorithm, name(header.collective), shape_text(shape));
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

std::string step_title(int step, const std::vector<Message>& messages) {
  bool reduces = false, copies = false;
  for (const Message& m : messages)
    if (m.step == step) (m.op == Op::reduce ? reduces : copies) = true;
  return reduces == copies ? fmt::format("step {}", step)
                           : fmt::format("step {}: {}", step, reduces ? "reduce" : "copy");
}

}  // namespace onceover::viz
