#include "gpu/ptx/special_register.h"

#include <algorithm>
#include <array>

namespace onceover::gpu::ptx {

namespace {

/// In the order of SpecialRegister.
constexpr std::array<std::string_view, 43> modelled{"%tid.x",
                                                    "%tid.y",
                                                    "%tid.z",
                                                    "%ntid.x",
                                                    "%ntid.y",
                                                    "%ntid.z",
                                                    "%ctaid.x",
                                                    "%ctaid.y",
                                                    "%ctaid.z",
                                                    "%nctaid.x",
                                                    "%nctaid.y",
                                                    "%nctaid.z",
                                                    "%laneid",
                                                    "%warpid",
                                                    "%nwarpid",
                                                    "%smid",
                                                    "%nsmid",
                                                    "%gridid",
                                                    "%clock",
                                                    "%lanemask_eq",
                                                    "%lanemask_le",
                                                    "%lanemask_lt",
                                                    "%lanemask_ge",
                                                    "%lanemask_gt",
                                                    "%is_explicit_cluster",
                                                    "%clusterid.x",
                                                    "%clusterid.y",
                                                    "%clusterid.z",
                                                    "%nclusterid.x",
                                                    "%nclusterid.y",
                                                    "%nclusterid.z",
                                                    "%cluster_ctaid.x",
                                                    "%cluster_ctaid.y",
                                                    "%cluster_ctaid.z",
                                                    "%cluster_nctaid.x",
                                                    "%cluster_nctaid.y",
                                                    "%cluster_nctaid.z",
                                                    "%cluster_ctarank",
                                                    "%cluster_nctarank",
                                                    "%dynamic_smem_size",
                                                    "%total_smem_size",
                                                    "%envreg1",
                                                    "%envreg2"};

constexpr std::array<std::string_view, 3> other_clocks{"%clock64", "%globaltimer", "%globaltimer_lo"};
constexpr std::array<std::string_view, 4> others{"%clock_hi", "%globaltimer_hi", "%aggr_smem_size",
                                                 "%current_graph_exec"};
constexpr std::array<std::string_view, 3> beginnings_of_others{"%envreg", "%pm", "%reserved_smem_offset_"};

bool is_in(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<SpecialRegister> special_register(std::string_view name) {
  if (is_in(other_clocks, name)) return SpecialRegister::clock;
  const auto at = std::find(modelled.begin(), modelled.end(), name);
  if (at == modelled.end()) return std::nullopt;
  return static_cast<SpecialRegister>(at - modelled.begin());
}

bool is_special(std::string_view name) {
  return special_register(name) || is_in(others, name) ||
         std::any_of(beginnings_of_others.begin(), beginnings_of_others.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace onceover::gpu::ptx
