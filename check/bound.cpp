// Judges what `verify bound --json` prints, from the links that it lists (docs/optimal.md): adds up what crosses a cut,
// what leaves the ranks, or what has a length, and counts steps anew.

#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <string>

#include "check/certificate.h"
#include "check/flow.h"
#include "check/json.h"

namespace check {

namespace {

using Number = std::uint64_t;
constexpr Number most = 1'000'000'000;  // of ranks, and of the sum of all capacities in their common unit
constexpr Number longest = 1000;        // length of a link
constexpr Number far = ~Number{0} / 4;
constexpr Number most_work = 10'000'000'000;  // arcs that flows look at

struct Fraction {
  Number above, below;

  bool equals(const Fraction& other) const {
    __extension__ using Wide = unsigned __int128;
    return Wide{above} * other.below == Wide{other.above} * below;
  }
};

/// "15/32" or "2".
Fraction fraction(const Json& json) {
  const std::string_view text = json.text();
  const auto number = [&](std::string_view digits) {
    Number value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value == 0) json.wrong("a fraction above 0");
    return value;
  };
  const std::size_t line = text.find('/');
  return {number(text.substr(0, line)), line == std::string_view::npos ? 1 : number(text.substr(line + 1))};
}

struct Arc {
  std::uint32_t from, to;
  Number capacity;
  bool is_half = false;  // half duplex: the way back has the same capacity with this, not besides

  Arc back() const { return {to, from, capacity, is_half}; }

  auto operator<=>(const Arc&) const = default;
};
using Arcs = std::multiset<Arc>;

void same(const Json& claimed, Number value) {
  if (claimed.number(0, most) != value) claimed.refuse("this should be " + std::to_string(value));
}

void same(const Json& claimed, const Fraction& value) {
  if (!fraction(claimed).equals(value)) claimed.refuse("the links don't add up to this");
}

class Bound {
 public:
  explicit Bound(const Json& json)
      : json_(json), ranks_(json["ranks"].number(2, most)), ports_(json["ports"].number(1, most)) {
    json.only({"schema_version", "tool", "collective", "network", "ranks", "ports", "port_gbps", "root", "time",
               "links", "steps"});
    json["schema_version"].number(1, 1);
    json["time"].only({"vectors", "is_reached", "proof"});
    json["steps"].only({"by_ports", "by_distance", "from", "to"});
    if (json["links"].list().size() / 2 < ranks_) json["links"].refuse("each rank needs its ports");
    for (Number r = 0; r < ranks_; ++r) number_of("rank " + std::to_string(r));
    read_links();
    find_places();
  }

  std::string judge() const {
    const Json& time = json_["time"];
    const Json& proof = time["proof"];
    const std::string_view kind = proof["kind"].text();
    const Fraction vectors = kind == "cut" ? by_cut(proof) : kind == "ranks" ? by_ranks(proof) : by_lengths(proof);
    same(time["vectors"], vectors);
    const bool is_reached = time["is_reached"].truth();
    if (is_reached) judge_reached(time["is_reached"], vectors);
    const Number ports = steps_by_ports(), distance = steps_by_distance();
    return std::string(json_["collective"].text()) + " takes at least " + std::string(time["vectors"].text()) +
           " vectors on these " + std::to_string(arcs_.size()) + " links, " + std::to_string(ports) +
           " steps with these ports, " + std::to_string(distance) + " from rank to rank" +
           (is_reached ? "; many small chunks come as near to the time as you like" : "");
  }

 private:
  std::uint32_t number_of(std::string_view name) {
    return number_.try_emplace(std::string(name), static_cast<std::uint32_t>(number_.size())).first->second;
  }
  std::uint32_t known(const Json& name) const {
    const auto at = number_.find(name.text());
    if (at == number_.end()) name.refuse("no link goes there");
    return at->second;
  }

  /// Takes the capacities, which are in ports, in their common unit.
  void read_links() {
    const auto& links = json_["links"].list();
    for (const auto& [key, link] : links) {
      const Number below = fraction(link["capacity"]).below;
      if (below > most || std::lcm(unit_, below) > most) link.uncovered("units so small");
      unit_ = std::lcm(unit_, below);
    }
    if (ports_ > most / unit_) json_["ports"].uncovered("so many ports");
    ports_ *= unit_;
    for (const auto& [key, link] : links) {
      const Fraction c = fraction(link["capacity"]);
      const Number units = unit_ / c.below;
      if (c.above > (most - total_) / units) link.uncovered("capacities so large");
      total_ += c.above * units;
      arcs_.push_back({number_of(link["from"].text()), number_of(link["to"].text()), c.above * units, is_half(link)});
    }
    const Arcs all(arcs_.begin(), arcs_.end());
    for (const Arc& arc : arcs_)
      if (arc.is_half && all.count(arc) != all.count(arc.back()))
        json_["links"].refuse("a half-duplex link needs its way back");
  }

