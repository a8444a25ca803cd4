#include "code/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "tests/support/run_program.h"

namespace onceover::code {

namespace {

using support::TemporaryFolder;

constexpr const char* table = R"toml(
about = "a library for tests"
made_for = "version 1"
needs = "VERSION"
files = ["adapter.c"]
[[pattern]]
files = "{collective}_{name}.c"
function = "{collective}_{name}"
name = "{collective}/{name}"
[algorithm."allgather/doubling"]
p = "power of two"
[algorithm."alltoall/bruck"]
in_place = "never"
arguments = "SETTING(k)"
settings = { k = { from = 2, to = 8, try = "2" } }
[algorithm."allreduce/halving"]
operators = "commute"
selected_if = ["is_op_built_in=yes", "not count<pow2"]
[algorithm."allgather/ring"]
[algorithm."alltoall/pairwise"]
[algorithm."allreduce/tree"]
[algorithm."bcast/tree"]
[algorithm."bcast/hosts"]
selected_if = ["comm_hierarchy=parent"]
[algorithm."bcast/odd"]
why = "it is odd"
)toml";

bool contains_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// [selection] of a table, with these collectives that a file must have a branch for.
std::string all_of(const std::vector<std::string>& collectives) {
  return fmt::format(
      "[selection]\ncollectives = [\"{}\"]\nis_commutative = [\"allreduce\"]\n"
      "avg_msg_size = [\"allreduce\", \"bcast\"]\n",
      fmt::join(collectives, "\", \""));
}

/// The collectives that a file has branches for.
std::vector<std::string> named_in(const std::string& text) {
  static const std::regex name("collective=([a-z]+)");
  std::vector<std::string> names;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), name); at != std::sregex_iterator(); ++at)
    names.push_back((*at)[1]);
  if (names.empty()) names.emplace_back("bcast");
  return names;
}

/// What is found in a file, over a library with one file for each algorithm.
class Fixture {
 public:
  Fixture() {
    std::filesystem::create_directories(folder_.path("lib"));
    std::filesystem::create_directories(folder_.path("checkout"));
    folder_.write("checkout/VERSION", "1");
    for (const char* name :
         {"allgather_doubling", "allgather_ring", "alltoall_bruck", "alltoall_pairwise", "allreduce_halving",
          "allreduce_tree", "bcast_hosts", "bcast_tree", "bcast_odd", "bcast_new"})
      folder_.write("checkout/" + std::string(name) + ".c", "");
  }

  /// Files needn't have a branch for other collectives than these.
  Result<Selection> judge(const std::string& text, std::vector<std::string> collectives = {}) {
    const std::vector<Rank> ranks{2, 3, 4, 5, 6, 7, 8};
    folder_.write("lib/library.toml", table + all_of(collectives.empty() ? named_in(text) : collectives));
    folder_.write("select.json", text);
    const auto library = Library::open(folder_.path("lib"), folder_.path("checkout"));
    REQUIRE(library);
    return judge_selection(*library, folder_.path("select.json"), ranks);
  }

 private:
  TemporaryFolder folder_;
};

std::string text_of(const Result<Selection>& selection) {
  REQUIRE(selection);
  return selection->text();
}

}  // namespace

TEST_CASE("selection: each call gets an algorithm that is meant for it") {
  const auto found = Fixture().judge(R"({
    "collective=allgather": {"comm_size=pow2": {"algorithm=allgather_doubling": {}},
                             "comm_size=any": {"algorithm=allgather_ring": {}}},
    "collective=alltoall": {"is_sendbuf_inplace=yes": {"algorithm=alltoall_pairwise": {}},
                            "is_sendbuf_inplace=no": {"algorithm=alltoall_bruck": {"k=3": {}}}},
    "collective=barrier": {"algorithm=barrier_flat": {}}})");
  REQUIRE(found);
  CHECK(found->verdict() == Verdict::pass);
  CHECK(found->picks == 4);
  CHECK(found->collectives == std::vector<std::string>{"allgather", "alltoall"});
  CHECK(contains_text(found->text(), "barrier, which verify code can't call\n"));
  CHECK(contains_text(
      found->text(),
      "\npass  each call gets an algorithm that is meant for it (4 picks for calls of 2 collectives, p = 2..8)\n"));
}

