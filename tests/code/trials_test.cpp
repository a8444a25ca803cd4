// What is tried of code, and what is said of it.

#include "code/trials.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "code/code_report.h"

namespace onceover::code {

namespace {

live::Options options_of(std::vector<std::string> words, Rank ranks, bool is_quick = false) {
  auto options = call_options(std::move(words), ranks, is_quick);
  REQUIRE(options);
  return *options;
}

std::vector<CodeTrial> trials_of(const Asked& asked, const std::vector<std::string>& words, Rank ranks) {
  auto list = trials(asked, options_of(words, ranks, asked.is_quick), ranks);
  REQUIRE(list);
  return *list;
}

bool any(const CodeTrial& trial, auto holds) {
  return std::any_of(trial.calls.begin(), trial.calls.end(), [&](const CallTries& tries) { return holds(tries); });
}

}  // namespace

TEST_CASE("code is tried in place, with long messages, on another communicator, on unequal hosts and without buffers") {
  const auto all = trials_of({}, {"--collective", "allreduce"}, 4);
  REQUIRE(all.size() == 4);
  CHECK(any(all[0], [](const CallTries& t) { return t.call.in_place && t.call.count == 4 * 8193 && t.is_offered; }));
  CHECK(any(all[0], [](const CallTries& t) { return !t.call.in_place && t.call.count == 4 * 8193; }));
  CHECK(any(all[0], [](const CallTries& t) { return t.communicators.size() == 2; }));
  CHECK(all[1].machine.hosts == std::vector<Rank>{1, 3});
  CHECK(all[2].machine.hosts == std::vector<Rank>{3, 1});
  CHECK(!all[3].machine.buffers_sends);
  CHECK(all[3].judges_buffering);
  // What the user asked for comes first.
  const auto options = options_of({"--collective", "allreduce"}, 4);
  for (std::size_t k = 0; k < options.calls.size(); ++k) CHECK(all[0].calls[k].call.count == options.calls[k].count);
}

TEST_CASE("what the user says isn't tried in another way, and --quick tries nothing else") {
  CHECK(trials_of({.is_quick = true}, {"--collective", "allreduce"}, 4).size() == 1);
  const auto counted = trials_of({}, {"--collective", "allreduce", "--count", "3,5000"}, 4);
  CHECK(!any(counted[0], [](const CallTries& t) { return t.call.count > 5000; }));
  const auto placed = trials_of({.hosts = *Hosts::parse("1,p-1")}, {"--collective", "allreduce"}, 4);
  REQUIRE(placed.size() == 2);
  CHECK(placed[0].machine.hosts == std::vector<Rank>{1, 3});
  const auto in_place = trials_of({}, {"--collective", "allreduce", "--in-place"}, 4);
  CHECK(!any(in_place[0], [](const CallTries& t) { return !t.call.in_place || t.is_offered; }));
}

TEST_CASE("every root is tried up to eight ranks, three beyond") {
  for (const auto& [ranks, roots] : {std::pair{8, std::size_t{8}}, {9, std::size_t{3}}}) {
    std::vector<Rank> found;
    for (const live::LiveCall& call : options_of({"--collective", "bcast"}, ranks).calls)
      if (std::find(found.begin(), found.end(), call.root) == found.end()) found.push_back(call.root);
    CHECK(found.size() == roots);
  }
}

TEST_CASE("hosts sum to the number of ranks") {
  CHECK(*Hosts::parse("each")->sizes(3) == std::vector<Rank>{1, 1, 1});
  CHECK(*Hosts::parse("one")->sizes(3) == std::vector<Rank>{3});
  CHECK(*Hosts::parse("2")->sizes(5) == std::vector<Rank>{2, 2, 1});
  CHECK(*Hosts::parse("1,p-1")->sizes(5) == std::vector<Rank>{1, 4});
  CHECK(Hosts::parse("1,3")->sizes(5).error().code == ExitCode::usage);
  CHECK(Hosts::parse("1,p-1")->sizes(1).error().code == ExitCode::usage);
  for (const char* text : {"", "0", "0,4", "1,,3", "some", "-1,5"}) CHECK(!Hosts::parse(text));
}

TEST_CASE("calls without elements are empty") {
  CHECK(are_empty(options_of({"--collective", "bcast", "--count", "0"}, 3)));
  CHECK(are_empty(options_of({"--collective", "allreduce", "--count", "p-1"}, 1)));
  CHECK(!are_empty(options_of({"--collective", "bcast", "--count", "0,1"}, 3)));
  CHECK(are_empty(options_of({"--collective", "allgatherv", "--count", "0"}, 3)));  // in every layout
  CHECK(!are_empty(options_of({"--collective", "exscan"}, 1)));  // no rank has a result, however many elements
}

TEST_CASE("the verdict says what was tried, and what was not") {
  const std::array<Rank, 3> ranks{2, 3, 4};
  const auto options = options_of({"--collective", "allreduce"}, 4);
  CHECK(scope_text({}, options, ranks, {}) ==
        "p = 2..4; counts 0, 1, p-1, p, p+1, 1000, 8193p; in place and not; an operator that commutes; on "
        "MPI_COMM_WORLD and "
        "in another order of ranks; hosts each, 1,p-1 and p-1,1; sends buffered and not");
  CHECK(scope_text({}, options, ranks, {.buffering = "relies on buffering: a.c:3", .in_place = "a.c:5"})
            .find("not in place; an operator") != std::string::npos);
  CHECK(not_tried({}, options, {.buffering = {}, .in_place = "a.c:5"}).front() ==
        "in place (it takes MPI_IN_PLACE for a buffer at a.c:5)");
  const auto quick = not_tried({.is_quick = true}, options_of({"--collective", "bcast"}, 4, true), {});
  CHECK(quick == std::vector<std::string>{"messages above 64 KiB", "other roots", "other communicators",
                                          "unequal hosts", "sends that wait for their receives",
                                          "other orders of arrival (--orders)",
                                          "datatypes with gaps, of other sizes, or others at the receiver"});
}

TEST_CASE("the verdict says that only some counts and layouts were tried") {
  const std::array<Rank, 1> ranks{4};
  const auto has = [](const std::vector<std::string>& list, const char* text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  const auto some = options_of({"--collective", "reduce-scatter", "--layout", "even", "--count", "p"}, 4, true);
  CHECK(scope_text({.is_quick = true}, some, ranks, {}).find("counts p; layout even; ") != std::string::npos);
  CHECK(has(not_tried({.is_quick = true}, some, {}), "other layouts"));
  CHECK(has(not_tried({.is_quick = true}, some, {}), "other counts"));
  const auto all = options_of({"--collective", "reduce-scatter"}, 4, true);
  CHECK(scope_text({.is_quick = true}, all, ranks, {}).find("layout") == std::string::npos);
  CHECK(!has(not_tried({.is_quick = true}, all, {}), "other layouts"));
}

}  // namespace onceover::code