  static bool is_half(const Json& link) {
    const Json* duplex = link.find("duplex");
    if (duplex != nullptr && duplex->text() != "half") duplex->wrong("half");
    return duplex != nullptr;
  }

  /// A rank has its ports alone: links to its place and back.
  void find_places() {
    place_.assign(ranks_, 0);
    std::vector<int> out(ranks_), in(ranks_);
    for (const Arc& arc : arcs_) {
      if (arc.from >= ranks_ && arc.to >= ranks_) continue;
      const bool is_out = arc.from < ranks_;
      const std::uint32_t rank = is_out ? arc.from : arc.to, place = is_out ? arc.to : arc.from;
      ++(is_out ? out : in)[rank];
      if (place < ranks_ || arc.capacity != ports_ || arc.is_half || (place_[rank] != 0 && place_[rank] != place))
        json_["links"].refuse("rank " + std::to_string(rank) + " has other links than its ports");
      place_[rank] = place;
    }
    for (Number r = 0; r < ranks_; ++r)
      if (out[r] != 1 || in[r] != 1 || !rank_at_.try_emplace(place_[r], r).second)
        json_["links"].refuse("rank " + std::to_string(r) + " needs a place of its own, and its ports to and from it");
  }

  bool is_collective(std::string_view a, std::string_view b = "") const {
    return json_["collective"].text() == a || json_["collective"].text() == b;
  }
  Number root() const { return json_["root"].number(0, ranks_ - 1); }
  void only_for_allreduce(const Json& proof) const {
    if (!is_collective("allreduce")) proof.refuse("this holds of an allreduce");
  }

  enum class Direction : std::uint8_t { leaves, enters, both };

  Arc listed_arc(const Json& link) const {
    const Fraction c = fraction(link["capacity"]);
    if (unit_ % c.below != 0 || c.above > most) link.refuse("there is no such link");
    return {known(link["from"]), known(link["to"]), c.above * (unit_ / c.below), is_half(link)};
  }

  /// The links that a proof names.
  Arcs listed(const Json& proof) const {
    Arcs found;
    for (const auto& [key, link] : proof["links"].list()) found.insert(listed_arc(link));
    return found;
  }

  /// The share of the vector that crosses a cut in both directions together. In an allgather, the blocks of the ranks
  /// inside go out and all others go in: 1. In an allreduce all go both ways: 2.
  Fraction share_both_ways(const Json& proof) const {
    if (is_collective("allreduce")) return {2, 1};
    if (!is_collective("allgather", "reduce-scatter")) proof["direction"].refuse("the collective has no such share");
    return {1, 1};
  }

  /// Must the collective's data go in that direction, and what share of the vector crosses?
  Fraction share(const Json& proof, const std::vector<bool>& inside, Direction direction) const {
    const auto ranks = static_cast<Number>(std::count(inside.begin(), inside.begin() + ranks_, true));
    same(proof["ranks_inside"], ranks);
    if (ranks == 0 || ranks == ranks_) proof["inside"].refuse("there must be a rank inside and one outside");
    if (direction == Direction::both) return share_both_ways(proof);
    const bool enters = direction == Direction::enters;
    if (is_collective("allreduce")) return {1, 1};
    if (!is_collective(enters ? "reduce-scatter" : "allgather", enters ? "reduce" : "broadcast"))
      proof["direction"].refuse("the collective needs nothing in this direction");
    if (is_collective("allgather", "reduce-scatter")) return {ranks, ranks_};
    if (!inside[root()]) proof["inside"].refuse("the root must be inside");
    return {1, 1};
  }

  Direction direction(const Json& proof) const {
    const std::string_view text = proof["direction"].text();
    if (text == "leaves") return Direction::leaves;
    if (text == "enters") return Direction::enters;
    if (text != "both") proof["direction"].wrong("leaves, enters or both");
    return Direction::both;
  }

  Fraction by_cut(const Json& proof) const {
    proof.only({"kind", "direction", "inside", "ranks_inside", "share", "links", "capacity"});
    std::vector<bool> inside(number_.size());
    for (const auto& [key, name] : proof["inside"].list()) inside[known(name)] = true;
    const Direction way = direction(proof);
    const Fraction part = share(proof, inside, way);
    same(proof["share"], part);
    Number twice = 0;  // the capacity; a half-duplex link counts once if it is there both ways
    Arcs crossed;
    for (const Arc& arc : arcs_) {
      if (inside[arc.from] == inside[arc.to]) continue;
      if (way != Direction::both && inside[arc.from] == (way == Direction::enters)) continue;
      twice += arc.capacity * (way == Direction::both && arc.is_half ? 1 : 2);
      crossed.insert(arc);
    }
    if (listed(proof) != crossed) proof["links"].refuse("other links cross");
    return over(part, proof, twice);
  }

