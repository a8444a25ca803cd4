// Networks that users describe: GraphML or DOT.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "network/topology.h"

namespace onceover::network {

/// Reads a network from the text of a GraphML or DOT file; `name` stands for it in errors.
///
/// Nodes with an attribute `rank`, a number, are the ranks' seats; so are in DOT, where no node has one, those whose id
/// is a number. GraphML's nodes are called by their place in the file. All others are switches. Links have attributes
/// `bandwidth` in Gb/s and `latency` in ns, preset to `speeds`; those of an undirected graph run both ways. An error
/// names the place where the node or the value first occurs in the text: a rank that is missing, there twice or cut off
/// from another, a link from a node to itself, a second link between two nodes the same way, a bandwidth of 0 or below,
/// a latency below 0.
///
/// At most 16 MiB are read, without subgraphs, HTML-like strings, document types, or a nesting beyond 100. Memory: some
/// 50 times the text. Time: O(text log text).
tl::expected<Network, SourceError> read_network(std::string_view text, std::string_view name, const LinkSpeeds& speeds);

inline constexpr std::size_t largest_network_file = std::size_t{16} << 20;

}  // namespace onceover::network
