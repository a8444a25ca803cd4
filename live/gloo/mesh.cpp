#include "live/gloo/mesh.h"

#include <gloo/rendezvous/hash_store.h>
#include <gloo/transport/tcp/device.h>

#include <exception>
#include <stdexcept>
#include <thread>

namespace onceover::live {

namespace {

/// Runs `body` for each rank in a thread, until all have ended.
std::vector<std::string> in_threads(std::size_t ranks, const std::function<void(Rank)>& body) {
  std::vector<std::string> thrown(ranks);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < ranks; ++k)
    threads.emplace_back([&, k] {
      try {
        body(static_cast<Rank>(k));
      } catch (const std::exception& e) {
        thrown[k] = e.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

}  // namespace

Mesh::Mesh(Rank ranks, std::chrono::milliseconds most) : contexts_(static_cast<std::size_t>(ranks)) {
  gloo::rendezvous::HashStore store;
  const auto thrown = in_threads(contexts_.size(), [&](Rank rank) {
    gloo::transport::tcp::attr attributes;
    attributes.iface = "lo";
    auto device = gloo::transport::tcp::CreateDevice(attributes);
    auto context = std::make_shared<gloo::rendezvous::Context>(rank, ranks);
    context->setTimeout(most);
    context->connectFullMesh(store, device);
    contexts_[static_cast<std::size_t>(rank)] = context;
  });
  for (const std::string& text : thrown)
    if (!text.empty()) throw std::runtime_error("Gloo's ranks can't be connected: " + text);
}

std::vector<std::string> Mesh::run(const std::function<void(Rank, const std::shared_ptr<gloo::Context>&)>& body) {
  return in_threads(contexts_.size(), [&](Rank rank) { body(rank, contexts_[static_cast<std::size_t>(rank)]); });
}

}  // namespace onceover::live
