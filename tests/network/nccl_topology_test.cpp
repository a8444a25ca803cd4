#include "network/nccl_topology.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <sstream>

#include "network/contention.h"
#include "network/pinned_routes.h"

namespace nccl_topology_test {

using namespace onceover::network;
using Catch::Matchers::Contains;

namespace {

std::string data(const std::string& name) {
  std::ifstream file(ONCEOVER_TEST_DATA "/networks/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Network hosts(Rank ranks) {
  auto network = read_nccl_topology(data("host.xml"), "host.xml", {}, ranks);
  if (!network) FAIL(network.error().render());
  return std::move(*network);
}

double bandwidth(const Network& network, const std::string& link) {
  for (Link l = 0; l < network.link_count(); ++l)
    if (network.link_text(l) == link) return network.link(l).bandwidth;
  return 0;
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = data("host.xml");
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text, Rank ranks = 2) {
  const auto network = read_nccl_topology(text, "host.xml", {}, ranks);
  return network ? "" : network.error().render();
}

}  // namespace

TEST_CASE("a host of NCCL has the bandwidths that NCCL computes with, in Gb/s") {
  const Network host = hosts(2);
  CHECK(host.ranks() == 2);
  CHECK(host.ports() == 1);
  CHECK(bandwidth(host, "rank 0 -> nvswitch") == Approx(12 * 20 * 8));
  CHECK(bandwidth(host, "nvswitch -> rank 1") == Approx(12 * 20 * 8));
  CHECK(bandwidth(host, "rank 0 -> 0000:01:00.0") == Approx(16 * 120 / 80.0 * 8));
  CHECK(bandwidth(host, "cpu0 -> cpu1") == Approx(16 * 8));
  CHECK(bandwidth(host, "0000:03:00 -> net0") == Approx(200));
  Router router(host, Routing::minimal);
  CHECK(router.route(0, 1).route->hops == 2);  // by the NVSwitch
}

TEST_CASE("several hosts are joined by their cards") {
  const Network two = hosts(4);
  CHECK(two.ranks() == 4);
  CHECK(bandwidth(two, "host1.net1 -> network") == Approx(200));
  CHECK(two.port_bandwidth() == Approx(1920));
  Router router(two, Routing::minimal);
  // rank 0, PCI switch, NIC, card, network, card, NIC, PCI switch, rank 2: each its nearest card.
  CHECK(router.route(0, 2).route->hops == 8);
  CHECK(hosts(3).ranks() == 2);
}

TEST_CASE("channels of NCCL's graph take their cards") {
  Network two = hosts(4);
  const auto rules = ways_of_nccl_graph(data("channels.xml"), "channels.xml", two, 2);
  if (!rules) FAIL(rules.error().render());
  CHECK(*rules == "lane 0 avoids host0.net1 host1.net1\nlane 1 avoids host0.net1 host1.net1\n");
  two.pin(std::make_shared<const PinnedRoutes>(*read_pinned_routes(*rules, "channels.xml", two, 2)));
  Router router(two, Routing::minimal);
  const auto crosses = [&](Rank src, Rank dst, const std::string& link) {
    const RouteView view = router.route(src, dst, 1);
    return std::any_of(view.route->shares.begin(), view.route->shares.end(),
                       [&](const RouteShare& share) { return two.link_text(view.link(share)) == link; });
  };
  CHECK(crosses(1, 3, "host0.net0 -> network"));
  CHECK_FALSE(crosses(1, 3, "host0.net1 -> network"));
  CHECK(crosses(1, 3, "host0.cpu1 -> host0.cpu0"));  // no GPU passes on what is another's
  CHECK_THAT(ways_of_nccl_graph(data("channels.xml"), "c.xml", two, 3).error().render(),
             Contains("2 channels, the schedule has 3 lanes"));
  CHECK_THAT(ways_of_nccl_graph(data("channels.xml"), "c.xml", hosts(2), 3).error().render(), Contains("c.xml:2"));
  CHECK_THAT(
      ways_of_nccl_graph(R"(<graphs><graph id="0"><channel><net dev="7"/></channel></graph></graphs>)", "c", two, 1)
          .error()
          .render(),
      Contains("no such card"));
  CHECK_THAT(
      ways_of_nccl_graph(R"(<graphs><graph id="0"><channel><gpu dev="0"/></channel></graph></graphs>)", "c", two, 1)
          .error()
          .render(),
      Contains("no <net>"));
  CHECK_THAT(ways_of_nccl_graph("<graphs/>", "c", two, 1).error().render(), Contains("no <graph> with id 0"));
}

TEST_CASE("NVLinks between GPUs run one way for each element, and their number is that of the ports") {
  const std::string to_other = R"(<nvlink target="0000:82:00.0" count="4" tclass="0x030200"/>)";
  const std::string to_switch = R"(<nvlink target="ffff:ff:ff.f" count="12" tclass="0x068000"/>)";
  const auto network = read_nccl_topology(with(to_switch, to_other + to_other), "host.xml", {}, 2);
  REQUIRE(network);
  CHECK(bandwidth(*network, "rank 0 -> rank 1") == Approx(2 * 4 * 20 * 8));
  CHECK(bandwidth(*network, "rank 1 -> rank 0") == 0);
  CHECK(network->ports() == 2);
}

TEST_CASE("ports of one card share its link, links of PCI switches count, and GPUs that aren't used have no node") {
  const std::string card = R"(<pci busid="0000:03:00.0" class="0x020700" link_speed="16.0 GT/s PCIe" link_width="16">)";
  const auto dual = read_nccl_topology(
      with(card, R"(<pci busid="0000:03:00.1" class="0x020700" link_speed="16.0 GT/s PCIe" link_width="16">
                      <nic><net dev="2" speed="100000"/><net dev="-1" speed="1"/></nic></pci>)" +
                     card),
      "host.xml", {}, 2);
  if (!dual) FAIL(dual.error().render());
  CHECK(bandwidth(*dual, "0000:01:00.0 -> 0000:03:00") == Approx(192));
  CHECK(bandwidth(*dual, "0000:03:00 -> net2") == Approx(100));
  CHECK(bandwidth(*dual, "0000:03:00 -> net0") == Approx(200));
  const auto linked = read_nccl_topology(with(card, R"(<pcilink target="0000:81:00.0"/><pcilink target="1"/>)" + card),
                                         "host.xml", {}, 2);
  if (!linked) FAIL(linked.error().render());
  CHECK(bandwidth(*linked, "0000:01:00.0 -> 0000:81:00.0") == Approx(40000));
  const auto one = read_nccl_topology(with("rank=\"1\"", "rank=\"-1\""), "host.xml", {}, 1);
  REQUIRE(one);
  CHECK(one->ranks() == 1);
  CHECK(refusal(with("link_width=\"16\"", "link_width=\"\"")).empty());
}

TEST_CASE("numbers of cards are hexadecimal behind 0x, as newer versions of NCCL write them") {
  const Network two = hosts(4);
  const auto rules = [&](const std::string& dev) {
    return ways_of_nccl_graph(
        fmt::format(R"(<graphs><graph id="0"><channel><net dev="{}"/></channel></graph></graphs>)", dev), "c", two, 1);
  };
  CHECK(*rules("0x1") == *rules("1"));
  CHECK_FALSE(rules("10"));
  CHECK_FALSE(rules("a"));
}

TEST_CASE("what is wrong with a topology of NCCL is told at its place") {
  CHECK_THAT(refusal(with("rank=\"1\"", "rank=\"0\"")), Contains("host.xml:19:") && Contains("rank 0 is there twice"));
  CHECK_THAT(refusal(with("<net name", "<nett name")), Contains("expected <net>, found <nett>"));
  CHECK_THAT(refusal(with("link_width=\"16\"", "link_width=\"wide\"")), Contains("host.xml:3:"));
  CHECK_THAT(refusal(with("sm=\"80\"", "")), Contains("sm"));
  CHECK_THAT(refusal(with("arch=\"x86_64\"", "")), Contains("arch"));
  CHECK_THAT(refusal(with("<nvlink target=\"ffff:ff:ff.f\" count=\"12\" tclass=\"0x068000\"/>",
                          "<nvlink target=\"0000:99:00.0\" count=\"12\" tclass=\"0x030200\"/>")),
             Contains("no GPU at 0000:99:00.0"));
  CHECK_THAT(refusal(with("dev=\"1\" speed", "dev=\"0\" speed")), Contains("card 0 is there twice"));
  CHECK_THAT(refusal(with("0000:81:00.0", "0000:01:00.0")), Contains("0000:01:00.0 is there twice"));
  CHECK_THAT(refusal(with("0000:82:00.0", "0000:02:00.0")), Contains("0000:02:00.0 is there twice"));
  CHECK_THAT(refusal(with("numaid=\"1\"", "numaid=\"0\"")), Contains("CPU 0 is there twice"));
  CHECK_THAT(refusal(data("host.xml"), 1 << 20), Contains("more than 8388608 links"));
  CHECK_THAT(refusal(with("<gpu dev=\"1\"", "<gpu dev=\"2\" sm=\"80\" rank=\"2\"/><gpu dev=\"1\"")),
             Contains("expected one <gpu>, found <gpu>"));
  CHECK_THAT(refusal("<system version=\"1\"/>"), Contains("no GPU with a rank"));
  const std::string alone =
      R"(<system><cpu numaid="0" arch="arm64"><pci busid="1" link_speed="8 GT/s" link_width="16"><gpu sm="90" rank="0"/></pci></cpu></system>)";
  CHECK(refusal(alone, 1).empty());
  CHECK_THAT(refusal(alone, 2), Contains("there is no <net> between hosts"));
}

}  // namespace nccl_topology_test
