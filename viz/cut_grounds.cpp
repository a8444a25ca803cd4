#include "viz/cut_grounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace onceover::viz {

namespace {

/// Takes the grounds from a proof.
class GroundsOf {
 public:
  GroundsOf(const Network& network, const PortGraph& graph) : network_(network), graph_(graph) {
    const auto nodes = static_cast<std::size_t>(network.nodes());
    found_.is_filled.assign(nodes, false);
    found_.of_ports.assign(nodes, 0);
    found_.of_link.assign(static_cast<std::size_t>(network.link_count()), 0);
    found_.has_links.assign(nodes, true);
  }

  CutGrounds operator()(const CutProof& proof) && {
    const auto& inside = proof.cut.inside;
    const bool is_both = proof.direction == CutProof::Direction::both;
    // Links belong to the smaller side.
    const bool belong_inside = 2 * proof.cut.ranks_inside <= graph_.ranks;
    for (Node node = 0; node < network_.nodes(); ++node) {
      const bool is_inside = inside[static_cast<std::size_t>(graph_.ranks + node)];
      found_.is_filled[static_cast<std::size_t>(node)] = is_inside;
      found_.has_links[static_cast<std::size_t>(node)] = is_inside == belong_inside;
    }
    for (Rank r = 0; r < graph_.ranks; ++r)
      found_.is_filled[static_cast<std::size_t>(network_.seat(r))] = inside[static_cast<std::size_t>(r)];
    found_.leaves = is_both || (proof.direction == CutProof::Direction::leaves) == belong_inside;
    found_.enters = is_both || !found_.leaves;
    for (const std::size_t arc : crossed(graph_, proof)) count(arc, is_both ? own(arc) : graph_.arcs[arc].capacity);
    found_.work = is_both ? fmt::format("what leaves and enters what is filled is {}",
                                        proof.weight == 1 ? "the vector" : proof.weight.str() + " vectors")
                          : fmt::format("{} must {} what is filled",
                                        proof.weight == 1 ? "the vector" : proof.weight.str() + " of the vector",
                                        proof.direction == CutProof::Direction::enters ? "enter" : "leave");
    return std::move(found_);
  }

  CutGrounds operator()(const RanksProof& proof) && {
    std::vector<std::vector<std::size_t>> links(static_cast<std::size_t>(network_.nodes()));
    std::vector<Whole> of_links(links.size());
    for (Link l = 0; l < network_.link_count(); ++l) {
      const auto node = static_cast<std::size_t>(proof.enters ? network_.link(l).to : network_.link(l).from);
      links[node].push_back(static_cast<std::size_t>(l));
      of_links[node] += graph_.arcs[static_cast<std::size_t>(l)].capacity;
    }
    for (Rank r = 0; r < graph_.ranks; ++r) {
      const auto seat = static_cast<std::size_t>(network_.seat(r));
      const Whole capacity = proof.of_rank[static_cast<std::size_t>(r)];
      if (of_links[seat] == capacity)
        for (const std::size_t l : links[seat]) count(l, graph_.arcs[l].capacity);
      else
        count(static_cast<std::size_t>(graph_.links) + 2 * static_cast<std::size_t>(r), capacity);
    }
    found_.leaves = !proof.enters;
    found_.enters = proof.enters;
    found_.work =
        fmt::format("each block {} ranks {} times", proof.enters ? "enters" : "leaves", 2 * (graph_.ranks - 1));
    return std::move(found_);
  }

  CutGrounds operator()(const LengthsProof& proof) && {
    for (std::size_t arc = 0; arc < proof.lengths.size(); ++arc)
      if (proof.lengths[arc] > 0) count(arc, own(arc) * proof.lengths[arc]);
    found_.leaves = true;
    found_.work = fmt::format("each block crosses {} thick links{}", 2 * proof.tree,
                              proof.are_all_one() ? "" : ", some of which count more than once");
    return std::move(found_);
  }

 private:
  Whole own(std::size_t arc) const { return graph_.arcs[arc].own(); }

  void count(std::size_t arc, Whole capacity) {
    const auto links = static_cast<std::size_t>(graph_.links);
    if (arc < links)
      found_.of_link[arc] = capacity;
    else
      found_.of_ports[static_cast<std::size_t>(network_.seat(static_cast<Rank>((arc - links) / 2)))] += capacity;
    found_.capacities.push_back(capacity);
  }

