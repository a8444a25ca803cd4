// Counterexamples of every kind, as pictures: they have all messages of the block, the rank, block and step that the
// verdict names, and remarks that are true.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

#include "mutator.h"
#include "picture_faults.h"
#include "schedules/catalogue.h"
#include "text_boxes.h"
#include "verifier/verify.h"
#include "viz/block_trace.h"
#include "viz/counterexample_remarks.h"
#include "viz/ink/writers.h"
#include "viz/legible.h"
#include "viz/messages.h"
#include "viz/view.h"

namespace counterexample_view_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

/// The words of the messages that carry the block, or one that shares its scratch.
std::multiset<std::string> messages_with(const Schedule& schedule, std::optional<Block> block) {
  DrawOptions options;
  if (block) {
    options.only = BlockTrace(schedule, *block).slots();
    std::sort(options.only.begin(), options.only.end());
  }
  std::multiset<std::string> all;
  const SelectedMessages selected = select(schedule, options).value();
  for (const Message& m : selected.messages) all.insert(words_of(m));
  return all;
}

/// Those of a picture, without the moves that a repair adds or leaves out, which are green.
std::multiset<std::string> messages_in(const Picture& picture) {
  std::multiset<std::string> all;
  for (const DrawnShape& shape : picture.shapes())
    if (const auto* line = std::get_if<Polycurve>(&shape.form);
        line && shape.role == Role::message && line->stroke.colour != palette::green && !shape.title.empty())
      all.insert(shape.title);
  return all;
}

bool is_part_of(const std::multiset<std::string>& some, const std::multiset<std::string>& all) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

std::string words_in(const Picture& picture) {
  std::string words;
  for (const Text& text : picture.texts()) words += text.words + "\n";
  return words;
}

Drawn<Picture> drawn(const Schedule& schedule, DrawOptions options) {
  const Drawing drawing{.draw = [&](const DrawOptions& shown) { return draw(counterexample_view, schedule, shown); }};
  return legible(drawing, options);
}

/// All properties are required, and bounds are tight, so that each kind of fault occurs.
VerifyOptions strict() {
  VerifyOptions options{.bounds = {.ports = 1, .staging = 1}, .unrequired_up_to = 1 << 20};
  return options;
}

/// How often each kind was drawn.
using Kinds = std::map<std::string_view, int>;

void check_picture(const Schedule& schedule, const Counterexample& found, const std::optional<Repair>& repair,
                   Kinds& kinds) {
  const auto picture = drawn(schedule, {.counterexample = found, .repair = repair});
  CAPTURE(found.kind(), describe(found), title_of(schedule.header()));
  if (!picture) {
    CHECK(found.kind() == Counterexample::Different::kind);  // is drawn by another view
    return;
  }
  ++kinds[found.kind()];
  CHECK(faults_of(*picture) == std::vector<std::string>{});
  CHECK(is_part_of(messages_with(schedule, found.block), messages_in(*picture)));
  CHECK(is_part_of(messages_in(*picture), messages_with(schedule, {})));
  const std::string words = words_in(*picture);
  CHECK(words.find(describe(found).front().substr(0, 20)) != std::string::npos);
  CHECK(std::regex_search(words, std::regex(fmt::format("(^|\n){}\n", found.rank))));
  if (found.block) CHECK(words.find(fmt::format("block {}", *found.block)) != std::string::npos);
  if (found.step) CHECK(words.find(fmt::format("step {}\n", *found.step)) != std::string::npos);
}

void check_mutant(const PlainSchedule& mutant, Kinds& kinds) {
  const SchedulePtr schedule = listed(mutant);
  const VerifyOptions options = strict();
  const Report report = verify(*schedule, options);
  const auto repair = find_repair(*schedule, report, options);
  for (const PropertyResult& result : report.properties)
    if (result.counterexample && result.counterexample->kind() != Counterexample::OutOfRange::kind)
      check_picture(*schedule, *result.counterexample, repair, kinds);
}

SchedulePtr catalogued(std::string_view algorithm, std::vector<Rank> shape) {
  const Algorithm& row = *find_algorithm(algorithm);
  const Request request{.collective = row.collectives.front(), .shape = std::move(shape)};
  REQUIRE_FALSE(refusal(row, request));
  return row.make(request);
}

Counterexample first_of(const Schedule& schedule) {
  for (const PropertyResult& result : verify(schedule).properties)
    if (result.required && result.counterexample) return *result.counterexample;
  throw std::logic_error("it is right");
}

std::vector<std::string> words_of(const std::vector<Remark>& remarks) {
  std::vector<std::string> words;
  for (const Remark& remark : remarks) words.push_back(fmt::format("{}: {}", remark.step, remark.words));
  return words;
}

