// What every function of the module shares: failures become exceptions, and long work lets other threads and Ctrl-C in.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <future>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/source_text.h"

namespace onceover::python {

namespace py = pybind11;
using namespace py::literals;

/// On their way to Python, where each is an exception of onceover/errors.py.
struct Raised {
  Failure failure;
};
struct RaisedAt {
  SourceError error;
};

template <class T>
T or_raise(Result<T>&& result) {
  if (!result) throw Raised{std::move(result).error()};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

template <class T>
T or_raise(tl::expected<T, SourceError>&& result) {
  if (!result) throw RaisedAt{std::move(result).error()};
  return *std::move(result);
}

[[noreturn]] inline void raise_usage(std::string message) {
  throw Raised{{ExitCode::usage, std::move(message)}};
}

/// Makes Python's exceptions of C++'s.
void register_exceptions();

/// While one lives, work is under way. If it was asked to stop, the last one to go takes the request back.
class UnderWay {
 public:
  UnderWay();
  ~UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
};

/// Asks all work that is under way to stop.
void interrupt();

/// Waits for the work, for a moment, without the GIL; interrupts it if Ctrl-C was pressed. Is it done?
bool is_done(std::future_status (*wait)(void*), void* work);

/// The result of `work`, which runs on a thread of its own, without the GIL and without Python's objects. Meanwhile
/// Python's other threads go on, and Ctrl-C is heard, if this is Python's main thread.
template <class Work>
auto without_gil(Work&& work) -> decltype(work()) {
  using Outcome = decltype(work());
  std::future<Outcome> outcome = std::async(std::launch::async, [&work] {
    const UnderWay here;
    return work();
  });
  auto wait = [](void* future) {
    return static_cast<std::future<Outcome>*>(future)->wait_for(std::chrono::milliseconds(50));
  };
  while (!is_done(wait, &outcome)) continue;
  return outcome.get();
}

/// The parts of the module.
void add_subjects(py::module_& module);
void add_judging(py::module_& module);
void add_measuring(py::module_& module);
void add_drawing(py::module_& module);

}  // namespace onceover::python