  const Network& network_;
  const PortGraph& graph_;
  CutGrounds found_;
};

}  // namespace

CutGrounds grounds_of(const TimeBound& bound, const Network& network, const PortGraph& graph) {
  return std::visit([&](const auto& proof) { return GroundsOf(network, graph)(proof); }, bound.proof);
}

namespace {

constexpr std::size_t most_spokes = 8;

/// Makes the pieces of grounds.
class PiecesOf {
 public:
  PiecesOf(const CutGrounds& grounds, const Network& network, bool with_others)
      : grounds_(grounds), network_(network), of_node_(static_cast<std::size_t>(network.nodes())) {
    for (Link l = 0; l < network.link_count(); ++l) {
      const LinkData& link = network.link(l);
      if (with_others || counts(l) > 0) {
        if (grounds.leaves) add(link.from, {link.to, true, counts(l), 1});
        if (grounds.enters) add(link.to, {link.from, false, counts(l), 1});
      }
    }
  }

  std::vector<CutPiece> operator()() const {
    std::map<NodeLook, std::size_t> of_look;
    std::vector<CutPiece> pieces;
    for (Node node = 0; node < network_.nodes(); ++node) {
      if (!counts_for_something(node)) continue;
      const auto [found, is_new] = of_look.emplace(look(node), pieces.size());
      if (is_new) pieces.push_back(piece(node));
      ++pieces[found->second].alike;
    }
    return pieces;
  }

 private:
  using Spoke = CutPiece::Spoke;
  /// Which way a link goes, what it counts for, and whether its other end is a rank, and filled.
  using LinkLook = std::tuple<bool, Whole, bool, bool>;
  /// Is it a rank, and filled, what do its ports count for, and how many links look how?
  using NodeLook = std::tuple<bool, bool, Whole, std::map<LinkLook, Link>>;

  Whole counts(Link link) const { return grounds_.of_link[static_cast<std::size_t>(link)]; }
  Whole ports(Node node) const { return grounds_.of_ports[static_cast<std::size_t>(node)]; }
  bool is_filled(Node node) const { return grounds_.is_filled[static_cast<std::size_t>(node)]; }
  bool is_rank(Node node) const { return node < network_.ranks(); }
  const std::vector<Spoke>& links_of(Node node) const { return of_node_[static_cast<std::size_t>(node)]; }

  /// A link that counts is drawn only at the end that it belongs to.
  void add(Node node, const Spoke& link) {
    if (link.counts == 0 || grounds_.has_links[static_cast<std::size_t>(node)])
      of_node_[static_cast<std::size_t>(node)].push_back(link);
  }

  bool counts_for_something(Node node) const {
    const auto& links = links_of(node);
    return ports(node) > 0 || std::any_of(links.begin(), links.end(), [](const Spoke& s) { return s.counts > 0; });
  }

  LinkLook look(const Spoke& link) const { return {link.leaves, link.counts, is_rank(link.far), is_filled(link.far)}; }

  NodeLook look(Node node) const {
    std::map<LinkLook, Link> links;
    for (const Spoke& link : links_of(node)) ++links[look(link)];
    return {is_rank(node), is_filled(node), ports(node), std::move(links)};
  }

  /// Links that look alike are one spoke: those between the same nodes or, if there are many, all.
  CutPiece piece(Node node) const {
    CutPiece made{.centre = node, .ports = ports(node), .spokes = {}};
    made.is_bundled = links_of(node).size() > most_spokes;
    std::map<std::pair<LinkLook, Node>, std::size_t> of_look;
    for (const Spoke& link : links_of(node)) {
      const auto [found, is_new] =
          of_look.emplace(std::pair(look(link), made.is_bundled ? 0 : link.far), made.spokes.size());
      if (is_new)
        made.spokes.push_back(link);
      else
        ++made.spokes[found->second].links;
    }
    return made;
  }

  const CutGrounds& grounds_;
  const Network& network_;
  std::vector<std::vector<Spoke>> of_node_;
};

}  // namespace

std::vector<CutPiece> cut_pieces(const CutGrounds& grounds, const Network& network, bool with_others) {
  return PiecesOf(grounds, network, with_others)();
}

}  // namespace onceover::viz