std::vector<std::string> told(const PlainSchedule& wrong) {
  const SchedulePtr schedule = listed(wrong);
  const Counterexample found = first_of(*schedule);
  BlockTrace trace(*schedule, *found.block);
  return words_of(remarks_on(*schedule, found, moves_of(trace.before(schedule->steps()))));
}

/// A reduce-scatter after which each rank has the block of the next one.
PlainSchedule shifted_ring(Rank p) {
  PlainSchedule s{{.collective = Collective::reduce_scatter, .ranks = p, .blocks = p}, {}};
  for (Rank step = 0; step + 1 < p; ++step) {
    auto& moves = s.steps.emplace_back();
    for (Rank r = 0; r < p; ++r) moves.push_back({r, (r + 1) % p, {(r - step + p) % p}, Op::reduce});
  }
  return s;
}

/// An allgather of one step that stores blocks 1 and 2 in each other's places.
PlainSchedule exchanged(Rank p) {
  PlainSchedule s{{.collective = Collective::allgather, .ranks = p, .blocks = p}, {{}}};
  for (Rank src = 0; src < p; ++src)
    for (Rank dst = 0; dst < p; ++dst)
      if (const Block into = src == 1 || src == 2 ? 3 - src : src; src != dst || into != src)
        s.steps[0].push_back({src, dst, {src}, Op::copy, {into}});
  return s;
}

/// An allreduce after which rank 0's block 0 is added to rank 1's block 1.
PlainSchedule added_elsewhere() {
  return {{.collective = Collective::allreduce, .ranks = 2, .blocks = 2},
          {{{0, 1, {0}, Op::reduce, {1}}}, {{0, 1, {0, 1}, Op::reduce}}, {{1, 0, {0, 1}, Op::copy}}}};
}

