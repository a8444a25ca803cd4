// Texts, data and pictures inside a page.

#include "viz/html.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/json.h"
#include "count.h"
#include "drawn_text.h"
#include "formats/schedule_file.h"
#include "networks.h"
#include "schedules/catalogue.h"
#include "viz/byte_stream.h"
#include "viz/folded_messages.h"
#include "viz/messages.h"
#include "viz/report.h"

namespace html_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

SchedulePtr swing(std::vector<Rank> shape, bool all_lanes = false) {
  return find_algorithm("swing")->make({.shape = std::move(shape), .all_lanes = all_lanes});
}

}  // namespace

TEST_CASE("html_escaped leaves nothing that ends a text or an attribute") {
  CHECK(html_escaped("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
  CHECK(html_escaped(std::string_view("\0\x1b[1m", 5)) == "  [1m");
}

TEST_CASE("json_in_html is the same value without a character that ends a script") {
  CHECK(json_in_html(R"({"a":"</script><!--","b":[1,2]})") == R"({"a":"\u003c/script\u003e\u003c!--","b":[1,2]})");
  CHECK(json_in_html("\"\u2028 \u2029 \u20ac &\"") == "\"\\u2028 \\u2029 \u20ac \\u0026\"");
}

TEST_CASE("paragraph_html shows what stands between backticks as code, and closes it") {
  CHECK(paragraph_html("see `a <b>`.", "soft") == "<p class=\"soft\">see <code>a &lt;b&gt;</code>.</p>\n");
  CHECK(paragraph_html("`a") == "<p><code>a</code></p>\n");
}

TEST_CASE("table_html sets numbers to the right and escapes cells") {
  const std::string html = table_html({{"a", "<b>"}, {"1.5 us", "x&y"}});
  CHECK(html.find("<th scope=\"col\">&lt;b&gt;</th>") != std::string::npos);
  CHECK(html.find("<td class=\"number\">1.5 us</td><td>x&amp;y</td>") != std::string::npos);
}

TEST_CASE("classes are written only where the style asks for them") {
  const SchedulePtr schedule = swing({4, 4}, true);
  DrawOptions options;
  CHECK(count(as_text(draw(steps_view, *schedule, options)).value(), "class=") == 0);
  options.style.has_classes = true;
  options.steps = {0, 0};
  const std::string dot = as_text(draw(steps_view, *schedule, options)).value();
  const SelectedMessages selection = select(*schedule, options).value();
  for (const Message& m : selection.messages)
    CHECK(dot.find(fmt::format("from-{}-to-{}", m.src, m.dst)) != std::string::npos);
  for (Rank r = 0; r < 16; ++r) CHECK(count(dot, fmt::format("\"rank rank-{}\"", r)) == 1);
}

TEST_CASE("base64 is as RFC 4648 says") {
  for (const auto& [bytes, text] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}})
    CHECK(base64(bytes) == text);
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("numbers take as many bytes as they need") {
  ByteStream stream;
  for (const std::uint64_t number : {0, 127, 128, 16384}) stream.put(number);
  for (const std::int64_t number : {0, -1, 1, -64}) stream.put_signed(number);
  CHECK(stream.bytes() == std::string("\x00\x7f\x80\x01\x80\x80\x01\x00\x01\x02\x7f", 11));
}

TEST_CASE("what ranks do alike is folded, however many they are") {
  std::size_t least = 0;
  for (const Rank ranks : {64, 1024, 2048}) {
    const auto folded = folded_messages(*find_algorithm("ring")->make({.shape = {ranks}}));
    REQUIRE(folded);
    CHECK(folded->size() < static_cast<std::size_t>(12 * ranks));
    CHECK(folded->size() > least);
    least = folded->size();
  }
  CHECK(folded_messages(*swing({64, 64}, true))->size() < 200'000);
}

TEST_CASE("a schedule with ranks or blocks that don't exist can't be played") {
  for (const std::string transfer :
       {R"({"src":0,"dst":2,"blocks":[0],"op":"copy"})", R"({"src":0,"dst":1,"blocks":[7],"op":"copy"})"}) {
    const auto schedule = onceover::programs::read_schedule(
        "s.json",
        R"({"format":"onceover-schedule","version":1,"collective":"broadcast","ranks":2,"blocks":1,"steps":[[)" +
            transfer + "]]}");
    if (!schedule) continue;  // the reader refuses it already
    const auto made = player(**schedule);
    REQUIRE_FALSE(made);
    CHECK(made.error().message.find("there is no such rank") != std::string::npos);
  }
}

TEST_CASE("a player is the same every time, with several threads, too") {
  const SchedulePtr schedule = swing({4, 4}, true);
  const auto network = network_of("torus", {4, 4});
  const auto found = onceover::network::contention(*schedule, network, {});
  REQUIRE(found);
  const Played played{.contention = &*found, .network = &network, .flows = {.threads = 3}};
  const auto one = player(*schedule, played), other = player(*schedule, played);
  REQUIRE(one);
  REQUIRE(other);
  CHECK(one->data == other->data);
  CHECK(onceover::base::Json::parse(one->data).has_value());
}

TEST_CASE("a page has each part once, whatever the parts say") {
  const ReportPage page{.title = "{{script}} </title>",
                        .program = "onceover",
                        .sections = {{"a", "A & B", "<p>{{run}}</p>\n"}},
                        .run = R"({"x":"</script>{{title}}"})"};
  const std::string html = report_page(page);
  CHECK(html == report_page(page));
  CHECK(count(html, "</title>") == 1);
  CHECK(count(html, "</script>") == 3);
  CHECK(html.find("<title>{{script}} &lt;/title&gt;</title>") != std::string::npos);
  CHECK(html.find("<p>{{run}}</p>") != std::string::npos);
  CHECK(html.find(R"("\u003c/script\u003e{{title}}")") != std::string::npos);
  for (const char* outside : {"http://", "https://", "src=", "@import", "url("}) CHECK(count(html, outside) == 0);
}

TEST_CASE("a chart has every line, within its frame") {
  const LineChart chart{"label", "x", "y", {1, 10, 100}, {"1", "", "100"}, {{"a<b", {1, 5, 50}}, {"c", {2, 2, 2}}}};
  const std::string svg = svg_of(chart);
  CHECK(count(svg, "class=\"line line-0\"") == 2);  // and in the key
  CHECK(count(svg, "class=\"line line-1\"") == 2);
  CHECK(svg.find("a&lt;b") != std::string::npos);
  CHECK(count(svg, "nan") + count(svg, "inf") + count(svg, "\"-") == 0);
}

}  // namespace html_test
