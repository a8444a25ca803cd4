// cut: why no schedule for the collective is faster on the network: the certificate of `verify bound` as a picture.
//
// Of a cut, the ranks inside are filled, and the links that must carry their share are thick. Of other certificates the
// links that count are thick. A rank whose ports count has a thick border. The sum stands below.
//
// Cost: that of the bound (network/bounds.h), within a budget; a better bound than the one shown may exist beyond it.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/result.h"
#include "network/bounds.h"
#include "viz/messages.h"
#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr std::uint64_t cut_budget = 100'000'000;
constexpr Stroke counts{palette::vermilion, "solid", 2.2};
constexpr Stroke does_not_count{palette::grey, "solid", 0.5};
constexpr double widest_border = 2.2;

/// What a certificate is about.
struct Grounds {
  std::vector<bool> is_filled;    // by node
  std::vector<bool> has_ports;    // by rank: do its ports count?
  std::vector<bool> is_thick;     // by link
  std::vector<Whole> capacities;  // of what counts
  std::string work;               // what goes over that
};

/// By seat.
std::vector<Rank> ranks_by_seat(const Network& network) {
  std::vector<Rank> rank_at(static_cast<std::size_t>(network.ranks()));
  for (Rank r = 0; r < network.ranks(); ++r) rank_at[static_cast<std::size_t>(network.seat(r))] = r;
  return rank_at;
}

/// Takes the grounds from a proof.
class GroundsOf {
 public:
  GroundsOf(const Network& network, const PortGraph& graph) : network_(network), graph_(graph) {
    found_.is_filled.assign(static_cast<std::size_t>(network.nodes()), false);
    found_.has_ports.assign(static_cast<std::size_t>(network.ranks()), false);
    found_.is_thick.assign(static_cast<std::size_t>(network.link_count()), false);
  }

  Grounds operator()(const CutProof& proof) && {
    const auto& inside = proof.cut.inside;
    for (Node node = network_.ranks(); node < network_.nodes(); ++node)
      found_.is_filled[static_cast<std::size_t>(node)] = inside[static_cast<std::size_t>(graph_.ranks + node)];
    for (Rank r = 0; r < graph_.ranks; ++r)
      found_.is_filled[static_cast<std::size_t>(network_.seat(r))] = inside[static_cast<std::size_t>(r)];
    const bool is_both = proof.direction == CutProof::Direction::both;
    for (const std::size_t arc : crossed(graph_, proof)) count(arc, is_both ? own(arc) : graph_.arcs[arc].capacity);
    found_.work = is_both ? fmt::format("what leaves and enters what is filled is {}",
                                        proof.weight == 1 ? "the vector" : proof.weight.str() + " vectors")
                          : fmt::format("{} must {} what is filled",
                                        proof.weight == 1 ? "the vector" : proof.weight.str() + " of the vector",
                                        proof.direction == CutProof::Direction::enters ? "enter" : "leave");
    return std::move(found_);
  }

  Grounds operator()(const RanksProof& proof) && {
    const std::vector<Rank> rank_at = ranks_by_seat(network_);
    std::vector<std::vector<std::size_t>> links(proof.of_rank.size());  // by rank
    std::vector<Whole> of_links(proof.of_rank.size());
    for (Link l = 0; l < network_.link_count(); ++l) {
      const Node node = proof.enters ? network_.link(l).to : network_.link(l).from;
      if (node >= network_.ranks()) continue;
      const auto rank = static_cast<std::size_t>(rank_at[static_cast<std::size_t>(node)]);
      links[rank].push_back(static_cast<std::size_t>(l));
      of_links[rank] += graph_.arcs[static_cast<std::size_t>(l)].capacity;
    }
    for (std::size_t r = 0; r < links.size(); ++r)
      if (of_links[r] == proof.of_rank[r])
        for (const std::size_t l : links[r]) count(l, graph_.arcs[l].capacity);
      else
        count(static_cast<std::size_t>(graph_.links) + 2 * r, proof.of_rank[r]);
    found_.work =
        fmt::format("each block {} ranks {} times", proof.enters ? "enters" : "leaves", 2 * (graph_.ranks - 1));
    return std::move(found_);
  }

  Grounds operator()(const LengthsProof& proof) && {
    for (std::size_t arc = 0; arc < proof.lengths.size(); ++arc)
      if (proof.lengths[arc] > 0) count(arc, own(arc) * proof.lengths[arc]);
    found_.work = fmt::format("each block crosses {} thick links{}", 2 * proof.tree,
                              proof.are_all_one() ? "" : ", some of which count more than once");
    return std::move(found_);
  }

 private:
  Whole own(std::size_t arc) const { return graph_.arcs[arc].own(); }

  void count(std::size_t arc, Whole capacity) {
    const auto links = static_cast<std::size_t>(graph_.links);
    if (arc < links)
      found_.is_thick[arc] = true;
    else
      found_.has_ports[(arc - links) / 2] = true;
    found_.capacities.push_back(capacity);
  }

  const Network& network_;
  const PortGraph& graph_;
  Grounds found_;
};

