// cut: why no schedule for the collective is faster on the network: the certificate of `verify bound` as a picture.
//
// Of a cut, the ranks inside are filled, and the links that must carry their share are thick. Of other certificates the
// links that count are thick. A rank whose ports count has a thick border. The sum stands below. Of a network that
// can't be read in the width, what counts is drawn in pieces: of nodes to which the same belongs, one (cut_grounds.h).
//
// Cost: that of the bound (network/bounds.h), within a budget; a better bound than the one shown may exist beyond it.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "base/result.h"
#include "viz/cut_grounds.h"
#include "viz/messages.h"
#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr std::uint64_t cut_budget = 10'000'000;
constexpr double widest_border = 2.2;

/// "15/16 of the vector must enter what is filled; capacity 2 x 1 = 2: at least 15/32 vectors".
std::string grounds_text(const CutGrounds& grounds, const PortGraph& graph, const TimeBound& bound) {
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
  return fmt::format("{}; capacity {}: at least {} {} at the speed of a port{}", grounds.work, capacity,
                     bound.vectors.str(), bound.vectors == 1 ? "vector" : "vectors",
                     bound.is_best ? "" : ". Beyond what was searched there may be a better bound");
}

/// The picture's parts: a title, the network or pieces of it, the sum, and the key.
class CutPicture {
 public:
  CutPicture(const std::string& title, const CutGrounds& grounds, const std::string& sum, const Network& network,
             const Style& style)
      : title_(title), grounds_(grounds), sum_(sum), network_(network), style_(style) {}

  Picture whole(const NetworkLayout& layout) const {
    const double border = std::min(widest_border, layout.radius() / 3);  // its number has room inside
    const double thickest = std::min(CutStar::counts.width, layout.widest_line());
    const auto counts = [&](Link l) { return grounds_.of_link[static_cast<std::size_t>(l)] > 0; };
    PictureKey key = key_with(border, any_of(grounds_.of_link), any_of(grounds_.of_ports), any(grounds_.is_filled));
    key.add_line(CutStar::does_not_count, "other link");
    layout.explain(key);
    return with_words(layout.height(), key, [&](Picture& picture, double top) {
      draw_network(picture, layout, {margin, top},
                   {.stroke =
                        [&](Link l) {
                          return counts(l) ? CutStar::counts.scaled(thickest / CutStar::counts.width)
                                           : CutStar::does_not_count;
                        },
                    .fill = [&](Node node) { return fill_of(node); },
                    .border = [&](Node node) { return has_ports(node) ? border : 0.6; }});
    });
  }

