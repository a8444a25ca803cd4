#include "network/network_file.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "network/contention.h"
#include "network/topology.h"
#include "schedules/catalogue.h"

namespace network_file_test {

using namespace onceover::network;

namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string error_of(const std::string& text) {
  const auto network = read_network(text, "net.dot", {});
  return network ? "read" : first_line(network.error().render());
}

std::string graphml(const std::string& body, const std::string& keys = "") {
  return "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n" + keys +
         "<graph edgedefault=\"directed\">\n" + body + "</graph></graphml>\n";
}

}  // namespace

TEST_CASE("a ring in DOT is the torus of one dimension") {
  const auto network = read_network("graph { 0 -- 1; 1 -- 2; 2 -- 3; 3 -- 4; 4 -- 0 }", "ring.dot", {});
  REQUIRE(network);
  CHECK(network->ranks() == 5);
  CHECK(network->link_count() == 10);
  CHECK(network->ports() == 2);
  TopologyRequest request{.name = "torus", .shape = {5}};
  const auto schedule = find_algorithm("swing")->make(on_line(Collective::allreduce, 5));
  CHECK(contention(*schedule, *network, {})->deficiencies->congestion ==
        Approx(contention(*schedule, *make_topology(request), {})->deficiencies->congestion));
}

TEST_CASE("ranks may be named, switches are the other nodes, links say what they are made of") {
  const auto network = read_network(R"(digraph {
    a [rank=1]; b [rank=0]; 7;
    a -> s [bandwidth=100, latency=5]; s -> a; b -> s [bandwidth="25.5"]; s -> b;
    s -> 7; 7 -> s })",
                                    "net.dot", {});
  REQUIRE(network);
  CHECK(network->ranks() == 2);
  CHECK(network->nodes() == 4);
  double least = 1000;
  for (const LinkData& l : network->links()) least = std::min(least, l.bandwidth);
  CHECK(least == 25.5);
  CHECK(network->port_bandwidth() == 25.5);
}

TEST_CASE("GraphML is read, with typed attributes") {
  const std::string keys =
      "<key id=\"r\" for=\"node\" attr.name=\"rank\" attr.type=\"int\"/>\n"
      "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"double\"/>\n";
  const auto network = read_network(
      graphml("<node id=\"x\"><data key=\"r\">0</data></node><node id=\"y\"><data key=\"r\">1</data></node>\n"
              "<edge source=\"x\" target=\"y\"><data key=\"b\">200</data></edge><edge source=\"y\" target=\"x\"/>\n",
              keys),
      "net.graphml", {});
  INFO((network ? "" : network.error().render()));
  REQUIRE(network);
  CHECK(network->ranks() == 2);
  CHECK(network->link(0).bandwidth + network->link(1).bandwidth == 600);
}

TEST_CASE("a key of GraphML may have a default") {
  const auto network = read_network(
      graphml("<node id='x'><data key='r'>0</data><data key='r2'>false</data></node><node id='y'><data key='r'>1</data>"
              "</node><edge source='x' target='y'><data key='b'> 100 </data></edge><edge source='y' target='x'/>\n",
              "<key id='r' for='node' attr.name='rank' attr.type='long'/><key id='r2' for='node' attr.name='forwards' "
              "attr.type='boolean'><default>1</default></key><key id='b' for='all' attr.name='bandwidth' "
              "attr.type='double'><desc>Gb/s</desc><default>50</default></key>\n"),
      "net.graphml", {});
  INFO((network ? "" : network.error().render()));
  REQUIRE(network);
  CHECK(network->link(0).bandwidth == 100);
  CHECK(network->link(1).bandwidth == 50);
  CHECK(network->name_in_file(1) == "y");
}

