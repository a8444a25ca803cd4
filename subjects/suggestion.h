// Formulas near to one that fails, which pass.
#pragma once

#include <span>
#include <vector>

#include "schedules/peer_schedule.h"
#include "verifier/verify.h"

namespace onceover::subjects {

/// At most `most` rules whose peers are a neighbour of this formula (see formula.h), and which `verify`
/// passes for all `ranks`, those nearest to it first. No two have the same peers for these ranks. The options say what
/// is required. Stops early when all work is to stop. Some 10,000 formulas are tried, most for the first few `ranks`
/// only, which should ascend.
std::vector<PeerRule> suggestions(const PeerRule& rule, Collective collective, std::span<const Rank> ranks,
                                  const VerifyOptions& options, std::size_t most);

}  // namespace onceover::subjects
