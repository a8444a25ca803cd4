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

}  // namespace check
