#include "base/resource_limits.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <optional>
#include <thread>

#include "base/interrupts.h"
#include "base/stop.h"

namespace onceover::base {

namespace {

using Milliseconds = std::chrono::milliseconds;

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

constexpr std::array<Unit, 4> times{{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
constexpr std::array<Unit, 5> sizes{{{"", 1},
                                     {"KiB", std::uint64_t{1} << 10},
                                     {"MiB", std::uint64_t{1} << 20},
                                     {"GiB", std::uint64_t{1} << 30},
                                     {"TiB", std::uint64_t{1} << 40}}};
constexpr std::uint64_t longest = 10'000 * times.back().size;
constexpr std::uint64_t largest = std::uint64_t{1} << 60;

/// A number followed by one of the units. The value lies between 1 and `most` of the smallest unit.
template <std::size_t n>
std::optional<std::uint64_t> parse(std::string_view text, const std::array<Unit, n>& units, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(stop - text.data()));
  const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == rest; });
  if (unit == units.end() || number == 0 || number > most / unit->size) return std::nullopt;
  return number * unit->size;
}

/// The messages about the memory limit, built in advance: when they are needed there is no memory.
struct MemoryTexts {
  std::string limit, ran_out, crashed;
};

// Set once and never freed: std::terminate may need it.
const MemoryTexts* memory_texts = nullptr;

/// Looks at the exception's type, because rethrowing it would take memory.
[[noreturn]] void terminated() {
  const std::type_info* thrown = abi::__cxa_current_exception_type();
  if (thrown != nullptr && *thrown == typeid(std::bad_alloc)) end_program(ExitCode::unknown, memory_texts->ran_out);
  std::abort();
}

/// Some libraries crash when memory runs out: Z3 goes on with a null pointer. The program can't tell whether that was
/// the reason, so the message doesn't claim it.
extern "C" void crashed(int) {
  end_program(ExitCode::unknown, memory_texts->crashed);
}

void watch(std::chrono::steady_clock::time_point deadline, Milliseconds grace, const std::string& why) {
  std::this_thread::sleep_until(deadline);
  request_stop(why);
  end_after_reports(ExitCode::unknown, why, grace);
}

void limit_time(const std::string& text) {
  const Milliseconds limit = *parse_time_limit(text);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  // Announced a little later than requested: anyone who waits until then finds that the stop was requested.
  announce_stop(deadline + Milliseconds(100));
  const Milliseconds grace = std::max<Milliseconds>(std::chrono::seconds(2) * timeout_scale(), limit / 10);
  std::thread(watch, deadline, grace, fmt::format("the time limit of {} ran out; see --time-limit", text)).detach();
}

void limit_memory(const std::string& text) {
  memory_texts = new MemoryTexts{text, fmt::format("the memory limit of {} ran out; see --memory-limit", text),
                                 fmt::format("crashed under the memory limit of {}; see --memory-limit", text)};
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, *parse_memory_limit(text));
  setrlimit(RLIMIT_DATA, &limit);
  std::set_terminate(terminated);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(signal, crashed);
}

}  // namespace

tl::expected<Milliseconds, std::string> parse_time_limit(std::string_view text) {
  const auto limit = parse(text, times, longest);
  if (!limit && !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos)
    return tl::unexpected(fmt::format("write {0}s for {0} seconds: a time has a unit, ms, s, m or h", text));
  if (!limit)
    return tl::unexpected(
        fmt::format("expected a time from 1ms to 10000h, such as 500ms, 60s, 5m or 2h, found '{}'", text));
  return Milliseconds(*limit);
}

tl::expected<std::uint64_t, std::string> parse_memory_limit(std::string_view text) {
  const auto limit = parse(text, sizes, largest);
  if (!limit)
    return tl::unexpected(
        fmt::format("expected a size such as 512MiB, 1GiB or a number of bytes, at most 2^60, found '{}'", text));
  return *limit;
}

void set_limits(const ResourceLimits& limits) {
  // Time first: the watching thread needs a stack, and the memory limit may leave no room for it.
  if (!limits.time.empty()) limit_time(limits.time);
  if (!limits.memory.empty()) limit_memory(limits.memory);
}

std::string out_of_memory() {
  return memory_texts == nullptr ? "out of memory" : memory_texts->ran_out;
}

ExitCode or_unknown(ExitCode code) {
  return memory_texts == nullptr ? code : ExitCode::unknown;
}

std::string limit_of_started_program() {
  return memory_texts == nullptr ? "" : fmt::format("; it had the memory limit of {}, too", memory_texts->limit);
}

}  // namespace onceover::base