TEST_CASE("selection: an algorithm that isn't meant for a call is named, with the calls") {
  const std::string text = text_of(Fixture().judge(R"({
    "collective=allgather": {"comm_size<=4": {"algorithm=allgather_doubling": {}},
                             "comm_size=any": {"algorithm=allgather_ring": {}}}})"));
  CHECK(contains_text(text,
                      "select.json:2:48: picks allgather/doubling, which is meant for p power of two\n"
                      "  for allgather, p = 3\n"));
  CHECK(contains_text(text, "\nfail  not each call"));
}

TEST_CASE("selection: what a row asks for must be known of each call") {
  const auto verdict = [](const std::string& text) { return Fixture().judge(text)->verdict(); };
  CHECK(verdict(R"({"collective=alltoall": {"algorithm=alltoall_bruck": {}}})") == Verdict::fail);
  CHECK(verdict(R"({"collective=alltoall": {"is_sendbuf_inplace=yes": {"algorithm=alltoall_pairwise": {}},
                    "any": {"algorithm=alltoall_bruck": {"k=9": {}}}}})") == Verdict::fail);
  CHECK(verdict(R"({"collective=alltoall": {"is_sendbuf_inplace=yes": {"algorithm=alltoall_pairwise": {}},
                    "any": {"algorithm=alltoall_bruck": {"k=8": {}}}}})") == Verdict::pass);
  CHECK(verdict(R"({"collective=bcast": {"algorithm=bcast_hosts": {}}})") == Verdict::fail);
  CHECK(verdict(R"({"collective=bcast": {"comm_hierarchy=node": {"algorithm=bcast_tree": {}},
                    "any": {"algorithm=bcast_hosts": {}}}})") == Verdict::pass);
  CHECK(verdict(R"({"collective=bcast": {"algorithm=bcast_odd": {}}})") == Verdict::unknown);
  CHECK(verdict(R"({"collective=bcast": {"algorithm=bcast_gone": {}}})") == Verdict::unknown);
  CHECK(verdict(R"({"collective=barrier": {"algorithm=barrier_flat": {}}})") == Verdict::unknown);
  CHECK(verdict("{}") == Verdict::fail);
  CHECK(verdict(R"({"collective=bcast": {"algorithm=bcast_new": {}}})") == Verdict::unknown);  // not in the table
  CHECK(verdict(R"({"collective=bcast": {"algorithm=allgather_ring": {}}})") == Verdict::fail);
}

TEST_CASE("selection: settings are numbers that the algorithm takes, and those that it is called with are given") {
  const auto verdict = [](const std::string& settings) {
    return Fixture()
        .judge(R"({"collective=alltoall": {"is_sendbuf_inplace=yes": {"algorithm=alltoall_pairwise": {}},
                   "any": {"algorithm=alltoall_bruck": {)" +
               settings + "}}}}")
        ->verdict();
  };
  CHECK(verdict(R"("k=2": {})") == Verdict::pass);
  CHECK(verdict(R"("k=1": {})") == Verdict::fail);
  CHECK(verdict(R"("k=x": {})") == Verdict::fail);
  CHECK(verdict(R"("k=2": {}, "kk=3": {})") == Verdict::unknown);
  CHECK(verdict("") == Verdict::unknown);
}

TEST_CASE("selection: a collective without a branch, and a condition that isn't defined for one, fail") {
  const auto missing = Fixture().judge(R"({"collective=bcast": {"algorithm=bcast_tree": {}}})", {"bcast", "alltoall"});
  CHECK(missing->verdict() == Verdict::fail);
  CHECK(contains_text(missing->text(), "since there is no branch\n  for alltoall, p = 2..8\n"));
  const auto undefined = Fixture().judge(R"({"collective=bcast": {"is_commutative=yes": {"algorithm=bcast_tree": {}},
    "any": {"algorithm=bcast_tree": {}}}})");
  CHECK(
      contains_text(undefined->text(), ": is_commutative isn't defined for this collective\n  for bcast, p = 2..8\n"));
}

TEST_CASE("selection: MPI's own operators commute, and enough elements is meant as MPICH counts them") {
  const auto verdict = [](const std::string& sizes) {
    return Fixture()
        .judge(R"({"collective=allreduce": {"is_op_built_in=no": {"algorithm=allreduce_tree": {}},
                   "is_op_built_in=yes": {)" +
               sizes + R"("any": {"algorithm=allreduce_halving": {}}}}})")
        ->verdict();
  };
  CHECK(verdict(R"("count<pow2": {"algorithm=allreduce_tree": {}},)") == Verdict::pass);
  CHECK(verdict(R"("count<=7": {"algorithm=allreduce_tree": {}},)") == Verdict::pass);
  CHECK(verdict(R"("count<=6": {"algorithm=allreduce_tree": {}},)") == Verdict::fail);
  CHECK(verdict("") == Verdict::fail);
}

