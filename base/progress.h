// How far a command is, for a person who waits.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/namespaces.h"

namespace onceover::base {

/// While such an object lives and standard error is a terminal, a line there says how far the work is, from half a
/// second on; elsewhere it does nothing. The line is gone while something is told (see `Telling`), when the program
/// ends, and when the object goes. One at a time; `say` may be called from any thread, and where there is no object.
class Progress {
 public:
  /// `what` the command does, as long as nothing else is said: "drawing".
  explicit Progress(std::string_view what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A part of the whole is done, 0 to 1; `at` says what is under way.
  static void say(double part, std::string_view at);

  /// Nobody knows how far that is.
  static void say(std::string_view at);

  /// As many of all are done.
  static void say(std::size_t done, std::size_t all, std::string_view at);

  /// Takes the line away, until it is drawn again.
  static void hide();

  /// Takes the line away for good. From any thread and signal handler.
  static void hide_at_end();

 private:
  void keep_drawing();
  void draw();

  bool shown_;
  std::string text_;
  double part_ = -1;  // not known
  bool ends_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread drawing_;
};

}  // namespace onceover::base
