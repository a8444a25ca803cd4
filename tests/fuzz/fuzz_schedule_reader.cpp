// Fuzz target: what is accepted says to another reader what was read from it. It can be judged, written, read back and
// is then the same file. What is refused isn't right by the other reader either.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../support/json_schedule.h"
#include "formats/schedule_file.h"
#include "verifier/verify.h"

using namespace onceover::support;

namespace {

std::string written(const Schedule& schedule) {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&data, &size);
  if (!write_schedule(schedule, file)) std::abort();
  std::fclose(file);
  std::string text(data, size);
  std::free(data);
  return text;
}

/// May every block of the schedule's transfers be written out?
bool is_small(const Schedule& schedule) {
  return schedule.block_transfers() <= 1 << 16;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto schedule = read_schedule("fuzz", input);
  if (!schedule) {
    if (schedule.error().render().size() > 2000 || is_schedule_file(input)) std::abort();
    return 0;
  }
  if (is_small(**schedule) && !says(input, **schedule)) std::abort();
  const Header& header = (*schedule)->header();
  if (header.ranks <= 64 && header.all_blocks() <= 4096)
    verify(**schedule, {.threads = 1, .bounds = {.ports = 1, .staging = 0}, .unrequired_up_to = UINT64_MAX});
  if ((*schedule)->block_transfers() > 1 << 20) return 0;
  const std::string text = written(**schedule);
  const auto again = read_schedule("again", text);
  if (!again || written(**again) != text) std::abort();
  return 0;
}