TEST_CASE("selection: calls that no branch takes are found, and those that can't be aren't") {
  const auto judge = [](const std::string& text) { return text_of(Fixture().judge(text)); };
  CHECK(contains_text(judge(R"({"collective=bcast": {"comm_size=pow2": {"algorithm=bcast_tree": {}}}})"),
                      ": no algorithm is picked\n  for bcast, p = 3, 5..7\n"));
  CHECK(contains_text(judge(R"({"collective=bcast": {"avg_msg_size<=9": {"algorithm=bcast_tree": {}}}})"),
                      "for bcast, avg_msg_size from 10, p = 2..8\n"));
  CHECK(contains_text(
      judge(R"({"collective=bcast": {"is_node_consecutive=yes": {}, "any": {"algorithm=bcast_tree": {}}}})"),
      "for bcast, is_node_consecutive=yes, p = 2..8\n"));
  // A file of a device may leave calls to others.
  CHECK(Fixture().judge(R"({"collective=bcast": {"comm_size=pow2": {"algorithm=MPIDI_bcast": {}}}})")->verdict() ==
        Verdict::unknown);
  // No call has more elements than bytes, or a total of less than p times one message; none has no elements here.
  for (const char* impossible : {R"("avg_msg_size<=9": {"count<=9": {"algorithm=bcast_tree": {}}})",
                                 R"("avg_msg_size<=1": {"total_msg_size<=8": {"algorithm=bcast_tree": {}}})",
                                 R"("avg_msg_size<=0": {"algorithm=bcast_hosts": {}})"}) {
    CAPTURE(impossible);
    const auto found = Fixture().judge(std::string(R"({"collective=bcast": {)") + impossible +
                                       R"(, "any": {"algorithm=bcast_tree": {}}}})");
    CHECK(found->verdict() == Verdict::pass);
  }
}

TEST_CASE("selection: sizes that decide between algorithms that add up are listed") {
  const auto found = Fixture().judge(R"({"collective=allreduce": {"avg_msg_size<2048": {"algorithm=allreduce_tree": {}},
    "any": {"is_op_built_in=yes": {"count<pow2": {"algorithm=allreduce_tree": {}},
                                   "any": {"algorithm=allreduce_halving": {}}},
            "any": {"algorithm=allreduce_tree": {}}}},
    "collective=bcast": {"avg_msg_size<=9": {"algorithm=bcast_tree": {}}, "any": {"algorithm=bcast_tree": {}}}})");
  const std::string text = text_of(found);
  CHECK(found->changes.size() == 2);
  CHECK(
      contains_text(text, "select.json:1:28: allreduce, p = 2..8: allreduce/tree where avg_msg_size<2048, otherwise "));
  CHECK(
      contains_text(text,
                    "allreduce, is_op_built_in=yes, avg_msg_size from 2048, p = 2..8: allreduce/tree where count<pow2, "
                    "otherwise allreduce/halving\n"));
}

TEST_CASE("selection: a file that isn't one is malformed, at its place") {
  const auto message = [](const std::string& text) {
    const auto found = Fixture().judge(text);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ExitCode::malformed);
    return found.error().message;
  };
  CHECK(contains_text(message("[]"), "select.json:1:1: expected an object of conditions\n"));
  CHECK(contains_text(
      message(R"({"collective=bcast": {"comm_sise<=4": {}}})"),
      "select.json:1:24: expected a condition or an algorithm, found 'comm_sise<=4'; did you mean 'comm_size'?"));
  CHECK(contains_text(message(R"({"collective=bcast": {"comm_size<=4294967296": {}}})"),
                      ":1:24: comm_size<=4294967296 isn't a"));
  CHECK(contains_text(message(R"({"collective=bcast": {"algorithm=bcast_tree": 1}})"),
                      ":1:47: expected an object, found 1\n"));
  CHECK(contains_text(message(R"({"any": {}, "any": {}})"), "any"));
  CHECK(contains_text(message(R"({"avg_msg_size<=8": {}})"),
                      ":1:3: expected conditions on communicators, or a collective"));
  const auto typo = Fixture().judge(R"({"collective=bcats": {"algorithm=bcast_tree": {}}})", {"bcast"});
  REQUIRE_FALSE(typo);
  CHECK(contains_text(typo.error().message, "there is no collective 'bcats'; did you mean 'bcast'?"));
}

}  // namespace onceover::code
