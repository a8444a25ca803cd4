#include "schedules/types.h"

#include <cassert>

#include "base/rows.h"

namespace onceover::schedules {

std::string_view name(Op op) {
  return op == Op::reduce ? "reduce" : "copy";
}

const Contract& contract(Collective collective) {
  const Contract& row = contracts[static_cast<std::size_t>(collective)];
  assert(row.collective == collective);
  return row;
}

std::string_view name(Collective collective) {
  return contract(collective).name;
}

std::optional<Collective> collective_named(std::string_view name) {
  const auto* row = row_with(contracts, &Contract::name, name);
  return row == nullptr ? std::nullopt : std::optional(row->collective);
}

std::string collective_names() {
  return fmt::format("{}", fmt::join(mapped(contracts, &Contract::name), ", "));
}

bool is_rooted(Collective collective) {
  const Contract& row = contract(collective);
  return row.begins == Holders::root || row.ends == Holders::root;
}

bool is_carried(Collective collective) {
  const Contract& row = contract(collective);
  return row.begins != Holders::everyone && row.ends != Holders::everyone;
}

}  // namespace onceover::schedules
