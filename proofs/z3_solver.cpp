#include "proofs/z3_solver.h"

#include <fmt/format.h>

#include "proofs/clauses.h"
#include "proofs/lowering.h"
#include "proofs/script_reply.h"
#include "proofs/z3_check.h"

namespace onceover::proofs {

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
