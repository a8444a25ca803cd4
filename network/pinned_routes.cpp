#include "network/pinned_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "base/sentences.h"
#include "base/text.h"

namespace onceover::network {

class PinnedRoutesReader {
 public:
  PinnedRoutesReader(std::string_view text, std::string_view name, const Network& network, int lanes,
                     std::string_view schedule)
      : text_(text),
        name_(name),
        network_(network),
        as_it_is_(network.forwarding()),
        lanes_(lanes),
        schedule_(schedule) {
    for (Node node = network.nodes(); node-- > network.ranks();) node_of_[network.node_text(node)] = node;
    for (Node node = 0; node < network.ranks(); ++node)
      if (const auto& named = network.name_in_file(node); !named.empty()) node_of_[named] = node;
    for (Rank rank = 0; rank < network.ranks(); ++rank) node_of_.try_emplace(std::to_string(rank), network.seat(rank));
    for (Link link = 0; link < network.link_count(); ++link)
      link_of_.try_emplace({network.link(link).from, network.link(link).to}, link);
  }

  tl::expected<PinnedRoutes, SourceError> read() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      words_ = words_of(text_.substr(begin, end - begin), begin);
      end_of_line_ = end;
      next_ = 0;
      if (!words_.empty()) TRY(rule());
      begin = end + 1;
    }
    if (found_.routes_.empty() && found_.forwarding_.empty())
      return error(0, "no rule; expected some, like 'lane 1 avoids nicB' or '0 -> 2 takes nicA top'");
    return std::move(found_);
  }

 private:
  using Done = tl::expected<void, SourceError>;

  /// A word of a line and where it stands in the text.
  struct PlacedWord {
    std::string_view text;
    std::size_t offset;
  };

  /// The words of a line before its comment; a comma ends a word, too, and a word between quotes is taken as it is.
  static std::vector<PlacedWord> words_of(std::string_view line, std::size_t offset) {
    constexpr std::string_view ends = " \t\r,#";
    std::vector<PlacedWord> words;
    for (std::size_t at = 0; at < line.size() && line[at] != '#';) {
      if (ends.find(line[at]) != std::string_view::npos) {
        ++at;
        continue;
      }
      const std::size_t quote = line[at] == '"' ? line.find('"', at + 1) : std::string_view::npos;
      const bool is_quoted = quote != std::string_view::npos;
      const std::size_t begin = is_quoted ? at + 1 : at;
      const std::size_t end = is_quoted ? quote : std::min(line.find_first_of(ends, at), line.size());
      words.push_back({line.substr(begin, end - begin), offset + begin});
      at = is_quoted ? end + 1 : end;
    }
    return words;
  }

  tl::unexpected<SourceError> error(std::size_t offset, const std::string& message) const {
    return tl::unexpected(source_error(name_, text_, offset, message));
  }

  std::size_t place() const { return next_ < words_.size() ? words_[next_].offset : end_of_line_; }

  tl::unexpected<SourceError> expected(std::string_view what) const {
    const std::string found =
        next_ < words_.size() ? fmt::format("'{}'", words_[next_].text) : std::string("the end of the line");
    return error(place(), fmt::format("expected {}, found {}", what, found));
  }

  bool take(std::string_view word) {
    const bool is_next = next_ < words_.size() && words_[next_].text == word;
    if (is_next) ++next_;
    return is_next;
  }

  tl::expected<std::int32_t, SourceError> number(std::string_view what, std::int32_t end) {
    const auto value = next_ < words_.size() ? parse_whole<std::int32_t>(words_[next_].text) : std::nullopt;
    if (!value || *value < 0 || *value >= end) return expected(fmt::format("{} from 0 to {}", what, end - 1));
    ++next_;
    return *value;
  }

  tl::expected<Node, SourceError> node() {
    const std::string word(words_[next_].text);
    const auto found = node_of_.find(word);
    if (found == node_of_.end()) {
      std::vector<std::string_view> names;
      for (const auto& [name, node] : node_of_) names.emplace_back(name);
      return error(place(), fmt::format("{} has no node '{}'{}", network_.name(), word, suggestion(word, names)));
    }
    ++next_;
    return found->second;
  }

  Done rule() {
    const std::size_t begin = place();
    std::optional<int> lane;
    if (take("lane")) lane = TRY(number(fmt::format("a lane of {},", schedule_), lanes_));
    if (lane && take("avoids")) return avoid(*lane, begin);
    const Rank src = TRY(number(lane ? "'avoids', or a rank" : "'lane', or a rank", network_.ranks()));
    if (!take("->")) return expected("'->'");
    const Rank dst = TRY(number("a rank", network_.ranks()));
    if (src == dst) return error(begin, fmt::format("rank {} sends itself no message", src));
    if (!take("takes")) return expected("'takes'");
    auto route = TRY(way(network_.seat(src), network_.seat(dst)));
    if (!found_.routes_.emplace(std::tuple(src, dst, lane.value_or(PinnedRoutes::any_lane)), std::move(route)).second)
      return error(begin, "a second rule for the same messages");
    return {};
  }

  tl::expected<Route, SourceError> way(Node from, Node to) {
    Route route;
    std::set<Node> passed{from};
    Node here = from;
    while (here != to) {
      const std::size_t at = place();
      const bool is_last = next_ == words_.size();
      const Node there = is_last ? to : TRY(node());
      const auto link = link_of_.find({here, there});
      if (link == link_of_.end())
        return error(at, fmt::format("no link from {} to {}", network_.node_text(here), network_.node_text(there)));
      if (!passed.insert(there).second)
        return error(at, fmt::format("the way comes to {} twice", network_.node_text(there)));
      if (here != from && !network_.forwards(here))
        return error(at, fmt::format("{} forwards no messages", network_.node_text(here)));
      route.shares.push_back({link->second, route.hops++, 1});
      route.latency += network_.link(link->second).latency;
      here = there;
    }
    if (next_ < words_.size()) return expected("the end of the line");
    return route;
  }

  Done avoid(int lane, std::size_t begin) {
    if (network_.grid())
      return error(begin,
                   fmt::format("on {} a message follows the lines; say its ways: '0 -> 1 takes 2'", network_.name()));
    if (next_ == words_.size()) return expected("a node");
    std::vector<bool> forwards(static_cast<std::size_t>(network_.nodes()));
    for (Node node = 0; node < network_.nodes(); ++node)
      forwards[static_cast<std::size_t>(node)] = network_.forwards(node);
    while (next_ < words_.size()) forwards[static_cast<std::size_t>(TRY(node()))] = false;
    network_.set_forwards(forwards);
    if (const auto cut = network_.unreachable())
      return error(begin, fmt::format("rank {} can't reach rank {} in lane {}", cut->first, cut->second, lane));
    network_.set_forwards(as_it_is_);
    if (!found_.forwarding_.emplace(lane, std::move(forwards)).second)
      return error(begin, fmt::format("a second rule for lane {}", lane));
    return {};
  }

  std::string_view text_;
  std::string_view name_;
  Network network_;                   // a copy, in which a lane is tried
  const std::vector<bool> as_it_is_;  // which nodes forward
  int lanes_;
  std::string_view schedule_;
  std::unordered_map<std::string, Node> node_of_;
  std::map<std::pair<Node, Node>, Link> link_of_;
  std::vector<PlacedWord> words_;  // of the line
  std::size_t next_ = 0;           // of them
  std::size_t end_of_line_ = 0;
  PinnedRoutes found_;
};

tl::expected<PinnedRoutes, SourceError> read_pinned_routes(std::string_view text, std::string_view name,
                                                           const Network& network, int lanes,
                                                           std::string_view schedule) {
  return PinnedRoutesReader(text, name, network, lanes, schedule).read();
}

const Route* PinnedRoutes::find(Rank src, Rank dst, int lane) const {
  for (const int of : {lane, any_lane})
    if (const auto found = routes_.find({src, dst, of}); found != routes_.end()) return &found->second;
  return nullptr;
}

const std::vector<bool>* PinnedRoutes::forwarding(int lane) const {
  const auto found = forwarding_.find(lane);
  return found == forwarding_.end() ? nullptr : &found->second;
}

}  // namespace onceover::network
