// Fuzz target: whatever file comes, its kind's reader ends with a program or with a short message, and the program is
// judged; what fails is described. The files that launches of GPU kernels name aren't read.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "subjects/input_kind.h"
#include "subjects/judgeable.h"

using namespace onceover::subjects;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Has it a number that may ask for much memory?
bool has_large_number(std::string_view text) {
  int digits = 0;
  return std::any_of(text.begin(), text.end(), [&](unsigned char c) {
    digits = std::isdigit(c) != 0 ? digits + 1 : 0;
    return digits > 4;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const InputKind* kind = input_kind_of(text);
  if (kind == nullptr || !kind->holds_program || kind->names_files) return 0;
  const auto content = kind->read("fuzz", text);
  if (!content) {
    require(content.error().render().size() <= 2000);
    return 0;
  }
  if (has_large_number(text)) return 0;
  const auto run = content->program->judge({.verify = {.budget = 1 << 16}});
  if (!run) return 0;
  for (const PropertyResult& p : run->report.properties)
    require(p.verdict != Verdict::fail || (p.counterexample && !describe(*p.counterexample).empty()));
  content->program->messages({});
  return 0;
}
