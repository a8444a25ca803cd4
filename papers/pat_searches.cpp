// Searches for the claims of Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale",
// 2025.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <tuple>

#include "base/stop.h"
#include "papers/searches.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"

namespace onceover::papers {

namespace {

std::vector<Transfer> last_step(const Schedule& schedule) {
  std::vector<Transfer> transfers;
  schedule.transfers(schedule.steps() - 1, transfers);
  return transfers;
}

/// Half of all blocks in the last step, for all p up to 256 with `is_asked`.
ClaimFinding half_in_the_last_step(const std::function<bool(Rank)>& is_asked) {
  for (Rank p = 2; p <= 256; ++p) {
    if (!is_asked(p)) continue;
    const SchedulePtr schedule = find_algorithm("bruck")->make(on_line(Collective::allgather, p));
    for (const Transfer& t : last_step(*schedule))
      if (2 * t.blocks.size() != p)
        return {.refutation = Refutation{fmt::format("p = {}", p),
                                         fmt::format("rank {} sends {} blocks", t.src, t.blocks.size())}};
  }
  return {};
}

bool is_any(Rank /*p*/) {
  return true;
}

/// What rank 0 of 7 sends to rank 1 in the last step.
ClaimFinding last_of_seven(const std::vector<Block>& expected) {
  Request request = on_line(Collective::allgather, 7);
  request.settings.emplace("order", "far");
  const SchedulePtr schedule = find_algorithm("bruck")->make(request);  // which has the blocks of its transfers
  for (const Transfer& t : last_step(*schedule)) {
    if (t.src != 0) continue;
    std::vector<Block> blocks;
    t.blocks.for_each_block({0, 7}, [&](Block b) { blocks.push_back(b); });
    if (blocks != expected || t.dst != 1)
      return {.refutation = Refutation{"p = 7, last step", fmt::format("rank 0 sends rank {} the data of {}", t.dst,
                                                                       fmt::join(blocks, ", "))}};
  }
  return {};
}

SchedulePtr pat_allgather(Rank p, int aggregation) {
  Request request = on_line(Collective::allgather, p);
  request.settings.emplace("aggregation", std::to_string(aggregation));
  return find_algorithm("pat")->make(request);
}

/// Every message after the first log2 A steps carries A blocks, for all p up to 128 with `is_asked` and all A that
/// leave trees of several levels to a linear part.
ClaimFinding full_buffers(const std::function<bool(Rank)>& is_asked) {
  for (Rank p = 2; p <= 128; ++p)
    for (int top = 0; (Rank{2} << top) < p && is_asked(p); ++top) {
      const auto schedule = pat_allgather(p, 1 << top);
      std::vector<Transfer> transfers;
      for (int step = top; step < schedule->steps(); ++step) {
        schedule->transfers(step, transfers);
        for (const Transfer& t : transfers)
          if (t.blocks.size() != Rank{1} << top)
            return {.refutation = Refutation{fmt::format("p = {}, aggregation {}, step {}", p, 1 << top, step),
                                             fmt::format("rank {} sends {} blocks", t.src, t.blocks.size())}};
      }
    }
  return {};
}

/// Counts, for the claim that of the blocks which a rank still has to pass on at most A came over the same distance. A
/// block is held from the step in which it arrives to the step in which it is last sent.
class Buffers {
 public:
  explicit Buffers(const Schedule& schedule) : p_(schedule.header().ranks) {
    std::vector<Transfer> transfers;
    for (int step = 0; step < schedule.steps(); ++step) {
      schedule.transfers(step, transfers);
      for (const Transfer& t : transfers)
        t.blocks.for_each_block({0, p_}, [&](Block b) {
          held_[{t.dst, b}] = {(t.dst - t.src + p_) % p_, step, -1};
          if (const auto sent = held_.find({t.src, b}); sent != held_.end()) sent->second.last = step;
        });
    }
  }

  int most_of_a_dimension() const {
    std::map<std::tuple<Rank, Rank, int>, int> count;  // rank, distance, step
    int most = 0;
    for (const auto& [where, hold] : held_)
      for (int step = hold.first; step <= hold.last; ++step)
        most = std::max(most, ++count[{where.first, hold.distance, step}]);
    return most;
  }

 private:
  struct Hold {
    Rank distance;
    int first;
    int last;  // -1: never sent on
  };

  Rank p_;
  std::map<std::pair<Rank, Block>, Hold> held_;
};

ClaimFinding buffers_are_emptied() {
  for (Rank p = 2; p <= 64; ++p)
    for (int aggregation = 1; aggregation < p; aggregation *= 2) {
      stop_point();
      if (const int most = Buffers(*pat_allgather(p, aggregation)).most_of_a_dimension(); most > aggregation)
        return {.refutation = Refutation{fmt::format("p = {}, aggregation {}", p, aggregation),
                                         fmt::format("a rank holds {} blocks of one dimension", most)}};
    }
  return {};
}

}  // namespace

std::vector<NamedEvidence> pat_searches() {
  return {
      {"bruck-half-in-the-last-step", search("p = 2..256", [] { return half_in_the_last_step(is_any); })},
      {"bruck-half-for-powers-of-two", search("p = 2^1..2^8", [] { return half_in_the_last_step(is_power_of_two); })},
      {"bruck-last-of-seven-0-4-6", search("p = 7",
                                           [] {
                                             return last_of_seven({0, 4, 6});
                                           })},
      {"bruck-last-of-seven-0-3-5", search("p = 7",
                                           [] {
                                             return last_of_seven({0, 3, 5});
                                           })},
      {"pat-full-buffers", search("p = 2..128, A = 1, 2, 4, .. below p/2", [] { return full_buffers(is_any); })},
      {"pat-full-buffers-for-powers-of-two",
       search("p = 2^1..2^7, A = 1, 2, 4, .. below p/2", [] { return full_buffers(is_power_of_two); })},
      {"pat-buffers-are-emptied", search("p = 2..64, A = 1, 2, 4, .. below p", buffers_are_emptied)},
  };
}

}  // namespace onceover::papers
