// contiguous: is every message one run of blocks, in the natural order or in one other order of all blocks?
//
// Where blocks land elsewhere, a message must also land as a run, in the order in which it is sent.

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "verifier/consecutive_ones.h"
#include "verifier/property.h"

namespace onceover::verifier {

namespace {

/// How large a schedule may be for a search of such an order: its blocks, and blocks times different messages.
constexpr Block most_blocks = 8192;
constexpr std::uint64_t most_block_sets = 1 << 26;

/// With more messages, nothing looks for the smallest conflict.
constexpr std::size_t most_messages_in_conflict = 400;

struct FirstSeen {
  int step;
  Rank src;
  Rank dst;
};

/// Where the blocks of a message lie, and where they land, in the same order.
struct Landings {
  ThingSet from;
  ThingSet into;

  friend bool operator<(const Landings& a, const Landings& b) {
    return std::tie(a.from, a.into) < std::tie(b.from, b.into);
  }
};

/// The different sets of blocks that are sent, or land, as one message, and the first message of each.
struct Messages {
  std::map<ThingSet, FirstSeen> first;
  std::set<Landings> places;      // of the messages whose blocks land elsewhere
  std::optional<Transfer> twice;  // the first message of which a block lands twice, and its step
  int twice_at = 0;
  std::uint64_t scattered = 0;  // messages of several runs
  std::uint64_t count = 0;
  std::uint64_t most_runs = 0;
  bool is_complete = true;
};

ThingSet listed(const BlockSet& set) {
  ThingSet blocks(static_cast<std::size_t>(set.size()));
  auto next = blocks.begin();
  set.for_each_run([&](Run run) {
    assert(run.size() <= blocks.end() - next);
    const auto end = next + run.size();
    std::iota(next, end, run.first);
    next = end;
  });
  return blocks;
}

Landings places_of(const Transfer& transfer) {
  Landings places;
  transfer.for_each_landing([&](const BlockSet& set, Block shift) {
    for (const Block b : listed(set)) {
      places.from.push_back(b);
      places.into.push_back(b + shift);
    }
  });
  return places;
}

ThingSet sorted(ThingSet blocks) {
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

/// In how many parts a message lies one run and lands as one, in the same order.
std::uint64_t run_count(const Transfer& transfer) {
  std::uint64_t runs = 0;
  transfer.for_each_landing([&](const BlockSet& set, Block) { runs += set.run_count(); });
  return runs;
}

Messages collect(const Schedule& schedule) {
  Messages all;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers) {
      if (t.is_local()) continue;
      ++all.count;
      const std::uint64_t runs = run_count(t);
      all.most_runs = std::max(all.most_runs, runs);
      all.scattered += runs > 1 ? 1 : 0;
      if (t.landed() < 2 || !all.is_complete) continue;
      if (t.blocks.size() > 1) all.first.try_emplace(listed(t.blocks), FirstSeen{step, t.src, t.dst});
      if (t.landings != nullptr) {
        Landings places = places_of(t);
        all.first.try_emplace(sorted(places.into), FirstSeen{step, t.src, t.dst});
        all.places.insert(std::move(places));
        if (t.landed() > t.blocks.size() && !all.twice) all.twice = t, all.twice_at = step;
      }
      const auto work = all.first.size() * static_cast<std::uint64_t>(schedule.header().all_blocks());
      all.is_complete = work <= most_block_sets && schedule.header().all_blocks() <= most_blocks;
    }
  }
  return all;
}

std::string text(const ThingSet& blocks, const Header& header) {
  constexpr std::size_t most_characters = 120;
  std::string text;
  for (std::size_t k = 0; k < blocks.size();) {
    if (text.size() > most_characters) return text + ", ..";
    std::size_t end = k;
    if (const auto route = route_of(header, blocks[k])) {
      text += (text.empty() ? "" : ", ") + verifier::text(*route);
      ++k;
      continue;
    }
    while (end + 1 < blocks.size() && blocks[end + 1] == blocks[end] + 1) ++end;
    text += text.empty() ? "" : ", ";
    text += end == k ? fmt::format("{}", blocks[k]) : fmt::format("{}..{}", blocks[k], blocks[end]);
    k = end + 1;
  }
  return text;
}

std::string message_text(int step, Rank src, Rank dst, const Names& names) {
  return fmt::format("step {}, rank {} -> {}", names.step(step), names.rank(src), names.rank(dst));
}

/// Messages that can't all be runs, as few as possible, in words.
Counterexample conflict(const Messages& messages, const std::vector<ThingSet>& sets, const Header& header) {
  const auto chosen = sets.size() <= most_messages_in_conflict ? smallest_conflict(header.all_blocks(), sets) : sets;
  const FirstSeen& first = messages.first.at(chosen.front());
  Counterexample::Scattered scattered;
  for (const ThingSet& set : chosen) {
    const FirstSeen& m = messages.first.at(set);
    scattered.shown.push_back(
        fmt::format("{}: blocks {}", message_text(m.step, m.src, m.dst, header.names), text(set, header)));
    if (scattered.shown.size() == Counterexample::shown_paths) break;
  }
  return {.what = std::move(scattered), .rank = first.src, .step = first.step};
}

/// Checks the order against every message; it doesn't depend on how the order was found.
bool makes_runs(const std::vector<Block>& order, const std::vector<ThingSet>& sets) {
  std::vector<Block> position(order.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k) position[static_cast<std::size_t>(order[k])] = static_cast<Block>(k);
  return std::count(position.begin(), position.end(), -1) == 0 &&
         std::all_of(sets.begin(), sets.end(), [&](const ThingSet& set) { return is_run(set, position); });
}

/// In this order of blocks, does each message land in the order in which it is sent?
bool keeps_order(const std::vector<Block>& order, const std::set<Landings>& all) {
  std::vector<Block> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[static_cast<std::size_t>(order[k])] = static_cast<Block>(k);
  return std::all_of(all.begin(), all.end(), [&](const Landings& places) {
    auto distance = [&](Block from, Block into) {
      return position[static_cast<std::size_t>(into)] - position[static_cast<std::size_t>(from)];
    };
    for (std::size_t k = 1; k < places.from.size(); ++k)
      if (distance(places.from[k], places.into[k]) != distance(places.from[0], places.into[0])) return false;
    return true;
  });
}

Counterexample landing_twice(const Transfer& t, int step, const Header& header) {
  const std::string shown = fmt::format("{}: blocks {}, of which some land twice",
                                        message_text(step, t.src, t.dst, header.names), text(listed(t.blocks), header));
  return {.what = Counterexample::Scattered{{shown}}, .rank = t.src, .step = step};
}

Finding check_contiguous(const Schedule& schedule, const Bounds&) {
  const Messages messages = collect(schedule);
  if (messages.scattered == 0)
    return {Verdict::pass, fmt::format("all {} messages are one run of blocks each, as they lie", messages.count)};
  const std::string natural = fmt::format("{} of {} messages are several runs, up to {}", messages.scattered,
                                          messages.count, messages.most_runs);
  if (messages.twice)
    return {Verdict::fail, natural + "; what lands twice is no run in any order",
            landing_twice(*messages.twice, messages.twice_at, schedule.header()), messages.scattered};
  if (!messages.is_complete)
    return {Verdict::unknown, natural + "; too many blocks and messages to look for another order"};
  const Block blocks = schedule.header().all_blocks();
  std::vector<ThingSet> sets;
  for (const auto& [set, message] : messages.first) sets.push_back(set);
  auto order = consecutive_order(blocks, sets);
  if (!order)
    return {Verdict::fail, natural + "; no other order of the blocks makes each of them one run",
            conflict(messages, sets, schedule.header()), messages.scattered};
  if (!makes_runs(*order, sets)) throw std::logic_error("the order found leaves a message scattered");
  if (!keeps_order(*order, messages.places))
    return {Verdict::unknown,
            natural + "; in the order that was found each is one run, but they land in another order"};
  return {.verdict = Verdict::pass,
          .summary = natural + "; in another order of the blocks, the same on all ranks, each is one run",
          .extra = Finding::Layout{std::move(*order)}};
}

}  // namespace

const Property contiguous_property{
    .id = "contiguous",
    .asks = "each message is one run of blocks, as they lie or in one other order of all blocks",
    .required_by_default = false,
    .matters =
        R"(A message that is one run of memory is sent as it lies. Several runs need packing, or a derived datatype, or several
messages. Where one renumbering of the blocks, the same on all ranks and at all steps, makes every message a run, an allreduce can
use it without moving anything (Swing paper, section 3.1.1). Whether there is one is decided exactly (consecutive ones), up to 8192
blocks and 64 million blocks times different messages.)",
    .example = R"({"format":"onceover-schedule","version":1,"collective":"scatter","ranks":4,"blocks":4,"root":0,
"steps":[
[{"src":0,"dst":1,"blocks":[1,2],"op":"copy"}],
[{"src":0,"dst":2,"blocks":[2,3],"op":"copy"}],
[{"src":0,"dst":3,"blocks":[1,3],"op":"copy"}]
]}
)",
    .remedy =
        R"(Let the sets of blocks of two messages be disjoint or one inside the other, or overlap like intervals; three that overlap
in pairs without a common block can't all be runs.)",
    .of_schedule = check_contiguous,
};

}  // namespace onceover::verifier
