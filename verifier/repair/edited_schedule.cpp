#include "verifier/repair/edited_schedule.h"

#include <algorithm>

#include "schedules/listed_schedule.h"

namespace onceover::verifier {

namespace {

Header repaired(Header header) {
  if (!header.algorithm.empty()) header.algorithm += ", repaired";
  return header;
}

std::vector<Run> runs_of(const BlockSet& set) {
  std::vector<Run> runs;
  set.for_each_run([&](Run run) { runs.push_back(run); });
  return runs;
}

/// A transfer whose blocks are being changed.
struct Message {
  Rank src;
  Rank dst;
  Op op;
  int lane;
  std::vector<Block> blocks;

  explicit Message(const Transfer& t) : src(t.src), dst(t.dst), op(t.op), lane(t.lane) { t.blocks.list(blocks); }
  Message(const Move& m, Block block) : src(m.src), dst(m.dst), op(m.op), lane(0), blocks{block} {}

  bool carries(const Move& m) const { return src == m.src && dst == m.dst && op == m.op; }
  bool has(Block block) const { return std::find(blocks.begin(), blocks.end(), block) != blocks.end(); }
};

void apply(const BlockEdit& edit, int step, std::vector<Message>& messages) {
  const auto message_for = [&](const Move& m, bool has_block) {
    return std::find_if(messages.begin(), messages.end(),
                        [&](const Message& each) { return each.carries(m) && each.has(edit.block) == has_block; });
  };
  if (const auto& drop = edit.edit.drop; drop && drop->step == step)
    std::erase(message_for(*drop, true)->blocks, edit.block);
  if (const auto& add = edit.edit.add; add && add->step == step) {
    const auto found = message_for(*add, false);
    if (found == messages.end())
      messages.emplace_back(*add, edit.block);
    else
      found->blocks.push_back(edit.block);
  }
}

void add_message(const Message& message, ListedSchedule::Builder& builder) {
  std::vector<Run> runs;
  for (const Block b : message.blocks) runs.push_back({b, b});
  normalise(runs);
  if (!runs.empty()) builder.add(message.src, message.dst, runs, message.op, message.lane);
}

bool is_of(const BlockEdit& edit, int step) {
  return (edit.edit.drop && edit.edit.drop->step == step) || (edit.edit.add && edit.edit.add->step == step);
}

void add_step(const std::vector<Transfer>& transfers, ListedSchedule::Builder& builder) {
  builder.begin_step();
  for (const Transfer& t : transfers) builder.add(t.src, t.dst, runs_of(t.blocks), t.op, t.lane);
}

}  // namespace

SchedulePtr with_edits(const Schedule& schedule, std::vector<BlockEdit> edits) {
  ListedSchedule::Builder builder;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    const bool is_edited = std::any_of(edits.begin(), edits.end(), [&](const BlockEdit& e) { return is_of(e, step); });
    if (!is_edited) {
      add_step(transfers, builder);
      continue;
    }
    std::vector<Message> messages(transfers.begin(), transfers.end());
    for (const BlockEdit& edit : edits) apply(edit, step, messages);
    builder.begin_step();
    for (const Message& message : messages) add_message(message, builder);
  }
  return std::make_shared<ListedSchedule>(repaired(schedule.header()), std::move(builder));
}

SchedulePtr with_swapped(const Schedule& schedule, int first, int second) {
  ListedSchedule::Builder builder;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step == first ? second : step == second ? first : step, transfers);
    add_step(transfers, builder);
  }
  Header header = repaired(schedule.header());
  header.names = with_swapped_steps(header.names, first, second, schedule.steps());
  return std::make_shared<ListedSchedule>(std::move(header), std::move(builder));
}

}  // namespace onceover::verifier
