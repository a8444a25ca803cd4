// GraphML: one graph, of nodes and edges whose attributes are <data> of a declared <key>.
//
// Example: <key id="b" for="edge" attr.name="bandwidth" attr.type="double"/> makes <data key="b">200</data> of an
// <edge> its bandwidth. If the key has a <default>, edges without data have that.
//
// What a network would lose is refused: a second or nested graph, a hyperedge, an edge of unknown nodes, a node, key or
// value that is there twice. Each element is read once: O(n log n) for n of them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/lexical_cast.hpp>
#include <optional>
#include <set>

#include "base/result.h"
#include "base/rows.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/xml_source.h"
#include "network/graph_text.h"

namespace onceover::network {

namespace {

WrittenText* field_of(NodeText& node, std::string_view name) {
  return name == "rank" ? &node.rank : name == "forwards" ? &node.forwards : nullptr;
}

WrittenText* field_of(LinkText& link, std::string_view name) {
  if (name == "bandwidth") return &link.bandwidth;
  return name == "latency" ? &link.latency : name == "duplex" ? &link.duplex : nullptr;
}

/// A value of a type of GraphML, written as DOT has it; nothing if it isn't one.
std::optional<std::string> value_of(std::string_view type, std::string_view text) {
  if (type == "string") return std::string(text);
  if (type == "boolean") {
    if (text == "true" || text == "1") return "true";
    return text == "false" || text == "0" ? std::optional<std::string>("false") : std::nullopt;
  }
  if (type == "int" || type == "long") {
    const auto number = parse_whole<std::int64_t>(text);
    return number ? std::optional(fmt::format("{}", *number)) : std::nullopt;
  }
  double number = 0;
  if (!boost::conversion::try_lexical_convert(text, number)) return std::nullopt;
  return fmt::format("{}", number);
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class GraphmlReader {
 public:
  explicit GraphmlReader(const XmlSource& source) : source_(source) {}

  tl::expected<ReadGraph, SourceError> read() {
    const XmlElement& root = source_.root();
    if (root.name != "graphml") return fail(root, fmt::format("expected <graphml>, found <{:.60}>", root.name));
    for (const XmlElement* key : root.children("key")) TRY(read_key(*key));
    const auto graphs = root.children("graph");
    if (graphs.empty()) return fail(root, "there is no <graph> in it");
    if (graphs.size() > 1) return fail(*graphs[1], "a second graph; a network is one");
    TRY(read_graph(*graphs[0]));
    return std::move(graph_);
  }

 private:
  using Done = tl::expected<void, SourceError>;

  struct Key {
    const XmlElement* element;
    std::string_view whose;  // node, edge, all, ..
    std::string_view name;
  };

  tl::unexpected<SourceError> fail(const XmlElement& element, std::string_view message) const {
    return tl::unexpected(source_.error(element, message));
  }
  tl::unexpected<SourceError> fail(const XmlElement& element, std::string_view attribute,
                                   std::string_view message) const {
    return tl::unexpected(source_.error(element, attribute, message));
  }

  Done read_key(const XmlElement& element) {
    constexpr std::array<std::string_view, 7> kinds{"all", "graph", "graphml", "node", "edge", "hyperedge", "port"};
    const std::string_view id = TRY(source_.text(element, "id"));
    const Key key{&element, TRY(source_.text(element, "for")), element.value("attr.name")};
    if (!has(kinds, key.whose)) return fail(element, "for", fmt::format("for: expected {}", fmt::join(kinds, ", ")));
    if (!keys_.emplace(id, key).second) return fail(element, "id", fmt::format("a second key '{:.60}'", id));
    for (const std::string_view whose : {"node", "edge"})
      if (!key.name.empty() && is_for(key, whose) && !named_.emplace(whose, key.name).second)
        return fail(element, "attr.name", fmt::format("a second key for {:.60} of {}s", key.name, whose));
    const auto presets = element.children("default");
    if (presets.empty()) return {};
    if (is_for(key, "node")) TRY(take(key, *presets[0], preset_of_nodes_));
    if (is_for(key, "edge")) TRY(take(key, *presets[0], preset_of_links_));
    return {};
  }

  static bool is_for(const Key& key, std::string_view whose) { return key.whose == whose || key.whose == "all"; }

  /// The text of an element that has the value of a key.
  template <class Fields>
  Done take(const Key& key, const XmlElement& element, Fields& fields) {
    constexpr std::array<std::string_view, 6> types{"boolean", "int", "long", "float", "double", "string"};
    const std::string_view type = key.element->value("attr.type");
    if (!has(types, type))
      return fail(*key.element, "attr.type",
                  fmt::format("attr.type: expected {}, found '{:.60}'", fmt::join(types, ", "), type));
    const std::string_view text = without_blanks(element.content);
    const auto value = value_of(type, text);
    if (!value)
      return tl::unexpected(
          source_.error(source_.offset(text),
                        fmt::format("{:.60}: expected a value of type {}, found '{:.60}'", key.name, type, text)));
    if (WrittenText* field = field_of(fields, key.name))
      *field = {*value, source_.offset(text)};
    else if (key.whose != "all" || !(field_of(preset_of_nodes_, key.name) || field_of(preset_of_links_, key.name)))
      graph_.ignored.emplace(key.name, source_.offset(key.element->value("attr.name")));
    return {};
  }

  template <class Fields>
  Done read_data(const XmlElement& element, Fields& fields) {
    std::set<std::string_view> given;
    for (const XmlElement* data : element.children()) {
      if (data->name == "graph") return fail(*data, "nested graphs are not read");
      if (data->name != "data") continue;
      const std::string_view id = TRY(source_.text(*data, "key"));
      const auto key = keys_.find(id);
      if (key == keys_.end()) return fail(*data, "key", fmt::format("there is no <key id=\"{:.60}\">", id));
      if (!is_for(key->second, element.name))
        return fail(*data, "key", fmt::format("key '{:.60}' is for {}s", id, key->second.whose));
      if (!given.insert(id).second) return fail(*data, "key", fmt::format("a second value of key '{:.60}'", id));
      TRY(take(key->second, *data, fields));
    }
    return {};
  }

  Done read_graph(const XmlElement& graph) {
    const std::string_view preset = TRY(source_.text(graph, "edgedefault"));
    if (preset != "directed" && preset != "undirected")
      return fail(graph, "edgedefault",
                  fmt::format("edgedefault: expected directed or undirected, found '{:.60}'", preset));
    for (const XmlElement* node : graph.children("node")) TRY(read_node(*node));
    for (const XmlElement* edge : graph.children()) {
      stop_point();
      if (edge->name == "edge")
        TRY(read_edge(*edge, preset == "directed"));
      else if (edge->name != "node" && edge->name != "data" && edge->name != "desc")
        return fail(*edge, fmt::format("expected <node> or <edge>, found <{:.60}>", edge->name));
    }
    if (is_directed_.value_or(false))
      std::stable_sort(graph_.links.begin(), graph_.links.end(),
                       [](const ReadLink& a, const ReadLink& b) { return a.from < b.from; });
    return {};
  }

  Done read_node(const XmlElement& element) {
    const std::string_view id = TRY(source_.text(element, "id"));
    if (!nodes_.emplace(id, graph_.nodes.size()).second)
      return fail(element, "id", fmt::format("a second node '{:.60}'", id));
    NodeText node = preset_of_nodes_;
    node.id = {std::string(id), source_.offset(id)};
    TRY(read_data(element, node));
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  Done read_edge(const XmlElement& element, bool is_directed) {
    const std::string_view direction = element.value("directed");
    if (!direction.empty() && direction != "true" && direction != "false")
      return fail(element, "directed", fmt::format("directed: expected true or false, found '{:.60}'", direction));
    if (!direction.empty()) is_directed = direction == "true";
    if (is_directed_.value_or(is_directed) != is_directed)
      return fail(element, "directed and undirected edges in one graph are not read");
    is_directed_ = is_directed;
    ReadLink link{TRY(end_of(element, "source")), TRY(end_of(element, "target")), preset_of_links_,
                  source_.offset(element.name)};
    TRY(read_data(element, link.text));
    graph_.links.push_back(link);
    if (is_directed) return {};
    std::swap(link.from, link.to);
    graph_.links.push_back(std::move(link));
    return {};
  }

  tl::expected<std::size_t, SourceError> end_of(const XmlElement& edge, std::string_view attribute) const {
    const auto node = nodes_.find(TRY(source_.text(edge, attribute)));
    if (node == nodes_.end())
      return fail(edge, attribute, fmt::format("there is no node '{:.60}'", edge.value(attribute)));
    return node->second;
  }

  const XmlSource& source_;
  ReadGraph graph_;
  std::map<std::string_view, Key> keys_;
  std::set<std::pair<std::string_view, std::string_view>> named_;  // (node or edge, name) of the keys
  NodeText preset_of_nodes_;
  LinkText preset_of_links_;
  std::map<std::string_view, std::size_t> nodes_;
  std::optional<bool> is_directed_;  // of the edges before
};

}  // namespace

tl::expected<ReadGraph, SourceError> read_graphml(std::string_view text, std::string_view name) {
  const auto source = TRY(XmlSource::parse(name, text, true));
  return GraphmlReader(source).read();
}

}  // namespace onceover::network
