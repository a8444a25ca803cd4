// --time-limit and --memory-limit: how long a command may work, and how much memory it may have.
#pragma once

#include <chrono>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/exit_code.h"
#include "base/stop.h"

namespace onceover::base {

/// As the user wrote them; empty: none.
struct ResourceLimits {
  std::string time = {};
  std::string memory = {};
};

/// "500ms", "60s", "5m", "2h": a whole number with a unit, from 1 ms to 10,000 h. The error is a sentence.
tl::expected<std::chrono::milliseconds, std::string> parse_time_limit(std::string_view text);

/// "512MiB", "1GiB", "1073741824": a whole number of bytes, KiB, MiB, GiB or TiB, from 1 byte to 2^60. The error is a
/// sentence.
tl::expected<std::uint64_t, std::string> parse_memory_limit(std::string_view text);

/// Sets the limits for the rest of the program and for the programs that it starts; the texts must be valid.
///
/// When the time is up, all work is asked to stop (base/stop.h), and what was finished is told. If the program is
/// still there two seconds after that, or a tenth of the limit if that is longer, `end_program` ends it with code 4.
/// Memory is what is private and writable (RLIMIT_DATA): beyond the limit allocations fail, as std::bad_alloc; what
/// isn't prepared for that, and ends by std::terminate or a crash, ends with code 4, too. Programs that are started
/// have the same limit.
void set_limits(const ResourceLimits& limits);

/// A limit ran out, and there is no result to tell; what() is the reason.
class LimitRanOut : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Why an allocation failed, in words.
std::string out_of_memory();

/// What to add to the message on a program that we started and that failed, and how we end then: under a limit on
/// memory, which it had, too, nobody knows why it failed.
ExitCode or_unknown(ExitCode code);
std::string limit_of_started_program();

/// What `work` returns; or the reason, if a limit ran out before it began or under way.
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