PlainSchedule short_alltoall() {
  return {{.collective = Collective::alltoall, .ranks = 2, .blocks = 4}, {{{0, 1, {1}, Op::copy}}}};
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("counterexamples of every kind have all messages of their block, and what the verdict names") {
  Kinds kinds;
  Mutator mutator(48);
  for (const auto& [algorithm, shape] :
       std::vector<std::pair<std::string_view, std::vector<Rank>>>{{"swing", {4}},
                                                                   {"swing", {8}},
                                                                   {"ring", {5}},
                                                                   {"recursive-doubling", {6}},
                                                                   {"bruck", {7}},
                                                                   {"pat", {8}},
                                                                   {"binomial-tree", {8}},
                                                                   {"swing", {4, 4}},
                                                                   {"generalized", {5}}}) {
    const PlainSchedule original = plain(*catalogued(algorithm, shape));
    for (std::size_t change = 0; change < schedule_changes().size(); ++change)
      if (const auto mutant = mutator.mutant_of(original, change)) check_mutant(*mutant, kinds);
  }
  for (const PlainSchedule& wrong : {shifted_ring(4), exchanged(4), added_elsewhere(), short_alltoall()})
    check_mutant(wrong, kinds);
  for (const std::string_view kind :
       {Counterexample::WrongSource::kind, Counterexample::Duplicate::kind, Counterexample::Missing::kind,
        Counterexample::Misplaced::kind, Counterexample::NotHeld::kind, Counterexample::Conflict::kind,
        Counterexample::SelfTransfer::kind, Counterexample::Gap::kind, Counterexample::AlreadyHeld::kind,
        Counterexample::Unused::kind, Counterexample::Ports::kind, Counterexample::Staging::kind,
        Counterexample::NotEmptied::kind, Counterexample::Scattered::kind}) {
    CAPTURE(kind);
    CHECK(kinds[kind] > 0);
  }
}

TEST_CASE("where a way breaks, a remark says so") {
  const Header reduce{.collective = Collective::reduce, .ranks = 4, .blocks = 1};
  CHECK(told({reduce, {{{1, 0, {0}, Op::reduce}}, {{2, 0, {0}, Op::reduce}}}}) ==
        Words{"1: 3 has it and never sends block 0"});
  CHECK(told({reduce, {{{3, 2, {0}, Op::reduce}, {2, 1, {0}, Op::reduce}}, {{1, 0, {0}, Op::reduce}}}}) ==
        Words{"0: 2 sends block 0 on without it"});
  CHECK(told({reduce, {{{2, 1, {0}, Op::reduce}}, {{3, 2, {0}, Op::reduce}, {1, 0, {0}, Op::reduce}}}}) ==
        Words{"0: 2 sends block 0 on without it", "1: it comes to 2 only now"});
  CHECK(told({reduce, {{{3, 1, {0}, Op::reduce}, {2, 0, {0}, Op::reduce}}}}) ==
        Words{"0: 1 has it and never sends block 0"});
  CHECK(told({reduce, {{{1, 0, {0}, Op::reduce}, {2, 0, {0}, Op::reduce}}, {{3, 2, {0}, Op::reduce}}}}) ==
        Words{"0: 2 sends block 0 on without it", "1: it comes to 2 only now"});
  CHECK(told({reduce, {{{3, 2, {0}, Op::reduce}}, {{1, 2, {0}, Op::copy}}, {{2, 0, {0}, Op::reduce}}}}) ==
        Words{"1: 2 had it until this copy from 1 replaced it"});
  CHECK(told({reduce,
              {{{1, 0, {0}, Op::reduce}, {2, 0, {0}, Op::reduce}, {3, 0, {0}, Op::reduce}},
               {{1, 0, {0}, Op::reduce}}}}) == Words{"1: 0 adds 1's contribution again, now from 1"});
  const Header all{.collective = Collective::allreduce, .ranks = 3, .blocks = 1};
  CHECK(told({all, {{{1, 0, {0}, Op::reduce}}, {{0, 1, {0}, Op::copy}, {0, 2, {0}, Op::copy}}}}) ==
        Words{"1: 2 never sends its contribution; this copy from 0 replaces it"});
  const Header gather{.collective = Collective::broadcast, .ranks = 3, .blocks = 1};
  CHECK(told({gather, {{{0, 1, {0}, Op::copy}}}}) ==
        Words{"0: 1 has it now and never sends block 0 on", "0: nobody sends block 0 to 2"});
  CHECK(told({gather, {{{1, 2, {0}, Op::copy}}, {{0, 1, {0}, Op::copy}}}}) ==
        Words{"0: 1 sends block 0 but holds none of it"});
}

TEST_CASE("two paths meet where the second one is added, though the last moves are the same") {
  const Header reduce{.collective = Collective::reduce, .ranks = 5, .blocks = 1};
  CHECK(told({reduce,
              {{{4, 3, {0}, Op::reduce}, {4, 2, {0}, Op::reduce}},
               {{3, 1, {0}, Op::reduce}},
               {{2, 1, {0}, Op::reduce}},
               {{1, 0, {0}, Op::reduce}}}}) == Words{"2: 1 adds 4's contribution again, now from 2"});
}

TEST_CASE("what is asked for is drawn alone: the note says so, and the key has nothing else") {
  PlainSchedule wrong = plain(*catalogued("swing", {8}));
  wrong.steps[0].erase(wrong.steps[0].begin() + 2);
  const SchedulePtr schedule = listed(wrong);
  const auto key_of = [&](const DrawOptions& options) { return words_in(*drawn(*schedule, options)); };
  CHECK(key_of({}).find("\nsuggested\n") != std::string::npos);
  CHECK(key_of({.steps = {{1, 3}}}).find("\nsuggested\n") == std::string::npos);
  CHECK(drawn(*schedule, {.ranks = {1, 4}})->note().find("2 of 8 ranks send") != std::string::npos);
}

TEST_CASE("a long counterexample says what it leaves out, and keeps the steps of its remarks") {
  PlainSchedule wrong = plain(*catalogued("ring", {96}));
  wrong.steps[30].erase(wrong.steps[30].begin() + 2);
  const SchedulePtr schedule = listed(wrong);
  const Counterexample found = first_of(*schedule);
  BlockTrace trace(*schedule, *found.block);
  const auto remarks = remarks_on(*schedule, found, moves_of(trace.before(schedule->steps())));
  REQUIRE_FALSE(remarks.empty());
  // With fewer ranks than all, and with all, on pages that are too short.
  for (const auto& [ranks, height] : {std::pair{std::vector<Rank>{}, 4.0}, {all_ranks(96), 9.0}}) {
    const auto picture = drawn(*schedule, {.ranks = ranks, .counterexample = found, .style = {.height = height}});
    REQUIRE(picture);
    CHECK(faults_of(*picture) == std::vector<std::string>{});
    const std::string words = words_in(*picture);
    CHECK((picture->note().find("of 96 ranks send") == std::string::npos) == !ranks.empty());
    CHECK((words.find("messages not drawn") == std::string::npos) == ranks.empty());
    CHECK(picture->note().find("Messages without block") != std::string::npos);
    for (const Remark& remark : remarks) {
      CHECK(words.find(remark.words) != std::string::npos);
      CHECK(words.find(fmt::format("step {}\n", remark.step)) != std::string::npos);
    }
  }
}

}  // namespace counterexample_view_test
