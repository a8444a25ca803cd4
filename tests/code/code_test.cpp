// The ledger, and what is read from it, without a simulator: tests call the ledger as ranks would.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <random>

#include "code/code_run.h"
#include "code/family.h"
#include "code/recovery.h"
#include "code/result_elements.h"
#include "code/runtime/ledger.h"
#include "live/judge.h"
#include "schedules/catalogue.h"
#include "schedules/listed_schedule.h"
#include "verifier/verify.h"

namespace onceover::code {

namespace {

constexpr std::uint64_t enough = std::uint64_t{1} << 30;

const live::LiveCollective& collective_named(std::string_view name) {
  for (const live::LiveCollective& c : live::live_collectives())
    if (c.name == name) return c;
  FAIL("no collective " << name);
  return live::live_collectives()[0];
}

live::LiveCall call_of(std::string_view name, Rank ranks, int count, Rank root = 0) {
  return {.collective = &collective_named(name), .ranks = ranks, .root = root, .count = count};
}

/// A ledger in a file of its own.
class LedgerFile {
 public:
  explicit LedgerFile(Rank ranks) : ranks_(ranks) {
    static int number = 0;
    const std::string name = "ledger-" + std::to_string(getpid()) + "-" + std::to_string(++number);
    path_ = (std::filesystem::temp_directory_path() / name).string();
    onceover_open(path_.c_str(), static_cast<std::uint32_t>(ranks), enough);
  }
  ~LedgerFile() { std::filesystem::remove(path_); }

  Record read() const {
    auto record = read_record(path_, ranks_);
    REQUIRE(record);
    return std::move(*record);
  }

 private:
  Rank ranks_;
  std::string path_;
};

onceover_element joined(std::uint32_t rank, onceover_element left, onceover_element right) {
  onceover_join_all(rank, 0, &left, &right, 1);
  return right;
}

std::uint32_t u(Rank rank) {
  return static_cast<std::uint32_t>(rank);
}

/// Runs a schedule as a program would, an element a block, and writes it down.
class Actors {
 public:
  Actors(const Schedule& schedule, const live::LiveCall& call, std::uint32_t number)
      : schedule_(schedule), call_(call) {
    const Header& header = schedule.header();
    const Contract& contract = schedules::contract(header.collective);
    for (Rank r = 0; r < header.ranks; ++r) {
      onceover_begin_call(u(r), number, positions());
      auto& own = held_.emplace_back();
      for (Block b = 0; b < header.blocks; ++b)
        own.push_back(header.holds(contract.begins, r, b) ? onceover_leaf(u(r), position(b)) : onceover_unset(u(r)));
    }
  }

  void run() {
    std::vector<Transfer> transfers;
    for (int step = 0; step < schedule_.steps(); ++step) {
      schedule_.transfers(step, transfers);
      take(step, transfers);
    }
    for (Rank r = 0; r < schedule_.header().ranks; ++r) {
      std::vector<onceover_element> result;
      for (Block b = 0; b < schedule_.header().blocks; ++b)
        if (schedule_.header().holds(schedules::contract(schedule_.header().collective).ends, r, b))
          result.push_back(held_[at(r)][at(b)]);
      onceover_log_result(u(r), result.data(), result.size());
    }
  }

 private:
  static std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

  std::uint32_t positions() const { return static_cast<std::uint32_t>(schedule_.header().blocks); }

  /// Where a block lies in its owner's vector: an allgather's rank gives one element.
  std::uint32_t position(Block b) const {
    return schedule_.header().collective == Collective::allgather ? 0 : static_cast<std::uint32_t>(b);
  }

