// --time-limit and --memory-limit: how long a command may run, and how much memory it may use.
#pragma once

#include <chrono>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/stop.h"

namespace onceover::base {

/// The limits as the user wrote them; empty means no limit.
struct ResourceLimits {
  std::string time = {};
  std::string memory = {};
};

/// "500ms", "60s", "5m", "2h": a whole number with a unit, from 1 ms to 10,000 h. The error is a sentence for the user.
tl::expected<std::chrono::milliseconds, std::string> parse_time_limit(std::string_view text);

/// "512MiB", "1GiB", "1073741824": a whole number of bytes, KiB, MiB, GiB or TiB, from 1 byte to 2^60 bytes. The error
/// is a sentence for the user.
tl::expected<std::uint64_t, std::string> parse_memory_limit(std::string_view text);

/// Sets the limits for the rest of the program and for the programs that it starts. The texts must be valid.
///
/// When the time is up, all work is asked to stop (base/stop.h), and what is finished is printed. If the program still
/// runs two seconds later, or a tenth of the limit if that is longer, `end_program` ends it with code 4.
///
/// The memory limit counts private writable memory (RLIMIT_DATA). Beyond it an allocation throws std::bad_alloc. Code
/// that isn't prepared for that ends in std::terminate or a crash; the exit code is 4 then, too. Programs that we start
/// have the same limit.
void set_limits(const ResourceLimits& limits);

/// A limit ran out before there was a result; what() is the reason.
class LimitRanOut : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The message for a failed allocation.
std::string out_of_memory();

/// Our exit code when a program that we started failed, and what to add to the message. Under a memory limit, which
/// that program has too, nobody knows why it failed, so the code is `unknown`.
ExitCode or_unknown(ExitCode code);
std::string limit_of_started_program();

/// The result of `work`; or the reason, if a limit ran out before or during it.
template <class Work>
auto within_limits(Work&& work) -> tl::expected<decltype(work()), std::string> {
  try {
    stop_point();
    return std::forward<Work>(work)();
  } catch (const Stopped& stopped) {
    return tl::unexpected(std::string(stopped.what()));
  } catch (const std::bad_alloc&) {
    return tl::unexpected(out_of_memory());
  }
}

}  // namespace onceover::base
