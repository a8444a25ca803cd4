#include "proofs/z3_check.h"

#include <algorithm>
#include <climits>
#include <cstdint>

#include "base/patience.h"
#include "base/stop.h"

namespace onceover::proofs {

namespace {

std::map<std::string, std::string> values_of(const z3::model& model) {
  std::map<std::string, std::string> values;
  for (unsigned k = 0; k < model.num_consts(); ++k) {
    const z3::func_decl variable = model.get_const_decl(k);
    const z3::expr value = model.get_const_interp(variable);
    values[variable.name().str()] = value.is_bv() ? std::to_string(value.get_numeral_uint()) : value.to_string();
  }
  return values;
}

}  // namespace

Reply checked(const std::function<z3::solver(z3::context&)>& filled, unsigned work, unsigned milliseconds) try {
  if (stop_requested()) return {Answer::unknown, stop_reason()};
  z3::context context;
  // Not with the time that is left as its timeout: with one below 100 ms Z3 4.8.12 hung in 6 of 8 runs.
  const OnStop interrupt([&] { context.interrupt(); });
  z3::solver solver = filled(context);
  z3::params limits(context);
  limits.set("rlimit", work);
  const std::uint64_t longest = std::uint64_t{milliseconds} * static_cast<std::uint64_t>(patience());
  limits.set("timeout", static_cast<unsigned>(std::min<std::uint64_t>(longest, UINT_MAX)));
  solver.set(limits);
  // Again, for a context that isn't at work isn't interrupted.
  if (stop_requested()) return {Answer::unknown, stop_reason()};
  switch (solver.check()) {
    case z3::unsat: return {Answer::unsatisfiable};
    case z3::sat: return {Answer::satisfiable, "", values_of(solver.get_model())};
    case z3::unknown: break;
  }
  return {Answer::unknown, stop_requested() ? stop_reason() : solver.reason_unknown()};
} catch (const z3::exception& e) {
  return {Answer::unknown, e.msg()};  // it ran out of memory, say
}

}  // namespace onceover::proofs
