// Follows what some loads read through all values that are made of it, until it is used: stored, or in an address, a
// branch or an operation of a warp or a block.
#include "gpu/machine/machine.h"

namespace onceover::gpu {
namespace {

constexpr std::uint8_t followed_load = 255;  // the detail of an opaque term, whose c is the site

}  // namespace

void GpuMachine::mark(const ThreadContext& thread, Value& loaded) {
  if (followed_.empty()) return;
  const std::uint32_t instruction = thread.function->code[thread.pc].source;
  const std::pair place{static_cast<std::int32_t>(thread.function->function), static_cast<std::int32_t>(instruction)};
  if (!followed_.contains(place)) return;
  const Lane lane(terms_->opaque(followed_load, ElementType::u32, ValueTerm::none, ValueTerm::none,
                                 thread.function->first_site + instruction),
                  0);
  loaded.lanes = {lane, lane, lane, lane};
}

void GpuMachine::use_marked(const Value& value) {
  std::vector<ValueTerm> to_visit;
  for (const Lane lane : value.lanes)
    if (!lane.is_empty()) to_visit.push_back(lane.term());
  while (!to_visit.empty()) {
    const ValueTerm term = to_visit.back();
    to_visit.pop_back();
    const auto number = static_cast<std::size_t>(term);
    if (seen_terms_.size() <= number) seen_terms_.resize(terms_->size());
    if (number == 0 || seen_terms_[number]) continue;
    seen_terms_[number] = true;
    const TermNode& node = (*terms_)[term];
    if (node.kind == TermKind::opaque && node.detail == followed_load) {
      const AccessSite site = site_of_code(node.c);
      used_.insert({site.function, site.instruction});
      continue;
    }
    if (node.kind == TermKind::leaf || node.kind == TermKind::unwritten || node.kind == TermKind::constant) continue;
    to_visit.push_back(static_cast<ValueTerm>(node.a));
    if (node.kind == TermKind::combined || node.kind == TermKind::packed || node.kind == TermKind::opaque)
      to_visit.push_back(static_cast<ValueTerm>(node.b));
    if (node.kind == TermKind::opaque && node.c < number) to_visit.push_back(static_cast<ValueTerm>(node.c));
  }
}

}  // namespace onceover::gpu