  void take(int step, const std::vector<Transfer>& transfers) {
    const std::uint32_t base = serial_;
    std::vector<std::vector<onceover_element>> sent(transfers.size());
    for (std::size_t k = 0; k < transfers.size(); ++k) {
      const Transfer& t = transfers[k];
      onceover_log_receive(u(t.dst), t.src, step, 0, base + 2 * static_cast<std::uint32_t>(k), 0);
      t.blocks.for_each_block({0, schedule_.header().blocks},
                              [&](Block b) { sent[k].push_back(held_[at(t.src)][at(b)]); });
    }
    for (std::size_t k = 0; k < transfers.size(); ++k)
      onceover_log_send(u(transfers[k].src), transfers[k].dst, step, 0, base + 2 * static_cast<std::uint32_t>(k) + 1, 0,
                        sent[k].data(), sent[k].size() * sizeof sent[k][0]);
    for (std::size_t k = 0; k < transfers.size(); ++k) {
      const Transfer& t = transfers[k];
      onceover_log_done(u(t.src), base + 2 * static_cast<std::uint32_t>(k) + 1, 0, 0);
      onceover_log_done(u(t.dst), base + 2 * static_cast<std::uint32_t>(k), t.src, step);
      std::size_t next = 0;
      t.blocks.for_each_block({0, schedule_.header().blocks}, [&](Block b) {
        onceover_element& own = held_[at(t.dst)][at(b)];
        if (t.op == Op::reduce)
          onceover_join_all(u(t.dst), 0, &sent[k][next], &own, 1);
        else
          own = sent[k][next];
        ++next;
      });
    }
    serial_ += 2 * static_cast<std::uint32_t>(transfers.size());
  }

  const Schedule& schedule_;
  const live::LiveCall& call_;
  std::vector<std::vector<onceover_element>> held_;  // by rank and block
  std::uint32_t serial_ = 0;
};

/// The call that a schedule with a block for each rank stands for.
std::optional<live::LiveCall> call_for(const Header& header) {
  const auto blocks = static_cast<int>(header.blocks);
  for (Block b = 0; b < header.blocks && blocks == header.ranks; ++b)
    if (header.owner(b) != b) return std::nullopt;
  switch (header.collective) {
    case Collective::allreduce: return call_of("allreduce", header.ranks, blocks);
    case Collective::reduce: return call_of("reduce", header.ranks, blocks, header.root);
    case Collective::broadcast: return call_of("bcast", header.ranks, blocks, header.root);
    case Collective::reduce_scatter:
      if (blocks == header.ranks) return call_of("reduce-scatter-block", header.ranks, 1);
      return std::nullopt;
    case Collective::allgather:
      if (blocks == header.ranks) return call_of("allgather", header.ranks, 1);
      return std::nullopt;
    default: return std::nullopt;
  }
}

/// The schedule without one of its transfers.
SchedulePtr without(const Schedule& schedule, std::uint64_t dropped) {
  ListedSchedule::Builder builder;
  std::vector<Transfer> transfers;
  std::vector<Run> runs;
  std::uint64_t number = 0;
  for (int step = 0; step < schedule.steps(); ++step) {
    builder.begin_step();
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers) {
      if (number++ == dropped) continue;
      runs.clear();
      t.blocks.for_each_run([&](Run run) { runs.push_back(run); });
      builder.add(t.src, t.dst, runs, t.op);
    }
  }
  return std::make_shared<ListedSchedule>(schedule.header(), std::move(builder));
}

Verdict verdict(const Schedule& schedule) {
  return verify(schedule, {.threads = 1}).find(exactly_once_property)->verdict;
}

/// A call with its results, as the live judge sees it.
Verdict judged(const live::LiveCall& call, const Record& record, const CallRecord& made) {
  live::Values values(record.ranks());
  const std::vector<live::CallOutcome> outcomes{outcome_of(made, record, values)};
  return judge(call, values, outcomes, {}).properties[0].verdict;
}

}  // namespace

TEST_CASE("an element is known in its call only, and only whole") {
  const LedgerFile file(2);
  onceover_begin_call(0, 0, 10);
  const onceover_element leaf = onceover_leaf(0, 3), unset = onceover_unset(0);
  std::vector<onceover_element> shown{leaf, unset, leaf + 1, 0, onceover_zero_element(0)};
  onceover_log_result(0, shown.data(), shown.size());
  onceover_begin_call(0, 1, 10);
  onceover_log_result(0, shown.data(), 1);
  onceover_begin_call(0, 2, 3);
  const onceover_element beyond = onceover_leaf(0, 3);
  onceover_log_result(0, &beyond, 1);
  const Record record = file.read();
  std::vector<Shape> shapes;
  for (const ElementRun& run : *record.calls[0].results[0]) shapes.push_back(run.shape);
  CHECK(shapes ==
        std::vector<Shape>{onceover_first_leaf, onceover_nothing, onceover_garbled, onceover_cleared, onceover_zero});
  CHECK(record.calls[1].results[0]->at(0).shape == onceover_stale);
  CHECK(record.calls[2].results[0]->at(0).shape == onceover_garbled);
}

