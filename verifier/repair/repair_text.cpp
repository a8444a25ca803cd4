#include <fmt/format.h>

#include <algorithm>

#include "base/sentences.h"
#include "verifier/repair/repair.h"

namespace onceover::verifier {

namespace {

/// "block 4", "blocks 0..3, 6".
std::string blocks_text(std::vector<Block> blocks) {
  std::sort(blocks.begin(), blocks.end());
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; begin < blocks.size(); begin = end) {
    for (end = begin + 1; end < blocks.size() && blocks[end] == blocks[end - 1] + 1;) ++end;
    parts.push_back(end - begin == 1 ? fmt::format("{}", blocks[begin])
                                     : fmt::format("{}..{}", blocks[begin], blocks[end - 1]));
  }
  return fmt::format("{} {}", blocks.size() == 1 ? "block" : "blocks", fmt::join(parts, ", "));
}

std::string_view what_receiver_does(Op op) {
  return op == Op::reduce ? "adds to its own" : "takes in place of its own";
}

/// A move in words.
struct MoveText {
  std::string step, src, dst;

  MoveText(const Move& m, const Names& names)
      : step(names.step(m.step)), src(names.rank(m.src)), dst(names.rank(m.dst)) {}
};

std::string dropped_text(const Move& move, const std::string& blocks, const Names& names) {
  const MoveText m(move, names);
  return fmt::format("at step {}, rank {} doesn't send {} to rank {}", m.step, m.src, blocks, m.dst);
}

std::string added_text(const Move& move, const std::string& blocks, const Names& names) {
  const MoveText m(move, names);
  return fmt::format("at step {}, rank {} also sends {} to rank {}, which it {}", m.step, m.src, blocks, m.dst,
                     what_receiver_does(move.op));
}

/// What changes in one field; empty if several do.
std::string changed_text(const Move& from, const Move& to, const std::string& blocks, const Names& names) {
  Move step = from, src = from, dst = from, op = from;
  step.step = to.step;
  src.src = to.src;
  dst.dst = to.dst;
  op.op = to.op;
  const MoveText was(from, names), is(to, names);
  if (step == to)
    return fmt::format("rank {} sends {} to rank {} at step {}, not at step {}", is.src, blocks, is.dst, is.step,
                       was.step);
  if (src == to)
    return fmt::format("at step {}, rank {}, not rank {}, sends {} to rank {}", is.step, is.src, was.src, blocks,
                       is.dst);
  if (dst == to)
    return fmt::format("at step {}, rank {} sends {} to rank {}, not to rank {}", is.step, is.src, blocks, is.dst,
                       was.dst);
  if (op == to)
    return fmt::format("at step {}, what rank {} sends of {} rank {} {}", is.step, is.src, blocks, is.dst,
                       what_receiver_does(to.op));
  return "";
}

std::string edit_text(const MoveEdit& edit, const std::string& blocks, const Names& names) {
  if (!edit.add) return dropped_text(*edit.drop, blocks, names);
  if (!edit.drop) return added_text(*edit.add, blocks, names);
  const std::string one = changed_text(*edit.drop, *edit.add, blocks, names);
  return one.empty() ? dropped_text(*edit.drop, blocks, names) + "; " + added_text(*edit.add, blocks, names) : one;
}

/// How the blocks after the first differ from it.
std::string turned_text(Turned turned) {
  switch (turned) {
    case Turned::same: return "";
    case Turned::rotated: return "with ranks shifted as the owner is";
    case Turned::mirrored: return "with ranks shifted as the owner is, and mirrored if that is an odd number of places";
    case Turned::flipped: return "with rank r as r xor the difference of the owners";
  }
  return "";
}

/// Two edits of one message: one block out, another in.
std::string renamed_text(const MessageEdit& loss, const MessageEdit& gain, const Names& names) {
  const MoveText m(*gain.edit.add, names);
  return fmt::format("at step {}, rank {} sends {} to rank {}, not {}", m.step, m.src, blocks_text(gain.blocks), m.dst,
                     blocks_text(loss.blocks));
}

bool is_renaming(const std::vector<MessageEdit>& edits) {
  return edits.size() == 2 && !edits[0].edit.add && !edits[1].edit.drop && edits[0].edit.drop == edits[1].edit.add;
}

}  // namespace

std::string_view name(Turned turned) {
  switch (turned) {
    case Turned::same: return "same";
    case Turned::rotated: return "rotated";
    case Turned::mirrored: return "mirrored";
    case Turned::flipped: return "xor";
  }
  return "";
}

std::vector<std::string> Repair::text() const {
  const Names names = schedule == nullptr ? Names{} : schedule->header().names;
  if (swap) return {fmt::format("steps {} and {} change places", swap->first, swap->second)};
  if (is_renaming(edits)) return {renamed_text(edits[0], edits[1], names)};
  std::vector<std::string> lines;
  for (const MessageEdit& each : edits) {
    if (turned == Turned::same) {
      lines.push_back(edit_text(each.edit, blocks_text(each.blocks), names));
      continue;
    }
    lines.push_back(edit_text(each.edit, blocks_text({each.blocks.front()}), names));
    lines.push_back(fmt::format("and so in {}, {}", blocks_text({each.blocks.begin() + 1, each.blocks.end()}),
                                turned_text(turned)));
  }
  return lines;
}

}  // namespace onceover::verifier
