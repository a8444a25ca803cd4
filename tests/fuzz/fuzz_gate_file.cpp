// Fuzz target: whatever the reader of gate files accepts can be printed with its defaults and says the same then; what
// it refuses is refused in few words.

#include <cstdint>
#include <cstdlib>

#include "gate/gate.h"
#include "units/units.h"

using namespace onceover::gate;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto gate = read_gate("fuzz", text);
  if (!gate) {
    if (gate.error().message.size() > 3000) std::abort();
    return 0;
  }
  const std::string config = config_text(*gate);
  const auto again = read_gate("again", config);
  if (!again || config_text(*again) != config) std::abort();
  return 0;
}