TEST_CASE("sums are joined once, by position, with their sides") {
  const LedgerFile file(3);
  for (std::uint32_t r = 0; r < 3; ++r) onceover_begin_call(r, 0, 10);
  const onceover_element a = onceover_leaf(0, 1), b = onceover_leaf(1, 1), other = onceover_leaf(2, 2);
  std::vector<onceover_element> shown{joined(0, a, b),
                                      joined(1, b, a),
                                      joined(0, a, b),
                                      joined(0, a, other),
                                      joined(0, a, onceover_unset(0)),
                                      joined(0, a, onceover_zero_element(0))};
  onceover_log_result(0, shown.data(), shown.size());
  const Record record = file.read();
  const auto& runs = *record.calls[0].results[0];
  REQUIRE(runs.size() == 6);
  CHECK(runs[0].shape == runs[2].shape);
  CHECK(runs[0].shape != runs[1].shape);
  CHECK(record.term_of[runs[0].shape] == record.term_of[runs[1].shape]);
  CHECK(record.operands[runs[0].shape].left == onceover_first_leaf);
  CHECK(runs[3].shape == onceover_mismatch);
  CHECK(runs[4].shape == onceover_garbled);
  CHECK(runs[5].shape == onceover_first_leaf);
}

TEST_CASE("a sum of many leaves keeps its counts, however large") {
  const LedgerFile file(2);
  onceover_begin_call(0, 0, 1);
  onceover_element sum = onceover_leaf(0, 0);
  for (int k = 0; k < 40; ++k) sum = joined(0, sum, sum);
  onceover_log_result(0, &sum, 1);
  const Record record = file.read();
  live::Values values(2);
  CallRecord made = record.calls[0];
  made.results[1] = std::vector<ElementRun>{};
  const auto outcome = outcome_of(made, record, values);
  const auto& value = values[outcome.cells[0][0].value];
  CHECK(value.content == live::Content::counts);
  CHECK(value.counts == std::vector<std::uint32_t>{UINT32_MAX, 0});
}

TEST_CASE("schedules that are carried out are found again, right and wrong ones") {
  const Rank ranks = GENERATE(2, 3, 4, 5, 6, 8);
  const LedgerFile file(ranks);
  std::vector<std::pair<SchedulePtr, live::LiveCall>> made;
  std::mt19937 random(7);
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives) {
      const Request request = on_line(collective, ranks);
      if (row.as_printed || refusal(row, request)) continue;
      const SchedulePtr schedule = row.make(request);
      const auto call = call_for(schedule->header());
      if (!call || schedule->header().scratch > 0 || schedule->groups() != nullptr) continue;
      made.emplace_back(schedule, *call);
      std::uint64_t transfers = 0;
      std::vector<Transfer> list;
      for (int step = 0; step < schedule->steps(); ++step) {
        schedule->transfers(step, list);
        transfers += list.size();
      }
      for (int k = 0; k < 3; ++k) made.emplace_back(without(*schedule, random() % transfers), *call);
    }
  for (std::size_t k = 0; k < made.size(); ++k)
    Actors(*made[k].first, made[k].second, static_cast<std::uint32_t>(k)).run();
  Record record = file.read();
  REQUIRE(record.calls.size() == made.size());
  std::size_t found = 0, right = 0;
  for (std::size_t k = 0; k < made.size(); ++k) {
    const auto& [schedule, call] = made[k];
    INFO(schedule->header().algorithm << " " << name(schedule->header().collective) << ", case " << k);
    const Verdict live_verdict = judged(call, record, record.calls[k]);
    // A broken schedule may send what it doesn't hold, which a program's memory shows as garbled elements.
    if (verdict(*schedule) == Verdict::pass) CHECK(live_verdict == Verdict::pass);
    if (live_verdict == Verdict::pass) CHECK(verdict(*schedule) == Verdict::pass);
    const auto recovered = recover(call, record, record.calls[k]);
    if (live_verdict == Verdict::pass) {
      REQUIRE(recovered);
      ++right;
    }
    if (!recovered) continue;
    ++found;
    CHECK((verdict(*recovered->schedule) == Verdict::pass) == (live_verdict == Verdict::pass));
  }
  CHECK(right >= 10);
  CHECK(found > right);
}

