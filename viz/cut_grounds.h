// CutGrounds: which links and ports a bound rests on, read from its certificate; CutPiece: those that are alike, once.
//
// Each link that counts belongs to one of its ends, and ports belong to their rank. Nodes to which the same belongs are
// alike; one of them is drawn for all, as a star.
//
// Example: an allreduce on a torus 64x64 takes as long as each rank needs to send over its four links. The one piece is
// rank 0 with the four links that leave it; it is one of 4096.
#pragma once

#include <string>
#include <vector>

#include "network/bounds.h"
#include "viz/network_layout.h"

namespace onceover::viz {

/// What a certificate is about. Memory: 24 bytes a node or link.
struct CutGrounds {
  std::vector<bool> is_filled;    // by node: is it inside the cut?
  std::vector<Whole> of_ports;    // by node: what the ports of its rank count for; 0: they don't
  std::vector<Whole> of_link;     // by link, likewise
  std::vector<Whole> capacities;  // of what counts, one by one
  std::vector<bool> has_links;    // by node: do the links at its end that count belong to it?
  bool leaves = false;            // are these the links that leave it?
  bool enters = false;            // those that enter it?
  std::string work;               // what goes over all that, in words
};

/// O(links)
CutGrounds grounds_of(const TimeBound& bound, const Network& network, const PortGraph& graph);

/// A node that stands for all that are alike, and its links.
struct CutPiece {
  struct Spoke {
    Node far;      // the other end, or one of them
    bool leaves;   // does it lead to that end?
    Whole counts;  // what one of the links counts for; 0: it doesn't
    Link links;    // how many there are
  };

  Node centre;
  Node alike = 0;  // how many nodes are like it, itself included
  Whole ports;
  std::vector<Spoke> spokes;
  bool is_bundled = false;  // are there so many links that a spoke stands for all that are alike?
};

/// The pieces, ascending by their centres. What they count for, times `alike`, adds up to the certificate's capacity.
/// Links that don't count are left out unless `with_others`. O(links log links)
std::vector<CutPiece> cut_pieces(const CutGrounds& grounds, const Network& network, bool with_others);

/// A piece as it is drawn: its centre, and around it the ends of its links. Along a grid these are where they are in a
/// picture of the whole, else evenly around.
class CutStar {
 public:
  CutStar(const CutPiece& piece, const CutGrounds& grounds, const Network& network);

  double width() const { return size_.x; }
  double height() const { return size_.y; }

  /// With its upper left corner there.
  void draw(Picture& picture, Point corner) const;

  static constexpr Stroke counts{palette::vermilion, "solid", 2.2};
  static constexpr Stroke does_not_count{palette::grey, "solid", 0.5};

 private:
  struct Place {
    Node node;
    bool stands_for_more;  // for the ends of all links of a bundle
    Point at = {0, 0};
  };

  bool is_rank(const Place& place) const { return place.node < network_.ranks(); }
  std::string label(const Place& place) const;
  Point half(const Place& place) const;
  double edge(const Place& place, Point way, double aside) const;
  Curve line(const Place& from, const Place& to, double aside) const;
  void place_ends();
  void draw_node(Picture& picture, Point corner, const Place& place) const;
  void draw_spoke(Picture& picture, Point corner, std::size_t spoke) const;

  const CutPiece& piece_;
  const CutGrounds& grounds_;
  const Network& network_;
  double radius_;
  std::vector<Place> places_;        // the centre first
  std::vector<std::size_t> end_of_;  // by spoke: its place
  Point size_ = {0, 0};
};

}  // namespace onceover::viz
