#include "formats/msccl_types.h"

#include <algorithm>
#include <array>

namespace onceover::formats {

namespace {

constexpr std::array<MscclType, 9> types{{
    {"s", Act::send},
    {"r", Act::receive},
    {"rcs", Act::receive_copy_send},
    {"rrc", Act::receive_reduce},
    {"rrs", Act::receive_reduce_send},
    {"rrcs", Act::receive_reduce_copy_send},
    {"cpy", Act::copy},
    {"re", Act::reduce},
    {"nop", Act::wait},
}};

}  // namespace

std::span<const MscclType> msccl_types() {
  return types;
}

std::optional<Collective> msccl_collective(std::string_view coll) {
  if (coll == "reduce_scatter" || coll == "reducescatter") return Collective::reduce_scatter;
  return coll == name(Collective::reduce_scatter) ? std::nullopt : collective_named(coll);
}

std::optional<Act> msccl_act(std::string_view type) {
  const auto* row = std::find_if(types.begin(), types.end(), [&](const MscclType& t) { return t.name == type; });
  if (row == types.end()) return std::nullopt;
  return row->act;
}

std::string_view msccl_type(Act act) {
  return std::find_if(types.begin(), types.end(), [&](const MscclType& t) { return t.act == act; })->name;
}

}  // namespace onceover::formats
