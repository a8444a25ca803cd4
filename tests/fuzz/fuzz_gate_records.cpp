// Fuzz target: what is accepted as a baseline, or as a measurement of the gate's cache, is written and read back the
// same; what is no baseline is refused in few words.

#include <cstdint>
#include <cstdlib>

#include "units/baseline.h"
#include "units/measurement.h"

using namespace onceover::gate;

namespace {

void try_baseline(const std::string& text) {
  const auto baseline = Baseline::parse("fuzz", text);
  if (!baseline) {
    if (baseline.error().message.size() > text.size() + 500) std::abort();
    return;
  }
  const std::string written = baseline->text();
  const auto again = Baseline::parse("again", written);
  if (!again || again->text() != written) std::abort();
}

void try_measurement(const std::string& text) {
  const auto json = Json::parse(text);
  if (!json) return;
  const auto measurement = measurement_from(*json);
  if (!measurement) return;
  const auto written = to_json(*measurement);
  const auto again = measurement_from(written);
  if (!again || to_json(*again) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try_baseline(text);
  try_measurement(text);
  return 0;
}
