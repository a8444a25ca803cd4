#include "subjects/rank_list.h"

#include <catch2/catch.hpp>

namespace rank_list_test {

using namespace onceover::subjects;
using namespace onceover::cli;

TEST_CASE("lists of ranks are read as numbers, ranges and powers") {
  REQUIRE(parse_rank_list("7") == std::vector<Rank>{7});
  REQUIRE(parse_rank_list("2..5") == std::vector<Rank>{2, 3, 4, 5});
  REQUIRE(parse_rank_list("7,3,5,3") == std::vector<Rank>{3, 5, 7});
  REQUIRE(parse_rank_list("2^1..2^4") == std::vector<Rank>{2, 4, 8, 16});
  REQUIRE(parse_rank_list("3^0..3^3") == std::vector<Rank>{1, 3, 9, 27});
  REQUIRE(parse_rank_list("6..2^3") == std::vector<Rank>{6, 7, 8});
  REQUIRE(parse_rank_list("2^24") == std::vector<Rank>{1 << 24});
  REQUIRE(parse_rank_list("1^9") == std::vector<Rank>{1});
  REQUIRE(parse_rank_list("5..5,1") == std::vector<Rank>{1, 5});
}

TEST_CASE("a range of ranks takes a stride") {
  REQUIRE(parse_rank_list("8..32:8") == std::vector<Rank>{8, 16, 24, 32});
  REQUIRE(parse_rank_list("3..10:3,4") == std::vector<Rank>{3, 4, 6, 9});
  REQUIRE(parse_rank_list("2..5:1") == std::vector<Rank>{2, 3, 4, 5});
  REQUIRE(parse_rank_list("2..5:16777216") == std::vector<Rank>{2});
  REQUIRE(parse_rank_list("2^1..2^4:7") == std::vector<Rank>{2, 9, 16});
  REQUIRE(parse_rank_list("1..16777216:65536").value().size() == 256);
  REQUIRE(parse_rank_list("1..16777216:255").error().message ==
          "--p: the range 1..16777216:255 holds more than 65536 numbers");
  REQUIRE(parse_rank_list("8..64:x").error().message ==
          "--p: expected a stride from 1 to 16777216 after the colon of '8..64:x', found 'x'; write 8..64:8 for "
          "8, 16, 24, .., 64");
  for (const char* text : {"8:8", "8..64:", "8..64:0", "8..64:-8", "8..64:8:8", "8..64:2^3", "8:8..64", ":8"})
    REQUIRE_FALSE(parse_rank_list(text).has_value());
}

TEST_CASE("a range between powers of different bases is refused") {
  REQUIRE(
      parse_rank_list("2^1..3^3").error().message ==
      "--p: the range 2^1..3^3 goes from a power of 2 to a power of 3; write 2^1..2^4 for the powers of 2, or 2..27 "
      "for every number");
  REQUIRE(parse_rank_list("1^1..2^3").error().message ==
          "--p: the range 1^1..2^3 goes from a power of 1 to a power of 2; write 1..8 for every number");
}

TEST_CASE("what is no list of ranks is refused") {
  for (const char* text :
       {"",         ",",           "7,",           "0",  "-3", "+3",   "7x",   " 7",    "2..",
        "..2",      "2...4",       "2..4..6",      "2^", "^2", "2^-1", "2^40", "2^1^1", "99999999999999999999",
        "16777217", "1..16777216", "9^99999999999"})
    REQUIRE_FALSE(parse_rank_list(text).has_value());
  REQUIRE(parse_rank_list("5..3").error().message == "--p: the range 5..3 is empty; write the smaller number first");
  REQUIRE(parse_rank_list("3,7x").error().message ==
          "--p: expected a number of ranks from 1 to 16777216, found '7x'; write 7, 2..64, 3,5,7, 8..64:8 or "
          "2^1..2^14");
  REQUIRE(parse_rank_list("1..16777216").error().message == "--p: the range 1..16777216 holds more than 65536 numbers");
  std::string long_list = "7";
  for (int k = 0; k < 1000; ++k) long_list += ",1..65536";
  REQUIRE(parse_rank_list(long_list).error().message == "--p: the list holds more than 1000000 numbers");
}

TEST_CASE("lists of ranks are written as short as they can be read") {
  REQUIRE(rank_list_text({7}) == "7");
  REQUIRE(rank_list_text({2, 3}) == "2, 3");
  REQUIRE(rank_list_text({2, 3, 4, 8, 10, 11, 12}) == "2..4, 8, 10..12");
}

}  // namespace rank_list_test
