// The texts of network files as Boost's readers see them: nodes and links with their attributes.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::network {

struct NodeText {
  std::string id;
  std::string rank;
  std::string forwards;
};

struct LinkText {
  std::string bandwidth;
  std::string latency;
  std::string duplex;
};

/// A link between two nodes of the file, given by their numbers there.
struct ReadLink {
  std::size_t from;
  std::size_t to;
  LinkText text;
};

struct ReadGraph {
  std::vector<NodeText> nodes;
  std::vector<ReadLink> links;
  std::set<std::string> ignored;  // names of unknown attributes
};

/// Something that Boost's readers would misread, drop, or take too long for.
struct Trap {
  std::size_t place;
  std::string message;
};

/// The first trap in the text. In XML: a nesting beyond 100, on which the reader is recursive, or a document type. In
/// DOT: a subgraph, whose links multiply, or a number followed by letters, which the reader splits in two. O(text).
std::optional<Trap> find_trap(std::string_view text, bool is_xml);

/// The graph in the text, which is GraphML if `is_xml`, else DOT. Throws std::exception with the parser's message.
ReadGraph parse_graph(std::string_view text, bool is_xml);

/// Can the letter be part of a name or number?
bool is_word(char c);

}  // namespace onceover::network
