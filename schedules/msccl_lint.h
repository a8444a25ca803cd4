// Would a runtime load an MSCCL XML file? What it asks of attributes, and its limits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "schedules/source_text.h"

namespace onceover {

/// A runtime that loads such files.
struct MscclProfile {
  std::string_view name;
  std::string_view runtime;
  std::int64_t steps;                                 // of a thread block, at most
  std::int64_t thread_blocks;                         // of a gpu, at most
  std::int64_t on_a_channel;                          // thread blocks of a gpu on one channel, at most
  std::int64_t count;                                 // chunks of a message, at most
  std::int64_t nodes;                                 // elements that one rank keeps, at most
  std::span<const std::string_view> algo_attributes;  // that must be there
  std::span<const std::string_view> collectives;
  bool checks_chunks;  // i_chunks and o_chunks against nchunksperloop
};

std::span<const MscclProfile> msccl_profiles();
const MscclProfile* find_msccl_profile(std::string_view name);

/// Something about a file that a runtime stumbles over, or that its user should know.
struct LintFinding {
  SourceError at;
  bool is_note = false;  // the file is loaded all the same
};

/// All findings, in the order of the file; of one kind in one element only the first. What isn't XML is an error.
tl::expected<std::vector<LintFinding>, SourceError> lint_msccl(std::string_view name, std::string_view text,
                                                               const MscclProfile& profile);

}  // namespace onceover