TEST_CASE("a rank that holds two sums of one element is no schedule") {
  const LedgerFile file(2);
  const live::LiveCall call = call_of("allreduce", 2, 1);
  for (std::uint32_t r = 0; r < 2; ++r) onceover_begin_call(r, 0, 1);
  const onceover_element a = onceover_leaf(0, 0), b = onceover_leaf(1, 0);
  const onceover_element sum = joined(0, a, b);
  // Rank 0 sends its own contribution, though it has made a sum that nobody sent it.
  onceover_log_receive(1, 0, 0, 0, 0, 0);
  onceover_log_send(0, 1, 0, 0, 0, 0, &sum, sizeof sum);
  onceover_log_done(0, 0, 0, 0);
  onceover_log_done(1, 0, 0, 0);
  for (std::uint32_t r = 0; r < 2; ++r) onceover_log_result(r, &sum, 1);
  Record record = file.read();
  CHECK(judged(call, record, record.calls[0]) == Verdict::pass);
  const auto recovered = recover(call, record, record.calls[0]);
  REQUIRE(!recovered);
  CHECK(recovered.error() == "rank 0 sends element 0 to rank 1 in step 0, and holds two values of it at once");
}

TEST_CASE("a sum of different elements is followed back to the first one, and the message that brought it") {
  const LedgerFile file(3);
  const live::LiveCall call = call_of("allreduce", 3, 2);
  for (std::uint32_t r = 0; r < 3; ++r) onceover_begin_call(r, 0, 2);
  // Rank 0 sends element 1 where element 0 is due; rank 1 adds it to its own, and passes the sum on.
  const onceover_element part = onceover_leaf(0, 1);
  onceover_log_receive(1, 0, 0, 0, 0, 0);
  onceover_log_send(0, 1, 0, 0, 0, 0, &part, sizeof part);
  onceover_log_done(1, 0, 0, 0);
  const onceover_element sum = joined(1, part, onceover_leaf(1, 0));
  onceover_log_receive(2, 1, 0, 0, 0, 0);
  onceover_log_send(1, 2, 0, 0, 1, 0, &sum, sizeof sum);
  onceover_log_done(2, 0, 1, 0);
  const std::vector<onceover_element> result{sum, onceover_leaf(2, 1)};
  for (std::uint32_t r = 0; r < 3; ++r) onceover_log_result(r, result.data(), 2);
  const Record record = file.read();
  const auto origin = origin_of({2, 0}, call, record.calls[0], record);
  REQUIRE(origin);
  CHECK(origin->kind == FaultOrigin::Kind::sum);
  CHECK(origin->text == "rank 1 adds element 1 to element 0; element 1 came from rank 0");
  CHECK(origin->message == &record.calls[0].messages[0]);
}

