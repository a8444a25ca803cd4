#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdint>

#include "base/stop.h"
#include "proofs/clauses.h"
#include "proofs/lowering.h"
#include "proofs/query.h"
#include "proofs/smtlib.h"
#include "proofs/z3_check.h"

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
  const std::uint64_t longest = std::uint64_t{milliseconds} * static_cast<std::uint64_t>(timeout_scale());
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

namespace {

/// Formulas as Z3's terms.
class Z3Terms {
 public:
  using Int = z3::expr;
  using Bool = z3::expr;

  Z3Terms(z3::context& context, const std::vector<std::string>& names) : context_(context) {
    for (const std::string& name : names) variables_.push_back(context.int_const(name.c_str()));
  }

  Int number(std::int64_t n) { return context_.int_val(n); }
  Int variable(std::size_t k) { return variables_[static_cast<unsigned>(k)]; }
  Int negate(Int a) { return -a; }
  Int add(Int a, Int b) { return a + b; }
  Int subtract(Int a, Int b) { return a - b; }
  Int multiply(Int a, Int b) { return a * b; }
  Int divide(Int a, Int b) { return a / b; }
  Int modulo(Int a, Int b) { return z3::mod(a, b); }
  Int choose(Bool c, Int a, Int b) { return z3::ite(c, a, b); }
  Bool truth(bool b) { return context_.bool_val(b); }
  Bool equal(Int a, Int b) { return a == b; }
  Bool less(Int a, Int b) { return a < b; }
  Bool less_equal(Int a, Int b) { return a <= b; }
  Bool logical_not(Bool a) { return !a; }
  Bool logical_and(Bool a, Bool b) { return a && b; }
  Bool logical_or(Bool a, Bool b) { return a || b; }
  Bool same(Bool a, Bool b) { return a == b; }
  Bool choose_bool(Bool c, Bool a, Bool b) { return z3::ite(c, a, b); }

 private:
  z3::context& context_;
  std::vector<z3::expr> variables_;
};

}  // namespace

Reply ask_z3(const Query& query, unsigned work, unsigned milliseconds) {
  const auto filled = [&](z3::context& context) {
    // Not the solver that Z3 would choose: its tactics set many timers, and in Z3 4.8.10 to 4.8.12 a timer that runs
    // out may leave a lock behind, on which the next one waits for ever (Z3's pull request 5371).
    z3::solver solver(context, z3::solver::simple());
    Z3Terms terms(context, query.variables);
    Lowering<Z3Terms> lowering(terms);
    for (const Formula& sentence : query.sentences) solver.add(lowering.sentence(sentence));
    return solver;
  };
  return checked(filled, work, milliseconds);
}

Reply ask_z3(const std::string& script, unsigned work, unsigned milliseconds) {
  const auto filled = [&](z3::context& context) {
    z3::solver solver(context, "QF_FD");
    solver.from_string(script.c_str());
    return solver;
  };
  return checked(filled, work, milliseconds);
}

Reply ask_z3_script(const std::string& script) {
  const auto filled = [&](z3::context& context) {
    z3::solver solver(context);
    solver.from_string(script.c_str());
    return solver;
  };
  return checked(filled);
}

std::string z3_version() {
  unsigned major = 0, minor = 0, build = 0, revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return fmt::format("Z3 {}.{}.{}", major, minor, build);
}

}  // namespace onceover::proofs
