#include "verifier/team.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <catch2/catch.hpp>
#include <string_view>
#include <thread>

#include "mutator.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "schedules/patterned_schedule.h"
#include "verifier/verify.h"

namespace team_test {

using namespace onceover::support;

namespace {

/// Where the threads that stand for processes meet.
struct Table {
  explicit Table(int size) : meeting(size), said(static_cast<std::size_t>(size)) {}

  std::barrier<> meeting;
  std::vector<std::string> said;
};

class ThreadTeam : public Team {
 public:
  ThreadTeam(Table& table, int number) : table_(table), number_(number) {}

  int size() const override { return static_cast<int>(table_.said.size()); }
  int number() const override { return number_; }
  int threads() const override { return 2; }

  std::vector<std::string> gather(const std::string& mine) override {
    table_.said[static_cast<std::size_t>(number_)] = mine;
    table_.meeting.arrive_and_wait();
    std::vector<std::string> all = table_.said;
    table_.meeting.arrive_and_wait();
    ++gathered;
    return all;
  }

  int gathered = 0;

 private:
  Table& table_;
  int number_;
};

struct Together {
  std::vector<Report> reports;  // one a process
  int gathered;                 // by process 0
};

Together together(const Schedule& schedule, int processes, const VerifyOptions& options) {
  Table table(processes);
  Together all{std::vector<Report>(static_cast<std::size_t>(processes)), 0};
  {
    std::vector<std::jthread> threads;
    for (int n = 0; n < processes; ++n)
      threads.emplace_back([&, n] {
        ThreadTeam team(table, n);
        VerifyOptions mine = options;
        mine.team = &team;
        all.reports[static_cast<std::size_t>(n)] = verify(schedule, mine);
        if (n == 0) all.gathered = team.gathered;
      });
  }
  return all;
}

void require_same(const Report& a, const Report& b) {
  REQUIRE(a.verdict == b.verdict);
  REQUIRE(a.scope == b.scope);
  REQUIRE(a.metrics == b.metrics);
  REQUIRE(a.properties.size() == b.properties.size());
  for (std::size_t k = 0; k < a.properties.size(); ++k) {
    const PropertyResult &x = a.properties[k], &y = b.properties[k];
    CAPTURE(x.id);
    REQUIRE(x.verdict == y.verdict);
    REQUIRE(x.summary == y.summary);
    REQUIRE(x.violations == y.violations);
    REQUIRE(x.counterexample.has_value() == y.counterexample.has_value());
    if (x.counterexample) REQUIRE(describe(*x.counterexample) == describe(*y.counterexample));
  }
}

/// What one judges alone each of several judges, too; whether the windows were shared out.
bool agrees(const Schedule& schedule, const VerifyOptions& options = {}) {
  const Report alone = verify(schedule, options);
  int gathered = 0;
  for (const int processes : {2, 3}) {
    CAPTURE(processes);
    const Together all = together(schedule, processes, options);
    for (const Report& each : all.reports) require_same(alone, each);
    gathered = all.gathered;
  }
  return gathered > 0;
}

SchedulePtr make(const char* algorithm, Rank p) {
  return find_algorithm(algorithm)->make(on_line(Collective::allreduce, p));
}

}  // namespace

TEST_CASE("a team passes what one alone passes") {
  const SchedulePtr schedule = make("swing", 300);
  REQUIRE(verify(*schedule).verdict == Verdict::pass);
  REQUIRE(agrees(*schedule));
}

TEST_CASE("a team tells what fails in any process's blocks, the lowest first") {
  PlainSchedule chain{{.collective = Collective::reduce, .ranks = 4, .blocks = 70'000, .root = 0}, {}};
  for (const Rank r : {3, 2, 1}) {
    PlainTransfer transfer{r, r - 1, {}, Op::reduce};
    for (Block b = 0; b < chain.header.blocks; ++b) transfer.blocks.push_back(b);
    chain.steps.push_back({transfer});
  }
  // Of two and of three processes the second block is the first one's.
  const std::vector<Block> failing{3000, 5000};
  PlainSchedule wrong = chain;
  for (const Block b : failing) std::erase(wrong.steps[0][0].blocks, b);
  PlainSchedule undefined = chain;
  undefined.steps[0].push_back({1, 2, failing, Op::copy});
  for (const PlainSchedule& each : {wrong, undefined}) {
    const SchedulePtr schedule = listed(each);
    const Report report = verify(*schedule);
    const PropertyResult& exactly_once = report.properties[1];
    REQUIRE(exactly_once.violations == 2);
    REQUIRE(exactly_once.counterexample->block == 3000);
    REQUIRE(agrees(*schedule));
  }
}

TEST_CASE("a team comes to the report of one alone where that is wrong", "[long]") {
  REQUIRE(verify(*make("swing-keep-first", 402)).verdict == Verdict::fail);
  REQUIRE(agrees(*make("swing-keep-first", 402)));
}

TEST_CASE("a team comes to the report of one alone where that is right", "[long]") {
  REQUIRE(agrees(*make("swing", 500)));
  REQUIRE(agrees(*make("ring", 401)));
}

TEST_CASE("a team comes to the report of one alone on mutants of a schedule", "[long]") {
  struct Expected {
    std::string_view change;
    bool is_defined;
  };
  Mutator mutator(3);
  const PlainSchedule original = plain(*make("rabenseifner", 384));
  for (const Expected& each : {Expected{"transfer dropped", true}, Expected{"block dropped", true},
                               Expected{"transfer twice in its step", false}, Expected{"steps swapped", true}}) {
    CAPTURE(each.change);
    const auto change = std::ranges::find(schedule_changes(), each.change) - schedule_changes().begin();
    const SchedulePtr mutant = listed(*mutator.mutant_of(original, static_cast<std::size_t>(change)));
    const Report report = verify(*mutant);
    REQUIRE(report.verdict == Verdict::fail);
    REQUIRE((report.properties.front().verdict == Verdict::pass) == each.is_defined);
    REQUIRE(agrees(*mutant));
  }
}

TEST_CASE("a team rests on the same symmetry as one alone", "[long]") {
  const VerifyOptions options{.without_symmetry_up_to = 0};
  for (const char* algorithm : {"swing", "swing-keep-first"}) {
    const SchedulePtr schedule = make(algorithm, 502);
    REQUIRE(verify(*schedule, options).scope.find("symmetry") != std::string::npos);
    REQUIRE(agrees(*schedule, options));
  }
}

TEST_CASE("a team whose budget runs out knows nothing, like one alone") {
  const SchedulePtr schedule = make("swing", 500);
  REQUIRE_FALSE(agrees(*schedule, {.budget = 1000}));
}

TEST_CASE("a small schedule and one judged block by block are not shared out") {
  REQUIRE_FALSE(agrees(*make("swing", 64)));
  REQUIRE_FALSE(agrees(*make("swing", 512), {.required = {"order-preserving"}}));
}

namespace {

/// How many of two processes refuse, of which each has a schedule and options of its own.
int refusals(const std::array<SchedulePtr, 2>& schedules, std::array<VerifyOptions, 2> options = {}) {
  Table table(2);
  int refused = 0;
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    for (int n = 0; n < 2; ++n)
      threads.emplace_back([&, n] {
        const auto k = static_cast<std::size_t>(n);
        ThreadTeam team(table, n);
        options[k].team = &team;
        try {
          verify(*schedules[k], options[k]);
        } catch (const std::runtime_error&) {
          const std::lock_guard lock(mutex);
          ++refused;
        }
      });
  }
  return refused;
}

}  // namespace

TEST_CASE("processes with different schedules find out") {
  REQUIRE(refusals({make("swing", 500), make("swing", 502)}) == 2);
}

TEST_CASE("processes that cut one schedule into different windows find out") {
  const SchedulePtr schedule = make("swing", 512);
  REQUIRE(refusals({schedule, schedule}) == 0);
  REQUIRE(refusals({schedule, schedule}, {VerifyOptions{}, VerifyOptions{.without_symmetry_up_to = 0}}) == 2);
  REQUIRE(refusals({schedule, schedule}, {VerifyOptions{.threads = 1}, VerifyOptions{.threads = 3}}) == 2);
}

TEST_CASE("all processes learn whether they say the same") {
  const std::string long_text(3 << 20, 'x');
  for (const bool is_same : {true, false}) {
    Table table(3);
    std::atomic<int> agreed = 0;
    {
      std::vector<std::jthread> threads;
      for (int n = 0; n < 3; ++n)
        threads.emplace_back([&, n] {
          ThreadTeam team(table, n);
          agreed += is_same_in_all(team, long_text + (n == 2 && !is_same ? "b" : "a")) ? 1 : 0;
        });
    }
    REQUIRE(agreed == (is_same ? 3 : 0));
  }
}

TEST_CASE("a team executes every block if one process finds that those of an orbit aren't equally deep") {
  // A ring of 400 ranks, onto one of which another rank is folded. There is one orbit, which one process executes.
  const SchedulePtr ring = make("ring", 400);
  PatternedSchedule::Builder plan;
  auto add_whole = [&](Op op, Rank from, Rank to) {
    plan.begin_step();
    plan.add({.indices = Indices::only(from),
              .ring = 401,
              .to = Place::by(to - from),
              .blocks = Blocks::all(400),
              .extent = 400,
              .rank_step = 1},
             op);
  };
  add_whole(Op::reduce, 400, 0);
  for (int step = 0; step < ring->steps(); ++step) {
    plan.begin_step();
    for (Pattern& pattern : ring->as_patterns()->patterns(step)) plan.add(std::move(pattern));
  }
  add_whole(Op::copy, 0, 400);
  const PatternedSchedule schedule({.ranks = 401, .blocks = 400}, std::move(plan));
  const VerifyOptions options{.without_symmetry_up_to = 0};
  REQUIRE(verify(schedule, options).scope == "every block");
  REQUIRE(verify(schedule, options).metrics.term_depth == 400);
  REQUIRE(agrees(schedule, options));
}

}  // namespace team_test
