// Does a certificate (docs/certificate.md) prove its verdict on a schedule? Shares no code with the writer of
// certificates.
#pragma once

#include <string>

namespace check {

struct Text {
  std::string name;  // the file's, for messages
  std::string content;
};

struct Outcome {
  enum class Kind { proved, unproven, usage, malformed } kind;  // each is an exit code
  std::string message;  // the verdict and what it rests on, or where and why it isn't proved
};

/// Replays every transfer of every block on which the verdict rests. Time: O((schedule + certificate) * log), and
/// O(ranks * log) for each different sum that a block ends with. Memory: a few times the files, whatever sizes they
/// name.
Outcome check_certificate(const Text& schedule, const Text& certificate);

/// Does a certificate of a plan of MSCCL++ prove that it passes? Time: for each size and call O(operations * blocks +
/// what they move), and for a sum its summands each time. Memory: that of all clocks, and O(memory of the plan).
Outcome check_plan_certificate(const Text& plan, const Text& certificate);

/// Does what `verify bound --json` prints prove its bounds on the time and the steps of a collective, on the links that
/// it lists? Time: O(links log links), and O(ranks * links) for a bound by lengths.
Outcome check_bound(const Text& bound);

/// Does a certificate of a program of MSCCL XML or GOAL prove that it passes? Time: O(steps * what they know + what
/// they move), and for a sum its summands each time. Memory: what steps know that others wait for, and O(chunks of
/// memory).
Outcome check_program_certificate(const Text& program, const Text& certificate);

/// The first lines of the certificates of programs.
inline constexpr const char* plan_certificate_begin = "onceover-plan-certificate 1\n";
inline constexpr const char* program_certificate_begin = "onceover-program-certificate 1\n";

}  // namespace check
