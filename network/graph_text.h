// Nodes and links of network files, with their attributes as they are written.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/source_text.h"

namespace onceover::network {

/// A part of the file, and the byte where it is; Boost's reader of DOT doesn't say where.
struct WrittenText {
  static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

  std::string text;
  std::size_t place = unknown;
};

struct NodeText {
  WrittenText id;
  WrittenText rank;
  WrittenText forwards;
};

struct LinkText {
  WrittenText bandwidth;
  WrittenText latency;
  WrittenText duplex;
};

/// A link between two nodes of the file, given by their numbers there.
struct ReadLink {
  std::size_t from;
  std::size_t to;
  LinkText text;
  std::size_t place = WrittenText::unknown;
};

struct ReadGraph {
  std::vector<NodeText> nodes;
  std::vector<ReadLink> links;
  std::map<std::string, std::size_t> ignored;  // unknown attributes, and where they are named
};

tl::expected<ReadGraph, SourceError> read_graphml(std::string_view text, std::string_view name);
tl::expected<ReadGraph, SourceError> read_dot(std::string_view text, std::string_view name);

}  // namespace onceover::network
