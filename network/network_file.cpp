#include "network/network_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/lexical_cast.hpp>
#include <boost/property_map/dynamic_property_map.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace onceover {

namespace {

constexpr int deepest = 100;

struct NodeText {
  std::string id;
  std::string rank;
};

struct LinkText {
  std::string bandwidth;
  std::string latency;
};

template <class Directed>
using TextGraph = boost::adjacency_list<boost::vecS, boost::vecS, Directed, NodeText, LinkText>;

/// A link between two nodes of the file, by their numbers there.
struct ReadLink {
  std::size_t from;
  std::size_t to;
  LinkText text;
};

struct ReadGraph {
  std::vector<NodeText> nodes;
  std::vector<ReadLink> links;
};

std::string text_of(const boost::any& value) {
  if (const auto* text = boost::any_cast<std::string>(&value)) return *text;
  if (const auto* number = boost::any_cast<double>(&value)) return fmt::format("{}", *number);
  if (const auto* number = boost::any_cast<float>(&value)) return fmt::format("{}", *number);
  if (const auto* number = boost::any_cast<int>(&value)) return fmt::format("{}", *number);
  if (const auto* number = boost::any_cast<long>(&value)) return fmt::format("{}", *number);
  if (const auto* flag = boost::any_cast<bool>(&value)) return *flag ? "true" : "false";
  return "?";
}

/// Takes an attribute of any type as text, so that we judge it and not a cast.
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
  boost::dynamic_properties properties(boost::ignore_other_properties);
  take(properties, "node_id", boost::get(&NodeText::id, graph));
  take(properties, "rank", boost::get(&NodeText::rank, graph));
  take(properties, "bandwidth", boost::get(&LinkText::bandwidth, graph));
  take(properties, "latency", boost::get(&LinkText::latency, graph));
  std::istringstream in{std::string(text)};
  if (is_xml)
    boost::read_graphml(in, graph, properties);
  else
    boost::read_graphviz(in, graph, properties);
  ReadGraph result;
  for (auto [v, end] = vertices(graph); v != end; ++v) {
    result.nodes.push_back(graph[*v]);
    if (is_xml) result.nodes.back().id = fmt::format("node {}", result.nodes.size());  // Boost doesn't tell its id
  }
  for (auto [e, end] = edges(graph); e != end; ++e) {
    result.links.push_back({source(*e, graph), target(*e, graph), graph[*e]});
    if (std::is_same_v<Directed, boost::undirectedS>)
      result.links.push_back({target(*e, graph), source(*e, graph), graph[*e]});
  }
  return result;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

/// Where `word` first stands by itself in the text; 0 if nowhere.
std::size_t place_of(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); !word.empty() && at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return at;
  }
  return 0;
}

/// Where the parser's complaint "..(line).." points to.
std::size_t place_in_complaint(std::string_view text, std::string_view complaint) {
  const std::size_t open = complaint.rfind('(');
  std::size_t line = 1;
  if (open != std::string_view::npos)
    std::from_chars(complaint.data() + open + 1, complaint.data() + complaint.size(), line);
  std::size_t at = 0;
  for (; line > 1 && at < text.size(); ++at)
    if (text[at] == '\n') --line;
  return at;
}

/// The place where brackets are nested deeper than any network would: the parsers call themselves for each.
std::optional<std::size_t> too_deep(std::string_view text, bool is_xml) {
  int depth = 0;
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    const char next = text[k + 1];
    if (!is_xml)
      depth += text[k] == '{' || text[k] == '[' || text[k] == '<'   ? 1
               : text[k] == '}' || text[k] == ']' || text[k] == '>' ? -1
                                                                    : 0;
    else if (text[k] == '<' && next == '/')
      --depth;
    else if ((text[k] == '/' || text[k] == '?' || text[k] == '-') && next == '>')
      --depth;
    else if (text[k] == '<')
      ++depth;
    depth = std::max(depth, 0);
    if (depth > deepest) return k;
  }
  return std::nullopt;
}

/// Everything that a reader of the text complains about.
class Reader {
 public:
  Reader(std::string_view text, std::string_view name, const LinkSpeeds& speeds)
      : text_(text), name_(name), speeds_(speeds) {}

  tl::expected<Network, SourceError> read() {
    const std::size_t first = std::min(text_.find_first_not_of(" \t\r\n\xef\xbb\xbf"), text_.size());
    const bool is_xml = first < text_.size() && text_[first] == '<';
    if (text_.size() > largest_network_file)
      return error(
          0, fmt::format("{} bytes are more than a network file may have, {}", text_.size(), largest_network_file));
    if (const auto place = too_deep(text_, is_xml)) return error(*place, "nested deeper than 100");
    if (auto parsed = parse(is_xml); !parsed) return tl::unexpected(parsed.error());
    if (auto seated = seat_ranks(); !seated) return tl::unexpected(seated.error());
    auto links = make_links();
    if (!links) return tl::unexpected(links.error());
    const int most_links_of_a_rank = ports(*links);
    Network network(std::string(name_), ranks_, static_cast<Node>(graph_.nodes.size()), most_links_of_a_rank,
                    std::move(*links));
    network.name_nodes(node_names());
    if (const auto cut = network.unreachable())
      return error(place_of(text_, id_of(cut->second)),
                   fmt::format("rank {} and rank {} can't reach each other", cut->first, cut->second));
    return network;
  }

