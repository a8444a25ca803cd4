// Judges what `verify bound --json` prints, from the links that it lists (docs/optimal.md): adds up what crosses a cut,
// what leaves the ranks, or what has a length, and counts steps anew.

#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "check/certificate.h"
#include "check/json.h"

namespace check {

namespace {

using Number = std::uint64_t;
constexpr Number most = 1'000'000'000;  // of ranks, and of the sum of all capacities in their common unit

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
    const Number ports = steps_by_ports(), distance = steps_by_distance();
    return std::string(json_["collective"].text()) + " takes at least " + std::string(time["vectors"].text()) +
           " vectors on these " + std::to_string(arcs_.size()) + " links, " + std::to_string(ports) +
           " steps with these ports, " + std::to_string(distance) + " from rank to rank";
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
    Number sum = 0;
    for (const auto& [key, link] : links) {
      const Fraction c = fraction(link["capacity"]);
      const Number units = unit_ / c.below;
      if (c.above > (most - sum) / units) link.uncovered("capacities so large");
      sum += c.above * units;
      arcs_.push_back({number_of(link["from"].text()), number_of(link["to"].text()), c.above * units});
    }
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
      if (place < ranks_ || arc.capacity != ports_ || (place_[rank] != 0 && place_[rank] != place))
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

  /// The links that a proof names.
  Arcs listed(const Json& proof) const {
    Arcs found;
    for (const auto& [key, link] : proof["links"].list()) {
      const Fraction c = fraction(link["capacity"]);
      if (unit_ % c.below != 0 || c.above > most) link.refuse("there is no such link");
      found.insert({known(link["from"]), known(link["to"]), c.above * (unit_ / c.below)});
    }
    return found;
  }

  /// Must the collective's data go in that direction, and what share of the vector crosses?
  Fraction share(const Json& proof, const std::vector<bool>& inside, bool enters) const {
    const auto ranks = static_cast<Number>(std::count(inside.begin(), inside.begin() + ranks_, true));
    same(proof["ranks_inside"], ranks);
    if (ranks == 0 || ranks == ranks_) proof["inside"].refuse("there must be a rank inside and one outside");
    if (is_collective("allreduce")) return {1, 1};
    if (!is_collective(enters ? "reduce-scatter" : "allgather", enters ? "reduce" : "broadcast"))
      proof["direction"].refuse("the collective needs nothing in this direction");
    if (is_collective("allgather", "reduce-scatter")) return {ranks, ranks_};
    if (!inside[root()]) proof["inside"].refuse("the root must be inside");
    return {1, 1};
  }

  bool enters(const Json& proof) const {
    const std::string_view direction = proof["direction"].text();
    if (direction != "enters" && direction != "leaves") proof["direction"].wrong("enters or leaves");
    return direction == "enters";
  }

  Fraction by_cut(const Json& proof) const {
    std::vector<bool> inside(number_.size());
    for (const auto& [key, name] : proof["inside"].list()) inside[known(name)] = true;
    const bool is_in = enters(proof);
    const Fraction part = share(proof, inside, is_in);
    same(proof["share"], part);
    Number capacity = 0;
    Arcs crossed;
    for (const Arc& arc : arcs_) {
      if (inside[arc.from] == is_in || inside[arc.to] != is_in) continue;
      capacity += arc.capacity;
      crossed.insert(arc);
    }
    if (listed(proof) != crossed) proof["links"].refuse("other links cross");
    return over(part, proof, capacity);
  }

  /// Each block moves 2 (p-1) times, and each time it leaves a rank: by its ports, and by the links of its place.
  Fraction by_ranks(const Json& proof) const {
    only_for_allreduce(proof);
    const bool is_in = enters(proof);
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
    return over({2 * (ranks_ - 1), 1}, proof, capacity);
  }

  Fraction by_lengths(const Json& proof) const {
    only_for_allreduce(proof);
    std::vector<std::vector<std::pair<std::uint32_t, bool>>> onward(number_.size()), backward(number_.size());
    const Arcs lengths = listed(proof);
    Arcs found;
    Number capacity = 0;
    for (const Arc& arc : arcs_) {
      const bool has_length = lengths.contains(arc);
      if (has_length) {
        capacity += arc.capacity;
        found.insert(arc);
      }
      onward[arc.from].emplace_back(arc.to, has_length);
      backward[arc.to].emplace_back(arc.from, has_length);
    }
    if (found != lengths) proof["links"].refuse("not all of these are links");
    const Number length = tree(onward, backward);
    same(proof["tree"], length);
    return over({2 * length, 1}, proof, capacity);
  }

  /// share / capacity, in ports.
  Fraction over(Fraction share, const Json& proof, Number capacity) const {
    same(proof["capacity"], Fraction{capacity, unit_});
    return {share.above * unit_, share.below * capacity};
  }

  using Ways = std::vector<std::vector<std::pair<std::uint32_t, bool>>>;  // to, and whether that has a length

  std::vector<Number> distances(const Ways& ways, std::uint32_t from) const {
    std::vector<Number> distance(ways.size(), most);
    std::deque<std::uint32_t> near{from};
    distance[from] = 0;
    while (!near.empty()) {
      const std::uint32_t at = near.front();
      near.pop_front();
      for (const auto& [to, has_length] : ways[at]) {
        const Number sum = distance[at] + (has_length ? 1 : 0);
        if (sum >= distance[to]) continue;
        distance[to] = sum;
        has_length ? near.push_back(to) : near.push_front(to);
      }
    }
    return distance;
  }

  /// The length of the shortest tree that joins the ranks, by Prim's algorithm.
  Number tree(const Ways& onward, const Ways& backward) const {
    std::vector<Number> nearest(ranks_, most);
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
    Ways ways(number_.size());
    for (const Arc& arc : arcs_)
      if (arc.from >= ranks_ && arc.to >= ranks_) ways[arc.from].emplace_back(arc.to, rank_at_.contains(arc.to));
    const Number distance = distances(ways, place_[from])[place_[to]];
    same(steps["by_distance"], distance);
    return distance;
  }

  const Json& json_;
  Number ranks_;
  Number ports_;                                              // the capacity of a rank's ports
  Number unit_ = 1;                                           // what a port has
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
