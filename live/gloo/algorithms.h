// The collectives of Gloo, called with elements that carry terms.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "live/call_data.h"

namespace gloo {
class Context;
}

namespace onceover::live {

/// The most ranks: elements have a size that the compiler knows.
constexpr Rank most_gloo_ranks = 64;

/// One call of one rank.
struct GlooCall {
  const std::shared_ptr<gloo::Context>& context;
  const LiveCall& call;
  CallData& data;
  std::uint32_t tag;            // of the call, the same on all ranks
  std::shared_ptr<void>& kept;  // an object of Gloo's that must outlive the call of every rank
};

/// An algorithm of a collective: a function of Gloo with one of its settings, or one of the older classes.
struct GlooAlgorithm {
  CallKind kind;
  std::string_view name;  // "default": what the function does if nothing is asked for
  bool in_place;          // it takes its input where the result will be
  void (*run)(const GlooCall& call);
};

std::span<const GlooAlgorithm> gloo_algorithms();

/// Runs it on this thread. The result's `joins` are how often this rank's reductions were called, by position. It
/// throws what Gloo throws.
std::vector<std::uint32_t> run_counted(const GlooAlgorithm& algorithm, const GlooCall& call,
                                       const ElementFormat& format);

}  // namespace onceover::live
