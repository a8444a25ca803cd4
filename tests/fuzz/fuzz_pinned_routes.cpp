// Fuzz target: ways that are accepted can be followed; what is refused is refused in few words.

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "network/network_file.h"
#include "network/pinned_routes.h"

using namespace onceover::network;

namespace {

const Network& network_of_cards() {
  static const Network network = *read_network(R"(graph {
    0 -- pcie0; 1 -- pcie0; 2 -- pcie1; 3 -- pcie1; pcie0 -- nicA0; pcie0 -- nicB0; pcie1 -- nicA1; pcie1 -- nicB1
    nicA0 -- top; nicB0 -- top; nicA1 -- top; nicB1 -- top
  })",
                                               "cards", {});
  return network;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr int lanes = 2;
  auto pinned = read_pinned_routes(text, "fuzz", network_of_cards(), lanes);
  if (!pinned) {
    if (pinned.error().render().size() > 2000) std::abort();
    return 0;
  }
  Network network = network_of_cards();
  network.pin(std::make_shared<const PinnedRoutes>(std::move(*pinned)));
  Router router(network, Routing::minimal);
  for (Rank src = 0; src < network.ranks(); ++src)
    for (Rank dst = 0; dst < network.ranks(); ++dst)
      for (int lane = 0; lane < lanes; ++lane)
        if (src != dst && router.route(src, dst, lane).route->hops < 1) std::abort();
  return 0;
}
