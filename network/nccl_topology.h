// NCCL's own description of a host: its GPUs, PCI switches, NVLinks and network cards.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "network/topology.h"

namespace onceover::network {

/// Reads the network that NCCL_TOPO_DUMP_FILE has, whose root is <system>: that of `ranks` GPUs on as many equal hosts
/// as they fill. `name` stands for the file in errors.
///
/// Bandwidths are those that NCCL computes with: of PCI by generation and width, of an NVLink by the GPU's `sm`, of a
/// card by its `speed`, between CPUs by their model; latencies are `speeds`'s. Ranks are the GPUs by their attribute
/// `rank`, host by host, and forward nothing. Nodes are called cpu0, nvswitch, net0 (a card's `dev`), and else by their
/// bus id; of several hosts they are called host0.net0, and all cards are joined by one switch, `network`.
///
/// Errors are elements that NCCL doesn't know, missing or malformed attributes, a bus, CPU, card or rank that is there
/// twice, NVLinks to a GPU that isn't there, no GPU, over 1024 GPUs or CPUs, several hosts in one file, more than 2^23
/// links, and hosts without cards where there is more than one. O(text + links * hosts).
tl::expected<Network, SourceError> read_nccl_topology(std::string_view text, std::string_view name,
                                                      const LinkSpeeds& speeds, Rank ranks);

/// Which cards the channels take by NCCL's graph, as NCCL_GRAPH_DUMP_FILE has it, whose root is <graphs>: rules for
/// read_pinned_routes, of the rings, graph 0. Lane k of the schedule, which errors call `schedule`, takes the cards of
/// channel k and avoids the others; empty if all channels take all cards. Which GPU follows which is the schedule's
/// own. Errors are a card that the network lacks, a channel without cards, and fewer channels than lanes. O(text +
/// channels * cards).
tl::expected<std::string, SourceError> ways_of_nccl_graph(std::string_view text, std::string_view name,
                                                          const Network& network, int lanes,
                                                          std::string_view schedule = "the schedule");

}  // namespace onceover::network
