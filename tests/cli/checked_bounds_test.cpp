// The second judge confirms the bounds that `verify bound` prints, and refuses them with a number changed.

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "check/certificate.h"
#include "run_program.h"

namespace checked_bounds_test {

using namespace onceover::support;
using Kind = check::Outcome::Kind;

namespace {

const std::vector<std::string> collectives{"allreduce", "allgather", "reduce-scatter", "broadcast --root 2",
                                           "reduce --root 2"};

/// Its best lengths are 1 and 2.
const std::string triangle = R"(graph { 0 -- 1 [bandwidth=250]; 0 -- 2 [bandwidth=250]; 1 -- 2 [bandwidth=100];
  0 -- s [bandwidth=50]; 2 -- s [bandwidth=400] })";

std::string printed(const std::string& arguments) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/triangle.dot") << triangle;
  const auto ran = run_program(std::string(ONCEOVER_VERIFY) + " bound " + arguments, folder.path());
  CAPTURE(arguments, ran.err);
  REQUIRE(ran.code == 0);
  return ran.out;
}

nlohmann::json bound(const std::string& arguments) {
  return nlohmann::json::parse(printed("--json " + arguments));
}

check::Outcome judged(const nlohmann::json& json) {
  return check::check_bound({"bound.json", json.dump(1)});
}

void accept(const nlohmann::json& json) {
  const auto outcome = judged(json);
  INFO(outcome.message << json.dump(1));
  CHECK(outcome.kind == Kind::proved);
}

void refuse(const nlohmann::json& json, const std::function<void(nlohmann::json&)>& change) {
  nlohmann::json changed = json;
  change(changed);
  INFO(changed.dump(1));
  REQUIRE(changed != json);
  CHECK(judged(changed).kind != Kind::proved);
}

/// The bound by the cut around rank 0 alone, which its ports cross.
nlohmann::json weakened(nlohmann::json json, const std::string& vectors) {
  nlohmann::json ports;
  for (const auto& link : json["links"])
    if (link["from"] == "rank 0") ports = nlohmann::json::array({link});
  json["time"] = {{"vectors", vectors},
                  {"is_reached", false},
                  {"proof",
                   {{"kind", "cut"},
                    {"direction", "leaves"},
                    {"inside", {"rank 0"}},
                    {"ranks_inside", 1},
                    {"share", "1/6"},
                    {"links", ports},
                    {"capacity", "4"}}}};
  return json;
}

/// Each number and fraction in turn, one larger.
void refuse_all_larger(const nlohmann::json& json) {
  const auto flat = json.flatten();
  for (const auto& [path, value] : flat.items()) {
    const nlohmann::json::json_pointer at(path);
    // The network may have faster links elsewhere, and other ranks may be as far apart.
    if (path == "/schema_version" || path == "/port_gbps" || path.starts_with("/links") || path == "/steps/from" ||
        path == "/steps/to")
      continue;
    if (value.is_number()) refuse(json, [&](auto& changed) { changed[at] = value.template get<int>() + 1; });
    if (path.ends_with("/capacity") || path.ends_with("/vectors") || path.ends_with("/share") ||
        path.starts_with("/time/proof/of_rank/"))
      refuse(json, [&](auto& changed) {
        std::string& text = changed[at].template get_ref<std::string&>();
        text = std::to_string(std::stoi(text) + 1) +
               (text.find('/') == std::string::npos ? "" : text.substr(text.find('/')));
      });
  }
}

}  // namespace

TEST_CASE("bounds of networks of each kind are confirmed") {
  for (const std::string network :
       {"--torus 4x4", "--torus 2x3", "--torus 3x4 --topology mesh", "--torus 2x4 --topology hyperx",
        "--p 5 --topology full", "--torus 4x4 --topology hx2mesh", "--p 16 --topology fat-tree:radix=8,taper=8",
        "--p 12 --topology dragonfly", "--p 6 --network-ports 1", "--p 8 --topology fat-tree:radix=4,taper=3",
        "--p 3 --topology triangle.dot", "--torus 2x3 --topology torus:duplex=half",
        "--p 4 --topology mesh:duplex=half", "--p 6 --topology fat-tree:radix=4,duplex=half"})
    for (const std::string& collective : collectives) accept(bound(network + " --collective " + collective));
}

TEST_CASE("bounds with another number in them are refused") {
  std::set<std::string> kinds;
  for (const std::string network : {"--torus 2x3 --topology mesh", "--p 4 --topology fat-tree:radix=4,taper=4",
                                    "--p 8 --topology fat-tree:radix=4,taper=8", "--p 3 --topology triangle.dot",
                                    "--p 4 --topology mesh:duplex=half"})
    for (const std::string& collective : collectives) {
      const auto json = bound(network + " --collective " + collective);
      kinds.insert(json["time"]["proof"]["kind"].get<std::string>());
      refuse_all_larger(json);
    }
  CHECK(kinds == std::set<std::string>{"cut", "ranks", "lengths"});
}

TEST_CASE("bounds about something else than they say are refused") {
  const auto scatter = bound("--torus 2x3 --topology mesh --collective reduce-scatter");
  refuse(scatter, [](auto& j) { j["collective"] = "allgather"; });
  refuse(scatter, [](auto& j) { j["time"]["proof"]["direction"] = "leaves"; });
  refuse(scatter, [](auto& j) { j["time"]["proof"]["inside"].erase(0); });
  refuse(scatter, [](auto& j) { j["time"]["proof"]["inside"].clear(); });
  refuse(scatter, [](auto& j) { j["links"].erase(0); });
  refuse(scatter, [](auto& j) { j["links"].push_back(j["links"][0]); });
  refuse(scatter, [](auto& j) { j["links"].erase(j["links"].size() - 1); });
  const auto cast = bound("--torus 2x3 --topology mesh --collective broadcast");
  refuse(cast, [](auto& j) { j["root"] = 5; });
  refuse(cast, [](auto& j) { j["collective"] = "reduce"; });
  const auto all = bound("--torus 4x4 --topology mesh");
  REQUIRE(all["time"]["proof"]["kind"] == "ranks");
  refuse(all, [](auto& j) { j["collective"] = "allgather"; });
  refuse(all, [](auto& j) { j["links"][0]["from"] = j["links"][1]["from"] = "somewhere"; });
  // The same port twice is more than a rank has.
  refuse(all, [](auto& j) { j["links"].push_back(j["links"].back()); });
}

