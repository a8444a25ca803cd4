// Bounds by cuts, found by Newton's method on their ratio, and by lengths.
//
// Allgather: the ranks inside a set S send their blocks out of it, so the time is at least ranks(S) / capacity(S). For
// a ratio x = a/b of capacity to ranks, give each rank a of supply and each arc b times its capacity. A flow of less
// than a p to rank t leaves a cut S without t, for which b capacity(S) + a (p - ranks(S)) < a p, that is a smaller
// ratio. We go on with that one, and with the next t if there is none; the ratio only falls, so earlier ranks stay
// settled.
//
// Example: 3 ranks on a path. All but an end have ratio 1/2; a flow of 3 reaches each rank at twice the capacities, so
// no cut is worse: an allgather takes 2/3 of a vector.
//
// It ends because each improvement has a smaller ratio, and there are finitely many cuts.
//
// A symmetry of the network takes a cut without rank t to a cut without another rank, so that a flow to one rank of
// those that are alike settles all of them. Where such ranks are joined by equal links, no flow is needed. Neighbours
// of settled ranks often need none either.

#include "network/bounds.h"

#include <array>
#include <bit>
#include <numeric>
#include <set>
#include <span>

#include "base/stop.h"

namespace onceover::network {

namespace {

/// Thrown inside this file only.
struct BudgetRanOut {};

/// Flows looked at so far, in arcs.
class Account {
 public:
  explicit Account(std::uint64_t budget) : left_(budget) {}

  void need(std::uint64_t arcs) const {
    stop_point();
    if (arcs > left_) throw BudgetRanOut();
  }

  void charge(std::uint64_t arcs) {
    need(arcs);
    left_ -= arcs;
  }

 private:
  std::uint64_t left_;
};

/// The best bound so far.
class Best {
 public:
  void offer(TimeBound bound) {
    if (!best_ || bound.vectors > best_->vectors) best_ = std::move(bound);
  }
  const TimeBound& get() const { return *best_; }
  void set_of_halves() { best_->is_of_halves = true; }
  std::optional<TimeBound> take() && { return std::move(best_); }

 private:
  std::optional<TimeBound> best_;
};

Whole capacity_of(const PortGraph& graph) {
  Whole capacity = 0;
  for (const PortGraph::Arc& arc : graph.arcs) capacity += arc.capacity;
  return capacity;
}

using Direction = CutProof::Direction;

TimeBound by_cut(const PortGraph& graph, Cut cut, Direction direction, Rational weight) {
  const Rational vectors = weight * graph.port / cut.leaving;
  return {vectors, CutProof{std::move(cut), direction, std::move(weight)}};
}

Direction direction_of(bool enters) {
  return enters ? Direction::enters : Direction::leaves;
}

/// How much each rank contributes, in parts of a vector.
struct Parts {
  std::vector<Whole> of_rank;
  Whole all;

