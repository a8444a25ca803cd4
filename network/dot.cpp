// DOT, by Boost's reader. It misreads some texts, and on others takes too long. They are refused before.
//
// Example: of `0 -- 1 [bandwidth=4e2]` the reader makes the bandwidth 4 and a node e2.
//
// O(n log n) for a text of n bytes.

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/property_map/dynamic_property_map.hpp>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "network/graph_text.h"

namespace onceover::network {

namespace {

/// What the reader would misread, drop, or take too long for.
struct Trap {
  std::size_t place;
  std::string message;
};

/// One past the end of a string or comment that begins at `at`; `at` if none begins there.
std::size_t past_quiet(std::string_view text, std::size_t at) {
  auto past = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("/*")) return past("*/", at + 2);
  if (rest.starts_with("//") || (rest[0] == '#' && (at == 0 || text[at - 1] == '\n'))) return past("\n", at);
  if (rest[0] != '"') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// Subgraphs, whose links multiply, HTML-like strings, and numbers followed by letters, which the reader splits in two.
std::optional<Trap> find_trap(std::string_view text) {
  constexpr std::string_view digits = "0123456789.";
  bool is_open = false;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = past_quiet(text, at); end != at) {
      at = end;
      continue;
    }
    if (text[at] == '{') {
      if (is_open) return Trap{at, "subgraphs are not read; write each link by itself"};
      is_open = true;
    }
    if (text[at] == '<') return Trap{at, "HTML-like strings are not read; use quotes"};
    const bool begins_number = digits.find(text[at]) != std::string_view::npos &&
                               (at == 0 || (!is_in_name(text[at - 1]) && text[at - 1] != '.'));
    if (!begins_number) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    at = std::min(text.find_first_not_of(digits, at), text.size());
    if (at < text.size() && is_in_name(text[at])) {
      const std::size_t end = std::min(text.find_first_of(" \t\r\n,;]}=[-", at), text.size());
      return Trap{begin, fmt::format("letters follow this number; write all of it in quotes: \"{}\"",
                                     text.substr(begin, std::min<std::size_t>(end - begin, 40)))};
    }
  }
  return std::nullopt;
}

struct DotNode {
  std::string id, rank, forwards;
};

struct DotLink {
  std::string bandwidth, latency, duplex;
};

template <class Directed>
ReadGraph read_as(const std::string& text) {
  boost::adjacency_list<boost::vecS, boost::vecS, Directed, DotNode, DotLink> graph;
  ReadGraph result;
  boost::dynamic_properties properties([&](const std::string& name, const boost::any&, const boost::any&) {
    result.ignored.emplace(name, WrittenText::unknown);
    return boost::shared_ptr<boost::dynamic_property_map>();
  });
  properties.property("node_id", boost::get(&DotNode::id, graph));
  properties.property("rank", boost::get(&DotNode::rank, graph));
  properties.property("forwards", boost::get(&DotNode::forwards, graph));
  properties.property("bandwidth", boost::get(&DotLink::bandwidth, graph));
  properties.property("latency", boost::get(&DotLink::latency, graph));
  properties.property("duplex", boost::get(&DotLink::duplex, graph));
  boost::read_graphviz(text, graph, properties);
  for (auto [v, end] = vertices(graph); v != end; ++v)
    result.nodes.push_back({{graph[*v].id}, {graph[*v].rank}, {graph[*v].forwards}});
  for (auto [e, end] = edges(graph); e != end; ++e) {
    const LinkText link{{graph[*e].bandwidth}, {graph[*e].latency}, {graph[*e].duplex}};
    result.links.push_back({source(*e, graph), target(*e, graph), link});
    if (std::is_same_v<Directed, boost::undirectedS>)
      result.links.push_back({target(*e, graph), source(*e, graph), link});
  }
  return result;
}

}  // namespace

tl::expected<ReadGraph, SourceError> read_dot(std::string_view text, std::string_view name) {
  if (const auto trap = find_trap(text)) return tl::unexpected(source_error(name, text, trap->place, trap->message));
  try {
    try {
      return read_as<boost::directedS>(std::string(text));
    } catch (const boost::undirected_graph_error&) {
      return read_as<boost::undirectedS>(std::string(text));
    }
  } catch (const std::bad_alloc&) {
    throw;  // not a fault of the file
  } catch (const std::exception& e) {
    return tl::unexpected(
        source_error(name, text, 0, fmt::format("no DOT or GraphML: {}", std::string(e.what()).substr(0, 160))));
  }
}

}  // namespace onceover::network
