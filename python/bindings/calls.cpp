#include "python/bindings/calls.h"

#include <mutex>

#include "base/resource_limits.h"

namespace onceover::python {

namespace {

struct Calls {
  std::mutex mutex;
  int under_way = 0;
};

Calls& calls() {
  static Calls all;
  return all;
}

/// The class of onceover/errors.py for a failure. Not Ctrl-C's, which Python has itself.
const char* exception_of(ExitCode code) {
  switch (code) {
    case ExitCode::usage: return "UsageError";
    case ExitCode::malformed: return "ParseError";
    case ExitCode::violated: return "IllFormedError";
    case ExitCode::unknown: return "LimitError";
    default: return "Error";
  }
}

void set_exception(const char* name, const py::object& argument) {
  const py::object type = py::module_::import("onceover.errors").attr(name);
  PyErr_SetObject(type.ptr(), type(argument).ptr());
}

/// A formula's error names an option of the command line; here it is an argument.
py::dict dict_of(SourceError error) {
  if (error.name.starts_with("--")) error.name.erase(0, 2);
  return py::dict("file"_a = error.name, "line"_a = error.line, "column"_a = error.column,
                  "reason"_a = py::bytes(error.message), "text"_a = py::bytes(error.render()));
}

}  // namespace

UnderWay::UnderWay() {
  const std::lock_guard lock(calls().mutex);
  ++calls().under_way;
}

UnderWay::~UnderWay() {
  const std::lock_guard lock(calls().mutex);
  if (--calls().under_way == 0) forget_stop();
}

void interrupt() {
  const std::lock_guard lock(calls().mutex);
  if (calls().under_way > 0) request_stop("interrupted");
}

bool is_done(std::future_status (*wait)(void*), void* work) {
  const py::gil_scoped_release released;
  if (wait(work) == std::future_status::ready) return true;
  const py::gil_scoped_acquire held;
  if (PyErr_CheckSignals() == 0) return false;
  const py::error_already_set signal;
  interrupt();
  {
    const py::gil_scoped_release again;
    while (wait(work) != std::future_status::ready) {
    }
  }
  throw signal;
}

void register_exceptions() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const Raised& raised) {
      set_exception(exception_of(raised.failure.code), py::bytes(raised.failure.message));
    } catch (const RaisedAt& raised) {
      set_exception("ParseError", dict_of(raised.error));
    } catch (const Stopped&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const LimitRanOut& ran_out) {
      set_exception("LimitError", py::bytes(ran_out.what()));
    }
  });
}

}  // namespace onceover::python

/// `onceover._onceover`: what the package onceover is built on. Nothing is judged here: these functions pass values on.
PYBIND11_MODULE(_onceover, module) {
  using namespace onceover::python;
  module.doc() = "The C++ side of the package onceover; use that.";
  module.attr("version") = ONCEOVER_VERSION;
  register_exceptions();
  module.def("interrupt", interrupt);
  add_subjects(module);
  add_judging(module);
  add_measuring(module);
  add_drawing(module);
}
