// Mesh: the ranks of Gloo as threads of this process, joined by TCP.
#pragma once

#include <gloo/rendezvous/context.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "schedules/types.h"

namespace onceover::live {

/// A context for each rank, each connected with all others, over the loopback interface.
///
/// Contexts live until all ranks have ended, since one that closes early makes others fail. A call that throws leaves
/// them unusable. O(ranks^2) connections.
class Mesh {
 public:
  /// A wait longer than `most` throws.
  Mesh(Rank ranks, std::chrono::milliseconds most);

  /// Runs a function on every rank, each in a thread. What a rank's function throws is the rank's text, else empty.
  std::vector<std::string> run(const std::function<void(Rank, const std::shared_ptr<gloo::Context>&)>& body);

 private:
  std::vector<std::shared_ptr<gloo::rendezvous::Context>> contexts_;
};

}  // namespace onceover::live
