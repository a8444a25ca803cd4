// AccessSite: who did something in a run, and where in the text.
#pragma once

#include <cstdint>
#include <string>

#include "schedules/types.h"

namespace onceover::gpu {

struct AccessSite {
  Rank rank = 0;
  std::uint32_t call = 0;
  bool is_stream = false;   // the rank's stream, which writes inputs and reads outputs
  std::uint32_t block = 0;  // block, warp, thread: not of a stream
  std::uint32_t warp = 0;
  std::uint32_t thread = 0;       // in the block
  std::int32_t function = -1;     // Launch::module->functions
  std::int32_t instruction = -1;  // in the function
  std::string action;             // "st.release.sys.global.u32 [%rd44], %r29", "writes new input"

  friend bool operator==(const AccessSite&, const AccessSite&) = default;
};

}  // namespace onceover::gpu