TEST_CASE("what is wrong with GraphML is said at its place") {
  const std::string keys =
      "<key id='r' for='node' attr.name='rank' attr.type='int'/>"
      "<key id='b' for='edge' attr.name='bandwidth' attr.type='double'/>\n";
  const std::string ends = "<node id='x'><data key='r'>0</data></node>\n<node id='y'><data key='r'>1</data></node>\n";
  const std::string both = "<edge source='x' target='y'/>\n<edge source='y' target='x'/>\n";
  auto error = [&](const std::string& body, const std::string& with = "") {
    return error_of(graphml(body, keys + with));
  };
  CHECK(error(ends + both) == "read");
  CHECK(error("<node id='x'><data key='r'>zero</data></node>") ==
        "net.dot:5:28: rank: expected a value of type int, found 'zero'");
  CHECK(error("<node id='x'><data key='r'>-1</data></node>") == "net.dot:5:28: a rank is a number from 0, not '-1'");
  CHECK(error(ends + "<node id='x'/>") == "net.dot:7:11: a second node 'x'");
  CHECK(error(ends + "<node id='z'>\n <data key='r'>1</data></node>") == "net.dot:7:11: rank 1 is there twice");
  CHECK(error("<node id='x'><data key='r'>0</data> <data key='r'>1</data></node>") ==
        "net.dot:5:48: a second value of key 'r'");
  CHECK(error("<node id='x'><data key='b'>0</data></node>") == "net.dot:5:25: key 'b' is for edges");
  CHECK(error("<node id='x'><data key='c'>0</data></node>") == "net.dot:5:25: there is no <key id=\"c\">");
  CHECK(error("<node id='x'><graph/></node>") == "net.dot:5:15: nested graphs are not read");
  CHECK(error(ends + "<edge source='x' target='z'/>") == "net.dot:7:26: there is no node 'z'");
  CHECK(error(ends + "<edge source='x'/>") == "net.dot:7:2: <edge> has no attribute target");
  CHECK(error(ends + both + "<edge source='y' target='y'/>") == "net.dot:9:2: a link from 'y' to itself");
  CHECK(error(ends + both + "<edge source='y' target='x'/>") ==
        "net.dot:9:2: a second link from 'y' to 'x'; give one the bandwidth of both");
  CHECK(error(ends + "<edge source='x' target='y'><data key='b'>\n  0 </data></edge>") ==
        "net.dot:8:3: a bandwidth is in Gb/s and above 0, found '0'");
  CHECK(error(ends + "<edge source='x' target='y'/>") == "net.dot:5:11: rank 1 can't reach rank 0");
  CHECK(error(ends + both + "<edge source='x' target='y' directed='false'/>") ==
        "net.dot:9:2: directed and undirected edges in one graph are not read");
  CHECK(error(ends + "<hyperedge/>") == "net.dot:7:2: expected <node> or <edge>, found <hyperedge>");
  CHECK(error("</graph><graph edgedefault='directed'>") == "net.dot:5:10: a second graph; a network is one");
  CHECK(error("", "<key id='r' for='edge'/>") == "net.dot:4:10: a second key 'r'");
  CHECK(error("", "<key id='s' for='all' attr.name='rank'/>") == "net.dot:4:34: a second key for rank of nodes");
  CHECK(error("", "<key id='s' for='links'/>").starts_with("net.dot:4:18: for: expected all, graph, "));
  CHECK(error(ends + both, "<key id='s' for='edge' attr.name='latncy' attr.type='int'><default>1</default></key>") ==
        "net.dot:4:35: no attribute 'latncy'; did you mean 'latency'?");
  CHECK(error("", "<key id='s' for='edge' attr.name='latency' attr.type='ns'><default>1</default></key>") ==
        "net.dot:4:55: attr.type: expected boolean, int, long, float, double, string, found 'ns'");
  CHECK(error_of("<graphml><graph edgedefault='both'/></graphml>") ==
        "net.dot:1:30: edgedefault: expected directed or undirected, found 'both'");
  CHECK(error_of("<graphml/>") == "net.dot:1:2: there is no <graph> in it");
  CHECK(error_of("<graph/>") == "net.dot:1:2: expected <graphml>, found <graph>");
}

TEST_CASE("an undirected GraphML graph has links both ways") {
  const auto network = read_network(
      "<graphml><key id=\"r\" for=\"node\" attr.name=\"rank\" attr.type=\"string\"/>"
      "<graph edgedefault=\"undirected\"><node id=\"a\"><data key=\"r\">0</data></node>"
      "<node id=\"b\"><data key=\"r\">1</data></node><edge source=\"a\" target=\"b\"/></graph></graphml>",
      "net.graphml", {});
  INFO((network ? "" : network.error().render()));
  REQUIRE(network);
  CHECK(network->link_count() == 2);
}

TEST_CASE("a cycle of switches is a network like any other") {
  const auto network = read_network("graph { 0 -- a; 1 -- b; 2 -- c; a -- b; b -- c; c -- a }", "net.dot", {});
  REQUIRE(network);
  Router router(*network, Routing::minimal);
  CHECK(router.route(0, 2).route->hops == 3);
}