  Whole inside(const Cut& cut) const {
    Whole sum = 0;
    for (std::size_t r = 0; r < of_rank.size(); ++r) sum += cut.inside[r] ? of_rank[r] : 0;
    return sum;
  }
};

Parts parts_of(Rank ranks, const Demand& demand) {
  std::vector<Whole> parts = demand.parts;
  if (parts.empty()) parts.assign(static_cast<std::size_t>(ranks), 1);
  const Whole all = std::accumulate(parts.begin(), parts.end(), Whole{0});
  return {std::move(parts), all};
}

/// A rank that is not the only one to contribute.
std::size_t first_outside(const Parts& parts) {
  return parts.of_rank[0] == parts.all ? 1 : 0;
}

/// All but one rank, so that something is inside.
Cut first_cut(const PortGraph& graph, const Parts& parts) {
  std::vector<bool> inside(static_cast<std::size_t>(graph.vertices), true);
  inside[first_outside(parts)] = false;
  return cut_of(graph, std::move(inside));
}

/// The ranks to which flows have to go: of those that are alike, the first is enough if all contribute equally much.
std::vector<Rank> sinks_of(const PortGraph& graph, const Parts& parts) {
  const bool are_equal = std::count(parts.of_rank.begin(), parts.of_rank.end(), parts.of_rank[0]) == graph.ranks;
  std::vector<Rank> sinks;
  for (Rank r = 0; r < graph.ranks; ++r)
    if (!are_equal || graph.orbits[static_cast<std::size_t>(r)] == r) sinks.push_back(r);
  return sinks;
}

/// Ranks of which it is known that every cut that we still look for has them inside. A rank to which they send enough
/// over one link is another, without a flow: on a mesh, with whose corners no other cut competes, two neighbours are
/// enough.
class Settled {
 public:
  explicit Settled(const PortGraph& graph)
      : has_(size(graph.ranks)), given_(size(graph.vertices)), into_(size(graph.vertices)) {
    seat_.resize(size(graph.ranks));
    port_out_.resize(size(graph.ranks));
    port_in_.resize(size(graph.ranks));
    next_.resize(size(graph.vertices));
    at_.resize(size(graph.vertices));
    for (const PortGraph::Arc& arc : graph.arcs)
      if (arc.from < graph.ranks) {
        seat_[size(arc.from)] = arc.to;
        port_out_[size(arc.from)] = arc.capacity;
        at_[size(arc.to)].push_back(arc.from);
      } else if (arc.to < graph.ranks) {
        port_in_[size(arc.to)] = arc.capacity;
      } else {
        next_[size(arc.from)].push_back(arc.to);
        into_[size(arc.to)].push_back({arc.from, arc.capacity});
      }
    for (auto& arcs : into_) std::sort(arcs.begin(), arcs.end());
  }

  bool has(Rank rank) const { return has_[size(rank)]; }

  /// Adds a rank, and those to which the ranks then send enough: `is_enough(rank, capacity)` says so. O(arcs) in all
  /// calls together, times the links of a node.
  template <class IsEnough>
  void add(Rank rank, IsEnough&& is_enough) {
    put(rank);
    while (!news_.empty()) {
      const auto seat = size(seat_[size(news_.back())]);
      news_.pop_back();
      try_at(seat, is_enough);
      for (const std::int32_t node : next_[seat]) try_at(size(node), is_enough);
    }
  }

 private:
  static std::size_t size(std::int32_t number) { return static_cast<std::size_t>(number); }

  void put(Rank rank) {
    if (has(rank)) return;
    has_[size(rank)] = true;
    given_[size(seat_[size(rank)])] += port_out_[size(rank)];
    news_.push_back(rank);
  }

  template <class IsEnough>
  void try_at(std::size_t node, IsEnough&& is_enough) {
    for (const Rank rank : at_[node])
      if (!has(rank) && is_enough(rank, sent_to(rank))) put(rank);
  }

  /// What the ranks can send to another, over one link or none.
  Whole sent_to(Rank rank) const {
    const auto seat = size(seat_[size(rank)]);
    Whole sent = given_[seat];
    const auto& arcs = into_[seat];
    for (std::size_t begin = 0, end = 0; begin < arcs.size(); begin = end) {
      Whole capacity = 0;
      for (; end < arcs.size() && arcs[end].first == arcs[begin].first; ++end) capacity += arcs[end].second;
      sent += std::min(given_[size(arcs[begin].first)], capacity);
    }
    return std::min(sent, port_in_[size(rank)]);
  }

