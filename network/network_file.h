// Networks that users describe in GraphML or DOT.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "network/topology.h"

namespace onceover::network {

/// Reads a network from the text of a GraphML or DOT file; `name` stands for the file in errors.
///
/// Nodes with an attribute `rank`, a number, are the ranks' seats. If no node of a DOT file has one, the nodes whose id
/// is a number are the seats. All other nodes are switches. Links have attributes `bandwidth` in Gb/s and `latency` in
/// ns, preset to `speeds`, and `duplex`, full or half: then both ways have the bandwidth together. Links of an
/// undirected graph run both ways.
///
/// Errors are a rank that is missing, occurs twice or is cut off from another; a link from a node to itself; a second
/// link between two nodes in the same direction; a bandwidth of 0 or below; a latency below 0. In DOT, the place
/// of an error is where the node or the value first occurs in the text.
///
/// A file may have at most 16 MiB, and no subgraphs, nested or further graphs, HTML-like strings, document types, or
/// nesting beyond 100. Memory: about 50 times the text. Time: O(text log text).
tl::expected<Network, SourceError> read_network(std::string_view text, std::string_view name, const LinkSpeeds& speeds);

inline constexpr std::size_t largest_network_file = std::size_t{16} << 20;

}  // namespace onceover::network
