#include "base/text.h"

#include <catch2/catch.hpp>

#include "run_program.h"

namespace text_test {

using namespace onceover::base;
using Parts = std::vector<std::string_view>;

TEST_CASE("a text has one part more than separators") {
  CHECK(split("4x6x2", 'x') == Parts{"4", "6", "2"});
  CHECK(split("one", ',') == Parts{"one"});
  CHECK(split(",a,,b,", ',') == Parts{"", "a", "", "b", ""});
  CHECK(split("", ',') == Parts{""});
}

TEST_CASE("a shell reads a quoted word as it was, and plain words need no quotes") {
  CHECK(shell_word("--algo=swing") == "--algo=swing");
  CHECK(shell_word("2^1..2^4") == "'2^1..2^4'");
  CHECK(shell_word("") == "''");
  const onceover::support::TemporaryFolder folder;
  for (const std::string word : {"a b", "it's", "''", "$HOME `ls` \"x\" \\", "a\nb", "~", "*", "", "!"}) {
    CAPTURE(word);
    const auto ended = onceover::support::run_program("printf '%s|' " + shell_word(word), folder.path());
    CHECK(ended.out == word + "|");
  }
}

}  // namespace text_test