 private:
  tl::unexpected<SourceError> error(std::size_t offset, std::string message) const {
    return tl::unexpected(source_error(name_, text_, offset, message));
  }

  tl::expected<void, SourceError> parse(bool is_xml) {
    try {
      try {
        graph_ = read_as<boost::directedS>(text_, is_xml);
      } catch (const boost::undirected_graph_error&) {
        graph_ = read_as<boost::undirectedS>(text_, is_xml);
      }
    } catch (const std::exception& e) {
      const std::string complaint = e.what();
      return error(place_in_complaint(text_, complaint),
                   fmt::format("no {}: {}", is_xml ? "GraphML" : "DOT or GraphML", complaint.substr(0, 160)));
    }
    return {};
  }

  static std::optional<Rank> rank_in(const std::string& text) {
    Rank rank = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (failure != std::errc() || end != text.data() + text.size() || rank < 0) return std::nullopt;
    return rank;
  }

  /// Numbers the nodes: ranks first.
  tl::expected<void, SourceError> seat_ranks() {
    const auto& nodes = graph_.nodes;
    const bool are_named = std::any_of(nodes.begin(), nodes.end(), [](const NodeText& n) { return !n.rank.empty(); });
    std::map<Rank, std::size_t> seat;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const std::string& text = are_named ? nodes[k].rank : nodes[k].id;
      const auto rank = rank_in(text);
      if (!rank && are_named && !text.empty())
        return error(place_of(text_, text), fmt::format("a rank is a number from 0, not '{}'", text));
      if (rank && !seat.emplace(*rank, k).second)
        return error(place_of(text_, nodes[k].id), fmt::format("rank {} is there twice", *rank));
    }
    if (seat.empty())
      return error(0, "no ranks: expected nodes with an attribute 'rank' or, in DOT, numbers as their ids");
    ranks_ = static_cast<Rank>(seat.size());
    if (seat.rbegin()->first != ranks_ - 1) {
      Rank missing = 0;
      while (seat.count(missing) != 0) ++missing;
      return error(place_of(text_, nodes[seat.rbegin()->second].id),
                   fmt::format("there is a rank {} but no rank {}", seat.rbegin()->first, missing));
    }
    number_.assign(nodes.size(), -1);
    for (const auto& [rank, k] : seat) number_[k] = rank;
    Node next = ranks_;
    for (Node& number : number_)
      if (number < 0) number = next++;
    return {};
  }

  tl::expected<double, SourceError> value(const std::string& text, double preset, double least, bool may_be_least,
                                          std::string_view what) const {
    if (text.empty()) return preset;
    double number = 0;
    if (!boost::conversion::try_lexical_convert(text, number) || !std::isfinite(number) || number < least ||
        (number == least && !may_be_least) || number > 1e12)
      return error(place_of(text_, text), fmt::format("{}, found '{}'", what, text));
    return number;
  }

  tl::expected<std::vector<LinkData>, SourceError> make_links() const {
    std::vector<LinkData> links;
    std::set<std::pair<Node, Node>> seen;
    for (const ReadLink& link : graph_.links) {
      const std::string& from = graph_.nodes[link.from].id;
      const std::string& to = graph_.nodes[link.to].id;
      if (link.from == link.to) return error(place_of(text_, from), fmt::format("a link from '{}' to itself", from));
      if (!seen.emplace(number_[link.from], number_[link.to]).second)
        return error(place_of(text_, from),
                     fmt::format("a second link from '{}' to '{}'; give one the bandwidth of both", from, to));
      const auto bandwidth =
          value(link.text.bandwidth, speeds_.bandwidth, 0, false, "a bandwidth is in Gb/s and above 0");
      if (!bandwidth) return tl::unexpected(bandwidth.error());
      const auto latency = value(link.text.latency, speeds_.latency, 0, true, "a latency is in ns, 0 or more");
      if (!latency) return tl::unexpected(latency.error());
      links.push_back({number_[link.from], number_[link.to], *bandwidth, *latency + speeds_.hop});
    }
    return links;
  }

  int ports(const std::vector<LinkData>& links) const {
    std::vector<int> out(static_cast<std::size_t>(ranks_));
    for (const LinkData& l : links)
      if (l.from < ranks_) ++out[static_cast<std::size_t>(l.from)];
    return std::max(1, *std::max_element(out.begin(), out.end()));
  }

  std::string id_of(Rank rank) const {
    const auto node = std::find(number_.begin(), number_.end(), rank);
    return graph_.nodes[static_cast<std::size_t>(node - number_.begin())].id;
  }

  std::vector<std::string> node_names() const {
    std::vector<std::string> names(number_.size());
    for (std::size_t k = 0; k < number_.size(); ++k) names[static_cast<std::size_t>(number_[k])] = graph_.nodes[k].id;
    return names;
  }

  std::string_view text_;
  std::string_view name_;
  const LinkSpeeds& speeds_;
  ReadGraph graph_;
  std::vector<Node> number_;  // of each node of the file
  Rank ranks_ = 0;
};

}  // namespace

tl::expected<Network, SourceError> read_network(std::string_view text, std::string_view name,
                                                const LinkSpeeds& speeds) {
  return Reader(text, name, speeds).read();
}

}  // namespace onceover
