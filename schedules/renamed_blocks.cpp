#include "schedules/renamed_blocks.h"

#include <cassert>

#include "schedules/listed_schedule.h"

namespace onceover::schedules {

namespace {

class Renaming {
 public:
  Renaming(const Header& header, const std::vector<Block>& name) : header_(header), name_(name) {
    assert(header.scratch == 0 || header.scratch == header.blocks);
  }

  Header header() const {
    Header renamed = header_;
    renamed.owners.resize(name_.size());
    for (std::size_t b = 0; b < name_.size(); ++b)
      renamed.owners[static_cast<std::size_t>(name_[b])] = header_.owner(static_cast<Block>(b));
    return renamed;
  }

  void add(const Transfer& t, ListedSchedule::Builder& builder) const {
    if (t.landings != nullptr) return add_landing(t, builder);
    std::vector<Run> runs;
    for_each_block(t.blocks, [&](Block b) { runs.push_back({of(b), of(b)}); });
    normalise(runs);
    builder.add(t.src, t.dst, runs, t.op, t.lane);
  }

 private:
  Block of(Block block) const {
    const Block first = block < header_.blocks ? 0 : header_.blocks;
    return first + name_[static_cast<std::size_t>(block - first)];
  }

  template <class Visit>
  void for_each_block(const BlockSet& set, Visit&& visit) const {
    set.for_each_block({0, header_.all_blocks()}, visit);
  }

  void add_landing(const Transfer& t, ListedSchedule::Builder& builder) const {
    std::vector<ListedSchedule::Builder::LandedRun> landed;
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      for_each_block(set, [&](Block b) { landed.push_back({{of(b), of(b)}, of(b + shift)}); });
    });
    builder.add(t.src, t.dst, landed, t.op, t.lane);
  }

  const Header& header_;
  const std::vector<Block>& name_;
};

}  // namespace

SchedulePtr with_renamed_blocks(const Schedule& schedule, const std::vector<Block>& name) {
  const Renaming renaming(schedule.header(), name);
  ListedSchedule::Builder builder;
  for (int step = 0; step < schedule.steps(); ++step) {
    builder.begin_step();
    schedule.visit_transfers(step, [&](std::span<const Transfer> some) {
      for (const Transfer& t : some) renaming.add(t, builder);
    });
  }
  return std::make_shared<ListedSchedule>(renaming.header(), std::move(builder));
}

}  // namespace onceover::schedules
