// A limit on the time of the whole program: work that may take long asks whether it is to stop.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <string>

#include "base/namespaces.h"

namespace onceover::base {

/// The reason why work was given up: what() is that of `request_stop`.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override;
};

/// Is all work to stop? One relaxed load, to be asked in every loop that may go on for more than a tenth of a second.
bool stop_requested() noexcept;

/// Throws `Stopped` if all work is to stop.
void stop_point();

/// From now on all work is to stop, for a reason in words: "the time limit of 1s ran out". There is no way back, and
/// the first reason stays. From any thread.
void request_stop(const std::string& why);

/// The reason; empty as long as there is none.
std::string stop_reason();

/// While such an object lives, a stop calls `act`, from the thread that requests it and once: for work in a library
/// that can't ask. Not called where the stop was requested before; ask for that.
class OnStop {
 public:
  explicit OnStop(std::function<void()> act);
  ~OnStop();
  OnStop(const OnStop&) = delete;
  OnStop& operator=(const OnStop&) = delete;

 private:
  friend void request_stop(const std::string& why);
  std::function<void()> act_;
};

/// When a stop will be requested, for those who wait for others: to be said before other threads start.
void announce_stop(std::chrono::steady_clock::time_point when);

/// How long to wait for another program before asking again whether to stop: until that time, 0 if it is past; `most`
/// at most, and no longer than a person notices, since an interrupt isn't announced.
std::chrono::milliseconds time_left(std::chrono::milliseconds most);

}  // namespace onceover::base
