// JSON values, beside nlohmann's of the same texts.

#include "base/json.h"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace json_test {

using onceover::base::Json;
using Library = nlohmann::ordered_json;

namespace {

std::string dumped(const Library& json, int indent) {
  return json.dump(indent, ' ', false, Library::error_handler_t::replace);
}

/// A random value, as nlohmann has it.
Library random_value(std::mt19937& random, int depth) {
  const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
  static const std::vector<std::string> texts{"", "a", "ring", "\"\\\n\t\x01", "é→", "\xff\xc3", "0"};
  switch (below(depth > 0 ? 9 : 6)) {
    case 0: return nullptr;
    case 1: return below(2) == 0;
    case 2: return std::int64_t{below(2000)} - 1000;
    case 3: return std::numeric_limits<std::uint64_t>::max() - below(9);
    case 4: return (below(2000) - 1000.0) / (1 + below(7));
    case 5: return texts[below(6)];
    case 6:
    case 7: {
      Library array = Library::array();
      for (unsigned k = below(4); k > 0; --k) array.push_back(random_value(random, depth - 1));
      return array;
    }
    default: {
      Library object = Library::object();
      for (unsigned k = below(4); k > 0; --k) object[texts[below(7)]] = random_value(random, depth - 1);
      return object;
    }
  }
}

}  // namespace

TEST_CASE("JSON: what is read and written again is what nlohmann makes of it") {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    const std::string text = dumped(random_value(random, 4), -1);
    const auto json = Json::parse(text);
    REQUIRE(json);
    for (const int indent : {-1, 0, 1, 2}) CHECK(json->dump(indent) == dumped(Library::parse(text), indent));
  }
}

TEST_CASE("JSON: lists in braces are objects where all elements are pairs that begin with a text") {
  CHECK(Json{{"a", 1}, {"b", {1, 2.5, "x"}}}.dump() == R"({"a":1,"b":[1,2.5,"x"]})");
  CHECK(Json{{"a", {{"b", nullptr}}}}.dump() == R"({"a":{"b":null}})");
  CHECK(Json{"a", 1, true}.dump() == R"(["a",1,true])");
  CHECK(Json::array({Json{{"a", 1}}}).dump() == R"([{"a":1}])");
  CHECK(Json::array({{"a", 1}}).dump() == R"([["a",1]])");
  CHECK(Json(std::vector<int>{1, 2}).dump() == "[1,2]");
  CHECK(Json(std::map<std::string, std::string>{{"k", "v"}}).dump() == R"({"k":"v"})");
}

TEST_CASE("JSON: numbers keep their kind, and texts are made UTF-8") {
  CHECK(Json(std::numeric_limits<std::uint64_t>::max()).dump() == "18446744073709551615");
  CHECK(Json(std::numeric_limits<std::int64_t>::min()).dump() == "-9223372036854775808");
  CHECK(Json(2.0).dump() == "2.0");
  CHECK(Json(1e300 * 1e300).dump() == "null");
  CHECK(Json("\xff").dump() == "\"\xef\xbf\xbd\"");
}

TEST_CASE("JSON: keys are looked up, added and replaced in order") {
  Json json;
  json["b"] = 1;
  json["a"]["deep"].push_back("x");
  json["b"] = 2;
  json.update({{"c", true}, {"b", 3}});
  CHECK(json.dump() == R"({"b":3,"a":{"deep":["x"]},"c":true})");
  CHECK(json["c"] == true);
  CHECK(*json.find("b")->count() == 3);
  CHECK(json["b"] == 3);
  CHECK(Json::parse("3") == json["b"]);
  CHECK(std::as_const(json)["none"].is_null());
  CHECK(std::vector<Json>(json.begin(), json.end()).empty());
  CHECK_FALSE(json.find("d"));
  CHECK_FALSE(Json(-1).count());
  CHECK(json.size() == 3);
}

TEST_CASE("JSON: what is no JSON, or too deep, is not read") {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "nul", "1 2", "\"\xff\"", "[1]x"})
    CHECK_FALSE(Json::parse(text));
  CHECK(Json::parse(std::string(1000, '[') + std::string(1000, ']')));
  CHECK_FALSE(Json::parse(std::string(1001, '[') + std::string(1001, ']')));
  CHECK_FALSE(Json::parse(std::string(1'000'000, '[')));
}

}  // namespace json_test
