// What the program prints for the user, in order; and a line of progress, for a person who waits.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"

namespace onceover::base {

/// While this object lives, a result is being printed, perhaps to a slow reader. No progress line is drawn, and an
/// expired time limit doesn't end the program then or shortly afterwards.
class ReportOutput {
 public:
  ReportOutput();
  ~ReportOutput();
  ReportOutput(const ReportOutput&) = delete;
  ReportOutput& operator=(const ReportOutput&) = delete;
};

/// Is a result being printed?
bool is_reporting();

/// How many results were printed.
unsigned reports_made();

/// Prints on standard output and checks that the text got there.
Result<void> print(const std::string& text);

/// The same for what `write` writes; `write` returns false if it failed.
Result<void> print(const std::function<bool(std::FILE*)>& write);

/// Prints one of the program's own messages on standard error.
void warn(const std::string& message);

/// The exit code of a command that found `verdict` and then produced an output. If the output failed, this prints why
/// on standard error and returns the output's code; a violation keeps its own code, because it must not be hidden.
ExitCode after_output(ExitCode verdict, const Result<void>& output);

/// The same for an output that `give` makes and that a limit may cut off.
ExitCode after_making(ExitCode verdict, const std::function<Result<void>()>& give);

/// While this object lives, and if standard error is a terminal, a line there shows how far the work is, after the
/// first half second. The line is removed while a result is printed (see `ReportOutput`), when the program ends, and
/// when the object is destroyed. There is one object at a time. `say` may be called from any thread, and without an
/// object does nothing.
class Progress {
 public:
  /// Shows `what` the command does until `say` says more: "drawing".
  explicit Progress(std::string_view what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A part of the whole, 0 to 1, is done; `at` says what is being worked on.
  static void say(double part, std::string_view at);

  /// The same when nobody knows which part is done.
  static void say(std::string_view at);

  /// `done` of `all` are done.
  static void say(std::size_t done, std::size_t all, std::string_view at);

  /// Removes the line until it is drawn again.
  static void hide();

  /// Removes the line for good. May be called from any thread and from a signal handler.
  static void hide_at_end();

 private:
  void keep_drawing();
  void draw();

  bool shown_;
  std::string text_;
  double part_ = -1;  // negative: unknown
  bool ends_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread drawing_;
};

}  // namespace onceover::base
