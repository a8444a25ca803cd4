// `onceover._onceover`: what the package onceover is built on. Nothing is judged here: these functions pass values on.

#include "python/bindings/calls.h"

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
