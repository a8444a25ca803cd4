// Makes networks from a few numbers. A grid repeats one line in every row of a dimension: rings make a torus, paths a
// mesh, complete graphs a HyperX, boards on a switch a HammingMesh. Fat-trees and dragonflies are made link by link.
//
// Example: the fat-tree of 8 ranks with radix 4 has 4 switches, each with 2 ranks below it, and 2 switches on top, each
// joined to all 4. That is 16 wires, each with a link in either direction.
//
// Example: the dragonfly of 6 ranks with hosts=1, routers=2 has groups of routers {0, 1}, {2, 3} and {4, 5}, joined by
// 0-3, 1-4 and 2-5: each router has one link to another group.
//
// O(links) time and memory. Networks of more than about 2^23 links are refused.

#include "network/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "schedules/catalogue.h"

namespace onceover::network {

namespace {

using Made = tl::expected<Network, std::string>;

Rank rank_count(const TopologyRequest& request) {
  return std::accumulate(request.shape.begin(), request.shape.end(), Rank{1}, std::multiplies<>());
}

std::string sides_text(const std::vector<Rank>& sides) {
  return fmt::format("{}", fmt::join(sides, "x"));
}

/// The setting as a whole number from `least` to `most`; `preset` if it isn't given.
tl::expected<std::int64_t, std::string> number(const TopologyRequest& request, std::string_view key,
                                               std::int64_t preset, std::int64_t least, std::int64_t most) {
  const auto given = request.settings.find(key);
  if (given == request.settings.end()) return preset;
  const std::string& text = given->second;
  const auto value = parse_whole<std::int64_t>(text);
  if (!value || *value < least || *value > most)
    return tl::unexpected(
        fmt::format("{}: {} is a number from {} to {}, not '{}'", request.name, key, least, most, text));
  return *value;
}

/// The setting as one of `words`; the first of them if it isn't given.
tl::expected<std::string_view, std::string> choice(const TopologyRequest& request, std::string_view key,
                                                   const std::vector<std::string_view>& words) {
  const auto given = request.settings.find(key);
  if (given == request.settings.end()) return words.front();
  const auto word = std::find(words.begin(), words.end(), given->second);
  if (word == words.end())
    return tl::unexpected(fmt::format("{}: {} is {}, not '{}'{}", request.name, key, fmt::join(words, " or "),
                                      given->second, suggestion(given->second, words)));
  return *word;
}

void connect(std::vector<LinkData>& links, const LinkSpeeds& speeds, Node a, Node b) {
  links.push_back(speeds.link(a, b));
  links.push_back(speeds.link(b, a));
}

Line ring_line(Rank side, const LinkSpeeds& speeds) {
  Line line{side, side, {}};
  for (Rank i = 0; i < side && side > 1; ++i) {
    line.links.push_back(speeds.link(i, (i + 1) % side));
    line.links.push_back(speeds.link(i, (i + side - 1) % side));
  }
  return line;
}

Line path_line(Rank side, const LinkSpeeds& speeds) {
  Line line{side, side, {}};
  for (Rank i = 0; i + 1 < side; ++i) connect(line.links, speeds, i, i + 1);
  return line;
}

Line complete_line(Rank side, const LinkSpeeds& speeds) {
  Line line{side, side, {}};
  for (Rank i = 0; i < side; ++i)
    for (Rank j = 0; j < side; ++j)
      if (i != j) line.links.push_back(speeds.link(i, j));
  return line;
}

/// The boards of a HammingMesh in one dimension.
struct Boards {
  Rank side;
  LinkSpeeds speeds;
  bool keep_their_messages;
};

/// Paths of the seats of each board; both ends of every path are joined to one switch.
Line board_line(Rank side, const Boards& boards, const LinkSpeeds& speeds) {
  Line line{side, side + 1, {}};
  for (Rank i = 0; i + 1 < side; ++i)
    if ((i + 1) % boards.side != 0) connect(line.links, boards.speeds, i, i + 1);
  if (boards.keep_their_messages) line.board_links = line.links.size();
  for (Rank first = 0; first < side; first += boards.side) {
    connect(line.links, speeds, first, side);
    connect(line.links, speeds, first + boards.side - 1, side);
  }
  return line;
}

template <class MakeLine>
Made grid(const TopologyRequest& request, MakeLine&& make_line, const std::string& detail = "") {
  std::vector<Line> lines;
  std::int64_t links = 0;
  const std::int64_t ranks = rank_count(request);
  for (const Rank side : request.shape) {
    lines.push_back(make_line(side));
    links += ranks / side * static_cast<std::int64_t>(lines.back().links.size());
  }
  if (links > most_links)
    return tl::unexpected(
        fmt::format("{} {} has {} links, more than {}", request.name, sides_text(request.shape), links, most_links));
  // A rank can send two messages at a time for each dimension in use, as on a torus, whatever the line is.
  const auto used = std::count_if(request.shape.begin(), request.shape.end(), [](Rank side) { return side > 1; });
  const int ports = 2 * std::max(1, static_cast<int>(used));
  return Network(fmt::format("{} {}{}", request.name, sides_text(request.shape), detail), std::move(lines), ports);
}

Made make_torus(const TopologyRequest& request) {
  return grid(request, [&](Rank side) { return ring_line(side, request.speeds); });
}

Made make_mesh(const TopologyRequest& request) {
  return grid(request, [&](Rank side) { return path_line(side, request.speeds); });
}

std::optional<std::string> refuse_complete(const TopologyRequest& request, std::int64_t links) {
  if (links <= most_links) return std::nullopt;
  return fmt::format("{} {} has {} links, more than {}", request.name, sides_text(request.shape), links, most_links);
}

Made make_hyperx(const TopologyRequest& request) {
  std::int64_t links = 0;
  for (const Rank side : request.shape) links += std::int64_t{rank_count(request)} * (side - 1);
  if (auto reason = refuse_complete(request, links)) return tl::unexpected(*reason);
  return grid(request, [&](Rank side) { return complete_line(side, request.speeds); });
}

Made make_full(const TopologyRequest& request) {
  const Rank ranks = rank_count(request);
  if (auto reason = refuse_complete(request, std::int64_t{ranks} * (ranks - 1))) return tl::unexpected(*reason);
  return Network(fmt::format("full network of {} ranks", ranks), {complete_line(ranks, request.speeds)}, 1);
}

Made hxmesh(const TopologyRequest& request, Rank rows, Rank columns) {
  if (request.shape.size() != 2)
    return tl::unexpected(fmt::format("{} has two dimensions: give --torus AxB", request.name));
  if (request.shape[0] % rows != 0 || request.shape[1] % columns != 0)
    return tl::unexpected(fmt::format("{} of {}x{} boards: {} is not a multiple of that", request.name, rows, columns,
                                      sides_text(request.shape)));
  const auto latency =
      number(request, "board-latency", static_cast<std::int64_t>(request.speeds.latency), 0, 1'000'000);
  if (!latency) return tl::unexpected(latency.error());
  const auto within = TRY(choice(request, "within-board", {"shortest", "wires"}));
  Boards boards{rows, request.speeds, within == "wires"};
  boards.speeds.latency = static_cast<double>(*latency);
  const auto next_line = [&](Rank side) {
    Line line = board_line(side, boards, request.speeds);
    boards.side = columns;
    return line;
  };
  return grid(
      request, next_line,
      fmt::format(", boards of {}x{}{}", rows, columns, boards.keep_their_messages ? " that keep their messages" : ""));
}

Made make_hxmesh(const TopologyRequest& request) {
  const auto rows = number(request, "rows", 2, 1, 1 << 12);
  const auto columns = number(request, "columns", 2, 1, 1 << 12);
  if (!rows) return tl::unexpected(rows.error());
  if (!columns) return tl::unexpected(columns.error());
  return hxmesh(request, static_cast<Rank>(*rows), static_cast<Rank>(*columns));
}

Made make_hx2mesh(const TopologyRequest& request) {
  return hxmesh(request, 2, 2);
}

Made make_hx4mesh(const TopologyRequest& request) {
  return hxmesh(request, 4, 4);
}

/// How a fat-tree branches: below[l] nodes of level l are joined to each switch of level l+1, and each of them to
/// above[l] such switches. Level 0 is the ranks. Half of a switch's ports go down; on the top level all do.
struct Branching {
  std::vector<std::int64_t> below;
  std::vector<std::int64_t> above;

