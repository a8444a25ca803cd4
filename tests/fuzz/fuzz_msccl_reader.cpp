// Fuzz target: whatever the reader of MSCCL XML accepts can be judged; what it refuses is refused in few words.

#include <cstdint>
#include <cstdlib>

#include "formats/lint.h"
#include "formats/msccl_xml.h"
#include "programs/verify_program.h"

using namespace onceover::programs;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const MscclProfile& profile : msccl_profiles())
    if (const auto findings = lint_msccl("fuzz", text, profile); !findings && findings.error().render().size() > 2000)
      std::abort();
  auto program = read_msccl("fuzz", text);
  if (!program) {
    if (program.error().render().size() > 2000) std::abort();
    return 0;
  }
  std::uint64_t chunks = 0;
  for (const auto& b : program->buffers) chunks += static_cast<std::uint64_t>(b.input + b.output + b.scratch);
  if (chunks > 1 << 16) return 0;
  for (const MscclProfile& profile : msccl_profiles()) {
    set_profile(*program, profile);
    const Report report = verify(*program, {.budget = 1 << 20});
    for (const auto& p : report.properties)
      if (p.verdict == Verdict::fail && (!p.counterexample || describe(*p.counterexample).empty())) std::abort();
  }
  return 0;
}