TEST_CASE("what is wrong with a network is said at its place") {
  CHECK_THAT(error_of(""), Catch::StartsWith("net.dot:1:1: no DOT or GraphML: "));
  CHECK(error_of("graph { a -- b }") ==
        "net.dot:1:1: no ranks: expected nodes with an attribute 'rank' or, in DOT, numbers as their ids");
  CHECK(error_of("graph {\n 0 -- 1;\n 1 -- 3 }") == "net.dot:3:7: there is a rank 3 but no rank 2");
  CHECK(error_of("graph { a [rank=0]; b [rank=0]; a -- b }") == "net.dot:1:21: rank 0 is there twice");
  CHECK(error_of("graph { a [rank=0]; b [rank=x1]; a -- b }") == "net.dot:1:29: a rank is a number from 0, not 'x1'");
  CHECK(error_of("graph { 0 -- 1; 2 -- 3 }") == "net.dot:1:17: rank 0 can't reach rank 2");
  CHECK(error_of("digraph { 0 -> 1 }") == "net.dot:1:11: rank 1 can't reach rank 0");
  CHECK(error_of("graph { 0 -- 1; 2; 1 -- s }") == "net.dot:1:17: rank 0 can't reach rank 2");
  CHECK(error_of("graph { 0 -- 1; 1 -- 0 }") ==
        "net.dot:1:14: a second link from '1' to '0'; give one the bandwidth of both");
  CHECK(error_of("graph { 0 -- 1; 1 -- 1 }") == "net.dot:1:14: a link from '1' to itself");
  CHECK(error_of("graph { 0 -- 1 [bandwidth=-5] }") == "net.dot:1:27: a bandwidth is in Gb/s and above 0, found '-5'");
  CHECK(error_of("graph { 0 -- 1 [bandwidth=0] }") == "net.dot:1:27: a bandwidth is in Gb/s and above 0, found '0'");
  CHECK(error_of("graph { 0 -- 1 [latency=-1] }") == "net.dot:1:25: a latency is in ns, 0 or more, found '-1'");
  CHECK(error_of("graph { 0 -- 1 [bandwidth=nan] }") ==
        "net.dot:1:27: a bandwidth is in Gb/s and above 0, found 'nan'");
  CHECK(error_of("graph { 0 -- 1 [latency=\"1 ms\"] }") == "net.dot:1:26: a latency is in ns, 0 or more, found '1 ms'");
}

TEST_CASE("links may be half duplex") {
  const auto network = read_network("graph { 0 -- s [duplex=half]; 1 -- s [duplex=full]; 2 -- s }", "net.dot", {});
  REQUIRE(network);
  int half = 0;
  for (Link l = 0; l < network->link_count(); ++l) {
    const Link back = network->reverse_link(l);
    if (back < 0) continue;
    ++half;
    CHECK((network->link(l).from == network->link(back).to && network->link(l).to == network->link(back).from));
    CHECK((network->link(l).from == 0 || network->link(l).to == 0));
  }
  CHECK(half == 2);
  REQUIRE(read_network("digraph { 0 -> 1 [duplex=half]; 1 -> 0 [duplex=half] }", "net.dot", {}));
  const std::string alone =
      "the half-duplex link from '0' to '1' needs one back of the same bandwidth that is half duplex, too";
  CHECK(error_of("digraph { 0 -> 1 [duplex=half]; 1 -> 0 }") == "net.dot:1:11: " + alone);
  CHECK(error_of("digraph { 0 -> 1 [duplex=half]; 1 -> 0 [duplex=half, bandwidth=1] }") == "net.dot:1:11: " + alone);
  CHECK(error_of("graph { 0 -- 1 [duplex=hlf] }") == "net.dot:1:24: duplex is half or full, not 'hlf'");
  CHECK(error_of("graph { 0 -- 1 [duplx=half] }") == "net.dot:1:17: no attribute 'duplx'; did you mean 'duplex'?");
}

TEST_CASE("what is no network is refused, whatever it is") {
  for (const char* text : {"{", "graph", "graph {", "graph { 0 -- }", "<graphml>", "<", "<a></b>", "digraph { 0 -- 1 }",
                           "graph { \"0", "\x01\x02", "strict graph { 0 -- 1 [bandwidth=] }",
                           "<graphml><graph edgedefault=\"directed\"><edge source=\"1\"/></graph></graphml>"})
    CHECK_THAT(error_of(text), Catch::StartsWith("net.dot:"));
}

TEST_CASE("what the parser would misread is refused before it can") {
  CHECK(error_of("graph { 0 -- 1 [bandwidth=4e2] }") ==
        "net.dot:1:27: letters follow this number; write all of it in quotes: \"4e2\"");
  CHECK(error_of("graph { 0 -- 1 [latency=0.5us] }") ==
        "net.dot:1:25: letters follow this number; write all of it in quotes: \"0.5us\"");
  CHECK(error_of("graph { 0 -- 1 [bandwith=10] }") ==
        "net.dot:1:17: no attribute 'bandwith'; did you mean 'bandwidth'?");
  CHECK(error_of("graph { subgraph a { 0 1 } -- subgraph b { 2 3 } }") ==
        "net.dot:1:20: subgraphs are not read; write each link by itself");
  CHECK_THAT(error_of("<!DOCTYPE x [ <!ENTITY y \"z\"> ]><graphml/>"),
             Catch::Contains("document types and entities are not read"));
  const auto quoted =
      read_network("graph { // 4e2 { \n 0 -- 1 [bandwidth=\"4e2\", label=\"{ 4e2\"] /* { 3x */ }", "net.dot", {});
  REQUIRE(quoted);
  CHECK(quoted->link(0).bandwidth == 400);
  CHECK(read_network("\xef\xbb\xbfgraph { 0 -- 1 }", "net.dot", {}));
}

