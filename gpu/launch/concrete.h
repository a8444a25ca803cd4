// Makes a Launch of a description: for one number of ranks and one size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "gpu/launch/description.h"
#include "gpu/launch/launch.h"
#include "gpu/value_terms.h"
#include "verifier/promise.h"

namespace onceover::gpu {

/// What a buffer of the launch is in the description.
struct BufferPlace {
  std::size_t text;  // Description::buffers; Description::buffers.size() for a table
  Rank rank;
  std::uint32_t turn;
};

/// What an output must hold after each call.
struct Expected {
  std::size_t output;  // Description::buffers
  std::size_t input;
  Combining operation = Combining::add;
  std::shared_ptr<const verifier::Promise> promise;
  std::vector<verifier::PromisedResult> results;  // by rank
};

/// A launch, and what it must do.
struct ConcreteLaunch {
  Launch launch;
  std::int64_t size = 0;            // n
  std::vector<BufferPlace> places;  // by Launch::buffers
  std::vector<Expected> expected;
  /// The buffer of the launch for one of the description, on a rank, in a call.
  std::size_t buffer_of(std::size_t text, Rank rank, std::uint32_t call) const;
  std::vector<std::vector<std::size_t>> first_of;  // by description's buffer and rank: turn 0; others follow
  std::vector<std::uint32_t> turns;                // by description's buffer
};

/// The launch for p ranks and the size n. A mistake that only the module, p or n show is reported at its place in the
/// description. Memory: that of all arguments of all calls, and of what is written before and between them.
tl::expected<ConcreteLaunch, SourceError> concrete(const Description& description,
                                                   std::shared_ptr<const ptx::Module> module, Rank p, std::int64_t n);

}  // namespace onceover::gpu