  /// Each block moves 2 (p-1) times, and each time it leaves a rank: by its ports, and by the links of its place.
  Fraction by_ranks(const Json& proof) const {
    proof.only({"kind", "direction", "moves", "of_rank", "capacity"});
    only_for_allreduce(proof);
    const bool is_in = direction(proof) == Direction::enters;
    if (direction(proof) == Direction::both) proof["direction"].wrong("leaves or enters");
    std::vector<Number> links(ranks_);
    for (const Arc& arc : arcs_) {
      const auto rank = rank_at_.find(is_in ? arc.to : arc.from);
      if (rank != rank_at_.end() && (is_in ? arc.from : arc.to) >= ranks_) links[rank->second] += arc.capacity;
    }
    const auto& of_rank = proof["of_rank"].list();
    if (of_rank.size() != ranks_) proof["of_rank"].refuse("each rank needs a capacity");
    Number capacity = 0;
    for (Number r = 0; r < ranks_; ++r) {
      const Number each = std::min(links[r], ports_);
      same(of_rank[r].second, Fraction{each, unit_});
      capacity += each;
    }
    same(proof["moves"], 2 * (ranks_ - 1));
    return over({2 * (ranks_ - 1), 1}, proof, 2 * capacity);
  }

  /// The lengths that a proof gives to links; links that are alike have the same one.
  std::map<Arc, Number> lengths(const Json& proof) const {
    std::map<Arc, Number> found;
    Arcs all, named;
    for (const auto& [key, link] : proof["links"].list()) {
      const Arc arc = listed_arc(link);
      const Number length = link["length"].number(1, longest);
      if (found.try_emplace(arc, length).first->second != length) link.refuse("a link like this has another length");
      named.insert(arc);
    }
    for (const Arc& arc : arcs_)
      if (found.contains(arc)) all.insert(arc);
    if (all != named) proof["links"].refuse("these are not all links of their kind, or no links");
    return found;
  }

  Fraction by_lengths(const Json& proof) const {
    if (proof["kind"].text() != "lengths") proof["kind"].wrong("cut, ranks or lengths");
    proof.only({"kind", "links", "tree", "capacity"});
    only_for_allreduce(proof);
    const std::map<Arc, Number> given = lengths(proof);
    const auto length_of = [&](const Arc& arc) {
      const auto at = given.find(arc);
      return at == given.end() ? 0 : at->second;
    };
    Adjacency onward(number_.size()), backward(number_.size());
    Number twice = 0;
    for (const Arc& arc : arcs_) {
      const Number length = length_of(arc);
      if (arc.is_half && length != length_of(arc.back()))
        proof["links"].refuse("a half-duplex link has another length on the way back");
      twice += arc.capacity * length * (arc.is_half ? 1 : 2);
      onward[arc.from].emplace_back(arc.to, length);
      backward[arc.to].emplace_back(arc.from, length);
    }
    const Number length = tree(onward, backward);
    same(proof["tree"], length);
    return over({2 * length, 1}, proof, twice);
  }

  /// share / capacity, in ports, from twice the capacity.
  Fraction over(Fraction share, const Json& proof, Number twice) const {
    same(proof["capacity"], Fraction{twice, 2 * unit_});
    return {share.above * 2 * unit_, share.below * twice};
  }

  using Adjacency = std::vector<std::vector<std::pair<std::uint32_t, Number>>>;  // to, and how long

  std::vector<Number> distances(const Adjacency& adjacent, std::uint32_t from) const {
    std::vector<Number> distance(adjacent.size(), far);
    using Reached = std::pair<Number, std::uint32_t>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> near;
    near.emplace(0, from);
    distance[from] = 0;
    while (!near.empty()) {
      const auto [so_far, at] = near.top();
      near.pop();
      if (so_far > distance[at]) continue;
      for (const auto& [to, length] : adjacent[at]) {
        if (so_far + length >= distance[to]) continue;
        distance[to] = so_far + length;
        near.emplace(distance[to], to);
      }
    }
    return distance;
  }

