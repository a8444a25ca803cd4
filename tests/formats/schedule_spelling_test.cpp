#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "formats/schedule_file.h"
#include "json_schedule.h"

namespace schedule_spelling_test {

using namespace onceover::support;

namespace {

constexpr std::string_view good =
    R"({"format":"onceover-schedule","version":1,"collective":"reduce","ranks":3,"blocks":12,"root":0,"steps":[[{"src":0,"dst":1,"blocks":[0,[1,2]],"op":"reduce","lane":0}]]})";
constexpr std::string_view landing =
    R"({"format":"onceover-schedule","version":2,"collective":"allreduce","ranks":2,"blocks":2,"scratch":3,"steps":[[{"src":0,"dst":1,"blocks":[0,[1,2],0],"into":[[1,4]],"op":"reduce"}]]})";

std::string with(std::string_view text, std::string_view part, std::string_view replacement) {
  std::string changed(text);
  const std::size_t at = changed.find(part);
  REQUIRE(at != std::string::npos);
  return changed.replace(at, part.size(), replacement);
}

/// What is accepted must say the schedule that was read, to a reader that shares no code with ours.
bool is_accepted(std::string_view text) {
  const auto schedule = read_schedule("s.json", text);
  if (schedule) CHECK(says(text, **schedule));
  return schedule.has_value();
}

/// A grid with 3 ranks on so many axes.
std::string grid_of(int axes) {
  std::string text = "[[\"a0\",3]";
  for (int k = 1; k < axes; ++k) text += fmt::format(",[\"a{}\",1]", k);
  return text + "]";
}

struct Change {
  std::string_view part;
  std::string replacement;
};

}  // namespace

TEST_CASE("the reader accepts every spelling that JSON has for the same schedule") {
  const std::vector<Change> changes{
      {"\"root\":0", "\"root\":-0"},
      {"\"src\":0", "\"src\":-0"},
      {"\"src\":0", " \"src\" \t:\r\n0 "},
      {"\"src\"", "\"\\u0073rc\""},
      {"\"steps\"", "\"st\\u0065ps\""},
      {"\"reduce\",\"lane\"", "\"re\\u0064uce\",\"lane\""},
      {"onceover-schedule", "onceover\\u002Dschedule"},
      {"\"root\"", "\"algorithm\":\"\\\"\\\\\\/\\u00fc \xC3\xBC \\ud83d\\ude00\",\"root\""},
      {"\"root\"", "\"algorithm\":\"" + std::string(256, 'a') + "\",\"root\""},
      {"\"root\"", "\"grid\":[[\"g\\u0070u\", 3 ] ],\"root\""},
      {"\"root\"", "\"grid\":[[\"node\",1],[\"gpu\",3]],\"phases\":[[\"\",0]],\"root\""},
      {"\"root\"", "\"phases\":[],\"root\""},
      {"\"ranks\":3", "\"phases\":[[\"" + std::string(256, 'a') + "\",-0]],\"grid\":[[\"" + std::string(64, 'a') +
                          "\",3]],\"ranks\":3"},
      {"{\"format\"", "{\"$schema\":\"./schedule-file.schema.json\",\"format\""},
      {"{\"format\"", "{\"$schem\\u0061\":\"\\ud83d\\ude00\",\"format\""},
      {"[0,[1,2]]", "[[2,2],1,[0,0]]"},
      {"[0,[1,2]]", "[[ 5 , 11 ],3]"},
      {"[[{", "[[],[{"},
      {"{\"format\"", "\xEF\xBB\xBF \n{\"format\""},
      {"}]]}", "}]]}\r\n\t "},
  };
  REQUIRE(is_accepted(good));
  REQUIRE(is_accepted(landing));
  for (const Change& c : changes) {
    CAPTURE(c.part, c.replacement);
    CHECK(is_accepted(with(good, c.part, c.replacement)));
  }
  CHECK(is_accepted(with(landing, "[0,[1,2],0],\"into\":[[1,4]]", "[2,0],\"into\":[1,2]")));
  CHECK(is_accepted(with(good, "\"root\"", "\"grid\":" + grid_of(16) + ",\"root\"")));
  CHECK(is_accepted(with(landing, "\"scratch\":3,\"steps\"", "\"scratch\":3,\"grid\":[[\"gpu\",2]],\"steps\"")));
  CHECK(is_accepted(with(landing, "\"scratch\":3,\"steps\"", "\"scratch\":3,\"shape\":[2,1],\"steps\"")));
}

TEST_CASE("the reader refuses what is no JSON, or no schedule") {
  const std::vector<Change> changes{
      {"\"ranks\":3", "\"ranks\":3.0"},
      {"\"ranks\":3", "\"ranks\":3e0"},
      {"\"ranks\":3", "\"ranks\":03"},
      {"\"ranks\":3", "\"ranks\":+3"},
      {"\"ranks\":3", "\"ranks\":-0"},
      {"\"ranks\":3", "\"ranks\":0x3"},
      {"\"ranks\":3", "\"ranks\":3 3"},
      {"\"src\":0", "\"src\":-"},
      {"\"src\":0", "\"src\":-00"},
      {"\"src\":0", "\"src\":-1"},
      {"\"src\":0", "\"src\":00"},
      {"\"src\":0", "\"src\":0."},
      {"\"src\":0", "\"src\":4294967296"},
      {"\"src\":0", "\"src\":18446744073709551616"},
      {"\"src\":0", "\"src\":" + std::string(400, '9')},
      {"\"src\":0", "\"src\":true"},
      {"\"src\":0", "\"src\":0,\"\\u0073rc\":0"},
      {"\"src\":0", "\"src\":0,"},
      {"\"src\":0", "\"src\" 0"},
      {"\"src\":0", "src:0"},
      {"\"src\":0", "\"src\":0,\"into\":[0]"},
      {"\"src\":0", "\"src\":0,\"weight\":1"},
      {"\"src\"", "\"s\\x72c\""},
      {"\"src\"", "\"s\nrc\""},
      {"\"ranks\"", "\"ranks\\u0000\""},
      {"\"root\":0", "\"root\":0,\"\\u0072oot\":0"},
      {"\"root\"", "\"algorithm\":\"\xC3\",\"root\""},
      {"\"root\"", "\"algorithm\":\"\xED\xA0\x80\",\"root\""},
      {"\"root\"", "\"algorithm\":\"\\ud83d\",\"root\""},
      {"\"root\"", "\"algorithm\":\"\\u12\",\"root\""},
      {"\"root\"", "\"algorithm\":\"" + std::string(257, 'a') + "\",\"root\""},
      {"\"root\"", "\"grid\":[],\"root\""},
      {"\"root\"", "\"grid\":[[\"gpu\",2]],\"root\""},
      {"\"root\"", "\"grid\":[[\"gpu\",0],[\"node\",3]],\"root\""},
      {"\"root\"", "\"grid\":[[\"gpu\",3],[\"gpu\",1]],\"root\""},
      {"\"root\"", "\"grid\":[[\"\",3]],\"root\""},
      {"\"root\"", "\"grid\":[[\"\\u0001\",3]],\"root\""},
      {"\"root\"", "\"grid\":[[\"" + std::string(65, 'a') + "\",3]],\"root\""},
      {"\"root\"", "\"grid\":[[\"gpu\"]],\"root\""},
      {"\"root\"", "\"grid\":[[\"gpu\",3,1]],\"root\""},
      {"\"root\"", "\"grid\":[[3,\"gpu\"]],\"root\""},
      {"\"root\"", "\"grid\":[\"gpu\",3],\"root\""},
      {"\"root\"", "\"grid\":[[]],\"root\""},
      {"\"root\"", "\"grid\":[[\"gpu\",[3]]],\"root\""},
      {"\"root\"", "\"grid\":{\"gpu\":3},\"root\""},
      {"\"root\"", "\"grid\":[[\"gpu\",3]],\"grid\":[[\"gpu\",3]],\"root\""},
      {"\"root\"", "\"grid\":" + grid_of(17) + ",\"root\""},
      {"\"root\"", "\"phases\":[[\"a\",1]],\"root\""},
      {"\"root\"", "\"phases\":[[\"a\",0],[\"b\",0]],\"root\""},
      {"\"root\"", "\"phases\":[[\"a\",-1]],\"root\""},
      {"\"root\"", "\"phases\":[[\"a\",2147483647]],\"root\""},
      {"\"root\"", "\"phases\":[[\"a\\n\",0]],\"root\""},
      {"\"root\"", "\"phases\":[[\"" + std::string(257, 'a') + "\",0]],\"root\""},
      {"\"root\"", "\"phases\":[[\"a\",0.0]],\"root\""},
      {"\"root\"", "\"$schema\":1,\"root\""},
      {"\"root\"", "\"$schema\":null,\"root\""},
      {"\"root\"", "\"$schema\":\"\xC3\",\"root\""},
      {"\"root\"", "\"$schema\":\"a\",\"$schema\":\"a\",\"root\""},
      {"\"root\"", "\"$schema\":\"" + std::string(257, 'a') + "\",\"root\""},
      {"\"src\":0", "\"src\":0,\"$schema\":\"a\""},
      {"[0,[1,2]]", "[0,[1,2],]"},
      {"[0,[1,2]]", "[,0]"},
      {"[0,[1,2]]", "[0 1]"},
      {"[0,[1,2]]", "[2,[1,3]]"},
      {"[0,[1,2]]", "[12]"},
      {"[0,[1,2]]", "[[]]"},
      {"[[{", "[[,{"},
      {"[[{", "[{"},
      {"{\"format\"", "\xEF\xBB{\"format\""},
      {"{\"format\"", "\xEF\xBB\xBF\xEF\xBB\xBF{\"format\""},
      {"}]]}", "}]]}}"},
      {"}]]}", "}]]},{}"},
      {"}]]}", "}]]} // end"},
      {"}]]}", "}]},{}]}"},
      {"}]]}", "}]]"},
      {"}]]}", "}"},
      {"}]]}", "\"}"},
      {"\"lane\":0", "\"lane\":\"}"},
  };
  for (const Change& c : changes) {
    CAPTURE(c.part, c.replacement);
    CHECK_FALSE(is_accepted(with(good, c.part, c.replacement)));
  }
  CHECK_FALSE(is_accepted(std::string(good) + std::string(1, '\0')));
  CHECK_FALSE(is_accepted(with(landing, "[[1,4]]", "[[1,3],1]")));
  CHECK_FALSE(is_accepted(with(landing, "[[1,4]]", "[]")));
  for (const std::string_view text : {"", " ", "}", "{", "{}", "{}}", "[]", "{,}", "\"", "\"}", "{\"", "{\"\\}"})
    CHECK_FALSE(is_accepted(text));
}

}  // namespace schedule_spelling_test
