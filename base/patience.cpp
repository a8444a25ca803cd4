#include "base/patience.h"

#include <cstdlib>

#include "base/number_text.h"

namespace onceover::base {

int patience() {
  const char* said = std::getenv("ONCEOVER_PATIENCE");
  const int times = said == nullptr ? 1 : parse_whole<int>(said).value_or(1);
  return times >= 1 && times <= 1000 ? times : 1;
}

}  // namespace onceover::base