TEST_CASE("no messages pass through a rank that doesn't forward") {
  const std::string links = "0 -- a; 1 -- a; a -- s; s -- b; 0 -- b; 2 -- b }";
  auto hops = [&](const std::string& start) {
    const auto network = read_network(start + links, "net.dot", {});
    REQUIRE(network);
    Router router(*network, Routing::minimal);
    return router.route(1, 2).route->shares.size();
  };
  CHECK(hops("graph { ") == 6);                      // by way of rank 0 or of s
  CHECK(hops("graph { 0 [forwards=false]; ") == 4);  // of s only
  CHECK(error_of("graph { 0 [forwards=no]; 0 -- 1 }") == "net.dot:1:21: forwards is true or false, not 'no'");
}

TEST_CASE("a rank that can't be reached without passing through one that doesn't forward is an error of the file") {
  CHECK(error_of("graph { 1 [forwards=false]; 0 -- 1; 1 -- 2 }") == "net.dot:1:42: rank 0 can't reach rank 2");
  CHECK(error_of("graph { 0 [forwards=false]; 0 -- 1; 0 -- 2 }") == "net.dot:1:42: rank 1 can't reach rank 2");
}

TEST_CASE("hosts that don't forward reach each other over switches, or directly") {
  auto is_whole = [](const std::string& text) { return read_network(text, "net.dot", {}).has_value(); };
  const std::string ends = "0 [forwards=false]; 1 [forwards=false]; 2 [forwards=false]; ";
  CHECK(is_whole("graph { " + ends + "0 -- s; 1 -- s; 2 -- s }"));
  CHECK(is_whole("graph { " + ends + "0 -- 1; 1 -- 2; 2 -- 0 }"));
  // Rank 0 is beside a switch that doesn't reach all; two planes; and one way around.
  CHECK(is_whole("graph { " + ends + "0 -- dead; 0 -- s; 1 -- s; 2 -- s }"));
  CHECK(is_whole("graph { " + ends + "0 -- a; 1 -- a; 2 -- a; 0 -- b; 1 -- b; 2 -- b }"));
  CHECK(is_whole("graph { " + ends + "0 -- a; 1 -- a; 1 -- b; 2 -- b; 0 -- c; 2 -- c }"));
  CHECK(is_whole("digraph { " + ends + "0 -> a; a -> 1; a -> 2; 1 -> a; 2 -> a; a -> 0 }"));
  CHECK_FALSE(is_whole("graph { " + ends + "0 -- a; 1 -- a; 1 -- b; 2 -- b }"));
  CHECK_FALSE(is_whole("digraph { " + ends + "0 -> a; a -> 1; a -> 2; 1 -> a; a -> 0 }"));
}

TEST_CASE("a switch that doesn't forward is refused") {
  CHECK(error_of("graph { 0 -- s; 1 -- s; s [forwards=false] }") ==
        "net.dot:1:14: forwards=false is for ranks; 's' is a switch, and switches always forward");
}

TEST_CASE("a network of ten million links is refused for its size, a nesting without end for its depth") {
  std::string large = "graph {\n";
  while (large.size() <= largest_network_file) large += "0 -- 1;\n";
  CHECK_THAT(error_of(large + "}"), Catch::Contains("bytes are more than a network file may have, 16777216"));
  CHECK_THAT(error_of("graph " + std::string(200000, '{')), Catch::Contains("subgraphs are not read"));
  std::string deep;
  for (int k = 0; k < 200000; ++k) deep += "<a>";
  CHECK_THAT(error_of(deep), Catch::Contains("more than 100 elements inside each other"));
  for (const std::string part :
       {"<a b=\"->/\">", "<a x='/>'>", "<a><!-- /> -->", "<a><![CDATA[</a>]]>", "<a><?b </a>?>"}) {
    std::string hidden;
    for (int k = 0; k < 100000; ++k) hidden += part;
    CHECK_THAT(error_of(hidden), Catch::Contains("more than 100 elements inside each other"));
  }
}

}  // namespace network_file_test
