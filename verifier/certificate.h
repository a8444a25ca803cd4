// A verdict on exactly-once as something that others can check: docs/certificate.md.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "schedules/schedule.h"
#include "verifier/verify.h"

namespace onceover::verifier {

/// More block transfers than this are no certificate that anybody would keep; a block's own two lines count like two.
inline constexpr std::uint64_t largest_certificate = std::uint64_t{1} << 28;

/// Why there can be no certificate: the report has no verdict, or one that needs too much text. Empty if there can.
std::string no_certificate(const Schedule& schedule, const Report& report);

/// Writes the certificate of what the report says of exactly-once. Only where `no_certificate` is silent.
/// Returns false if writing failed (errno tells why). For a pass each block is executed once more: O(block transfers)
/// time and some 10 bytes of text each. Memory: O(ranks), and the moves of a million block transfers or of one block.
/// The same schedule gives the same bytes every time.
bool write_certificate(const Schedule& schedule, const Report& report, std::FILE* file);

}  // namespace onceover::verifier
