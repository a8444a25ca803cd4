// Fuzz target: a schedule file, a line "----" and a certificate. Where verify-check says that the certificate proves
// its verdict, the verifier gives that verdict; what it says else is said in few words. So is what it says of the whole
// text as bounds.

#include <cstdint>
#include <cstdlib>

#include "check/certificate.h"
#include "formats/schedule_file.h"
#include "verifier/verify.h"

using namespace onceover::programs;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const check::Outcome bounds = check::check_bound({"bounds.json", text});
  if (bounds.message.empty() || bounds.message.size() > 2000) std::abort();
  constexpr std::string_view line = "\n----\n";
  const std::size_t at = text.find(line);
  const std::string schedule = text.substr(0, at);
  const std::string certificate = at == std::string::npos ? "" : text.substr(at + line.size());
  const check::Outcome outcome = check::check_certificate({"s.json", schedule}, {"s.cert", certificate});
  if (outcome.message.empty() || outcome.message.size() > 2000) std::abort();
  if (outcome.kind != check::Outcome::Kind::proved) return 0;
  // Its reader passes over what doesn't bear on the verdict, and the other doesn't.
  const auto read = read_schedule("s.json", schedule);
  if (!read) return 0;
  const auto verdict = verify(**read, {.threads = 1}).verdict;
  const bool agrees = outcome.message.starts_with("pass") ? verdict == Verdict::pass : verdict == Verdict::fail;
  if (!agrees) std::abort();
  return 0;
}
