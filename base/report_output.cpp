#include "base/report_output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <system_error>

#include "base/resource_limits.h"
#include "base/stop.h"

namespace onceover::base {

namespace {

std::atomic<int> reporting = 0;
std::atomic<unsigned> reports = 0;

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds until_first(500), until_next(100);
constexpr std::string_view no_line = "\r\033[K";

// Never destroyed: threads outlive main.
std::mutex& current_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
Progress* current = nullptr;

// Held while the line is drawn or removed, so that nothing is printed in between. It is initialised statically because
// the end of the program needs it, perhaps when memory has run out.
constinit std::mutex line_mutex;
bool is_drawn = false;

void write_error(std::string_view text) {
  static_cast<void>(write(STDERR_FILENO, text.data(), text.size()) < 0);
}

/// As much of the text as fits into one row, with '?' for letters that a terminal could take for a command.
std::string in_one_row(std::string text) {
  winsize window{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  text.resize(std::min<std::size_t>(text.size(), is_known ? window.ws_col - 1U : 79U));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

ReportOutput::ReportOutput() {
  ++reporting;
  Progress::hide();
}

ReportOutput::~ReportOutput() {
  ++reports;
  --reporting;
}

bool is_reporting() {
  return reporting > 0;
}

unsigned reports_made() {
  return reports;
}

Result<void> print(const std::string& text) {
  return print([&](std::FILE* out) { return std::fwrite(text.data(), 1, text.size(), out) == text.size(); });
}

Result<void> print(const std::function<bool(std::FILE*)>& write) {
  const ReportOutput output;
  if (write(stdout) && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return tl::unexpected(Failure{ExitCode::internal, "standard output can't be written"});
}

void warn(const std::string& message) {
  const ReportOutput output;
  fmt::print(stderr, "verify: {}\n", message);
}

ExitCode after_making(ExitCode verdict, const std::function<Result<void>()>& give) {
  try {
    return after_output(verdict, give());
  } catch (const Stopped& stopped) {
    return after_output(verdict, tl::unexpected(Failure{ExitCode::unknown, stopped.what()}));
  } catch (const std::bad_alloc&) {
    return after_output(verdict, tl::unexpected(Failure{ExitCode::unknown, out_of_memory()}));
  }
}

ExitCode after_output(ExitCode verdict, const Result<void>& output) {
  if (output) return verdict;
  warn(output.error().message);
  return verdict == ExitCode::violated ? verdict : output.error().code;
}

Progress::Progress(std::string_view what) : shown_(isatty(STDERR_FILENO) != 0), text_(what) {
  if (!shown_) return;
  {
    const std::lock_guard lock(current_mutex());
    current = this;
  }
  try {
    drawing_ = std::thread([this] { keep_drawing(); });
  } catch (const std::system_error&) {  // no room for a stack: the work matters more
    shown_ = false;
    const std::lock_guard lock(current_mutex());
    current = nullptr;
  }
}

Progress::~Progress() {
  if (!shown_) return;
  {
    const std::lock_guard lock(current_mutex());
    current = nullptr;
  }
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  drawing_.join();
  hide();
}

void Progress::say(double part, std::string_view at) {
  const std::lock_guard lock(current_mutex());
  if (current == nullptr) return;
  const std::lock_guard own(current->mutex_);
  current->part_ = part;
  current->text_ = at;
}

void Progress::say(std::string_view at) {
  say(-1, at);
}

void Progress::say(std::size_t done, std::size_t all, std::string_view at) {
  if (all > 0) say(static_cast<double>(done) / static_cast<double>(all), at);
}

void Progress::hide() {
  const std::lock_guard lock(line_mutex);
  if (is_drawn) write_error(no_line);
  is_drawn = false;
}

void Progress::hide_at_end() {
  constexpr int most_tries = 20;
  bool is_mine = line_mutex.try_lock();  // and is never released: nobody draws any more
  for (int k = 0; k < most_tries && !is_mine; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    is_mine = line_mutex.try_lock();
  }
  if (is_drawn) write_error(no_line);
}

void Progress::keep_drawing() {
  std::unique_lock lock(mutex_);
  for (auto wait = until_first; !changed_.wait_for(lock, wait, [this] { return ends_; }); wait = until_next) draw();
}

void Progress::draw() {
  const std::string line =
      in_one_row(part_ < 0 ? text_ + " .." : fmt::format("{:3} %  {}", static_cast<int>(100 * part_), text_));
  const std::lock_guard lock(line_mutex);
  if (is_reporting()) return;
  is_drawn = true;
  write_error(std::string(no_line) + line);
}

}  // namespace onceover::base
