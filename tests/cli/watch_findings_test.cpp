#include "cli/watch_findings.h"

#include <catch2/catch.hpp>

namespace watch_findings_test {

using namespace onceover::base;
using namespace onceover::cli;

namespace {

using Lines = std::vector<std::string>;

Findings found(const std::string& json) {
  const auto result = Json::parse(json);
  REQUIRE(result);
  const auto findings = findings_in(*result);
  REQUIRE(findings);
  return *findings;
}

/// A run of `verify` at p with the verdict of exactly-once, and a reason if it fails.
std::string run(int p, const std::string& verdict, const std::string& why = "") {
  const std::string counterexample = why.empty() ? "" : R"(,"counterexample":{"text":[")" + why + R"(","at step 1"]})";
  return R"({"subject":{"algorithm":"ring","shape":[)" + std::to_string(p) +
         R"(]},"properties":[{"id":"ports","required":false,"verdict":"fail","summary":"s"},)"
         R"({"id":"exactly-once","required":true,"verdict":")" +
         verdict + R"(","summary":"s")" + counterexample + "}]}";
}

std::string result(const std::vector<std::string>& runs) {
  std::string text = R"({"runs":[)";
  for (const std::string& each : runs) text += (text.back() == '[' ? "" : ",") + each;
  return text + "]}";
}

std::string unit(const std::string& id, const std::string& verdict, const std::string& cause = "") {
  const std::string causes = cause.empty() ? "" : R"({"rule":"limit","headline":")" + cause + R"(","details":["d"]})";
  return R"({"id":")" + id + R"(","verdict":")" + verdict + R"(","causes":[)" + causes + "]}";
}

}  // namespace

TEST_CASE("watch: what a run found is its required properties and limits") {
  const Findings one = found(result({run(4, "pass")}));
  CHECK(one.names == Lines{"exactly-once"});
  CHECK(one.by_name.at("exactly-once") == WatchFinding{"pass"});
  const Findings two = found(result({run(4, "pass"), run(5, "fail", "it is twice"), run(5, "pass")}));
  CHECK(two.names == Lines{"ring p = 4: exactly-once", "ring p = 5: exactly-once", "ring p = 5: exactly-once (2)"});
  CHECK(two.by_name.at("ring p = 5: exactly-once") == WatchFinding{"fail", {"it is twice", "at step 1"}});
  const Findings limit =
      found(R"({"runs":[{"properties":[],"limits":[{"limit":"steps <= 3","verdict":"unknown","summary":"why"}]}]})");
  CHECK(limit.by_name.at("steps <= 3") == WatchFinding{"unknown", {"why"}});
}

TEST_CASE("watch: what calls of code found has their arguments, and faults") {
  const auto call = [](int p, const std::string& faults, const std::string& more = "") {
    return R"({"subject":{"collective":"allreduce","ranks":)" + std::to_string(p) +
           R"(,"count":4,"root":null,"in_place":false,"commutative":true)" + more +
           R"(},"verdict":"fail","properties":[{"id":"exactly-once","required":true,"verdict":"pass","summary":"s"}],)"
           R"("faults":[)" +
           faults + "]}";
  };
  const Findings calls = found(result({call(2, ""), call(3, R"("the function returns 17")")}));
  CHECK(calls.names == Lines{"p = 2, count 4: exactly-once", "p = 3, count 4: exactly-once", "p = 3, count 4: faults"});
  CHECK(calls.by_name.at("p = 3, count 4: faults") == WatchFinding{"fail", {"the function returns 17"}});
  const std::string rooted =
      R"({"subject":{"ranks":2,"count":0,"root":1,"in_place":true,"commutative":false},"properties":[],"faults":["f"]})";
  CHECK(found(result({rooted, rooted})).names ==
        Lines{"p = 2, count 0, root 1, in place, operator not commutative: faults",
              "p = 2, count 0, root 1, in place, operator not commutative: faults (2)"});
}

TEST_CASE("watch: a document without runs or units found nothing") {
  CHECK_FALSE(findings_in(*Json::parse(R"({"verdict":"unknown","reason":"the time limit ran out"})")));
  CHECK_FALSE(findings_in(*Json::parse("[1]")));
}

TEST_CASE("watch: what changed, with the first reason that is new") {
  const Findings right = found(result({run(4, "pass"), run(5, "pass")}));
  const Findings wrong = found(result({run(4, "fail", "a"), run(5, "fail", "b")}));
  CHECK(differences(right, right).empty());
  CHECK(differences(wrong, wrong).empty());
  CHECK(differences(right, wrong) == Lines{"ring p = 4: exactly-once: pass -> fail", "  a", "  at step 1",
                                           "ring p = 5: exactly-once: pass -> fail"});
  CHECK(differences(wrong, right) ==
        Lines{"ring p = 4: exactly-once: fail -> pass", "ring p = 5: exactly-once: fail -> pass"});
  const Findings other = found(result({run(4, "fail", "a"), run(5, "fail", "c")}));
  CHECK(differences(wrong, other) == Lines{"ring p = 5: exactly-once: fail, for another reason", "  c", "  at step 1"});
}

TEST_CASE("watch: units of a gate may come and go") {
  const Findings before = found(R"({"units":[)" + unit("a/p=2", "pass") + "," + unit("a/p=3", "pass") + "]}");
  const Findings now = found(R"({"units":[)" + unit("a/p=3", "fail", "3 <= 2") + "," + unit("b/p=3", "pass") + "]}");
  CHECK(differences(before, now) ==
        Lines{"a/p=3: pass -> fail", "  limit: 3 <= 2", "    d", "b/p=3: pass, which is new", "a/p=2: gone"});
}

TEST_CASE("watch: what code wasn't called for after a failure isn't gone") {
  const auto call = [](int p, const std::string& verdict) {
    return R"({"subject":{"ranks":)" + std::to_string(p) + R"(,"count":4},"verdict":")" + verdict +
           R"(","properties":[{"id":"exactly-once","required":true,"verdict":")" + verdict + R"(","summary":"s"}]})";
  };
  const Findings right = found(result({call(2, "pass"), call(3, "pass")}));
  const Findings wrong = found(result({call(2, "fail"), call(2, "pass")}));
  CHECK(differences(right, wrong) == Lines{"p = 2, count 4: exactly-once: pass -> fail", "  s",
                                           "p = 2, count 4: exactly-once (2): pass, which is new",
                                           "p = 3, count 4: exactly-once: not tried, since another call fails"});
  CHECK(differences(right, found(result({call(2, "pass"), call(4, "pass")}))).back() ==
        "p = 3, count 4: exactly-once: gone");
}

TEST_CASE("watch: of many changes eight are shown") {
  std::vector<std::string> right, wrong;
  for (int p = 2; p < 12; ++p) {
    right.push_back(run(p, "pass"));
    wrong.push_back(run(p, "fail", "x"));
  }
  const Lines lines = differences(found(result(right)), found(result(wrong)));
  CHECK(lines.size() == 8 + 2 + 1);
  CHECK(lines.back() == "and 2 more changes");
}

}  // namespace watch_findings_test
