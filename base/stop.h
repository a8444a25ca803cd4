// How all work is asked to stop: at an interrupt, and when the time limit runs out. Long work asks for it. And how long
// to wait for what a busy machine delays.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <string>

#include "base/namespaces.h"

namespace onceover::base {

/// Thrown when work stops early; what() is the reason given to `request_stop`.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override;
};

/// Is all work to stop? Ask this in every loop that may take more than a tenth of a second. One relaxed load.
bool stop_requested() noexcept;

/// Throws `Stopped` if all work is to stop.
void stop_point();

/// Asks all work to stop, for a reason in words: "the time limit of 1s ran out". The first reason stays. May be called
/// from any thread.
void request_stop(const std::string& why);

/// Takes the request back, for programs that go on after it. All work that it was for must have ended.
void forget_stop() noexcept;

/// The reason; empty if no stop was requested.
std::string stop_reason();

/// While this object lives, a stop calls `act` once, on the thread that requests the stop. It is for work in a library
/// that can't ask. An earlier stop isn't reported; ask `stop_requested`.
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

/// Says when a stop will be requested, for code that waits for others. Call it before other threads start.
void announce_stop(std::chrono::steady_clock::time_point when);

/// How long to wait for another program before asking again whether to stop: until the announced stop (0 if that is
/// past), at most `most`, and never longer than a person notices, because interrupts aren't announced.
std::chrono::milliseconds time_left(std::chrono::milliseconds most);

/// How many times as long as usual to wait before work that doesn't ask whether to stop is cut off, and before a query
/// to a solver is given up: what ONCEOVER_PATIENCE says, from 1 to 1000, and 1 without it. Tests set it, so that what
/// they see doesn't depend on what else a machine does. Limits that the user gave stay what they are.
int timeout_scale();

}  // namespace onceover::base
