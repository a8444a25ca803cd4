#include <catch2/catch.hpp>

#include "proofs/smtlib.h"

namespace script_reply_test {

using namespace onceover::proofs;

namespace {

const std::vector<std::string> two{"x", "y"};
const std::string unsat = "unsat\n(:reason-unknown \"\")\n(error \"line 9 column 14: model is not available\")\n";
const std::string sat = "sat\n(:reason-unknown \"\")\n((x 2)\n (y (- 3)))\n";
const std::string unknown = "unknown\n(:reason-unknown \"canceled\")\n(error \"line 9: model is not available\")\n";

}  // namespace

TEST_CASE("an answer is read with its values, or with its reason") {
  CHECK(reply_of(unsat, two).answer == Answer::unsatisfiable);
  CHECK(reply_of("unsat\n(:reason-unknown \"\")\n", two).answer == Answer::unsatisfiable);
  const Reply values = reply_of(sat, two);
  REQUIRE(values.answer == Answer::satisfiable);
  CHECK(values.model == std::map<std::string, std::string>{{"x", "2"}, {"y", "(- 3)"}});
  CHECK(reply_of("sat\n(:reason-unknown \"\")\n", {}).answer == Answer::satisfiable);
  CHECK(reply_of(unknown, two).answer == Answer::unknown);
  CHECK(reply_of(unknown, two).reason == "canceled");
}

TEST_CASE("whatever else is printed is no answer") {
  for (const std::string& printed :
       std::vector<std::string>{"",
                                "\n",
                                "unsat",
                                "unsat\n",
                                "sat\n",
                                "unsat\nunsat\n",
                                "unsat (:reason-unknown \"\")\n",
                                " unsat\n(:reason-unknown \"\")\n",
                                "UNSAT\n(:reason-unknown \"\")\n",
                                "unsat\n(:reason-unknown \"\n",
                                "success\n" + unsat,
                                "(error \"line 3 column 2: unknown constant z\")\n" + unsat,
                                unsat + unsat,
                                unsat + "sat\n",
                                "unsat\n(:reason-unknown \"\")\n((x 2) (y 3))\n",
                                "sat\n(:reason-unknown \"\")\n",
                                "sat\n(:reason-unknown \"\")\n((x 2))\n",
                                "sat\n(:reason-unknown \"\")\n((y 2) (x 3))\n",
                                "sat\n(:reason-unknown \"\")\n((x 2) (y 3)\n",
                                "sat\n(:reason-unknown \"\")\n((x 2) (y 3.5))\n",
                                "sat\n(:reason-unknown \"\")\n((x 2) (y (- 3))) sat\n",
                                "no answer: unsat",
                                "no answer: unsat\n" + unsat}) {
    CAPTURE(printed);
    CHECK(reply_of(printed, two).answer == Answer::unknown);
    CHECK_FALSE(reply_of(printed, two).reason.empty());
  }
}

TEST_CASE("a part of an answer isn't taken for one that says something else") {
  for (const std::string& whole : {unsat, sat, unknown})
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const Answer answer = reply_of(whole.substr(0, length), two).answer;
      CHECK((answer == Answer::unknown || answer == reply_of(whole, two).answer));
    }
}

TEST_CASE("an answer that is none says why") {
  CHECK(reply_of("", two).reason == "there was no answer");
  CHECK(reply_of("(error \"line 1\")\nunsat\n", two).reason == "it answered '(error \"line 1\")'");
  CHECK(reply_of("no answer: there is no Z3", two).reason == "there is no Z3");
}

TEST_CASE("a script ends by asking for the answer, its reason and the values") {
  const Query query{"name", "comment", {"x"}, {*Formula::parse("it", "x == 2", std::vector<std::string_view>{"x"})}};
  CHECK(asking_script(query, 7, 9) ==
        "(set-option :timeout 9)\n(set-option :rlimit 7)\n; name\n; comment\n(set-logic QF_LIA)\n(declare-const x "
        "Int)\n; x == 2\n(assert (= x 2))\n(check-sat)\n(get-info :reason-unknown)\n(get-value (x))\n");
  CHECK(asking_script("(check-sat)\n", 7, 9) ==
        "(set-option :timeout 9)\n(set-option :rlimit 7)\n(check-sat)\n(get-info :reason-unknown)\n");
}

}  // namespace script_reply_test
