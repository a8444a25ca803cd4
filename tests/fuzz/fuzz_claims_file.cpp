// Fuzz target: whatever the reader of claims accepts has ids, sentences and ways to try them, and is read in the same
// way again; what it refuses is refused in few words.

#include <cstdint>
#include <cstdlib>

#include "papers/claim.h"

using namespace onceover::papers;

namespace {

bool are_alike(const Claim& a, const Claim& b) {
  if (a.id != b.id || a.says.size() != b.says.size() || a.corrected.size() != b.corrected.size()) return false;
  for (std::size_t k = 0; k < a.says.size(); ++k)
    if (a.says[k].range != b.says[k].range) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto claims = read_claims("fuzz", text);
  if (!claims) {
    if (claims.error().message.size() > 3000) std::abort();
    return 0;
  }
  const auto again = read_claims("again", text);
  if (!again || claims->empty() || again->size() != claims->size()) std::abort();
  for (std::size_t k = 0; k < claims->size(); ++k) {
    const Claim& claim = (*claims)[k];
    if (claim.id.empty() || claim.statement.empty() || claim.says.empty() || !are_alike(claim, (*again)[k]))
      std::abort();
    if (!claim.corrected.empty() && claim.correct.empty()) std::abort();
  }
  return 0;
}
