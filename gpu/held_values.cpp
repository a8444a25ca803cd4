// Conversions are looked through: a sum of rounded contributions is a sum. That ranks round alike is another question,
// which is asked of the engine's terms themselves.

#include "gpu/held_values.h"

#include <fmt/format.h>

namespace onceover::gpu {

namespace {

constexpr std::string_view signs[] = {"+", "*", "min", "max", "&", "|", "^"};

bool are_alike(const ReadValue& a, const ReadValue& b) {
  return a.input == b.input && a.element == b.element && a.call == b.call;
}

}  // namespace

ReadValues::ReadValues(const ValueTerms& terms, const ConcreteLaunch& concrete, const Description& description)
    : terms_(terms), concrete_(concrete), description_(description), table_(concrete.launch.ranks) {
  values_.reserve(terms.size());
  for (std::uint32_t k = 0; k < terms.size(); ++k) values_.push_back(read(terms[static_cast<ValueTerm>(k)]));
}

ReadValue ReadValues::read(const TermNode& node) {
  switch (node.kind) {
    case TermKind::none:
    case TermKind::constant: return {};
    case TermKind::unwritten: return {.kind = ReadValue::Kind::unwritten};
    case TermKind::leaf: {
      const BufferPlace& place = concrete_.places[node.a];
      return {.kind = ReadValue::Kind::sum,
              .input = place.text,
              .element = node.b,
              .call = node.c,
              .term = table_.leaf(place.rank)};
    }
    case TermKind::converted:
    case TermKind::widened: {
      // A number with a point that becomes a whole one, or the other way round, is another number.
      const bool stays = is_floating(node.type) == is_floating(static_cast<ElementType>(node.c));
      return stays ? values_[node.a] : ReadValue{.kind = ReadValue::Kind::opaque};
    }
    case TermKind::switched: {
      ReadValue value = values_[node.a];
      value.is_switched = true;
      return value;
    }
    case TermKind::combined: return joined(node);
    case TermKind::packed:
    case TermKind::opaque: break;
  }
  return {.kind = ReadValue::Kind::opaque};
}

ReadValue ReadValues::joined(const TermNode& node) {
  const ReadValue &a = values_[node.a], &b = values_[node.b];
  const auto operation = static_cast<Combining>(node.detail);
  auto is = [&](ReadValue::Kind kind) { return a.kind == kind || b.kind == kind; };
  if (is(ReadValue::Kind::unwritten)) return {.kind = ReadValue::Kind::unwritten};
  if (is(ReadValue::Kind::opaque) || is(ReadValue::Kind::nothing)) return {.kind = ReadValue::Kind::opaque};
  const bool is_other = (a.is_combined && a.operation != operation) || (b.is_combined && b.operation != operation);
  if (is_other) return {.kind = ReadValue::Kind::opaque};
  if (is(ReadValue::Kind::mixed) || !are_alike(a, b))
    return {.kind = ReadValue::Kind::mixed, .operation = operation, .is_combined = true};
  return {.kind = ReadValue::Kind::sum,
          .is_switched = a.is_switched || b.is_switched,
          .operation = operation,
          .is_combined = true,
          .input = a.input,
          .element = a.element,
          .call = a.call,
          .term = table_.sum(a.term, b.term)};
}

void ReadValues::write(ValueTerm term, std::uint32_t call, std::size_t most, std::string& to) const {
  if (to.size() > most) {
    if (!to.ends_with("..")) to += "..";
    return;
  }
  const TermNode& node = terms_[term];
  switch (node.kind) {
    case TermKind::none: to += "a constant"; return;
    case TermKind::constant: to += "a constant"; return;
    case TermKind::unwritten: to += "what was never written"; return;
    case TermKind::leaf: {
      const BufferPlace& place = concrete_.places[node.a];
      to += fmt::format("{}@{}[{}]", description_.buffers[place.text].name, place.rank, node.b);
      if (node.c != call) to += fmt::format(" of call {}", node.c);
      return;
    }
    case TermKind::converted:
    case TermKind::widened: return write(static_cast<ValueTerm>(node.a), call, most, to);
    case TermKind::switched:
      to += fmt::format("the switch's sum {}: ", node.c);
      return write(static_cast<ValueTerm>(node.a), call, most, to);
    case TermKind::combined: {
      to += '(';
      write(static_cast<ValueTerm>(node.a), call, most, to);
      to += fmt::format(" {} ", signs[node.detail]);
      write(static_cast<ValueTerm>(node.b), call, most, to);
      to += ')';
      return;
    }
    case TermKind::packed:
    case TermKind::opaque: to += "something that isn't a sum of inputs"; return;
  }
}

std::string ReadValues::text(const HeldElement& element, std::uint32_t call, std::size_t most) const {
  if (element.term == ValueTerm::none) return fmt::format("the constant {:#x}", element.bits);
  std::string text;
  write(element.term, call, most, text);
  return text;
}

}  // namespace onceover::gpu