/// "15/16 of the vector must enter what is filled; capacity 2 x 1 = 2: at least 15/32 vectors".
std::string grounds_text(const Grounds& grounds, const PortGraph& graph, const TimeBound& bound) {
  std::map<Whole, std::size_t, std::greater<>> alike;
  Whole all = 0;
  for (const Whole capacity : grounds.capacities) {
    ++alike[capacity];
    all += capacity;
  }
  std::vector<std::string> terms;
  for (const auto& [capacity, times] : alike) {
    const std::string each = Rational(capacity, graph.port).str();
    terms.push_back(times == 1 ? each : fmt::format("{} x {}", times, each));
  }
  const std::string sum = Rational(all, graph.port).str();
  const std::string capacity =
      grounds.capacities.size() == 1 ? sum : fmt::format("{} = {}", fmt::join(terms, " + "), sum);
  return fmt::format("{}; capacity {}: at least {} {} at the speed of a port", grounds.work, capacity,
                     bound.vectors.str(), bound.vectors == 1 ? "vector" : "vectors");
}

std::string_view fill_of(const Grounds& grounds, const Network& network, Node node) {
  if (grounds.is_filled[static_cast<std::size_t>(node)]) return palette::sky;
  return node < network.ranks() ? palette::white : palette::pale;
}

/// Of a rank whose ports count; its number has room inside.
double border_of_ports(const NetworkLayout& layout) {
  return std::min(widest_border, layout.radius() / 3);
}

double border_of(const Grounds& grounds, const NetworkLayout& layout, const std::vector<Rank>& rank_at, Node node) {
  const bool is_thick = node < std::ssize(rank_at) &&
                        grounds.has_ports[static_cast<std::size_t>(rank_at[static_cast<std::size_t>(node)])];
  return is_thick ? border_of_ports(layout) : 0.6;
}

/// What the fills, borders and lines of the picture mean.
PictureKey key_of(const Grounds& grounds, const NetworkLayout& layout, const Style& style) {
  PictureKey key(style);
  const auto any = [](const std::vector<bool>& flags) {
    return std::find(flags.begin(), flags.end(), true) != flags.end();
  };
  if (any(grounds.is_filled)) key.add_disc(palette::sky, {.width = 0.6}, "inside the cut");
  if (any(grounds.is_thick)) key.add_line(counts, "link that counts");
  if (any(grounds.has_ports))
    key.add_disc(palette::white, {.width = border_of_ports(layout)}, "rank whose ports count");
  key.add_line(does_not_count, "other link");
  layout.explain(key);
  return key;
}

Picture draw_on(const std::string& title, const NetworkLayout& layout, const Grounds& grounds, const std::string& sum,
                const Style& style) {
  const Network& network = layout.network();
  const double size = style.font_size, width = style.width_in_points() - 2 * margin;
  const auto caption = lines_within(sum, 0.97 * width, size - 1);
  const auto heading = lines_within(title, width, size);
  const auto rank_at = ranks_by_seat(network);
  const PictureKey key = key_of(grounds, layout, style);
  const double above = (size + 2) * static_cast<double>(heading.size()) + 4;
  const double below = (size + 1) * static_cast<double>(caption.size()) + 4;
  Picture picture(style, title, above + layout.height() + below + key.height());
  picture.as(Role::title)->lines(0, heading, size, size + 2);
  const double thickest = std::min(counts.width, layout.widest_line());
  draw_network(picture, layout, {margin, above},
               {.stroke =
                    [&](Link l) {
                      return grounds.is_thick[static_cast<std::size_t>(l)] ? counts.scaled(thickest / counts.width)
                                                                           : does_not_count;
                    },
                .fill = [&](Node node) { return fill_of(grounds, network, node); },
                .border = [&](Node node) { return border_of(grounds, layout, rank_at, node); }});
  key.draw(picture, picture.as(Role::note)->lines(above + layout.height() + 0.5, caption, size - 1, size + 1) + 3.5);
  return picture;
}

Drawn<Picture> draw_cut(const Schedule& schedule, const DrawOptions& options) {
  const Header& header = schedule.header();
  if (!is_bounded(header.collective) || header.ranks < 2)
    return unsuitable(fmt::format("cut: no bound is known for {} of {} ranks", name(header.collective), header.ranks));
  const auto network = TRY(network_of(header, options));
  const auto layout = TRY(layout_of(*network, options.style.width_in_points() - 2 * margin));
  const auto graph = port_graph(*network);
  if (!graph) return unsuitable("cut: " + graph.error());
  const auto bound = time_bound_within(*graph, demand_of(header), cut_budget);
  if (!bound) return unsuitable("cut: the network is too large for a bound");
  const Grounds grounds =
      std::visit([&](const auto& proof) { return GroundsOf(*network, *graph)(proof); }, bound->proof);
  const std::string sum = grounds_text(grounds, *graph, *bound);
  const std::string title = fmt::format("{} on {}", name(header.collective), network->name());
  return draw_on(title, *layout, grounds, sum, options.style);
}

}  // namespace

const View cut_view{
    .name = "cut",
    .summary = "why no schedule is faster on the network: what must cross which links",
    .heeds = "--topology and the other options of the network",
    .draw = draw_cut,
};

}  // namespace onceover::viz