  Branching(std::int64_t radix, std::int64_t levels)
      : below(static_cast<std::size_t>(levels), radix / 2), above(static_cast<std::size_t>(levels), radix / 2) {
    below.back() = radix;
    above.front() = 1;
  }

  std::int64_t places() const {
    std::int64_t places = 1;
    for (const std::int64_t b : below) places = std::min(places * b, std::int64_t{1} << 40);
    return places;
  }
};

/// A node of level l is a pair: which subtree of that height it is on top of, and which of the tops of this subtree it
/// is. Going up, subtrees join and the tops multiply.
Made make_fat_tree(const TopologyRequest& request) {
  const Rank ranks = rank_count(request);
  const auto radix = TRY(number(request, "radix", 16, 4, 1 << 10));
  if (radix % 2 != 0) return tl::unexpected(fmt::format("fat-tree: radix is even, not {}", radix));
  std::int64_t needed = 1;
  while (Branching(radix, needed).places() < ranks) ++needed;
  const auto levels = number(request, "levels", needed, 1, 24);
  const auto taper = number(request, "taper", 1, 1, 1 << 10);
  if (!levels) return tl::unexpected(levels.error());
  if (!taper) return tl::unexpected(taper.error());
  const Branching tree(radix, *levels);
  if (tree.places() < ranks)
    return tl::unexpected(
        fmt::format("fat-tree of radix {} and {} levels has {} places, not {}", radix, *levels, tree.places(), ranks));
  std::vector<LinkData> links;
  std::int64_t first = 0;  // the level's first node
  std::int64_t subtrees = ranks;
  std::int64_t tops = 1;
  for (std::size_t level = 0; level < tree.below.size(); ++level) {
    const std::int64_t next = first + subtrees * tops;
    if (subtrees * tops * tree.above[level] * 2 + static_cast<std::int64_t>(links.size()) > most_links)
      return tl::unexpected(
          fmt::format("fat-tree of radix {} and {} levels has more than {} links", radix, *levels, most_links));
    LinkSpeeds speeds = request.speeds;
    if (level > 0) speeds.bandwidth /= static_cast<double>(*taper);
    for (std::int64_t subtree = 0; subtree < subtrees; ++subtree)
      for (std::int64_t top = 0; top < tops; ++top)
        for (std::int64_t up = 0; up < tree.above[level]; ++up)
          connect(links, speeds, static_cast<Node>(first + subtree * tops + top),
                  static_cast<Node>(next + subtree / tree.below[level] * tops * tree.above[level] + up * tops + top));
    subtrees = (subtrees + tree.below[level] - 1) / tree.below[level];
    tops *= tree.above[level];
    first = next;
  }
  return Network(fmt::format("fat-tree of {} ranks, radix {}, {} levels, taper {}", ranks, radix, *levels, *taper),
                 ranks, static_cast<Node>(first + subtrees * tops), 1, std::move(links));
}

/// Groups of routers, each linked to all others of its group, and one link between any two groups. The first router of
/// a group has the links to the next `hosts` groups, the second one those to the `hosts` groups after these, and so on.
Made make_dragonfly(const TopologyRequest& request) {
  const Rank ranks = rank_count(request);
  std::int64_t preset = 1;
  while (preset * 2 * preset * (2 * preset * preset + 1) < ranks) ++preset;
  const auto hosts = TRY(number(request, "hosts", preset, 1, 1 << 10));
  const auto routers = TRY(number(request, "routers", 2 * hosts, 1, 1 << 11));
  const std::int64_t most_groups = routers * hosts + 1;
  const std::int64_t enough = (ranks + hosts * routers - 1) / (hosts * routers);
  const auto groups = TRY(number(request, "groups", std::min(enough, most_groups), 1, most_groups));
  if (hosts * routers * groups < ranks)
    return tl::unexpected(fmt::format("dragonfly of {} groups of {} routers with {} hosts has {} places, not {}",
                                      groups, routers, hosts, hosts * routers * groups, ranks));
  if (groups * routers * (routers - 1) + groups * (groups - 1) + 2 * std::int64_t{ranks} > most_links)
    return tl::unexpected(
        fmt::format("dragonfly of {} groups of {} routers has more than {} links", groups, routers, most_links));
  auto router = [&](std::int64_t group, std::int64_t index) {
    return static_cast<Node>(ranks + group * routers + index);
  };
  std::vector<LinkData> links;
  for (Rank r = 0; r < ranks; ++r) connect(links, request.speeds, r, static_cast<Node>(ranks + r / hosts));
  for (std::int64_t g = 0; g < groups; ++g) {
    for (std::int64_t i = 0; i < routers; ++i)
      for (std::int64_t j = 0; j < i; ++j) connect(links, request.speeds, router(g, i), router(g, j));
    for (std::int64_t other = g + 1; other < groups; ++other) {
      const std::int64_t away = other - g - 1;
      const std::int64_t back = groups - 2 - away;
      connect(links, request.speeds, router(g, away / hosts), router(other, back / hosts));
    }
  }
  Network network(
      fmt::format("dragonfly of {} ranks, {} groups of {} routers with {} hosts", ranks, groups, routers, hosts), ranks,
      router(groups, 0), 1, std::move(links));
  network.group_switches({.first = router(0, 0), .size = static_cast<Node>(routers)});
  return network;
}

constexpr TopologySetting board_latency{"board-latency", "ns on the wires of a board [as other links]"};
constexpr TopologySetting within_board{
    "within-board",
    "the path between ranks of a board: the shortest, even over a switch, or the board's wires [shortest]"};
constexpr std::array board_settings{board_latency, within_board};
constexpr std::array hxmesh_settings{TopologySetting{"rows", "rows of a board [2]"},
                                     TopologySetting{"columns", "columns of a board [2]"}, board_latency, within_board};
constexpr std::array fat_tree_settings{
    TopologySetting{"radix", "ports of a switch; half of them lead down, on the top level all [16]"},
    TopologySetting{"levels", "levels of switches [as many as are needed]"},
    TopologySetting{"taper", "links between switches are slower by this factor [1]"}};
constexpr std::array dragonfly_settings{
    TopologySetting{"hosts", "ranks of a router, and its links to other groups [the fewest that suffice]"},
    TopologySetting{"routers", "routers of a group [2 hosts]"},
    TopologySetting{"groups", "groups [as many as are needed]"}};

constexpr std::array rows{
    Topology{"torus", "rings along every dimension", {}, make_torus},
    Topology{"mesh", "a torus without the links around", {}, make_mesh},
    Topology{"hyperx", "a link between any two ranks of a row or column", {}, make_hyperx},
    Topology{"hx2mesh", "HammingMesh with boards of 2x2", board_settings, make_hx2mesh},
    Topology{"hx4mesh", "HammingMesh with boards of 4x4", board_settings, make_hx4mesh},
    Topology{"hxmesh", "HammingMesh: boards of a mesh, a switch for each row and column", hxmesh_settings, make_hxmesh},
    Topology{"fat-tree", "levels of switches, with a way up to every switch of the top", fat_tree_settings,
             make_fat_tree},
    Topology{"dragonfly", "groups of routers, one link between any two groups", dragonfly_settings, make_dragonfly},
    Topology{"full", "a link between any two ranks", {}, make_full},
};

/// A setting of every topology.
constexpr TopologySetting duplex{
    "duplex", "half if both directions of a link have its bandwidth together, as on a shared wire [full]"};

Made half_duplex(Network network) {
  network.rename(network.name() + ", half duplex");
  const auto alone = network.make_half_duplex(std::vector<bool>(network.links().size(), true));
  if (alone) return tl::unexpected(fmt::format("{} has no way back", network.link_text(*alone)));
  return network;
}

}  // namespace

std::span<const Topology> topologies() {
  return rows;
}

tl::expected<TopologyRequest, std::string> parse_topology(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  TopologyRequest request{.name = std::string(text.substr(0, colon)), .shape = {}};
  std::string_view settings = text.substr(std::min(colon + 1, text.size()));
  if (settings.ends_with(',')) settings.remove_suffix(1);
  if (settings.empty()) return request;
  for (const std::string_view setting : split(settings, ',')) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return tl::unexpected(fmt::format("expected name:key=value,.., found '{}'", setting));
    if (!request.settings.emplace(setting.substr(0, equals), setting.substr(equals + 1)).second)
      return tl::unexpected(fmt::format("'{}' is set twice", setting.substr(0, equals)));
  }
  return request;
}

tl::expected<Network, std::string> make_topology(const TopologyRequest& request) {
  const Topology* row = row_with(rows, &Topology::name, request.name);
  if (row == nullptr) {
    auto known = mapped(rows, &Topology::name);
    std::sort(known.begin(), known.end());
    return tl::unexpected(fmt::format("no topology '{}'{}; there are {}, or the name of a file", request.name,
                                      suggestion(request.name, known), fmt::join(known, ", ")));
  }
  auto known = mapped(row->settings, &TopologySetting::name);
  known.push_back(duplex.name);
  for (const auto& [key, value] : request.settings)
    if (std::find(known.begin(), known.end(), key) == known.end())
      return tl::unexpected(
          fmt::format("{} has no setting '{}'{}{}", row->name, key, suggestion(key, known),
                      fmt::format("; there {} {}", known.size() == 1 ? "is" : "are", fmt::join(known, ", "))));
  const auto way = TRY(choice(request, duplex.name, {"full", "half"}));
  auto network = TRY(row->make(request));
  return way == "half" ? half_duplex(std::move(network)) : std::move(network);
}

}  // namespace onceover::network
