// Fuzz target: whatever the parser of formulas accepts can be evaluated; what it refuses is refused in few words.

#include <array>
#include <cstdint>
#include <cstdlib>

#include "schedules/peer_schedule.h"

using namespace onceover::programs;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto formula = Formula::parse("fuzz", text, peer_variables());
  if (!formula) {
    if (formula.error().render().size() > 2000) std::abort();
    return 0;
  }
  for (std::size_t n = 0; n < formula->nodes().size(); ++n)
    for (const int operand : formula->nodes()[n].operand)
      if (operand < 0 || static_cast<std::size_t>(operand) > n) std::abort();
  for (const std::int64_t r : {std::int64_t{0}, std::int64_t{5}, INT64_MAX, INT64_MIN}) {
    const std::array<std::int64_t, 3> values{r, 3, 8};
    if (const auto value = formula->evaluate(values); !value && value.error().offset > size) std::abort();
  }
  return 0;
}
