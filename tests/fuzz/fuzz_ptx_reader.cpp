// Fuzz target: whatever the reader of PTX accepts can be decoded and shown; what it refuses is refused in few words.

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "gpu/engine.h"
#include "gpu/machine/code.h"
#include "gpu/ptx/reader.h"

using namespace onceover::gpu;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto module = ptx::read_module("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  if (!module) {
    if (module.error().render().size() > 2000) std::abort();
    return 0;
  }
  const CodeModule code = decoded(*module);
  for (const CodeFunction& function : code.functions) {
    const auto& instructions = module->functions[function.function].instructions;
    if (function.code.size() != instructions.size() + 1) std::abort();
    for (std::size_t at = 0; at < instructions.size(); ++at) {
      AccessSite site;
      site.function = static_cast<std::int32_t>(function.function);
      site.instruction = static_cast<std::int32_t>(at);
      if (place_of(*module, site).empty() || module->text_of(instructions[at]).empty()) std::abort();
    }
  }
  return 0;
}
