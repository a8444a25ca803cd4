// Claims of Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale", 2025.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <tuple>

#include "base/stop.h"
#include "papers/claim.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"

namespace onceover::papers {

namespace {

Schedules bruck(std::string ranks, std::string order) {
  return {.algorithm = "bruck",
          .ranks = std::move(ranks),
          .collective = "allgather",
          .settings = {"order=" + std::move(order)}};
}

Schedules pat(std::string ranks, int aggregation, std::string collective = "allgather") {
  return {.algorithm = "pat",
          .ranks = std::move(ranks),
          .collective = std::move(collective),
          .settings = {fmt::format("aggregation={}", aggregation)}};
}

/// Blocks held for others: at most A (log2 p - log2 A) - 1 for powers of two, A below p.
Evidence staging_bound(int aggregation, std::string ranks) {
  return schedules(pat(std::move(ranks), aggregation), {"exactly-once"},
                   {fmt::format("staging <= {}*(log2(p) - log2({})) - 1", aggregation, aggregation),
                    fmt::format("steps == log2({}) + p/{} - 1", aggregation, aggregation)});
}

std::vector<Transfer> last_step(const Schedule& schedule) {
  std::vector<Transfer> transfers;
  schedule.transfers(schedule.steps() - 1, transfers);
  return transfers;
}

ClaimFinding half_in_the_last_step() {
  for (Rank p = 2; p <= 256; p *= 2)
    for (const Transfer& t : last_step(*find_algorithm("bruck")->make(on_line(Collective::allgather, p))))
      if (2 * t.blocks.size() != p)
        return {.refutation = Refutation{fmt::format("p = {}", p),
                                         fmt::format("rank {} sends {} blocks", t.src, t.blocks.size())}};
  return {};
}

/// What rank 0 of 7 sends to rank 1 in the last step.
ClaimFinding last_of_seven(const std::vector<Block>& expected) {
  Request request = on_line(Collective::allgather, 7);
  request.settings.emplace("order", "far");
  for (const Transfer& t : last_step(*find_algorithm("bruck")->make(request))) {
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

/// Every message after the first log2 A steps carries A blocks, for the p to 128 that are asked for and all A below p.
ClaimFinding full_buffers(const std::function<bool(Rank)>& is_asked) {
  for (Rank p = 2; p <= 128; ++p)
    for (int top = 0; (Rank{1} << top) < p && is_asked(p); ++top) {
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

/// Of each rank's blocks that it still has to pass on, those that came over the same distance: at most A at a time. A
/// block is held from the step in which it comes to that in which it last leaves.
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

std::vector<Claim> pat_claims() {
  return {
      {.id = "pat-bruck",
       .paper = Paper::pat,
       .place = "section 2",
       .statement = "Bruck's allgather is right for every p.",
       .says = {schedules(bruck("2..128", "near"), {"exactly-once"})},
       .theorems = {"bruck"},
       .coq = {"Bruck.bruck_gathers"}},
      {.id = "pat-bruck-steps",
       .paper = Paper::pat,
       .place = "section 2",
       .statement = "It takes ceil(log2 p) steps.",
       .says = {schedules(bruck("2..128", "near"), {}, {"steps == ceil(log2(p))"})}},
      {.id = "pat-bruck-last-step",
       .paper = Paper::pat,
       .place = "section 1",
       .statement = "In Bruck's last step a rank sends half of all data, for p = 2^a.",
       .says = {search("p = 2^1..2^8", half_in_the_last_step)}},
      {.id = "pat-bruck-far",
       .paper = Paper::pat,
       .place = "section 2",
       .statement = "Farthest dimension first, it is right, too; what is sent to a peer is no longer contiguous.",
       .says = {schedules(bruck("8..128", "far"), {"exactly-once"},
                          {"steps == ceil(log2(p))", "max_runs_per_message >= 2"}),
                schedules(bruck("2..128", "near"), {}, {"max_runs_per_message <= 2"})},
       .theorems = {"bruck"},
       .correct = "Near first, messages are contiguous around the ring of ranks: two runs where they pass rank 0."},
      {.id = "pat-seven-ranks",
       .paper = Paper::pat,
       .place = "section 2, figure 4",
       .statement = "With 7 ranks the third step sends a rank's own chunk and those of rank-4 and rank-6.",
       .says = {schedules({.algorithm = "bruck-as-printed", .ranks = "7", .collective = "allgather"},
                          {"exactly-once"})},
       .correct = "Those of rank-4 and rank-2; and the caption should say farthest dimension first.",
       .corrected = {schedules(bruck("7", "far"), {"exactly-once"}, {"steps == 3"})},
       .kind = ClaimKind::wording},
      {.id = "pat-seven-ranks-example",
       .paper = Paper::pat,
       .place = "section 2, below figure 4",
       .statement = "In the last step rank 0 of 7 sends rank 1 its own data and that of 6 and 4.",
       .says = {search("p = 7",
                       [] {
                         return last_of_seven({0, 4, 6});
                       })},
       .correct = "That of 5 and 3: those of rank-2 and rank-4.",
       .corrected = {search("p = 7",
                            [] {
                              return last_of_seven({0, 3, 5});
                            })},
       .kind = ClaimKind::wording},
      {.id = "pat-recursive-doubling",
       .paper = Paper::pat,
       .place = "section 1",
       .statement = "Recursive doubling is right for powers of two.",
       .says = {schedules({.algorithm = "recursive-doubling", .ranks = "2^1..2^8", .collective = "allgather"},
                          {"exactly-once"}, {"steps == log2(p)"})},
       .theorems = {"recursive-doubling"}},
      {.id = "pat-any-p",
       .paper = Paper::pat,
       .place = "abstract",
       .statement = "PAT is right for every p and aggregation, as allgather and as reduce-scatter.",
       .says = {schedules(pat("2..100", 1), {"exactly-once"}), schedules(pat("2..100", 2), {"exactly-once"}),
                schedules(pat("4..100", 4), {"exactly-once"}), schedules(pat("16..100", 16), {"exactly-once"}),
                schedules(pat("2..100", 1, "reduce-scatter"), {"exactly-once"}),
                schedules(pat("4..100", 4, "reduce-scatter"), {"exactly-once"})},
       .theorems = {"pat"}},
      {.id = "pat-full-aggregation",
       .paper = Paper::pat,
       .place = "section 3",
       .statement = "With room for all it is Bruck's algorithm, farthest dimension first, in ceil(log2 p) steps.",
       .says = {same_transfers({.algorithm = "pat", .ranks = "2..64", .collective = "allgather"},
                               bruck("2..64", "far"))}},
      {.id = "pat-figure-5",
       .paper = Paper::pat,
       .place = "section 3, figures 5 and 6",
       .statement = "With 8 ranks and aggregation 2 there is 1 step at the top and 3 within the trees.",
       .says = {schedules(pat("8", 2), {"exactly-once"}, {"steps == 4"})}},
      {.id = "pat-linear",
       .paper = Paper::pat,
       .place = "section 3, figure 10",
       .statement = "With one tree the number of steps is linear, p - 1.",
       .says = {schedules(pat("2..100", 1), {"exactly-once"}, {"steps == p - 1"})}},
      {.id = "pat-logarithmic-buffers",
       .paper = Paper::pat,
       .place = "abstract",
       .statement = "A logarithmic number of buffers is enough, whatever the size of the operation.",
       .says = {schedules(pat("2..100", 1), {"exactly-once"}, {"staging <= ceil(log2(p))"}),
                schedules(pat("2..100", 1, "reduce-scatter"), {"exactly-once"}, {"staging <= ceil(log2(p))"})},
       .theorems = {"pat"},
       .correct = "Blocks held for others after a step, with aggregation 1."},
      {.id = "pat-buffers",
       .paper = Paper::pat,
       .place = "section 3",
       .statement = "Aggregation A takes log2 A + p/A - 1 steps for p = 2^a, and holds a number of blocks bounded by A "
                    "and log2 p.",
       .says = {staging_bound(1, "2^1..2^7"), staging_bound(2, "2^2..2^7"), staging_bound(4, "2^3..2^7"),
                staging_bound(8, "2^4..2^7")},
       .theorems = {"pat"},
       .correct = "At most A (log2 p - log2 A) - 1 for A below p."},
      {.id = "pat-full-buffers",
       .paper = Paper::pat,
       .place = "section 3",
       .statement = "Every transfer in the linear part is performed with full buffers, of A blocks.",
       .says = {search("p = 2..128, A = 1, 2, 4, .. below p", [] { return full_buffers([](Rank) { return true; }); })},
       .correct = "For powers of two, and with one tree for every p; else trees end early, and some messages are "
                  "shorter.",
       .corrected = {search("p = 2^1..2^7, A = 1, 2, 4, .. below p", [] { return full_buffers(is_power_of_two); }),
                     schedules(pat("2..100", 1), {}, {"messages == p*(p-1)", "block_transfers == p*(p-1)"})},
       .kind = ClaimKind::wording},
      {.id = "pat-emptied-buffers",
       .paper = Paper::pat,
       .place = "section 3, figure 10",
       .statement = "Far first, a buffer is empty before its dimension is used again for another rank's data: of what "
                    "came over a dimension and is to be passed on, a rank holds at most A blocks.",
       .says = {search("p = 2..64, A = 1, 2, 4, .. below p", buffers_are_emptied)}},
      {.id = "pat-ring-latency",
       .paper = Paper::pat,
       .place = "abstract",
       .statement = "Ring's number of steps is linear, PAT's logarithmic for small sizes.",
       .says = {schedules({.algorithm = "ring", .ranks = "2..64", .collective = "allgather"}, {"exactly-once"},
                          {"steps == p - 1"}),
                schedules({.algorithm = "pat", .ranks = "2..64", .collective = "allgather"}, {"exactly-once"},
                          {"steps == ceil(log2(p))"})}},
  };
}

}  // namespace onceover::papers