TEST_CASE("garbled elements tell what they are, and who sent them first") {
  const LedgerFile file(2);
  const live::LiveCall call = call_of("bcast", 2, 4);
  for (std::uint32_t r = 0; r < 2; ++r) onceover_begin_call(r, 0, 4);
  const onceover_element old = onceover_leaf(0, 1);
  for (std::uint32_t r = 0; r < 2; ++r) onceover_begin_call(r, 1, 4);
  std::vector<onceover_element> sent{0, old, 0, 0};
  std::memset(&sent[2], onceover_unwritten_byte, sizeof sent[2]);
  const onceover_element halves[]{onceover_leaf(0, 2), onceover_leaf(0, 3)};
  std::memcpy(&sent[3], reinterpret_cast<const char*>(halves) + 4, 4);
  std::memcpy(reinterpret_cast<char*>(&sent[3]) + 4, reinterpret_cast<const char*>(halves) + 8, 4);
  sent.push_back(0);
  std::memcpy(&sent[4], reinterpret_cast<const char*>(halves) + 12, 4);
  onceover_log_receive(1, 0, 0, 0, 0, 0);
  onceover_log_send(0, 1, 0, 0, 0, 0, sent.data(), 4 * sizeof sent[0]);
  onceover_log_done(1, 0, 0, 0);
  onceover_log_result(0, halves, 2);
  onceover_log_result(1, sent.data(), 5);
  const Record record = file.read();
  const auto shapes = *record.calls[1].results[1];
  REQUIRE(shapes.size() == 5);
  CHECK(shapes[0].shape == onceover_cleared);
  CHECK(shapes[1].shape == onceover_stale);
  CHECK(shapes[2].shape == onceover_unwritten);
  CHECK(shapes[3].shape == onceover_split);
  const auto origin = origin_of({1, 2}, call, record.calls[1], record);
  REQUIRE(origin);
  CHECK(origin->text == "rank 0 sends memory that nobody wrote to rank 1");
}

TEST_CASE("a contribution that counts twice is followed back to the sum that has it twice") {
  const LedgerFile file(2);
  const live::LiveCall call = call_of("allreduce", 2, 1);
  for (std::uint32_t r = 0; r < 2; ++r) onceover_begin_call(r, 0, 1);
  const onceover_element sum = joined(0, onceover_leaf(0, 0), onceover_leaf(1, 0));
  const onceover_element twice = joined(1, sum, onceover_leaf(1, 0));
  for (std::uint32_t r = 0; r < 2; ++r) onceover_log_result(r, &twice, 1);
  const Record record = file.read();
  const auto origin = origin_of({0, 0}, call, record.calls[0], record);
  REQUIRE(origin);
  CHECK(origin->text == "rank 1 adds two sums that both have rank 1's contribution");
}

TEST_CASE("another element is followed back to the rank that doesn't end with it itself") {
  const LedgerFile file(3);
  const live::LiveCall call = call_of("allgather", 3, 1);
  for (std::uint32_t r = 0; r < 3; ++r) onceover_begin_call(r, 0, 1);
  // Ranks 1 and 2 end with rank 2's element in the place of rank 0's: rank 0 sends it, and rank 1 passes it on.
  const onceover_element wrong = onceover_leaf(2, 0);
  onceover_log_receive(1, 0, 0, 0, 0, 0);
  onceover_log_send(0, 1, 0, 0, 0, 0, &wrong, sizeof wrong);
  onceover_log_done(1, 0, 0, 0);
  onceover_log_receive(2, 1, 0, 0, 0, 0);
  onceover_log_send(1, 2, 0, 0, 1, 0, &wrong, sizeof wrong);
  onceover_log_done(2, 0, 1, 0);
  for (std::uint32_t r = 0; r < 3; ++r) {
    const onceover_element result[]{r == 0 ? onceover_leaf(0, 0) : wrong, onceover_leaf(1, 0), onceover_leaf(2, 0)};
    onceover_log_result(r, result, 3);
  }
  const Record record = file.read();
  const auto origin = origin_of({2, 0}, call, record.calls[0], record);
  REQUIRE(origin);
  CHECK(origin->text == "rank 0 sends rank 1 another element in its place");
}

