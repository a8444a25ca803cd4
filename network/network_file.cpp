// Turns the text of a DOT or GraphML file into a network, or reports the first error with its place.
//
// Example: `graph { 0 -- s; 1 -- s [bandwidth=200] }` has ranks 0 and 1, a switch s and four links: a pair with the
// preset bandwidth, and a pair with 200 Gb/s. A latency in the file is the wire's; the time that a packet takes at the
// end of each link (LinkSpeeds::hop) is added.
//
// Boost's reader of DOT doesn't say where a node or a value is. So for an error in DOT its word is looked up in the
// text, which costs nothing if there is no error.
//
// Each node and link is looked at a fixed number of times: O(n log n) for n of them. The last check is whether all
// ranks reach each other; network.h says what that costs.

#include "network/network_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/lexical_cast.hpp>
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

/// May the letter be part of a name or number?
bool is_word(char c) {
  return is_in_name(c) || c == '.';
}

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
    graph_ = TRY(is_xml ? read_graphml(text_, name_) : read_dot(text_, name_));
    ids_are_ranks_ = !is_xml && std::all_of(graph_.nodes.begin(), graph_.nodes.end(),
                                            [](const NodeText& n) { return n.rank.text.empty(); });
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
      return error(id_of(cut->second), fmt::format("rank {} can't reach rank {}", cut->first, cut->second));
    return network;
  }

 private:
  tl::unexpected<SourceError> error(std::size_t offset, std::string message) const {
    return tl::unexpected(source_error(name_, text_, offset, message));
  }

  /// An error at a part of the file, in DOT at the first word that is `key=text`, or else `text`.
  tl::unexpected<SourceError> error(const WrittenText& part, std::string message, std::string_view key = "") const {
    if (part.place != WrittenText::unknown) return error(part.place, std::move(message));
    return error(key.empty() ? place_of(text_, part.text) : place_of_value(text_, key, part.text), std::move(message));
  }

  tl::unexpected<SourceError> error(const ReadLink& link, std::string message) const {
    return error(WrittenText{graph_.nodes[link.from].id.text, link.place}, std::move(message));
  }

  /// Refuses an unknown attribute whose name is near one of ours.
  tl::expected<void, SourceError> refuse_misspelt() const {
    constexpr std::array<std::string_view, 5> known{"bandwidth", "latency", "duplex", "rank", "forwards"};
    for (const auto& [name, place] : graph_.ignored)
      if (const auto meant = closest(name, known))
        return error(WrittenText{name, place}, fmt::format("no attribute '{}'; did you mean '{}'?", name, *meant));
    return {};
  }

  tl::expected<void, SourceError> set_forwards(Network& network) const {
    std::vector<bool> forwards(number_.size(), true);
    for (std::size_t k = 0; k < number_.size(); ++k) {
      const auto& [id, rank, forward] = graph_.nodes[k];
      const std::string& text = forward.text;
      if (!text.empty() && text != "true" && text != "false")
        return error(forward, fmt::format("forwards is true or false, not '{}'", text));
      if (text == "false" && number_[k] >= ranks_)
        return error(
            id, fmt::format("forwards=false is for ranks; '{}' is a switch, and switches always forward", id.text));
      forwards[static_cast<std::size_t>(number_[k])] = text != "false";
    }
    network.set_forwards(std::move(forwards));
    return {};
  }

  /// The network's links are those of the file, in order.
  tl::expected<void, SourceError> set_duplex(Network& network) const {
    std::vector<bool> is_half;
    for (const ReadLink& link : graph_.links) {
      const std::string& text = link.text.duplex.text;
      if (!text.empty() && text != "half" && text != "full")
        return error(link.text.duplex, fmt::format("duplex is half or full, not '{}'", text), "duplex");
      is_half.push_back(text == "half");
    }
    if (std::find(is_half.begin(), is_half.end(), true) == is_half.end()) return {};
    const auto alone = network.make_half_duplex(is_half);
    if (!alone) return {};
    const ReadLink& link = graph_.links[static_cast<std::size_t>(*alone)];
    return error(link,
                 fmt::format("the half-duplex link from '{}' to '{}' needs one back of the same bandwidth that is "
                             "half duplex, too",
                             graph_.nodes[link.from].id.text, graph_.nodes[link.to].id.text));
  }

  static std::optional<Rank> rank_in(const std::string& text) {
    const auto rank = parse_whole<Rank>(text);
    return rank && *rank >= 0 ? rank : std::nullopt;
  }

  /// Numbers the nodes, ranks first.
  tl::expected<void, SourceError> seat_ranks() {
    const auto& nodes = graph_.nodes;
    std::map<Rank, std::size_t> seat;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const WrittenText& text = ids_are_ranks_ ? nodes[k].id : nodes[k].rank;
      const auto rank = rank_in(text.text);
      if (!rank && !ids_are_ranks_ && !text.text.empty())
        return error(text, fmt::format("a rank is a number from 0, not '{}'", text.text));
      if (rank && !seat.emplace(*rank, k).second)
        return error(nodes[k].id, fmt::format("rank {} is there twice", *rank));
    }
    if (seat.empty())
      return error(0, "no ranks: expected nodes with an attribute 'rank' or, in DOT, numbers as their ids");
    ranks_ = static_cast<Rank>(seat.size());
    if (seat.rbegin()->first != ranks_ - 1) {
      Rank missing = 0;
      while (seat.count(missing) != 0) ++missing;
      return error(nodes[seat.rbegin()->second].id,
                   fmt::format("there is a rank {} but no rank {}", seat.rbegin()->first, missing));
    }
    number_.assign(nodes.size(), -1);
    for (const auto& [rank, k] : seat) number_[k] = rank;
    Node next = ranks_;
    for (Node& number : number_)
      if (number < 0) number = next++;
    return {};
  }

  tl::expected<double, SourceError> value(std::string_view key, const WrittenText& text, double preset, double least,
                                          bool may_be_least, std::string_view what) const {
    if (text.text.empty()) return preset;
    double number = 0;
    if (!boost::conversion::try_lexical_convert(text.text, number) || !std::isfinite(number) || number < least ||
        (number == least && !may_be_least) || number > 1e12)
      return error(text, fmt::format("{}, found '{}'", what, text.text), key);
    return number;
  }

  tl::expected<std::vector<LinkData>, SourceError> make_links() const {
    std::vector<LinkData> links;
    std::set<std::pair<Node, Node>> seen;
    for (const ReadLink& link : graph_.links) {
      const std::string& from = graph_.nodes[link.from].id.text;
      const std::string& to = graph_.nodes[link.to].id.text;
      if (link.from == link.to) return error(link, fmt::format("a link from '{}' to itself", from));
      if (!seen.emplace(number_[link.from], number_[link.to]).second)
        return error(link, fmt::format("a second link from '{}' to '{}'; give one the bandwidth of both", from, to));
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

  const WrittenText& id_of(Rank rank) const {
    const auto node = std::find(number_.begin(), number_.end(), rank);
    return graph_.nodes[static_cast<std::size_t>(node - number_.begin())].id;
  }

  std::vector<std::string> node_names() const {
    std::vector<std::string> names(number_.size());
    for (std::size_t k = 0; k < number_.size(); ++k)
      names[static_cast<std::size_t>(number_[k])] = graph_.nodes[k].id.text;
    return names;
  }

  std::string_view text_;
  std::string_view name_;
  const LinkSpeeds& speeds_;
  ReadGraph graph_;
  bool ids_are_ranks_ = false;
  std::vector<Node> number_;  // by node of the file
  Rank ranks_ = 0;
};

}  // namespace

tl::expected<Network, SourceError> read_network(std::string_view text, std::string_view name,
                                                const LinkSpeeds& speeds) {
  return Reader(text, name, speeds).read();
}

}  // namespace onceover::network
