#include "schedules/collective.h"

#include <algorithm>
#include <cassert>

#include "schedules/types.h"

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
  const auto* row = std::find_if(contracts.begin(), contracts.end(), [&](const Contract& c) { return c.name == name; });
  if (row == contracts.end()) return std::nullopt;
  return row->collective;
}

std::string collective_names() {
  std::string names;
  for (const Contract& row : contracts) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

bool is_rooted(Collective collective) {
  const Contract& row = contract(collective);
  return row.begins == Holders::root || row.ends == Holders::root;
}

}  // namespace onceover::schedules
