// Fuzz target: both readers accept the same files and read the same from them. Whatever they accept can be judged,
// written, read back and is then the same file.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "formats/schedule_file.h"
#include "formats/schedule_scan.h"
#include "verifier/verify.h"

using namespace onceover::programs;

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

bool same_headers(const Header& a, const Header& b) {
  auto parts = [](const Header& h) {
    return std::tie(h.collective, h.ranks, h.blocks, h.scratch, h.owners, h.root, h.shape, h.lanes, h.algorithm,
                    h.names);
  };
  return parts(a) == parts(b);
}

/// What a transfer says, with the blocks that land and where.
std::vector<Block> parts_of(const Transfer& t) {
  std::vector<Block> parts{t.src, t.dst, static_cast<Block>(t.op), t.lane, t.landings != nullptr};
  auto add = [&](const BlockSet& set, Block shift) {
    set.for_each_run([&](Run run) { parts.insert(parts.end(), {run.first, run.last, shift}); });
  };
  add(t.blocks, 0);
  t.for_each_landing(add);
  return parts;
}

bool same_transfers(const Schedule& a, const Schedule& b) {
  bool same = a.steps() == b.steps() && a.block_transfers() == b.block_transfers();
  std::vector<Transfer> of_a, of_b;
  for (int step = 0; same && step < a.steps(); ++step) {
    a.transfers(step, of_a);
    b.transfers(step, of_b);
    same = std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                      [](const Transfer& x, const Transfer& y) { return parts_of(x) == parts_of(y); });
  }
  return same;
}

void compare_readers(std::string_view text) {
  const SchedulePtr scanned = scan_schedule(text);
  const auto parsed = parse_schedule_with_places("fuzz", text);
  if ((scanned != nullptr) != parsed.has_value()) std::abort();
  if (scanned && !(same_headers(scanned->header(), (*parsed)->header()) && same_transfers(*scanned, **parsed)))
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  compare_readers(input);
  const auto schedule = read_schedule("fuzz", input);
  if (!schedule) {
    if (schedule.error().render().size() > 2000) std::abort();
    return 0;
  }
  const Header& header = (*schedule)->header();
  if (header.ranks <= 64 && header.all_blocks() <= 4096)
    verify(**schedule, {.threads = 1, .bounds = {.ports = 1, .staging = 0}, .unrequired_up_to = UINT64_MAX});
  if ((*schedule)->block_transfers() > 1 << 20) return 0;
  const std::string text = written(**schedule);
  const auto again = read_schedule("again", text);
  if (!again || written(**again) != text) std::abort();
  return 0;
}
