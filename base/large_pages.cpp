#include "base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace onceover::base {

void prefer_large_pages([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (at + page - 1) / page * page;
  const std::uintptr_t end = (at + bytes) / page * page;
  if (first < end) madvise(static_cast<char*>(const_cast<void*>(begin)) + (first - at), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace onceover::base