  /// Nothing if the pieces would be taller than a page.
  std::optional<Picture> of_pieces() const {
    for (const bool with_others : {true, false}) {
      const auto pieces = cut_pieces(grounds_, network_, with_others);
      if (pieces.size() > most_pieces) continue;
      Picture picture = draw_pieces(pieces, with_others);
      if (picture.height() <= 72 * style_.height) return picture;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t most_pieces = 24;
  static constexpr double between_pieces = 10;

  static bool any_of(const std::vector<Whole>& counts) {
    return std::any_of(counts.begin(), counts.end(), [](Whole one) { return one > 0; });
  }
  static bool any(const std::vector<bool>& flags) { return std::find(flags.begin(), flags.end(), true) != flags.end(); }

  bool has_ports(Node node) const { return grounds_.of_ports[static_cast<std::size_t>(node)] > 0; }

  std::string_view fill_of(Node node) const {
    if (grounds_.is_filled[static_cast<std::size_t>(node)]) return palette::sky;
    return node < network_.ranks() ? palette::white : palette::pale;
  }

  /// What the fills, borders and thick lines of the picture mean.
  PictureKey key_with(double border, bool has_thick, bool has_ports, bool has_filled) const {
    PictureKey key(style_);
    if (has_filled) key.add_disc(palette::sky, {.width = 0.6}, "inside the cut");
    if (has_thick) key.add_line(CutStar::counts, "link that counts");
    if (has_ports) key.add_disc(palette::white, {.width = border}, "rank whose ports count");
    return key;
  }

  /// `draw` draws what is between the title and the sum, so high, from a top on.
  template <class Draw>
  Picture with_words(double height, const PictureKey& key, Draw&& draw) const {
    const double size = style_.font_size, width = style_.width_in_points() - 2 * margin;
    const auto caption = lines_within(sum_, 0.97 * width, size - 1);
    const auto heading = lines_within(title_, width, size);
    const double above = (size + 2) * static_cast<double>(heading.size()) + 4;
    const double below = (size + 1) * static_cast<double>(caption.size()) + 4;
    Picture picture(style_, title_, above + height + below + key.height());
    picture.as(Role::title)->lines(0, heading, size, size + 2);
    draw(picture, above);
    key.draw(picture, picture.as(Role::note)->lines(above + height + 0.5, caption, size - 1, size + 1) + 3.5);
    return picture;
  }

  /// "one of 4096 alike".
  static std::string words_of_piece(const CutPiece& piece) {
    return piece.alike > 1 ? fmt::format("one of {} alike", piece.alike) : "the only one";
  }

  Picture draw_pieces(const std::vector<CutPiece>& pieces, bool with_others) const {
    const double size = style_.font_size, line = size + 4, width = style_.width_in_points() - 2 * margin;
    std::vector<CutStar> stars;
    double widest = 0;
    for (const CutPiece& piece : pieces) {
      const CutStar& star = stars.emplace_back(piece, grounds_, network_);
      widest = std::max({widest, star.width(), text_width(words_of_piece(piece), size)});
    }
    const auto fit = static_cast<std::size_t>(std::max(1.0, (width + between_pieces) / (widest + between_pieces)));
    const std::size_t across = std::min(fit, pieces.size());
    const double cell = width / static_cast<double>(across);
    std::vector<double> tall((pieces.size() + across - 1) / across);
    for (std::size_t k = 0; k < stars.size(); ++k) tall[k / across] = std::max(tall[k / across], stars[k].height());
    const double below = line + between_pieces / 2;
    const double height = std::accumulate(tall.begin(), tall.end(), below * static_cast<double>(tall.size()));
    return with_words(height, key_of_pieces(pieces, with_others), [&](Picture& picture, double top) {
      for (std::size_t k = 0; k < stars.size(); ++k) {
        const double row = tall[k / across];
        const Point middle{margin + cell * (static_cast<double>(k % across) + 0.5), top + row / 2};
        stars[k].draw(picture, middle - 0.5 * Point{stars[k].width(), stars[k].height()});
        picture.text(middle + Point{0, (row + line) / 2}, words_of_piece(pieces[k]), size);
        if (k % across + 1 == across) top += row + below;
      }
    });
  }

  PictureKey key_of_pieces(const std::vector<CutPiece>& pieces, bool with_others) const {
    const auto some_link = [&](auto&& is_so) {
      return std::any_of(pieces.begin(), pieces.end(), [&](const CutPiece& piece) {
        return std::any_of(piece.spokes.begin(), piece.spokes.end(), is_so);
      });
    };
    const auto is_filled = [&](Node node) { return grounds_.is_filled[static_cast<std::size_t>(node)]; };
    const auto filled =
        static_cast<Rank>(std::count(grounds_.is_filled.begin(), grounds_.is_filled.begin() + network_.ranks(), true));
    PictureKey key = key_with(
        widest_border, any_of(grounds_.of_link), any_of(grounds_.of_ports),
        some_link([&](const CutPiece::Spoke& spoke) { return is_filled(spoke.far); }) ||
            std::any_of(pieces.begin(), pieces.end(), [&](const CutPiece& piece) { return is_filled(piece.centre); }));
    if (some_link([](const CutPiece::Spoke& spoke) { return spoke.counts == 0; }))
      key.add_line(CutStar::does_not_count, "other link");
    if (some_link([&](const CutPiece::Spoke& spoke) { return spoke.far >= network_.ranks(); }) ||
        pieces.back().centre >= network_.ranks())
      key.add_box(palette::pale, {.width = 0.6}, "switch");
    Node stood_for = 0;
    for (const CutPiece& piece : pieces) stood_for += piece.alike;
    const bool is_folded = stood_for > std::ssize(pieces);
    const std::string_view ways = grounds_.leaves && grounds_.enters ? ""
                                  : grounds_.leaves                  ? " that leave it"
                                                                     : " that enter it";
    key.add_words(words_of(
        {filled > 0
             ? fmt::format("Of {} ranks, {} {} inside the cut.", network_.ranks(), filled, filled == 1 ? "is" : "are")
             : "",
         fmt::format("{} is drawn with the links{}{}.", is_folded ? "Of nodes that are alike one" : "A node", ways,
                     with_others ? "" : ", as far as they count"),
         stood_for < network_.nodes() ? "Nodes are left out if nothing that counts is theirs." : ""}));
    return key;
  }

  const std::string& title_;
  const CutGrounds& grounds_;
  const std::string& sum_;
  const Network& network_;
  const Style& style_;
};

Drawn<Picture> draw_cut(const Schedule& schedule, const DrawOptions& options) {
  const Header& header = schedule.header();
  if (!is_bounded(header.collective) || header.ranks < 2)
    return unsuitable(fmt::format("cut: no bound is known for {} of {} ranks", name(header.collective), header.ranks));
  const auto network = TRY(network_of(header, options));
  const auto graph = port_graph(*network);
  if (!graph) return unsuitable("cut: " + graph.error());
  auto layout = layout_of(*network, options.style.width_in_points() - 2 * margin);
  if (!layout && options.fold == Fold::never) return tl::unexpected(layout.error());
  const auto bound = time_bound_within(*graph, demand_of(header), cut_budget);
  if (!bound) return unsuitable("cut: the network is too large for a bound");
  const CutGrounds grounds = grounds_of(*bound, *network, *graph);
  const std::string sum = grounds_text(grounds, *graph, *bound);
  const std::string title = fmt::format("{} on {}", name(header.collective), network->name());
  const CutPicture picture(title, grounds, sum, *network, options.style);
  if (layout && options.fold != Fold::always) return picture.whole(**layout);
  auto pieces = picture.of_pieces();
  if (pieces) return *std::move(pieces);
  return layout ? Drawn<Picture>(picture.whole(**layout)) : tl::unexpected(layout.error());
}

}  // namespace

const View cut_view{
    .name = "cut",
    .summary = "why no schedule is faster on the network: what must cross which links",
    .heeds = "--fold --no-fold --topology and the other options of the network",
    .draw = draw_cut,
};

}  // namespace onceover::viz
