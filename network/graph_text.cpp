#include "network/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/property_map/dynamic_property_map.hpp>
#include <cctype>
#include <sstream>

namespace onceover::network {

namespace {

template <class Directed>
using TextGraph = boost::adjacency_list<boost::vecS, boost::vecS, Directed, NodeText, LinkText>;

std::string text_of(const boost::any& value) {
  if (const auto* text = boost::any_cast<std::string>(&value)) return *text;
  if (const auto* number = boost::any_cast<double>(&value)) return fmt::format("{}", *number);
  if (const auto* number = boost::any_cast<float>(&value)) return fmt::format("{}", *number);
  if (const auto* number = boost::any_cast<int>(&value)) return fmt::format("{}", *number);
  if (const auto* number = boost::any_cast<long>(&value)) return fmt::format("{}", *number);
  if (const auto* flag = boost::any_cast<bool>(&value)) return *flag ? "true" : "false";
  return "?";
}

/// Takes an attribute of any type as text, so that our code judges it, not a cast.
template <class Map>
class AsText final : public boost::dynamic_property_map {
 public:
  using Key = typename boost::property_traits<Map>::key_type;

  explicit AsText(Map map) : map_(map) {}

  boost::any get(const boost::any& key) override { return boost::get(map_, boost::any_cast<const Key&>(key)); }
  std::string get_string(const boost::any& key) override { return boost::get(map_, boost::any_cast<const Key&>(key)); }
  void put(const boost::any& key, const boost::any& value) override {
    boost::put(map_, boost::any_cast<const Key&>(key), text_of(value));
  }
  const std::type_info& key() const override { return typeid(Key); }
  const std::type_info& value() const override { return typeid(std::string); }

 private:
  Map map_;
};

template <class Map>
void take(boost::dynamic_properties& properties, const std::string& name, Map map) {
  properties.insert(name, boost::make_shared<AsText<Map>>(map));
}

template <class Directed>
ReadGraph read_as(std::string_view text, bool is_xml) {
  TextGraph<Directed> graph;
  ReadGraph result;
  boost::dynamic_properties properties([&](const std::string& name, const boost::any&, const boost::any&) {
    result.ignored.insert(name);
    return boost::shared_ptr<boost::dynamic_property_map>();
  });
  take(properties, "node_id", boost::get(&NodeText::id, graph));
  take(properties, "rank", boost::get(&NodeText::rank, graph));
  take(properties, "forwards", boost::get(&NodeText::forwards, graph));
  take(properties, "bandwidth", boost::get(&LinkText::bandwidth, graph));
  take(properties, "latency", boost::get(&LinkText::latency, graph));
  take(properties, "duplex", boost::get(&LinkText::duplex, graph));
  std::istringstream in{std::string(text)};
  if (is_xml)
    boost::read_graphml(in, graph, properties);
  else
    boost::read_graphviz(in, graph, properties);
  for (auto [v, end] = vertices(graph); v != end; ++v) {
    result.nodes.push_back(graph[*v]);
    if (is_xml) result.nodes.back().id = fmt::format("node {}", result.nodes.size());  // Boost doesn't say its id
  }
  for (auto [e, end] = edges(graph); e != end; ++e) {
    result.links.push_back({source(*e, graph), target(*e, graph), graph[*e]});
    if (std::is_same_v<Directed, boost::undirectedS>)
      result.links.push_back({target(*e, graph), source(*e, graph), graph[*e]});
  }
  return result;
}

}  // namespace

ReadGraph parse_graph(std::string_view text, bool is_xml) {
  try {
    return read_as<boost::directedS>(text, is_xml);
  } catch (const boost::undirected_graph_error&) {
    return read_as<boost::undirectedS>(text, is_xml);
  }
}

}  // namespace onceover::network
