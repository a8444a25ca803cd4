// Fuzz target: whatever the reader of networks accepts can be routed; what it refuses is refused in few words.

#include <cstdint>
#include <cstdlib>

#include "network/nccl_topology.h"
#include "network/network_file.h"
#include "network/routing.h"

using namespace onceover::network;

namespace {

void follow(const tl::expected<Network, SourceError>& network) {
  if (!network) {
    if (network.error().render().size() > 2000) std::abort();
    return;
  }
  Router router(*network, Routing::minimal);
  for (Rank r = 1; r < network->ranks(); ++r)
    if (router.route(0, r).route->hops < 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  follow(read_network(text, "fuzz", {}));
  follow(read_nccl_topology(text, "fuzz", {}, 4));
  return 0;
}
