#include "base/stop.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "base/text.h"

namespace onceover::base {

namespace {

using Clock = std::chrono::steady_clock;

// These belong to the whole program. The reason lives until it is forgotten: threads may ask for it until then.
std::atomic<const std::string*> first_reason = nullptr;
std::atomic<Clock::time_point> announced = Clock::time_point::max();

constexpr std::chrono::milliseconds unnoticed(50);

/// The actions to call at a stop. Never destroyed: threads outlive main.
struct Actions {
  std::mutex mutex;
  std::vector<OnStop*> list;
};

Actions& actions() {
  static Actions& all = *new Actions;
  return all;
}

}  // namespace

const char* Stopped::what() const noexcept {
  const std::string* why = first_reason.load();
  return why == nullptr ? "" : why->c_str();
}

bool stop_requested() noexcept {
  return first_reason.load(std::memory_order_relaxed) != nullptr;
}

void stop_point() {
  if (stop_requested()) throw Stopped();
}

void request_stop(const std::string& why) {
  const std::string* none = nullptr;
  const auto* mine = new std::string(why);
  if (!first_reason.compare_exchange_strong(none, mine)) {
    delete mine;
    return;
  }
  const std::lock_guard lock(actions().mutex);
  for (const OnStop* each : actions().list) each->act_();
}

void forget_stop() noexcept {
  delete first_reason.exchange(nullptr);
}

OnStop::OnStop(std::function<void()> act) : act_(std::move(act)) {
  const std::lock_guard lock(actions().mutex);
  actions().list.push_back(this);
}

OnStop::~OnStop() {
  const std::lock_guard lock(actions().mutex);
  std::erase(actions().list, this);
}

std::string stop_reason() {
  return Stopped().what();
}

void announce_stop(Clock::time_point when) {
  announced = when;
}

std::chrono::milliseconds time_left(std::chrono::milliseconds most) {
  const Clock::time_point when = announced;
  most = std::min(most, unnoticed);
  if (when == Clock::time_point::max()) return most;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(when - Clock::now());
  return std::clamp(left, std::chrono::milliseconds(0), most);
}

int timeout_scale() {
  const char* said = std::getenv("ONCEOVER_PATIENCE");
  return said == nullptr ? 1 : parse_whole<int>(said, 1, 1000).value_or(1);
}

}  // namespace onceover::base
