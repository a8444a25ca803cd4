// Special registers (PTX ISA, chapter 10): what a thread may ask about itself, its grid and its machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace onceover::gpu::ptx {

/// Those that are modelled.
enum class SpecialRegister : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  clock,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  is_explicit_cluster,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  dynamic_smem_size,
  total_smem_size,
  envreg1,  // the upper half of the address of the grid's workspace, which cooperative kernels have
  envreg2,  // the lower half
};

/// Is it the name of a special register, such as "%tid.x"?
bool is_special(std::string_view name);

/// The special register of that name, if it is modelled. All clocks are one.
std::optional<SpecialRegister> special_register(std::string_view name);

}  // namespace onceover::gpu::ptx
