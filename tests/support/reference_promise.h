// What collectives owe, found by doing them: inputs are lists of labels, which are cut, joined and handed round. It
// knows nothing of verifier/promise.h but the names.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "namespaces.h"
#include "verifier/promise.h"

namespace onceover::support {

/// The element of a rank's input, as a label.
using Label = std::pair<Rank, std::int64_t>;

/// What an element of a result is made of, in the order of the ranks.
using Labels = std::vector<Label>;

/// counts[src][dst]: how many elements `src` has for `dst`. Where an input is the same for all, counts[src][0] counts;
/// what is summed up needs equal counts.
using PairCounts = std::vector<std::vector<std::int64_t>>;

/// The results of all ranks. O(ranks^2 * elements).
std::vector<std::vector<Labels>> results_of(Promised promised, Rank root, const PairCounts& counts);

}  // namespace onceover::support
