// Certificates: a verdict on exactly-once that another program can check. docs/certificate.md describes the format.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "schedules/schedule.h"
#include "verifier/verify.h"

namespace onceover::verifier {

/// A schedule with more block transfers gets no certificate: nobody would wait for it to be checked. A block's own two
/// lines count as two transfers.
inline constexpr std::uint64_t largest_certificate = std::uint64_t{1} << 28;

/// Why there is no certificate: the report has no verdict on exactly-once, or one that needs too much text. Empty if
/// there can be one.
std::string no_certificate(const Schedule& schedule, const Report& report);

/// Writes the certificate of the report's finding on exactly-once, if `no_certificate` returns nothing. Returns false
/// if writing failed; errno says why. For a pass it executes each block once more, on all cores: O(block transfers)
/// time. Text: two lines a block, and 10 bytes for each sum that had come about before. Memory: O(ranks), and on each
/// core the moves and the text of a million block transfers or of one block. The same schedule always gives the same
/// bytes.
bool write_certificate(const Schedule& schedule, const Report& report, std::FILE* file);

}  // namespace onceover::verifier