  /// The length of the shortest tree that joins the ranks, by Prim's algorithm.
  Number tree(const Adjacency& onward, const Adjacency& backward) const {
    std::vector<Number> nearest(ranks_, far);
    std::vector<bool> is_in(ranks_);
    Number length = 0, added = 0;
    for (Number size = 1; size < ranks_; ++size) {
      is_in[added] = true;
      const auto to = distances(onward, static_cast<std::uint32_t>(added));
      const auto from = distances(backward, static_cast<std::uint32_t>(added));
      added = ranks_;
      for (Number r = 0; r < ranks_; ++r) {
        nearest[r] = std::min({nearest[r], to[r], from[r]});
        if (!is_in[r] && (added == ranks_ || nearest[r] < nearest[added])) added = r;
      }
      length += nearest[added];
    }
    return length;
  }

  /// Do many small chunks come as near to the time as you like? They do if each vertex has as much capacity in as out,
  /// and each rank gets in time, as a flow, what the others have for it (Edmonds; Bang-Jensen, Frank and Jackson). Each
  /// root then has trees that share the links. An allreduce is a reduce-scatter, which is an allgather turned round,
  /// and an allgather, each in half of the time. Half-duplex links give half of their capacity to either direction.
  void judge_reached(const Json& claim, Fraction time) const {
    if (is_collective("allreduce")) time.below *= 2;
    const Number common = std::gcd(time.above, time.below);
    time = {time.above / common, time.below / common};
    const bool from_all = !is_collective("broadcast", "reduce"), turned = is_collective("reduce-scatter", "reduce");
    const Number roots = from_all ? ranks_ : 1;
    // Flows are in units / (2 roots time.above).
    if (time.above > far / 2 / roots / total_ || time.below > far / 2 / roots / unit_)
      claim.uncovered("numbers so large");
    check_balance(claim);
    FlowGraph flows(number_.size() + 1, most_work);
    const auto source = static_cast<std::uint32_t>(number_.size());
    for (const Arc& arc : arcs_)
      flows.add(turned ? arc.to : arc.from, turned ? arc.from : arc.to,
                arc.capacity * (arc.is_half ? 1 : 2) * roots * time.above);
    const Number each = 2 * unit_ * time.below;
    for (Number r = 0; r < ranks_; ++r)
      if (from_all || r == root()) flows.add(source, static_cast<std::uint32_t>(r), each);
    for (Number r = 0; r < ranks_; ++r) {
      const Number flow = flows.most(source, static_cast<std::uint32_t>(r));
      if (flows.ran_out()) claim.uncovered("flows so large");
      if (flow < roots * each) claim.refuse("the links let less reach rank " + std::to_string(r) + " in this time");
    }
  }

  void check_balance(const Json& claim) const {
    std::vector<Number> in(number_.size()), out(number_.size());
    for (const Arc& arc : arcs_) {
      out[arc.from] += arc.capacity;
      in[arc.to] += arc.capacity;
    }
    if (in != out) claim.refuse("this isn't known where a node has more capacity in than out");
  }

  /// In a step, data reaches `ports` more ranks for each that has it.
  Number steps_by_ports() const {
    Number steps = 0;
    for (Number known = 1; known < ranks_; known *= ports_ / unit_ + 1) ++steps;
    same(json_["steps"]["by_ports"], steps);
    return steps;
  }

  /// A message ends at the place of the next rank on the way.
  Number steps_by_distance() const {
    const Json& steps = json_["steps"];
    const Number from = steps["from"].number(0, ranks_ - 1), to = steps["to"].number(0, ranks_ - 1);
    if (is_collective("broadcast") && from != root()) steps["from"].refuse("a broadcast goes from the root");
    if (is_collective("reduce") && to != root()) steps["to"].refuse("a reduce goes to the root");
    Adjacency adjacent(number_.size());
    for (const Arc& arc : arcs_)
      if (arc.from >= ranks_ && arc.to >= ranks_)
        adjacent[arc.from].emplace_back(arc.to, rank_at_.contains(arc.to) ? 1 : 0);
    const Number distance = distances(adjacent, place_[from])[place_[to]];
    same(steps["by_distance"], distance);
    return distance;
  }

  const Json& json_;
  Number ranks_;
  Number ports_;                                              // the capacity of a rank's ports
  Number unit_ = 1;                                           // what a port has
  Number total_ = 0;                                          // the sum of all capacities
  std::map<std::string, std::uint32_t, std::less<>> number_;  // by name; ranks come first
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> place_;         // by rank
  std::map<std::uint32_t, Number> rank_at_;  // by place
};

}  // namespace

Outcome check_bound(const Text& bound) try {
  const Json json = Json::read(bound);
  for (const std::string_view name : {"allreduce", "allgather", "reduce-scatter", "broadcast", "reduce"})
    if (json["collective"].text() == name) return {Outcome::Kind::proved, Bound(json).judge()};
  json["collective"].wrong("a collective that has a bound");
} catch (const Outcome& outcome) {
  return outcome;
}

}  // namespace check
