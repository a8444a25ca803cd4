#include "optimum/schedule_question.h"

#include <catch2/catch.hpp>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "base/process.h"
#include "schedules/catalogue.h"
#include "verifier/verify.h"

namespace schedule_question_test {

using namespace onceover::optimum;
using onceover::verifier::Verdict;

namespace {

constexpr Collective collectives[]{Collective::allreduce, Collective::reduce_scatter, Collective::allgather,
                                   Collective::broadcast, Collective::reduce,         Collective::scatter,
                                   Collective::gather,    Collective::alltoall};

ScheduleQuestion question_of(Collective collective, Rank ranks, Block blocks, int steps, std::optional<int> ports = 1,
                             std::optional<int> volume = {}) {
  return {.header = {.collective = collective, .ranks = ranks, .blocks = blocks},
          .steps = steps,
          .ports = ports,
          .volume = volume};
}

Reply ask(const tl::expected<Clauses, std::string>& clauses) {
  REQUIRE(clauses);
  return ask_z3(clauses->smtlib(""), 400'000'000, 100'000);
}

Assumed strictest(Collective collective) {
  return collective == Collective::allreduce ? Assumed::one_value : Assumed::knowledge;
}

Answer answer(const ScheduleQuestion& question, Assumed assumed) {
  return ask(clauses_of(question, assumed)).answer;
}

/// Asks with one value a block. A schedule that is found must be right and within the limits.
Answer answer(const ScheduleQuestion& question) {
  const Reply reply = ask(clauses_of(question, strictest(question.header.collective)));
  if (reply.answer != Answer::satisfiable) return reply.answer;
  const SchedulePtr schedule = schedule_of(question.header, moves_of(question, reply));
  onceover::verifier::VerifyOptions options;
  if (question.ports) options.bounds.ports = static_cast<std::uint64_t>(*question.ports);
  if (question.ports) options.required = {"ports"};
  const auto report = verify(*schedule, options);
  CHECK(report.verdict == Verdict::pass);
  CHECK(report.metrics.steps <= question.steps);
  if (question.volume) CHECK(report.metrics.blocks_sent_max <= static_cast<std::uint64_t>(*question.volume));
  return reply.answer;
}

Answer answer_with(ScheduleQuestion question, Assumed assumed, const std::vector<TimedMove>& moves) {
  return ask(clauses_of(question, assumed, moves)).answer;
}

std::vector<TimedMove> moves_of(const Schedule& schedule) {
  std::vector<TimedMove> moves;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      t.blocks.for_each_run([&](Run run) {
        for (Block b = run.first; b <= run.last; ++b) moves.push_back({step, t.src, t.dst, b, t.op});
      });
  }
  return moves;
}

/// The fewest steps of an allreduce of one block, by trying all that ranks can do. A state has the number of times that
/// each rank's value includes each contribution, 2 standing for more.
int fewest_steps(Rank ranks, int ports) {
  using State = std::vector<std::vector<int>>;
  const auto n = static_cast<std::size_t>(ranks);
  State start(n, std::vector<int>(n, 0)), wanted(n, std::vector<int>(n, 1));
  for (std::size_t r = 0; r < n; ++r) start[r][r] = 1;
  std::set<State> seen{start};
  std::vector<State> states{start};
  for (int steps = 0; !states.empty(); ++steps) {
    std::vector<State> next;
    for (const State& state : states) {
      if (state == wanted) return steps;
      State now = state;
      std::vector<int> sends(n, 0);
      // Rank v receives nothing, a copy, or sums.
      const std::function<void(std::size_t)> arrive = [&](std::size_t v) {
        if (v == n) {
          if (seen.insert(now).second) next.push_back(now);
          return;
        }
        arrive(v + 1);
        for (std::size_t u = 0; u < n; ++u) {
          if (u == v || sends[u] == ports) continue;
          ++sends[u];
          now[v] = state[u];
          arrive(v + 1);
          --sends[u];
        }
        const std::function<void(std::size_t, int, std::vector<int>)> add = [&](std::size_t u, int count,
                                                                                const std::vector<int>& sum) {
          if (u == n) {
            if (count == 0) return;
            now[v] = sum;
            arrive(v + 1);
            return;
          }
          add(u + 1, count, sum);
          if (u == v || sends[u] == ports || count == ports) return;
          std::vector<int> more = sum;
          for (std::size_t c = 0; c < n; ++c) more[c] = std::min(2, more[c] + state[u][c]);
          ++sends[u];
          add(u + 1, count + 1, more);
          --sends[u];
        };
        add(0, 0, state[v]);
        now[v] = state[v];
      };
      arrive(0);
    }
    states = std::move(next);
  }
  return -1;
}

int log_of(int base, int p) {
  int steps = 0;
  for (int reached = 1; reached < p; reached *= base) ++steps;
  return steps;
}

}  // namespace

TEST_CASE("at most so many values are true, however they are counted") {
  for (const int n : {0, 1, 3, 6, 7})
    for (int most = 0; most <= 3; ++most)
      for (int given = 0; given <= n; ++given) {
        Clauses clauses;
        std::vector<Literal> all;
        for (int k = 0; k < n; ++k) all.push_back(clauses.variable("x" + std::to_string(k)));
        clauses.at_most(all, most);
        for (int k = 0; k < n; ++k) clauses.add({(k * 5) % std::max(n, 1) < given ? all[k] : -all[k]});
        int count = 0;
        for (int k = 0; k < n; ++k) count += (k * 5) % std::max(n, 1) < given ? 1 : 0;
        CAPTURE(n, most, count);
        CHECK(ask_z3(clauses.smtlib(""), 1'000'000, 1000).answer ==
              (count <= most ? Answer::satisfiable : Answer::unsatisfiable));
      }
}

TEST_CASE("every collective of 2 to 5 ranks takes the steps that its ports allow, and no fewer") {
  for (const Collective collective : {Collective::reduce_scatter, Collective::allgather, Collective::broadcast,
                                      Collective::reduce, Collective::alltoall})
    for (Rank p = 2; p <= 5; ++p)
      for (int ports = 1; ports <= 2; ++ports) {
        CAPTURE(name(collective), p, ports);
        const Block blocks = collective == Collective::alltoall ? p * p : p;
        const int least = log_of(ports + 1, p);
        CHECK(answer(question_of(collective, p, blocks, least - 1, ports)) == Answer::unsatisfiable);
        CHECK(answer(question_of(collective, p, blocks, least, ports)) == Answer::satisfiable);
      }
}

TEST_CASE("an allreduce of one block takes as many steps as trying everything finds") {
  for (const auto& [p, ports] : {std::pair{2, 1}, {3, 1}, {3, 2}}) {
    CAPTURE(p, ports);
    const int least = fewest_steps(p, ports);
    CHECK(answer(question_of(Collective::allreduce, p, 1, least - 1, ports)) == Answer::unsatisfiable);
    CHECK(answer(question_of(Collective::allreduce, p, 1, least, ports)) == Answer::satisfiable);
  }
}

TEST_CASE("whole vectors with one value a block: the condition on p of docs/optimal.md") {
  for (Rank p = 2; p <= 8; ++p) {
    CAPTURE(p);
    const int logarithm = log_of(2, p);
    const int least = p % 2 == 1 ? logarithm + 1 : logarithm;  // true up to 13
    CHECK(answer(question_of(Collective::allreduce, p, 1, least - 1)) == Answer::unsatisfiable);
    CHECK(answer(question_of(Collective::allreduce, p, 1, least)) == Answer::satisfiable);
    // That an odd number takes one more is only due to that one value.
    if (p <= 5)
      CHECK(answer(question_of(Collective::allreduce, p, 1, logarithm), Assumed::knowledge) == Answer::satisfiable);
  }
}

TEST_CASE("an allreduce that sends the least takes 2 ceil(log2 p) - 1 steps, one more if p is odd") {
  for (const auto& [p, least] : {std::pair{2, 1}, {3, 4}, {4, 3}}) {
    CAPTURE(p);
    const int volume = 2 * (p - 1);
    CHECK(answer(question_of(Collective::allreduce, p, p, least, 1, volume)) == Answer::satisfiable);
    for (const Assumed assumed : {Assumed::knowledge, Assumed::one_value}) {
      CHECK(answer(question_of(Collective::allreduce, p, p, least - 1, 1, volume), assumed) == Answer::unsatisfiable);
      CHECK(answer(question_of(Collective::allreduce, p, p, least, 1, volume - 1), assumed) == Answer::unsatisfiable);
    }
  }
}

TEST_CASE("an allgather sends p-1 blocks at least, and reaches that in ceil(log2 p) steps") {
  for (Rank p = 2; p <= 5; ++p) {
    CAPTURE(p);
    const int steps = log_of(2, p);
    CHECK(answer(question_of(Collective::allgather, p, p, steps, 1, p - 1)) == Answer::satisfiable);
    CHECK(answer(question_of(Collective::allgather, p, p, steps, 1, p - 2)) == Answer::unsatisfiable);
  }
}

TEST_CASE("only what is linked sends: on a one-way ring an allgather takes p-1 steps, an allreduce 2p-2 at most") {
  for (Rank p = 2; p <= 4; ++p) {
    std::vector<bool> linked(static_cast<std::size_t>(p * p));
    for (Rank r = 0; r < p; ++r) linked[static_cast<std::size_t>(r * p + (r + 1) % p)] = true;
    for (const Collective collective : {Collective::allgather, Collective::reduce_scatter, Collective::allreduce}) {
      CAPTURE(p, name(collective));
      ScheduleQuestion question = question_of(collective, p, p, p - 2);
      question.linked = linked;
      CHECK(answer(question) == Answer::unsatisfiable);
      question.steps = collective == Collective::allreduce ? 2 * p - 2 : p - 1;
      CHECK(answer(question) == Answer::satisfiable);
    }
  }
}

TEST_CASE("the clauses accept the catalogue's schedules, with their own steps, ports and volume, and not with less") {
  int tried = 0;
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const Rank p : {3}) {
        if (row.as_printed || refusal(row, on_line(collective, p))) continue;
        const SchedulePtr schedule = row.make(on_line(collective, p));
        if (schedule->header().scratch > 0) continue;
        ScheduleQuestion question{.header = schedule->header()};
        const auto moves = moves_of(*schedule);
        const auto report = onceover::verifier::verify(*schedule, {.required = {"no-redundant-transfer"}});
        if (report.verdict != Verdict::pass) continue;  // it sends too much
        limit_to(moves, question);
        CAPTURE(row.name, name(collective), p);
        std::vector<Assumed> senses{Assumed::knowledge};
        if (collective == Collective::allreduce) senses.push_back(Assumed::one_value);
        for (const Assumed assumed : senses) {
          ++tried;
          CHECK(answer_with(question, assumed, moves) == Answer::satisfiable);
          if (assumed != strictest(collective)) continue;
          ScheduleQuestion less = question;
          less.volume = *question.volume - 1;
          CHECK(answer_with(less, assumed, moves) == Answer::unsatisfiable);
          less = question;
          less.ports = *question.ports - 1;
          CHECK(answer_with(less, assumed, moves) == Answer::unsatisfiable);
          auto fewer = moves;
          fewer.pop_back();
          CHECK(answer_with(question, assumed, fewer) == Answer::unsatisfiable);
        }
      }
  CHECK(tried > 40);
}

