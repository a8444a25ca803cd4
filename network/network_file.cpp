// Turns the text of a DOT or GraphML file into a network, or reports the first error with its place.
//
// Example: `graph { 0 -- s; 1 -- s [bandwidth=200] }` has ranks 0 and 1, a switch s and four links: a pair with the
// preset bandwidth, and a pair with 200 Gb/s. A latency in the file is the wire's; the time that a packet takes at the
// end of each link (LinkSpeeds::hop) is added.
//
// Boost's readers parse the text (graph_text.h). They misread some texts, which are refused before. They also don't say
// where a node or a value is. So for an error its word is looked up in the text, which costs nothing if there is no
// error.
//
// Each node and link is looked at a fixed number of times: O(n log n) for n of them. The last check is whether all
// ranks reach each other; network.h says what that costs.

#include "network/network_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/lexical_cast.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/result.h"
#include "base/sentences.h"
#include "base/text.h"
#include "network/graph_text.h"

namespace onceover::network {

namespace {

/// The first place where `word` is a word of its own in the text; 0 if there is none.
std::size_t place_of(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); !word.empty() && at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return at;
  }
  return 0;
}

/// The place of the value in `key = value`; if that isn't in the text, the place of the value alone.
std::size_t place_of_value(std::string_view text, std::string_view key, std::string_view value) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t=\"", at + key.size()), text.size());
    if (text.substr(begin).starts_with(value)) return begin;
  }
  return place_of(text, value);
}

/// The place to which the parser's message "..(line).." points.
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

/// Reads a network, and reports everything that is wrong with its text.
class Reader {
 public:
  Reader(std::string_view text, std::string_view name, const LinkSpeeds& speeds)
      : text_(text), name_(name), speeds_(speeds) {}

  tl::expected<Network, SourceError> read() {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
    const std::size_t first = std::min(text_.find_first_not_of(" \t\r\n"), text_.size());
    const bool is_xml = first < text_.size() && text_[first] == '<';
    if (text_.size() > largest_network_file)
      return error(
          0, fmt::format("{} bytes are more than a network file may have, {}", text_.size(), largest_network_file));
    if (const auto trap = find_trap(text_, is_xml)) return error(trap->place, trap->message);
    TRY(parse(is_xml));
    TRY(refuse_misspelt());
    TRY(seat_ranks());
    auto links = TRY(make_links());
    const int most_links_of_a_rank = ports(links);
    Network network(std::string(name_), ranks_, static_cast<Node>(graph_.nodes.size()), most_links_of_a_rank,
                    std::move(links));
    network.name_nodes(node_names());
    TRY(set_forwards(network));
    TRY(set_duplex(network));
    if (const auto cut = network.unreachable())
      return error(place_of(text_, id_of(cut->second)),
                   fmt::format("rank {} can't reach rank {}", cut->first, cut->second));
    return network;
  }

 private:
  tl::unexpected<SourceError> error(std::size_t offset, std::string message) const {
    return tl::unexpected(source_error(name_, text_, offset, message));
  }

  tl::expected<void, SourceError> parse(bool is_xml) {
    try {
      graph_ = parse_graph(text_, is_xml);
    } catch (const std::bad_alloc&) {
      throw;  // not a fault of the file
    } catch (const std::exception& e) {
      const std::string complaint = e.what();
      return error(place_in_complaint(text_, complaint),
                   fmt::format("no {}: {}", is_xml ? "GraphML" : "DOT or GraphML", complaint.substr(0, 160)));
    }
    return {};
  }

  /// Refuses an unknown attribute whose name is near one of ours.
  tl::expected<void, SourceError> refuse_misspelt() const {
    constexpr std::array<std::string_view, 5> known{"bandwidth", "latency", "duplex", "rank", "forwards"};
    for (const std::string& name : graph_.ignored)
      if (const auto meant = closest(name, known))
        return error(place_of(text_, name), fmt::format("no attribute '{}'; did you mean '{}'?", name, *meant));
    return {};
  }

  tl::expected<void, SourceError> set_forwards(Network& network) const {
    std::vector<bool> forwards(number_.size(), true);
    for (std::size_t k = 0; k < number_.size(); ++k) {
      const std::string& text = graph_.nodes[k].forwards;
      if (!text.empty() && text != "true" && text != "false")
        return error(place_of(text_, text), fmt::format("forwards is true or false, not '{}'", text));
      if (text == "false" && number_[k] >= ranks_)
        return error(place_of(text_, graph_.nodes[k].id),
                     fmt::format("forwards=false is for ranks; '{}' is a switch, and switches always forward",
                                 graph_.nodes[k].id));
      forwards[static_cast<std::size_t>(number_[k])] = text != "false";
    }
    network.set_forwards(std::move(forwards));
    return {};
  }

  /// The network's links are those of the file, in order.
  tl::expected<void, SourceError> set_duplex(Network& network) const {
    std::vector<bool> is_half;
    for (const ReadLink& link : graph_.links) {
      const std::string& text = link.text.duplex;
      if (!text.empty() && text != "half" && text != "full")
        return error(place_of_value(text_, "duplex", text), fmt::format("duplex is half or full, not '{}'", text));
      is_half.push_back(text == "half");
    }
    if (std::find(is_half.begin(), is_half.end(), true) == is_half.end()) return {};
    const auto alone = network.make_half_duplex(is_half);
    if (!alone) return {};
    const ReadLink& link = graph_.links[static_cast<std::size_t>(*alone)];
    return error(place_of(text_, graph_.nodes[link.from].id),
                 fmt::format("the half-duplex link from '{}' to '{}' needs one back of the same bandwidth that is half "
                             "duplex, too",
                             graph_.nodes[link.from].id, graph_.nodes[link.to].id));
  }

  static std::optional<Rank> rank_in(const std::string& text) {
    const auto rank = parse_whole<Rank>(text);
    return rank && *rank >= 0 ? rank : std::nullopt;
  }

  /// Numbers the nodes, ranks first.
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

  tl::expected<double, SourceError> value(std::string_view key, const std::string& text, double preset, double least,
                                          bool may_be_least, std::string_view what) const {
    if (text.empty()) return preset;
    double number = 0;
    if (!boost::conversion::try_lexical_convert(text, number) || !std::isfinite(number) || number < least ||
        (number == least && !may_be_least) || number > 1e12)
      return error(place_of_value(text_, key, text), fmt::format("{}, found '{}'", what, text));
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
          value("bandwidth", link.text.bandwidth, speeds_.bandwidth, 0, false, "a bandwidth is in Gb/s and above 0");
      if (!bandwidth) return tl::unexpected(bandwidth.error());
      const auto latency =
          value("latency", link.text.latency, speeds_.latency, 0, true, "a latency is in ns, 0 or more");
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
  std::vector<Node> number_;  // by node of the file
  Rank ranks_ = 0;
};

}  // namespace

tl::expected<Network, SourceError> read_network(std::string_view text, std::string_view name,
                                                const LinkSpeeds& speeds) {
  return Reader(text, name, speeds).read();
}

}  // namespace onceover::network
