// The texts that networks come in, as Boost's readers see them: nodes and links with their attributes.
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
};

/// A link between two nodes of the file, by their numbers there.
struct ReadLink {
  std::size_t from;
  std::size_t to;
  LinkText text;
};

struct ReadGraph {
  std::vector<NodeText> nodes;
  std::vector<ReadLink> links;
  std::set<std::string> ignored;  // names of attributes that mean nothing to us
};

/// Something that Boost's readers would misread, run away on, or drop.
struct Trap {
  std::size_t place;
  std::string message;
};

/// The first trap in the text: in XML a nesting beyond 100, which the reader follows by calling itself, or a document
/// type; in DOT a subgraph, whose links multiply, or a number that runs into letters, which the reader cuts in two.
/// O(text).
std::optional<Trap> find_trap(std::string_view text, bool is_xml);

/// The graph in the text, GraphML if `is_xml`, else DOT. Throws std::exception with the parser's complaint.
ReadGraph parse_graph(std::string_view text, bool is_xml);

/// Is it a letter of a name or number?
bool is_word(char c);

}  // namespace onceover::network
