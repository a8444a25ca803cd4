// A network on a picture: its links as lines and its nodes over them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "viz/network_layout.h"

namespace onceover::viz {

/// How links and nodes look.
struct NetworkLook {
  std::function<Stroke(Link)> stroke;
  std::function<std::string_view(Node)> fill = nullptr;  // null: ranks are white, switches pale
  std::function<double(Node)> border = nullptr;          // in points; null: thin
  std::function<std::string(Link)> load = nullptr;       // "8 blocks", for the link's title; null: it has none
};

/// Draws it, thick lines over thin ones, and none of no width. A line has a head if it is long enough for one.
/// O(links log links)
void draw_network(Dot& dot, const NetworkLayout& layout, Point origin, const NetworkLook& look);

}  // namespace onceover::viz