TEST_CASE("that a bound is reached is judged by flows") {
  std::set<bool> reached;
  for (const std::string network : {"--torus 3x3", "--torus 2x3 --topology mesh", "--p 5 --topology full",
                                    "--p 8 --topology fat-tree:radix=4,taper=3", "--p 3 --topology triangle.dot",
                                    "--p 4 --topology mesh:duplex=half"})
    for (const std::string& collective : collectives) {
      const auto json = bound(network + " --collective " + collective);
      const bool claimed = json["time"]["is_reached"].get<bool>();
      reached.insert(claimed);
      CAPTURE(network, collective);
      CHECK((judged(json).message.find("as near to the time as you like") != std::string::npos) == claimed);
    }
  CHECK(reached.size() == 2);
  // No schedule takes 5/8: an allgather alone needs more than half of that.
  const auto early = bound("--torus 4x4 --topology mesh");
  REQUIRE(early["time"]["is_reached"] == false);
  refuse(early, [](auto& j) { j["time"]["is_reached"] = true; });
  refuse(early, [](auto& j) { j["time"]["is_reached"] = "false"; });
  refuse(early, [](auto& j) { j["time"].erase("is_reached"); });
}

TEST_CASE("a claim that nothing judges is refused") {
  for (const std::string network : {"--torus 2x3", "--torus 2x3 --topology mesh", "--p 3 --topology triangle.dot"}) {
    const auto json = bound(network);
    for (const std::string at : {"", "/time", "/time/proof", "/steps"})
      refuse(json, [&](auto& j) { j[nlohmann::json::json_pointer(at)]["is_best"] = true; });
    refuse(json, [](auto& j) { j["time"]["proof"]["kind"] = "magic"; });
    refuse(json, [](auto& j) { j["schema_version"] = 2; });
  }
}

TEST_CASE("a bound that is right but too low isn't reached") {
  const auto weak = weakened(bound("--torus 2x3 --topology mesh --collective allgather"), "1/24");
  accept(weak);
  refuse(weak, [](auto& j) { j["time"]["is_reached"] = true; });
}

TEST_CASE("a bound isn't known to be reached where a node has more capacity in than out") {
  auto json = bound("--torus 3x3 --collective broadcast --root 2");
  REQUIRE(json["time"]["is_reached"] == true);
  auto links = json["links"];
  // A second link into the place of rank 0, where no cut is the tightest.
  for (const auto& link : links)
    if (link["from"] == "place of rank 1" && link["to"] == "place of rank 0") json["links"].push_back(link);
  REQUIRE(json["links"].size() == links.size() + 1);
  CHECK(judged(json).kind != Kind::proved);
  json["time"]["is_reached"] = false;
  CHECK(judged(json).kind == Kind::proved);
}

TEST_CASE("half-duplex links count once, and both ways alike") {
  const auto gather = bound("--p 4 --topology mesh:duplex=half --collective allgather");
  REQUIRE(gather["time"]["proof"]["direction"] == "both");
  refuse(gather, [](auto& j) { j["time"]["proof"]["direction"] = "leaves"; });
  refuse(gather, [](auto& j) { j["time"]["proof"]["share"] = "2"; });
  refuse(gather, [](auto& j) { j["links"][0].erase("duplex"); });
  refuse(gather, [](auto& j) {
    for (auto& link : j["links"]) link.erase("duplex");
    for (auto& link : j["time"]["proof"]["links"]) link.erase("duplex");
  });
  refuse(gather, [](auto& j) { j["links"].back()["duplex"] = "half"; });
  const auto both = bound("--p 4 --topology mesh:duplex=half");
  REQUIRE(both["time"]["proof"]["kind"] == "lengths");
  refuse(both, [](auto& j) { j["time"]["proof"]["links"][0]["length"] = 7; });
  refuse(both, [](auto& j) { j["time"]["proof"]["links"].erase(0); });
  const auto several = bound("--p 3 --topology triangle.dot --network-ports 2");
  REQUIRE(several["time"]["proof"]["kind"] == "lengths");
  std::set<int> lengths;
  for (const auto& link : several["time"]["proof"]["links"]) lengths.insert(link["length"].get<int>());
  CHECK(lengths == std::set<int>{1, 2});
  const std::string text = printed("--p 3 --topology triangle.dot --network-ports 2");
  CHECK(text.find("count 10 links of the network, some of them more than once: ") != std::string::npos);
  CHECK(text.find("rank 1 -> rank 2 has 2/5 and counts 2") != std::string::npos);
  CHECK(text.find("and 8 divided by 10 is 4/5") != std::string::npos);
  accept(several);
}

TEST_CASE("what is no JSON of bounds is malformed") {
  for (const std::string text :
       {"", "[]", "{}", "{\"collective\":\"alltoall\"}", "{\"collective\":\"reduce\",\"ranks\":900000000}"})
    CHECK(check::check_bound({"b.json", text}).kind == Kind::malformed);
}

}  // namespace checked_bounds_test
