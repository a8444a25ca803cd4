// Programs of tests, compiled with what calls them.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "code/executable.h"

namespace onceover::code {

inline const live::LiveCollective& live_collective(std::string_view name) {
  const auto all = live::live_collectives();
  return *std::find_if(all.begin(), all.end(), [&](const live::LiveCollective& c) { return c.name == name; });
}

/// The function of a file beside the tests, compiled once; variables of the environment say what it does.
inline Executable built(const std::string& file, const std::string& function, std::string_view collective) {
  // The ledger is beside verify.
  const std::string beside = std::filesystem::path(ONCEOVER_VERIFY).parent_path().string();
  setenv("PATH", (beside + ":" + getenv("PATH")).c_str(), 1);
  auto program = build({.files = {std::string(ONCEOVER_SOURCE) + "/tests/code/" + file},
                        .function = function,
                        .collective = &live_collective(collective)});
  if (!program) FAIL(program.error().message);
  return std::move(*program);
}

}  // namespace onceover::code