  std::vector<bool> has_;                                          // by rank
  std::vector<Whole> given_;                                       // by vertex: what the ranks there can send
  std::vector<std::vector<std::pair<std::int32_t, Whole>>> into_;  // by vertex: its links, by where they come from
  std::vector<std::int32_t> seat_;                                 // by rank
  std::vector<Whole> port_out_, port_in_;                          // by rank
  std::vector<std::vector<std::int32_t>> next_;                    // by vertex: where its links lead
  std::vector<std::vector<Rank>> at_;                              // by vertex
  std::vector<Rank> news_;                                         // whose neighbours are to be tried
};

/// Is no cut scarcer than that around one rank? So it is if every rank is alike, and if equally fast links join pairs
/// of ranks both ways, one each, of which a rank has as much as ports: then every cut has as many links as a rank.
/// Source: Mader, Minimale n-fach kantenzusammenhängende Graphen, Math. Ann. 191, 1971. O(links log links).
bool is_scarcest_around_a_rank(const PortGraph& graph) {
  const auto ranks = static_cast<std::size_t>(graph.ranks), links = static_cast<std::size_t>(graph.links);
  const std::span<const PortGraph::Arc> all(graph.arcs);
  const auto is_alike = [&](const PortGraph::Arc& link) { return link.capacity == all[0].capacity && !link.is_half; };
  if (graph.vertices != 2 * graph.ranks || links % ranks != 0 || links == 0) return false;
  if (std::any_of(graph.orbits.begin(), graph.orbits.end(), [](Rank first) { return first != 0; })) return false;
  if (!std::all_of(all.begin(), all.begin() + graph.links, is_alike)) return false;
  const Whole around = all[0].capacity * static_cast<Whole>(links / ranks);
  std::vector<bool> has_rank(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const PortGraph::Arc &out = all[links + 2 * r], &in = all[links + 2 * r + 1];
    const auto place = static_cast<std::size_t>(std::max(out.from, out.to) - graph.ranks);
    if (out.capacity != around || in.capacity != around || has_rank[place]) return false;
    has_rank[place] = true;
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> onward, back;
  for (const PortGraph::Arc& link : all.first(links)) {
    onward.emplace_back(link.from, link.to);
    back.emplace_back(link.to, link.from);
  }
  std::sort(onward.begin(), onward.end());
  std::sort(back.begin(), back.end());
  return onward == back && std::adjacent_find(onward.begin(), onward.end()) == onward.end();
}

/// The cut whose capacity is least for what the ranks inside contribute. Each one on the way to it is a bound, too. A
/// reduce-scatter is an allgather on the graph with its arcs turned round, where `enters` is true.
Cut scarcest_cut(const PortGraph& graph, const Parts& parts, bool enters, Best& best, Account& account) {
  const std::vector<Rank> sinks = sinks_of(graph, parts);
  Cut cut = first_cut(graph, parts);
  if (sinks.size() == 1 && is_scarcest_around_a_rank(graph)) {
    best.offer(by_cut(graph, cut, direction_of(enters), Rational(parts.inside(cut), parts.all)));
    account.charge(graph.arcs.size());
    return cut;
  }
  auto arcs = graph.arcs;
  const std::int32_t source = graph.vertices;
  for (Rank r = 0; r < graph.ranks; ++r) arcs.push_back({source, r, 1});
  MaxFlow flow(graph.vertices + 1, arcs);
  const auto try_ratio = [&](const Cut& cut) {
    const Whole inside = parts.inside(cut);
    best.offer(by_cut(graph, cut, direction_of(enters), Rational(inside, parts.all)));
    for (std::size_t k = 0; k < arcs.size(); ++k)
      flow.set_capacity(k, k < graph.arcs.size() ? graph.arcs[k].capacity * inside
                                                 : cut.leaving * parts.of_rank[k - graph.arcs.size()]);
  };
  try_ratio(cut);
  std::optional<Settled> settled;
  if (sinks.size() > 1) settled.emplace(graph);
  for (const Rank sink : sinks) {
    if (settled && settled->has(sink)) continue;
    while (true) {
      account.charge(arcs.size());
      if (flow.run(source, sink) >= cut.leaving * parts.all) break;
      auto inside = flow.reached(source);
      inside.pop_back();
      cut = cut_of(graph, std::move(inside));
      try_ratio(cut);
    }
    // What the rank itself contributes reaches it, too.
    const auto is_enough = [&, inside = parts.inside(cut)](Rank rank, Whole capacity) {
      return capacity * inside >= cut.leaving * (parts.all - parts.of_rank[static_cast<std::size_t>(rank)]);
    };
    if (settled) settled->add(sink, is_enough);
  }
  return cut;
}

/// The cuts of least capacity with the root inside and another rank outside: the whole vector must cross them, as often
/// as `weight` says.
void least_cut(const PortGraph& graph, Rank root, Direction direction, const Rational& weight, Best& best,
               Account& account) {
  const PortGraph turned = direction == Direction::leaves   ? graph
                           : direction == Direction::enters ? graph.reversed()
                                                            : graph.joined();
  MaxFlow flow(turned.vertices, turned.arcs);
  std::optional<Whole> least;
  const auto is_enough = [&](Rank, Whole capacity) { return least && capacity >= *least; };
  Settled settled(turned);
  settled.add(root, is_enough);
  for (Rank sink = 0; sink < turned.ranks; ++sink) {
    if (settled.has(sink)) continue;
    account.charge(turned.arcs.size());
    const Whole most = flow.run(root, sink);
    if (!least || most < *least) {
      least = most;
      best.offer(by_cut(turned, cut_of(turned, flow.reached(root)), direction, weight));
    }
    settled.add(sink, is_enough);
  }
}

/// What leaves a rank is limited by its ports, and by the links of its seat if only this rank is behind it.
TimeBound by_ranks(const PortGraph& graph, bool enters) {
  std::vector<Whole> out(static_cast<std::size_t>(graph.vertices));  // by vertex
  std::vector<std::int32_t> seat(static_cast<std::size_t>(graph.ranks));
  for (const PortGraph::Arc& arc : graph.arcs) {
    const auto [from, to] = enters ? std::pair(arc.to, arc.from) : std::pair(arc.from, arc.to);
    if (to >= graph.ranks) out[static_cast<std::size_t>(from)] += arc.capacity;
    if (from < graph.ranks) seat[static_cast<std::size_t>(from)] = to;
  }
  std::vector<Whole> of_rank;
  for (std::size_t r = 0; r < seat.size(); ++r)
    of_rank.push_back(std::min(out[r], out[static_cast<std::size_t>(seat[r])]));
  const Whole capacity = std::accumulate(of_rank.begin(), of_rank.end(), Whole{0});
  return {Rational(2 * (graph.ranks - 1)) * graph.port / capacity, RanksProof{std::move(of_rank), capacity, enters}};
}

TimeBound by_lengths(const PortGraph& graph, LengthsProof::Links links, Lengths lengths, Account& account) {
  account.charge(graph.arcs.size());
  Whole capacity = 0;
  for (std::size_t k = 0; k < graph.arcs.size(); ++k) capacity += graph.arcs[k].own() * lengths[k];
  const bool is_two_way = are_lengths_two_way(graph, lengths);
  if (!is_two_way) account.charge(std::uint64_t{graph.arcs.size()} * static_cast<std::uint64_t>(graph.ranks - 1));
  const Whole tree = is_two_way ? two_way_tree(graph, Outgoing(graph.vertices, graph.arcs), lengths).length
                                : spanning_tree(graph, lengths);
  return {Rational(2 * tree) * graph.port / capacity, LengthsProof{links, std::move(lengths), tree, capacity}};
}

/// 1 for the arcs between the inside and the outside, both ways.
Lengths across(const PortGraph& graph, const Cut& cut) {
  Lengths lengths;
  for (const PortGraph::Arc& arc : graph.arcs)
    lengths.push_back(
        cut.inside[static_cast<std::size_t>(arc.from)] != cut.inside[static_cast<std::size_t>(arc.to)] ? 1 : 0);
  return lengths;
}

/// As by ranks, but what enters a rank and what leaves it use a half-duplex link together.
Lengths at_ranks(const PortGraph& graph) {
  const PortGraph split = graph.split();
  const TimeBound bound = by_ranks(split, false);
  const auto& of_rank = std::get<RanksProof>(bound.proof).of_rank;
  Lengths lengths(graph.arcs.size(), 0);
  std::vector<Rank> rank_at(static_cast<std::size_t>(graph.vertices), -1);  // whose links, not ports, count there
  for (Rank r = 0; r < graph.ranks; ++r) {
    const std::size_t out = static_cast<std::size_t>(graph.links) + 2 * static_cast<std::size_t>(r);
    if (of_rank[static_cast<std::size_t>(r)] == graph.arcs[out].capacity)
      lengths[out] = lengths[out + 1] = 1;
    else
      rank_at[static_cast<std::size_t>(graph.arcs[out].to)] = r;
  }
  for (std::size_t l = 0; l < static_cast<std::size_t>(graph.links); ++l)
    for (const std::int32_t end : {graph.arcs[l].from, graph.arcs[l].to})
      if (rank_at[static_cast<std::size_t>(end)] >= 0) ++lengths[l];
  return lengths;
}

/// By the links up to each of the lowest speeds, and by all links.
void by_slow_links(const PortGraph& graph, Best& best, Account& account) {
  constexpr std::size_t most_speeds = 4;
  std::set<Whole> speeds;
  for (Link l = 0; l < graph.links; ++l) speeds.insert(graph.arcs[static_cast<std::size_t>(l)].capacity);
  const Whole fastest = *speeds.rbegin();
  while (speeds.size() > most_speeds) speeds.erase(std::prev(speeds.end()));
  speeds.insert(fastest);
  for (const Whole speed : speeds) {
    Lengths lengths(graph.arcs.size(), 0);
    for (std::size_t l = 0; l < static_cast<std::size_t>(graph.links); ++l)
      lengths[l] = graph.arcs[l].capacity <= speed ? 1 : 0;
    best.offer(by_lengths(graph, speed == fastest ? LengthsProof::Links::all : LengthsProof::Links::slow,
                          std::move(lengths), account));
  }
}

/// By the lengths to which trees come that are packed one after the other. Ends when the bound is `enough`, after which
/// there is no better one.
void by_packing(const PortGraph& graph, const Rational& enough, Best& best, Account& account) {
  constexpr std::array<Whole, 9> largest{1, 2, 3, 4, 5, 6, 8, 12, 60};
  constexpr std::size_t most_trees = 4096, most_arcs = 4'000'000;
  const std::size_t trees = std::min(most_trees, most_arcs / graph.arcs.size());
  if (!is_symmetric(graph) || capacity_of(graph) > (Whole{1} << 62) / largest.back()) return;
  TreePacking packing(graph);
  for (std::size_t k = 1; k <= trees && best.get().vectors < enough; ++k) {
    account.charge(graph.arcs.size());
    packing.pack_another();
    if (!std::has_single_bit(k)) continue;
    for (const Whole most : largest)
      best.offer(by_lengths(graph, LengthsProof::Links::packed, packing.rounded(most), account));
  }
}

/// The best for an allreduce. If it takes as long as a reduce-scatter and an allgather, which reach their bounds if the
/// graph is balanced, there is no better one: for them, each direction has a half of a half-duplex link. Otherwise
/// least cuts are tried, since every block leaves and enters each set that has ranks inside and outside, and trees are
/// packed.
void bound_allreduce(const PortGraph& graph, Best& best, Account& account) {
  best.offer(by_ranks(graph, false));
  best.offer(by_ranks(graph, true));
  account.need(graph.arcs.size());
  if (is_scarcest_around_a_rank(graph)) return best.set_of_halves();  // what ranks can send is all that counts
  by_slow_links(graph, best, account);
  if (graph.is_half_duplex()) best.offer(by_lengths(graph, LengthsProof::Links::at_ranks, at_ranks(graph), account));
  const PortGraph split = graph.split();
  Best halves;
  const Cut scarcest = scarcest_cut(split, parts_of(graph.ranks, {Collective::allgather}), false, halves, account);
  best.offer(by_lengths(graph, LengthsProof::Links::across_cut, across(graph, scarcest), account));
  const Rational enough = 2 * halves.get().vectors;
  if (!graph.is_balanced() || best.get().vectors < enough) {
    least_cut(graph, 0, Direction::leaves, 1, best, account);
    if (!is_symmetric(graph)) least_cut(graph, 0, Direction::enters, 1, best, account);
    if (graph.is_half_duplex()) least_cut(graph, 0, Direction::both, 2, best, account);
    by_packing(graph, enough, best, account);
  }
  if (graph.is_balanced() && best.get().vectors >= enough) best.set_of_halves();
}

void bound(const PortGraph& graph, const Demand& demand, Best& best, Account& account) {
  const Collective collective = demand.collective;
  if (collective == Collective::allreduce) return bound_allreduce(graph, best, account);
  if (is_rooted(collective))
    return least_cut(graph, demand.root, direction_of(collective == Collective::reduce), 1, best, account);
  const bool enters = collective == Collective::reduce_scatter;
  scarcest_cut(enters ? graph.reversed() : graph, parts_of(graph.ranks, demand), enters, best, account);
  if (graph.is_half_duplex()) least_cut(graph, 0, Direction::both, 1, best, account);
}

/// What the ranks can send, or take in.
Whole capacity_of_ranks(const Network& network, const Capacities& capacities, bool enters) {
  std::vector<Whole> of_seat(static_cast<std::size_t>(network.nodes()));
  for (const LinkData& link : network.links())
    of_seat[static_cast<std::size_t>(enters ? link.to : link.from)] += capacities.of.at(link.bandwidth);
  Whole sum = 0;
  for (Rank r = 0; r < network.ranks(); ++r)
    sum += std::min(capacities.ports, of_seat[static_cast<std::size_t>(network.seat(r))]);
  return sum;
}

/// Do flows of so many parts of the vector stay below 2^62?
bool has_room(const PortGraph& graph, const Demand& demand) {
  return parts_of(graph.ranks, demand).all <= (Whole{1} << 62) / capacity_of(graph);
}

}  // namespace

std::vector<std::size_t> crossed(const PortGraph& graph, const CutProof& proof) {
  std::vector<std::size_t> found;
  const auto& inside = proof.cut.inside;
  for (std::size_t k = 0; k < graph.arcs.size(); ++k) {
    const bool from = inside[static_cast<std::size_t>(graph.arcs[k].from)],
               to = inside[static_cast<std::size_t>(graph.arcs[k].to)];
    if (from == to || (proof.direction != Direction::both && from != (proof.direction == Direction::leaves))) continue;
    found.push_back(k);
  }
  return found;
}

bool is_bounded(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::broadcast:
    case Collective::reduce: return true;
    default: return false;
  }
}

Demand demand_of(const Header& header) {
  Demand demand{header.collective, header.root};
  const bool has_owners = header.collective == Collective::allgather || header.collective == Collective::reduce_scatter;
  if (!has_owners || (header.owners.empty() && header.blocks % header.ranks == 0)) return demand;
  demand.parts.assign(static_cast<std::size_t>(header.ranks), 0);
  for (Block b = 0; b < header.blocks; ++b) ++demand.parts[static_cast<std::size_t>(header.owner(b))];
  return demand;
}

tl::expected<TimeBound, std::string> time_bound(const PortGraph& graph, const Demand& demand, std::uint64_t budget) {
  if (!has_room(graph, demand))
    return tl::unexpected<std::string>("the bandwidths differ too much for exact sums of so many parts in 62 bits");
  Account account(budget);
  Best best;
  try {
    bound(graph, demand, best, account);
  } catch (const BudgetRanOut&) {
    return tl::unexpected("more than " + std::to_string(budget) +
                          " links to look at in maximum flows; raise --budget to go on");
  }
  return *std::move(best).take();
}

std::optional<TimeBound> time_bound_within(const PortGraph& graph, const Demand& demand, std::uint64_t budget) {
  if (!has_room(graph, demand)) return std::nullopt;
  Account account(budget);
  Best best;
  bool is_finished = true;
  try {
    bound(graph, demand, best, account);
  } catch (const BudgetRanOut&) {
    is_finished = false;  // what was found is a bound all the same
  }
  auto found = std::move(best).take();
  if (found) found->is_best = is_finished;
  return found;
}

std::optional<Rational> time_bound_of_ports(const Network& network, const Demand& demand) {
  const auto found = capacities(network);
  if (!found || is_rooted(demand.collective)) return std::nullopt;
  if (demand.collective == Collective::allreduce) {
    const Whole least = std::min(capacity_of_ranks(network, *found, false), capacity_of_ranks(network, *found, true));
    return Rational(2 * (network.ranks() - 1)) * found->port / least;
  }
  const Parts parts = parts_of(network.ranks(), demand);
  return Rational(parts.all - parts.of_rank[first_outside(parts)], parts.all) * found->port / found->ports;
}

bool is_reached(const PortGraph& graph, const Network& network, Collective collective, const TimeBound& bound) {
  if (!bound.is_best || !graph.is_balanced()) return false;
  if (collective == Collective::allreduce ? !bound.is_of_halves : graph.is_half_duplex()) return false;
  for (Node node = 0; node < network.nodes(); ++node)
    if (!network.forwards(node)) return false;
  return true;
}

}  // namespace onceover::network
