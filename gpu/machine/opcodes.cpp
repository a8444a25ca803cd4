#include <array>
#include <utility>

#include "gpu/machine/decoder.h"

namespace onceover::gpu {
namespace {

using Word = std::string_view;

constexpr std::array spaces{
    std::pair{Word("global"), ptx::StateSpace::global},
    std::pair{Word("shared"), ptx::StateSpace::shared},
    std::pair{Word("shared::cta"), ptx::StateSpace::shared},
    std::pair{Word("shared::cluster"), ptx::StateSpace::shared},
    std::pair{Word("local"), ptx::StateSpace::local},
    std::pair{Word("param"), ptx::StateSpace::param},
    std::pair{Word("param::entry"), ptx::StateSpace::param},
    std::pair{Word("param::func"), ptx::StateSpace::param},
    std::pair{Word("const"), ptx::StateSpace::constant},
};
constexpr std::array scopes{std::pair{Word("cta"), Scope::cta}, std::pair{Word("cluster"), Scope::cluster},
                            std::pair{Word("gpu"), Scope::gpu}, std::pair{Word("sys"), Scope::sys}};
constexpr std::array orders{std::pair{Word("weak"), Order::weak},       std::pair{Word("relaxed"), Order::relaxed},
                            std::pair{Word("acquire"), Order::acquire}, std::pair{Word("release"), Order::release},
                            std::pair{Word("acq_rel"), Order::acq_rel}, std::pair{Word("sc"), Order::sc}};
constexpr std::array vectors{std::pair{Word("v2"), std::uint8_t{2}}, std::pair{Word("v4"), std::uint8_t{4}},
                             std::pair{Word("v8"), std::uint8_t{8}}};
constexpr std::array roundings{std::pair{Word("rn"), Rounding::nearest},
                               std::pair{Word("rz"), Rounding::zero},
                               std::pair{Word("rm"), Rounding::down},
                               std::pair{Word("rp"), Rounding::up},
                               std::pair{Word("rni"), Rounding::nearest_integer},
                               std::pair{Word("rzi"), Rounding::zero_integer},
                               std::pair{Word("rmi"), Rounding::down_integer},
                               std::pair{Word("rpi"), Rounding::up_integer}};
constexpr std::array atomics{std::pair{Word("add"), AtomicOperation::add},
                             std::pair{Word("inc"), AtomicOperation::increment},
                             std::pair{Word("dec"), AtomicOperation::decrement},
                             std::pair{Word("exch"), AtomicOperation::exchange},
                             std::pair{Word("cas"), AtomicOperation::compare_and_swap},
                             std::pair{Word("min"), AtomicOperation::minimum},
                             std::pair{Word("max"), AtomicOperation::maximum},
                             std::pair{Word("and"), AtomicOperation::bit_and},
                             std::pair{Word("or"), AtomicOperation::bit_or},
                             std::pair{Word("xor"), AtomicOperation::bit_xor}};
constexpr std::array relations{std::pair{Word("eq"), Relation::eq},   std::pair{Word("ne"), Relation::ne},
                               std::pair{Word("lt"), Relation::lt},   std::pair{Word("le"), Relation::le},
                               std::pair{Word("gt"), Relation::gt},   std::pair{Word("ge"), Relation::ge},
                               std::pair{Word("lo"), Relation::lt},   std::pair{Word("ls"), Relation::le},
                               std::pair{Word("hi"), Relation::gt},   std::pair{Word("hs"), Relation::ge},
                               std::pair{Word("equ"), Relation::equ}, std::pair{Word("neu"), Relation::neu},
                               std::pair{Word("ltu"), Relation::ltu}, std::pair{Word("leu"), Relation::leu},
                               std::pair{Word("gtu"), Relation::gtu}, std::pair{Word("geu"), Relation::geu},
                               std::pair{Word("num"), Relation::num}, std::pair{Word("nan"), Relation::nan}};
constexpr std::array joinings{std::pair{Word("and"), std::uint8_t{1}}, std::pair{Word("or"), std::uint8_t{2}},
                              std::pair{Word("xor"), std::uint8_t{3}}};
constexpr std::array shuffles{std::pair{Word("up"), ShuffleMode::up}, std::pair{Word("down"), ShuffleMode::down},
                              std::pair{Word("bfly"), ShuffleMode::butterfly},
                              std::pair{Word("idx"), ShuffleMode::index}};
constexpr std::array votes{std::pair{Word("all"), VoteMode::all}, std::pair{Word("any"), VoteMode::any},
                           std::pair{Word("uni"), VoteMode::uniform}, std::pair{Word("ballot"), VoteMode::ballot}};
constexpr std::array barrier_reductions{std::pair{Word("popc"), BarrierReduction::popc},
                                        std::pair{Word("and"), BarrierReduction::bit_and},
                                        std::pair{Word("or"), BarrierReduction::bit_or}};
/// Properties of testp, by their numbers in Code::mode.
constexpr std::array properties_of_numbers{
    std::pair{Word("finite"), std::uint8_t{0}}, std::pair{Word("infinite"), std::uint8_t{1}},
    std::pair{Word("number"), std::uint8_t{2}}, std::pair{Word("notanumber"), std::uint8_t{3}},
    std::pair{Word("normal"), std::uint8_t{4}}, std::pair{Word("subnormal"), std::uint8_t{5}}};

constexpr PtxType b8{ElementType::u8, NumberClass::bits, 1, 1};
constexpr PtxType b32{ElementType::u32, NumberClass::bits, 1, 4};
constexpr PtxType b64{ElementType::u64, NumberClass::bits, 1, 8};

PtxType part_type(std::uint32_t bytes) {
  return bytes == 1 ? b8 : *ptx_type("b" + std::to_string(8 * bytes));
}

template <class Mode>
std::uint8_t number(Mode mode) {
  return static_cast<std::uint8_t>(mode);
}

bool is_number(const PtxType& type) {
  return type.number != NumberClass::predicate && type.bytes <= 8;
}

}  // namespace

const std::unordered_map<std::string, Decoder::Rule>& Decoder::rules() {
  static const std::unordered_map<std::string, Rule> all{
      {"ld", &Decoder::load},
      {"ldu", &Decoder::load},
      {"st", &Decoder::store},
      {"atom", &Decoder::atomic},
      {"red", &Decoder::atomic},
      {"fence", &Decoder::fence},
      {"membar", &Decoder::membar},
      {"multimem", &Decoder::multimem},
      {"bar", &Decoder::barrier},
      {"barrier", &Decoder::barrier},
      {"shfl", &Decoder::shuffle},
      {"vote", &Decoder::vote},
      {"match", &Decoder::match},
      {"redux", &Decoder::redux},
      {"elect", &Decoder::elect},
      {"activemask", &Decoder::active_mask},
      {"bra", &Decoder::branch},
      {"brx", &Decoder::branch_table},
      {"call", &Decoder::call},
      {"ret", &Decoder::leave},
      {"exit", &Decoder::stop},
      {"trap", &Decoder::stop},
      {"prefetch", &Decoder::hint},
      {"prefetchu", &Decoder::hint},
      {"applypriority", &Decoder::hint},
      {"pmevent", &Decoder::hint},
      {"setmaxnreg", &Decoder::hint},
      {"createpolicy", &Decoder::policy},
      {"nanosleep", &Decoder::pause},
      {"griddepcontrol", &Decoder::dependent_grids},
      {"mov", &Decoder::move},
      {"cvta", &Decoder::to_generic},
      {"isspacep", &Decoder::is_in_space},
      {"mapa", &Decoder::map_to_block},
      {"add", &Decoder::arithmetic},
      {"sub", &Decoder::arithmetic},
      {"div", &Decoder::arithmetic},
      {"rem", &Decoder::arithmetic},
      {"min", &Decoder::arithmetic},
      {"max", &Decoder::arithmetic},
      {"mul", &Decoder::multiply},
      {"mad", &Decoder::multiply},
      {"fma", &Decoder::multiply},
      {"abs", &Decoder::unary},
      {"neg", &Decoder::unary},
      {"sqrt", &Decoder::approximate},
      {"rsqrt", &Decoder::approximate},
      {"rcp", &Decoder::approximate},
      {"ex2", &Decoder::approximate},
      {"lg2", &Decoder::approximate},
      {"sin", &Decoder::approximate},
      {"cos", &Decoder::approximate},
      {"tanh", &Decoder::approximate},
      {"copysign", &Decoder::logic},
      {"and", &Decoder::logic},
      {"or", &Decoder::logic},
      {"xor", &Decoder::logic},
      {"not", &Decoder::unary},
      {"cnot", &Decoder::unary},
      {"lop3", &Decoder::logic3},
      {"shl", &Decoder::shift},
      {"shr", &Decoder::shift},
      {"shf", &Decoder::funnel_shift},
      {"bfe", &Decoder::bit_field},
      {"bfi", &Decoder::bit_field},
      {"prmt", &Decoder::permute},
      {"popc", &Decoder::count},
      {"clz", &Decoder::count},
      {"brev", &Decoder::count},
      {"bfind", &Decoder::count},
      {"setp", &Decoder::compare},
      {"set", &Decoder::set},
      {"selp", &Decoder::select},
      {"slct", &Decoder::select_by_sign},
      {"cvt", &Decoder::convert},
      {"testp", &Decoder::test_property},
      {"sad", &Decoder::arithmetic},
  };
  return all;
}

bool Decoder::take_type(Modifiers& words) {
  const auto type = words.take_type();
  if (type) code_.type = *type;
  return type.has_value();
}

void Decoder::take_space(Modifiers& words) {
  code_.space = words.take_from(spaces).value_or(ptx::StateSpace::generic);
}

/// The order and the scope of a load or a store; `volatile` and `mmio` are relaxed accesses of the system.
void Decoder::take_order(Modifiers& words) {
  if (words.take("volatile")) {
    code_.order = Order::relaxed;
    code_.scope = Scope::sys;
    return;
  }
  words.take("mmio");
  code_.order = words.take_from(orders).value_or(Order::weak);
  if (code_.order != Order::weak) code_.scope = words.take_from(scopes).value_or(Scope::none);
}

bool Decoder::take_vector(Modifiers& words) {
  code_.vector = words.take_from(vectors).value_or(std::uint8_t{1});
  return true;
}

bool Decoder::take_rounding(Modifiers& words) {
  code_.mode = number(words.take_from(roundings).value_or(Rounding::none));
  return true;
}

bool Decoder::load(Modifiers& words) {
  code_.opcode = Opcode::load;
  take_space(words);
  take_order(words);
  take_vector(words);
  if (words.take("nc")) code_.flags |= Code::is_non_coherent;
  words.take_hints();
  if (!take_type(words) || code_.type.number == NumberClass::predicate || !has_operands(2, 3)) return false;
  if (code_.order != Order::weak && (code_.scope == Scope::none || releases(code_.order))) return false;
  if (code_.space == ptx::StateSpace::param) {
    if (code_.order != Order::weak) return false;
    code_.opcode = Opcode::load_param;
  }
  return data(0, code_.type, true) && address(0, 1);
}

bool Decoder::store(Modifiers& words) {
  code_.opcode = Opcode::store;
  take_space(words);
  take_order(words);
  take_vector(words);
  words.take_hints();
  if (!take_type(words) || code_.type.number == NumberClass::predicate || !has_operands(2, 3)) return false;
  if (code_.space == ptx::StateSpace::constant) return false;
  if (code_.order != Order::weak &&
      (code_.scope == Scope::none || (code_.order != Order::relaxed && code_.order != Order::release)))
    return false;
  if (code_.space == ptx::StateSpace::param) code_.opcode = Opcode::store_param;
  return address(0, 0) && data(1, code_.type, false);
}

/// What atom, red and multimem have in common, up to the type.
bool Decoder::take_atomic(Modifiers& words) {
  take_space(words);
  code_.order = words.take_from(orders).value_or(Order::relaxed);
  code_.scope = words.take_from(scopes).value_or(Scope::gpu);
  const auto operation = words.take_from(atomics);
  if (!operation || code_.order == Order::weak || code_.order == Order::sc) return false;
  code_.mode = number(*operation);
  take_vector(words);
  words.take("noftz");
  words.take_hints();
  return take_type(words);
}

bool Decoder::atomic(Modifiers& words) {
  const bool has_result = instruction_->words.front() == "atom";
  code_.opcode = has_result ? Opcode::atomic : Opcode::reduction;
  if (!take_atomic(words) || code_.type.number == NumberClass::predicate) return false;
  if (code_.space != ptx::StateSpace::generic && code_.space != ptx::StateSpace::global &&
      code_.space != ptx::StateSpace::shared)
    return false;
  const auto operation = static_cast<AtomicOperation>(code_.mode);
  if (code_.type.is_floating() && operation != AtomicOperation::add && operation != AtomicOperation::minimum &&
      operation != AtomicOperation::maximum)
    return false;
  if (code_.type.bytes == 16 && operation != AtomicOperation::exchange &&
      operation != AtomicOperation::compare_and_swap)
    return false;
  if (code_.vector > 1 && !code_.type.is_floating()) return false;
  const std::size_t at = has_result ? 1 : 0;
  const bool swaps = operation == AtomicOperation::compare_and_swap;
  if (operands() < at + 2 + (swaps ? 1 : 0) || operands() > at + 3 + (swaps ? 1 : 0)) return false;
  if (swaps && (!has_result || code_.vector > 1 || !source(1, at + 2, code_.type))) return false;
  if (!address(0, at)) return false;
  // Operands to add come first in the list of parts, and the registers of results after them.
  if (!data(at + 1, code_.type, false)) return false;
  const std::uint32_t added = code_.parts;
  if (has_result && !data(0, code_.type, true)) return false;
  code_.parts = added;
  if (has_result) code_.flags |= Code::has_result;
  return true;
}

/// All generic accesses are taken for one proxy, whichever address they use. So a fence between aliases has nothing to
/// do.
bool Decoder::fence(Modifiers& words) {
  if (words.words() == std::vector<std::string>{"proxy", "alias"}) return hint(words);
  code_.opcode = Opcode::fence;
  code_.order = words.take_from(orders).value_or(Order::acq_rel);
  const auto scope = words.take_from(scopes);
  if (!scope || (code_.order != Order::acq_rel && code_.order != Order::sc) || operands() != 0) return false;
  code_.scope = *scope;
  return true;
}

bool Decoder::membar(Modifiers& words) {
  static constexpr std::array levels{std::pair{Word("cta"), Scope::cta}, std::pair{Word("gl"), Scope::gpu},
                                     std::pair{Word("sys"), Scope::sys}};
  code_.opcode = Opcode::fence;
  code_.order = Order::sc;
  const auto scope = words.take_from(levels);
  if (!scope || operands() != 0) return false;
  code_.scope = *scope;
  return true;
}

bool Decoder::multimem(Modifiers& words) {
  const bool is_load = words.take("ld_reduce");
  const bool is_store = !is_load && words.take("st");
  if (!is_load && !is_store && !words.take("red")) return false;
  code_.opcode = is_load ? Opcode::multimem_load : is_store ? Opcode::multimem_store : Opcode::multimem_reduction;
  take_space(words);
  const auto order = words.take_from(orders);
  code_.order = order.value_or(is_load || is_store ? Order::weak : Order::relaxed);
  const auto scope = words.take_from(scopes);
  code_.scope = scope.value_or(is_load || is_store ? Scope::none : Scope::gpu);
  if (code_.order != Order::weak && code_.scope == Scope::none) return false;
  if (!is_store) {
    const auto operation = words.take_from(atomics);
    if (!operation) return false;
    code_.mode = number(*operation);
    if (words.take("acc::f32")) code_.flags |= Code::adds_numbers;
  }
  take_vector(words);
  if (!take_type(words) || code_.type.number == NumberClass::predicate || code_.type.bytes > 8 || operands() != 2)
    return false;
  const bool is_generic = code_.space == ptx::StateSpace::generic;
  if (!is_generic && code_.space != ptx::StateSpace::global) return false;
  if (is_load) return data(0, code_.type, true) && address(0, 1);
  return address(0, 0) && data(1, code_.type, false);
}

bool Decoder::barrier(Modifiers& words) {
  if (words.take("warp")) {
    code_.opcode = Opcode::warp_barrier;
    return words.take("sync") && operands() == 1 && source(0, 0, b32);
  }
  if (words.take("cluster")) return cluster_barrier(words);
  words.take("cta");
  const bool is_aligned = words.take("aligned") || instruction_->words.front() == "bar";
  if (is_aligned) code_.flags |= Code::is_aligned;
  if (words.take("sync")) {
    code_.opcode = Opcode::barrier_sync;
    return has_operands(1, 2) && source(0, 0, b32) && (operands() == 1 || source(1, 1, b32));
  }
  if (words.take("arrive")) {
    code_.opcode = Opcode::barrier_arrive;
    return operands() == 2 && source(0, 0, b32) && source(1, 1, b32);
  }
  if (!words.take("red")) return false;
  code_.opcode = Opcode::barrier_reduce;
  const auto reduction = words.take_from(barrier_reductions);
  if (!reduction || !take_type(words) || !has_operands(3, 4) || !destination(0) || !source(0, 1, b32)) return false;
  code_.mode = number(*reduction);
  return (operands() == 3 || source(1, 2, b32)) && predicate(2, operands() - 1);
}

bool Decoder::cluster_barrier(Modifiers& words) {
  const bool arrives = words.take("arrive");
  if (!arrives && !words.take("wait")) return false;
  code_.opcode = arrives ? Opcode::cluster_arrive : Opcode::cluster_wait;
  code_.order = words.take_from(orders).value_or(arrives ? Order::release : Order::acquire);
  words.take("aligned");
  const bool is_known =
      arrives ? code_.order == Order::release || code_.order == Order::relaxed : code_.order == Order::acquire;
  return is_known && operands() == 0;
}

bool Decoder::shuffle(Modifiers& words) {
  code_.opcode = Opcode::shuffle;
  if (!words.take("sync")) return false;
  const auto mode = words.take_from(shuffles);
  if (!mode || !take_type(words) || code_.type.bytes != 4 || operands() != 5) return false;
  code_.mode = number(*mode);
  return destination(0) && source(0, 1, b32) && source(1, 2, b32) && source(2, 3, b32) && source(3, 4, b32);
}

bool Decoder::vote(Modifiers& words) {
  code_.opcode = Opcode::vote;
  if (!words.take("sync")) return false;
  const auto mode = words.take_from(votes);
  if (!mode || !take_type(words) || operands() != 3) return false;
  code_.mode = number(*mode);
  return destination(0) && predicate(0, 1) && source(3, 2, b32);
}

bool Decoder::match(Modifiers& words) {
  code_.opcode = Opcode::match;
  const bool is_any = words.take("any");
  if ((!is_any && !words.take("all")) || !words.take("sync") || !take_type(words) || operands() != 3) return false;
  code_.mode = is_any ? 1 : 0;
  return destination(0) && source(0, 1, code_.type) && source(3, 2, b32);
}

bool Decoder::redux(Modifiers& words) {
  code_.opcode = Opcode::warp_reduce;
  if (!words.take("sync")) return false;
  const auto operation = words.take_from(atomics);
  if (!operation || !take_type(words) || code_.type.bytes != 4 || code_.type.is_floating() || operands() != 3)
    return false;
  code_.mode = number(*operation);
  return destination(0) && source(0, 1, b32) && source(3, 2, b32);
}

bool Decoder::elect(Modifiers& words) {
  code_.opcode = Opcode::elect;
  return words.take("sync") && operands() == 2 && destination(0) && source(3, 1, b32);
}

bool Decoder::active_mask(Modifiers& words) {
  code_.opcode = Opcode::active_mask;
  return words.take("b32") && operands() == 1 && destination(0);
}

bool Decoder::branch(Modifiers& words) {
  code_.opcode = Opcode::branch;
  words.take("uni");
  code_.target = instruction_->target;
  return operands() == 1 && code_.target >= 0;
}

bool Decoder::branch_table(Modifiers& words) {
  code_.opcode = Opcode::branch_table;
  words.take("uni");
  code_.parts = static_cast<std::uint32_t>(into_.references.size());
  code_.part_count = static_cast<std::uint32_t>(instruction_->targets.size());
  for (const std::int32_t target : instruction_->targets) into_.references.push_back(static_cast<OperandRef>(target));
  return words.take("idx") && operands() == 2 && source(0, 0, b32);
}

/// The parts are the variables to copy from and to: arguments first, then results.
bool Decoder::call(Modifiers& words) {
  words.take("uni");
  code_.opcode = Opcode::call;
  std::size_t at = 0;
  const bool has_result = operands() > 0 && operand(0).kind == ptx::OperandKind::list;
  if (has_result) ++at;
  if (at >= operands()) return false;
  const ptx::PtxOperand& callee = operand(at);
  if (callee.kind == ptx::OperandKind::symbol) {
    const auto found = symbols_.functions->find(callee.name);
    if (found == symbols_.functions->end()) return false;
    code_.target = static_cast<std::int32_t>(found->second);
  } else {
    code_.opcode = Opcode::call_pointer;
    if (!source(0, at, b64)) return false;
  }
  code_.parts = static_cast<std::uint32_t>(into_.references.size());
  const auto add = [&](const ptx::PtxOperand& list) {
    for (const ptx::PtxOperand& part : list.parts) {
      const auto found =
          part.kind == ptx::OperandKind::symbol ? symbols_.addresses.find(part.name) : symbols_.addresses.end();
      if (found == symbols_.addresses.end()) return false;
      into_.references.push_back(static_cast<OperandRef>(found->second));
    }
    return true;
  };
  if (at + 1 < operands() && operand(at + 1).kind == ptx::OperandKind::list) {
    if (!add(operand(at + 1))) return false;
  }
  code_.part_count = static_cast<std::uint32_t>(into_.references.size()) - code_.parts;
  if (has_result && !add(operand(0))) return false;
  code_.vector = has_result ? static_cast<std::uint8_t>(operand(0).parts.size()) : 0;
  return code_.vector <= 1;
}

bool Decoder::leave(Modifiers& words) {
  code_.opcode = Opcode::leave;
  words.take("uni");
  return operands() == 0;
}

bool Decoder::stop(Modifiers&) {
  code_.opcode = instruction_->words.front() == "exit" ? Opcode::exit : Opcode::trap;
  return operands() == 0;
}

bool Decoder::hint(Modifiers& words) {
  code_.opcode = Opcode::nothing;
  words = Modifiers({""});
  return true;
}

/// A cache policy is an operand of hints only.
bool Decoder::policy(Modifiers& words) {
  code_.opcode = Opcode::move;
  words = Modifiers({""});
  code_.type = b64;
  code_.from[0] = constant(0);
  return operands() > 0 && destination(0);
}

/// A stream starts a kernel after the one before has ended. So there is nothing to wait for.
bool Decoder::dependent_grids(Modifiers& words) {
  code_.opcode = words.take("launch_dependents") ? Opcode::launch_dependents : Opcode::nothing;
  return (code_.opcode == Opcode::launch_dependents || words.take("wait")) && operands() == 0;
}

bool Decoder::pause(Modifiers& words) {
  code_.opcode = Opcode::pause;
  return words.take("u32") && operands() == 1;
}

bool Decoder::move(Modifiers& words) {
  code_.opcode = Opcode::move;
  if (!take_type(words) || operands() != 2) return false;
  if (is_vector(0) || is_vector(1)) {
    const std::size_t at = is_vector(0) ? 0 : 1;
    const auto count = static_cast<std::uint32_t>(operand(at).parts.size());
    if (is_vector(1 - at) || (count != 2 && count != 4)) return false;
    code_.opcode = at == 0 ? Opcode::unpack : Opcode::pack;
    code_.source_type = part_type(code_.type.bytes / count);
    if (!parts(at, code_.source_type, at == 0)) return false;
    return at == 0 ? source(0, 1, code_.type) : destination(0);
  }
  return destination(0) && source(0, 1, code_.type);
}

bool Decoder::to_generic(Modifiers& words) {
  code_.opcode = words.take("to") ? Opcode::from_generic : Opcode::to_generic;
  take_space(words);
  return take_type(words) && sources(1, code_.type) && code_.type.bytes == 8;
}

bool Decoder::is_in_space(Modifiers& words) {
  code_.opcode = Opcode::is_in_space;
  take_space(words);
  return operands() == 2 && destination(0) && source(0, 1, b64);
}

bool Decoder::map_to_block(Modifiers& words) {
  code_.opcode = Opcode::map_to_block;
  take_space(words);
  return take_type(words) && operands() == 3 && destination(0) && source(0, 1, code_.type) && source(1, 2, b32);
}

bool Decoder::arithmetic(Modifiers& words) {
  static constexpr std::array opcodes{std::pair{Word("add"), Opcode::add},
                                      std::pair{Word("sub"), Opcode::subtract},
                                      std::pair{Word("div"), Opcode::divide},
                                      std::pair{Word("rem"), Opcode::remainder},
                                      std::pair{Word("min"), Opcode::minimum},
                                      std::pair{Word("max"), Opcode::maximum},
                                      std::pair{Word("sad"), Opcode::absolute_difference}};
  for (const auto& [word, opcode] : opcodes)
    if (word == instruction_->words.front()) code_.opcode = opcode;
  take_rounding(words);
  if (words.take("ftz")) code_.flags |= Code::flushes;
  if (words.take("sat")) code_.flags |= Code::saturates;
  if (words.take("NaN")) code_.flags |= Code::propagates_nan;
  if (code_.opcode == Opcode::divide && (words.take("approx") || words.take("full")))
    code_.mode = number(Rounding::nearest);
  if (!take_type(words) || !is_number(code_.type)) return false;
  if (code_.mode > number(Rounding::nearest)) return false;
  return sources(code_.opcode == Opcode::absolute_difference ? 3 : 2, code_.type);
}

bool Decoder::multiply(Modifiers& words) {
  const std::string& opcode = instruction_->words.front();
  const bool has_addend = opcode != "mul";
  code_.opcode = has_addend ? Opcode::multiply_add : Opcode::multiply;
  take_rounding(words);
  if (words.take("wide")) code_.flags |= Code::is_wide;
  if (words.take("hi")) code_.flags |= Code::is_high;
  words.take("lo");
  if (words.take("ftz")) code_.flags |= Code::flushes;
  if (words.take("sat")) code_.flags |= Code::saturates;
  if (words.take("relu")) code_.flags |= Code::relu;
  if (!take_type(words) || !is_number(code_.type) || code_.mode > number(Rounding::nearest)) return false;
  if (code_.type.is_floating() && has_addend) code_.opcode = Opcode::fused;
  if (opcode == "fma" && !code_.type.is_floating()) return false;
  if (code_.has(Code::is_wide) && (code_.type.is_floating() || code_.type.bytes > 4)) return false;
  if (!has_addend) return sources(2, code_.type);
  PtxType addend = code_.type;
  if (code_.has(Code::is_wide)) addend.bytes = static_cast<std::uint8_t>(2 * addend.bytes);
  return operands() == 4 && destination(0) && source(0, 1, code_.type) && source(1, 2, code_.type) &&
         source(2, 3, addend);
}

bool Decoder::unary(Modifiers& words) {
  static constexpr std::array opcodes{std::pair{Word("abs"), Opcode::absolute}, std::pair{Word("neg"), Opcode::negate},
                                      std::pair{Word("not"), Opcode::bit_not},
                                      std::pair{Word("cnot"), Opcode::is_zero}};
  for (const auto& [word, opcode] : opcodes)
    if (word == instruction_->words.front()) code_.opcode = opcode;
  if (words.take("ftz")) code_.flags |= Code::flushes;
  return take_type(words) && code_.type.bytes <= 8 && sources(1, code_.type);
}

bool Decoder::approximate(Modifiers& words) {
  static constexpr std::array opcodes{
      std::pair{Word("sqrt"), Opcode::square_root}, std::pair{Word("rsqrt"), Opcode::reverse_square_root},
      std::pair{Word("rcp"), Opcode::reciprocal},   std::pair{Word("ex2"), Opcode::exponential},
      std::pair{Word("lg2"), Opcode::logarithm},    std::pair{Word("sin"), Opcode::sine},
      std::pair{Word("cos"), Opcode::cosine},       std::pair{Word("tanh"), Opcode::hyperbolic_tangent}};
  for (const auto& [word, opcode] : opcodes)
    if (word == instruction_->words.front()) code_.opcode = opcode;
  words.take("approx");
  take_rounding(words);
  if (words.take("ftz")) code_.flags |= Code::flushes;
  return take_type(words) && code_.type.is_floating() && code_.mode <= number(Rounding::nearest) &&
         sources(1, code_.type);
}

bool Decoder::logic(Modifiers& words) {
  static constexpr std::array opcodes{std::pair{Word("and"), Opcode::bit_and}, std::pair{Word("or"), Opcode::bit_or},
                                      std::pair{Word("xor"), Opcode::bit_xor},
                                      std::pair{Word("copysign"), Opcode::copy_sign}};
  for (const auto& [word, opcode] : opcodes)
    if (word == instruction_->words.front()) code_.opcode = opcode;
  if (!take_type(words) || code_.type.bytes > 8) return false;
  if (code_.type.number == NumberClass::predicate)
    return operands() == 3 && destination(0) && source(0, 1, code_.type) && source(1, 2, code_.type);
  return sources(2, code_.type);
}

bool Decoder::logic3(Modifiers& words) {
  code_.opcode = Opcode::logic3;
  return take_type(words) && code_.type.bytes == 4 && sources(4, b32);
}

bool Decoder::shift(Modifiers& words) {
  code_.opcode = instruction_->words.front() == "shl" ? Opcode::shift_left : Opcode::shift_right;
  return take_type(words) && code_.type.bytes <= 8 && operands() == 3 && destination(0) && source(0, 1, code_.type) &&
         source(1, 2, b32);
}

bool Decoder::funnel_shift(Modifiers& words) {
  code_.opcode = Opcode::funnel_shift;
  if (words.take("l"))
    code_.flags |= Code::is_left;
  else if (!words.take("r"))
    return false;
  if (words.take("wrap"))
    code_.flags |= Code::wraps;
  else
    words.take("clamp");
  return take_type(words) && code_.type.bytes == 4 && sources(3, b32);
}

bool Decoder::bit_field(Modifiers& words) {
  const bool extracts = instruction_->words.front() == "bfe";
  code_.opcode = extracts ? Opcode::extract_bits : Opcode::insert_bits;
  if (!take_type(words) || code_.type.bytes < 4 || code_.type.bytes > 8) return false;
  if (extracts)
    return operands() == 4 && destination(0) && source(0, 1, code_.type) && source(1, 2, b32) && source(2, 3, b32);
  return operands() == 5 && destination(0) && source(0, 1, code_.type) && source(1, 2, code_.type) &&
         source(2, 3, b32) && source(3, 4, b32);
}

bool Decoder::permute(Modifiers& words) {
  code_.opcode = Opcode::permute;
  return words.take("b32") && sources(3, b32);
}

bool Decoder::count(Modifiers& words) {
  static constexpr std::array opcodes{
      std::pair{Word("popc"), Opcode::count_ones}, std::pair{Word("clz"), Opcode::leading_zeros},
      std::pair{Word("brev"), Opcode::reverse_bits}, std::pair{Word("bfind"), Opcode::find_highest}};
  for (const auto& [word, opcode] : opcodes)
    if (word == instruction_->words.front()) code_.opcode = opcode;
  return take_type(words) && code_.type.bytes >= 4 && code_.type.bytes <= 8 && sources(1, code_.type);
}

bool Decoder::compare(Modifiers& words) {
  code_.opcode = Opcode::compare;
  const auto relation = words.take_from(relations);
  if (!relation) return false;
  code_.mode = number(*relation);
  code_.joining = words.take_from(joinings).value_or(std::uint8_t{0});
  if (words.take("ftz")) code_.flags |= Code::flushes;
  if (!take_type(words) || code_.type.bytes > 8) return false;
  if (operands() != (code_.joining == 0 ? 3u : 4u) || !destination(0) || !source(0, 1, code_.type) ||
      !source(1, 2, code_.type))
    return false;
  return code_.joining == 0 || (code_.type.scalars == 1 && predicate(2, 3));
}

bool Decoder::set(Modifiers& words) {
  code_.opcode = Opcode::compare_to_value;
  const auto relation = words.take_from(relations);
  if (!relation) return false;
  code_.mode = number(*relation);
  if (words.take("ftz")) code_.flags |= Code::flushes;
  if (!take_type(words)) return false;
  const auto source_type = words.take_type();
  if (!source_type) return false;
  code_.source_type = *source_type;
  const bool is_pair = code_.source_type.scalars == 2;
  if (is_pair && code_.type.scalars != 2) return false;
  return sources(2, code_.source_type);
}

bool Decoder::select(Modifiers& words) {
  code_.opcode = Opcode::select;
  return take_type(words) && code_.type.bytes <= 8 && operands() == 4 && destination(0) && source(0, 1, code_.type) &&
         source(1, 2, code_.type) && predicate(2, 3) && !code_.has(Code::is_negated);
}

bool Decoder::select_by_sign(Modifiers& words) {
  code_.opcode = Opcode::select_by_sign;
  words.take("ftz");
  if (!take_type(words)) return false;
  const auto sign = words.take_type();
  if (!sign || sign->bytes != 4) return false;
  code_.source_type = *sign;
  return operands() == 4 && destination(0) && source(0, 1, code_.type) && source(1, 2, code_.type) &&
         source(2, 3, *sign);
}

bool Decoder::convert(Modifiers& words) {
  code_.opcode = Opcode::convert;
  take_rounding(words);
  if (words.take("ftz")) code_.flags |= Code::flushes;
  if (words.take("sat") || words.take("satfinite")) code_.flags |= Code::saturates;
  if (words.take("relu")) code_.flags |= Code::relu;
  if (!take_type(words)) return false;
  const auto source_type = words.take_type();
  if (!source_type || code_.type.bytes > 8) return false;
  code_.source_type = *source_type;
  const bool to_pair = code_.type.scalars == 2;
  const bool from_pair = source_type->scalars == 2;
  const bool is_float_rounding =
      code_.mode <= number(Rounding::nearest) || (code_.mode == number(Rounding::zero) && to_pair);
  if (code_.type.is_floating() && source_type->is_floating() && code_.mode < number(Rounding::nearest_integer) &&
      !is_float_rounding)
    return false;
  if (code_.type.is_floating() != source_type->is_floating() && code_.mode != number(Rounding::none) &&
      code_.type.is_floating() && code_.mode != number(Rounding::nearest))
    return false;
  if (code_.type.scalars > 2 || source_type->scalars > 2 || from_pair > to_pair) return false;
  if (to_pair && !from_pair) {
    if (source_type->element != ElementType::f32 || code_.mode == number(Rounding::zero)) return false;
    return sources(2, *source_type);
  }
  return sources(1, *source_type);
}

bool Decoder::test_property(Modifiers& words) {
  code_.opcode = Opcode::test_property;
  const auto property = words.take_from(properties_of_numbers);
  if (!property || !take_type(words) || !code_.type.is_floating()) return false;
  code_.mode = *property;
  return sources(1, code_.type);
}

}  // namespace onceover::gpu