TEST_CASE("the known schedule of every collective is right, within the ports, and accepted") {
  for (const Collective collective : collectives)
    for (const int ports : {1, 2, 9}) {
      CAPTURE(name(collective), ports);
      ScheduleQuestion question = question_of(collective, 4, collective == Collective::alltoall ? 16 : 4, 0, ports);
      const auto moves = known_moves(question);
      onceover::verifier::VerifyOptions options;
      options.bounds.ports = static_cast<std::uint64_t>(ports);
      options.required = {"ports"};
      CHECK(verify(*schedule_of(question.header, moves), options).verdict == Verdict::pass);
      limit_to(moves, question);
      CHECK(answer_with(question, strictest(collective), moves) == Answer::satisfiable);
    }
}

TEST_CASE("cvc5 says the same of the same scripts") {
  if (!onceover::base::find_on_path("cvc5")) return;
  for (const Collective collective : {Collective::allreduce, Collective::reduce_scatter, Collective::allgather})
    for (Rank p = 2; p <= 4; ++p)
      for (int steps = log_of(2, p) - 1; steps <= log_of(2, p) + 1; ++steps) {
        const auto question = question_of(collective, p, collective == Collective::allreduce ? 1 : p, steps);
        const auto clauses = clauses_of(question, strictest(collective));
        REQUIRE(clauses);
        const std::string script = script_of(question, strictest(collective), *clauses);
        const auto end = onceover::base::run_process({"cvc5", {"--lang=smt2", "-"}, script}, {});
        REQUIRE(end);
        CAPTURE(name(collective), p, steps);
        CHECK(end->out == std::string(name(ask_z3(script, 100'000'000, 100'000).answer)) + "\n");
      }
}

TEST_CASE("a question that is too large is refused, and one without work left is unknown") {
  CHECK(clauses_of(question_of(Collective::allreduce, 64, 64, 20), Assumed::one_value).error() ==
        "the question has more than 4000000 literals");
  const auto clauses = clauses_of(question_of(Collective::allreduce, 7, 1, 3), Assumed::one_value);
  const Reply reply = ask_z3(clauses->smtlib(""), 10'000, 100'000);
  CHECK(reply.answer == Answer::unknown);
}

}  // namespace schedule_question_test