TEST_CASE("an alltoall is a schedule with a block for each pair of ranks") {
  const LedgerFile file(2);
  const live::LiveCall call = call_of("alltoall", 2, 1);
  for (std::uint32_t r = 0; r < 2; ++r) onceover_begin_call(r, 0, 2);
  const onceover_element to_other[]{onceover_leaf(0, 1), onceover_leaf(1, 0)};
  for (std::uint32_t r = 0; r < 2; ++r) onceover_log_receive(r, static_cast<int>(1 - r), 0, 0, 0, 0);
  for (std::uint32_t r = 0; r < 2; ++r) onceover_log_send(r, static_cast<int>(1 - r), 0, 0, 1, 0, &to_other[r], 8);
  for (std::uint32_t r = 0; r < 2; ++r) onceover_log_done(r, 0, static_cast<int>(1 - r), 0);
  const onceover_element first[]{onceover_leaf(0, 0), to_other[1]}, second[]{to_other[0], onceover_leaf(1, 1)};
  onceover_log_result(0, first, 2);
  onceover_log_result(1, second, 2);
  Record record = file.read();
  const auto recovered = recover(call, record, record.calls[0]);
  REQUIRE(recovered);
  CHECK(recovered->schedule->header().blocks == 4);
  CHECK(verdict(*recovered->schedule) == Verdict::pass);
}

TEST_CASE("receives get messages in the order of sending, and what is left over is known") {
  const LedgerFile file(2);
  for (std::uint32_t r = 0; r < 2; ++r) onceover_begin_call(r, 0, 4);
  std::vector<onceover_element> first{onceover_leaf(0, 0)}, second{onceover_leaf(0, 1), onceover_leaf(0, 2)};
  onceover_log_receive(1, -1, 5, 0, 0, 0);
  onceover_log_receive(1, 0, 5, 0, 1, 0);
  onceover_log_receive(1, 0, 9, 0, 2, 0);
  onceover_log_send(0, 1, 5, 0, 0, 0, first.data(), sizeof first[0]);
  onceover_log_send(0, 1, 5, 0, 1, 0, second.data(), 2 * sizeof second[0]);
  onceover_log_send(0, 1, 6, 0, 2, 0, second.data(), sizeof second[0]);
  onceover_log_done(1, 1, 0, 5);
  onceover_log_done(1, 0, 0, 5);
  onceover_log_done(0, 1, 1, 0);
  const Record record = file.read();
  const CallRecord& made = record.calls[0];
  REQUIRE(made.messages.size() == 3);
  CHECK(made.messages[0].received->complete > made.messages[1].received->complete);
  CHECK(made.messages[0].elements.size() == 1);
  CHECK(made.messages[1].elements.at(0).length == 2);
  CHECK(made.messages[1].was_changed);
  CHECK(!made.messages[2].received);
  REQUIRE(made.waiting.size() == 1);
  CHECK(made.waiting[0].tag == 9);
}

TEST_CASE("a ledger that was cut off is read as far as it goes, a broken one is refused") {
  const std::string path = (std::filesystem::temp_directory_path() / ("ledger-" + std::to_string(getpid()))).string();
  const auto read = [&](const std::vector<std::uint64_t>& words) {
    std::filesystem::remove(path);  // a file that is overwritten is brought to the disk first
    std::FILE* file = std::fopen(path.c_str(), "w");
    std::fwrite(words.data(), sizeof words[0], words.size(), file);
    std::fclose(file);
    return read_record(path, 2);
  };
  const std::uint64_t begin = std::uint64_t{onceover_begin} << 56;
  CHECK(read({begin, 0, 0}));
  CHECK(read({begin})->calls.size() == 1);
  CHECK(!read({begin, std::uint64_t{onceover_join} << 56 | 5, 0, 1}));
  CHECK(!read({begin | std::uint64_t{2} << 32, begin}));
  CHECK(!read({std::uint64_t{onceover_sum} << 56, std::uint64_t{4} << 32 | 99, begin}));
  CHECK(read({begin, std::uint64_t{onceover_sum} << 56})->calls.size() == 1);
  CHECK(!read({begin, std::uint64_t{77} << 56, begin}));
  CHECK(!read({std::uint64_t{onceover_result} << 56, begin}));
  std::mt19937_64 random(3);
  for (int k = 0; k < 20000; ++k) {
    std::vector<std::uint64_t> words{begin};
    for (int w = 0; w < 12; ++w) {
      const std::uint64_t word = random();
      words.push_back(w % 3 == 0 ? (word % 12) << 56 | (word >> 8 & 1) << 32 | (word >> 16 & 3)
                                 : word & 0x0000000700000007u);
    }
    (void)read(words);
  }
  std::filesystem::remove(path);
}

}  // namespace onceover::code
