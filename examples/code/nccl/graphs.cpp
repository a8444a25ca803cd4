// Checks NCCL's rings and trees, from a checkout's src/graph, for all numbers of ranks up to the one given:
//
//   g++ -std=c++17 -O1 -I examples/code/nccl/graphs_shim examples/code/nccl/graphs.cpp CHECKOUT/src/graph/rings.cc
//     CHECKOUT/src/graph/trees.cc -o graphs
//   ./graphs 10000
//
// A ring has each rank once, in the order of its links, and links that make no ring are refused. A tree has one root;
// parents and children say the same of each other; every rank is below the root, at most twice as deep as a binary tree
// must be. Of the two trees, ranks that have children in both are counted: there may be rank 0 alone, where p is odd.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core.h"

ncclResult_t ncclBuildRings(int rings, int* ranks, int rank, int p, int* previous, int* next);
ncclResult_t ncclGetDtree(int p, int rank, int* up, int* first, int* second, int* kind, int* up2, int* first2,
                          int* second2, int* kind2);

namespace {

struct Node {
  int up, first, second, kind;  // kind: of its parent's children it is the first (0) or the second
  bool is_inner() const { return first != -1 || second != -1; }
};
using Tree = std::vector<Node>;

void require(bool holds, int p, int rank, const char* what) {
  if (holds) return;
  std::printf("p = %d, rank %d: %s\n", p, rank, what);
  std::exit(1);
}

void check_ring(int p, int rank, const std::vector<int>& previous, const std::vector<int>& next) {
  std::vector<int> ranks(static_cast<std::size_t>(p), -1), from = previous, to = next;
  require(ncclBuildRings(1, ranks.data(), rank, p, from.data(), to.data()) == ncclSuccess, p, rank, "no ring is built");
  std::vector<bool> is_there(static_cast<std::size_t>(p));
  int at = rank;
  for (const int each : ranks) {
    require(each == at, p, rank, "the ring doesn't follow its links");
    require(!is_there[static_cast<std::size_t>(each)], p, rank, "the ring has a rank twice");
    is_there[static_cast<std::size_t>(each)] = true;
    at = next[static_cast<std::size_t>(at)];
  }
}

void check_rings(int p) {
  std::vector<int> above(static_cast<std::size_t>(p)), below = above, halves = above, dead_end = above;
  for (int r = 0; r < p; ++r) {
    const auto k = static_cast<std::size_t>(r);
    above[k] = (r + 1) % p;
    below[k] = (r + p - 1) % p;
    halves[k] = r == p / 2 - 1 ? 0 : r == p - 1 ? p / 2 : r + 1;
    dead_end[k] = r == p - 1 ? p - 1 : r + 1;
  }
  for (const int rank : {0, 1, p / 2, p - 1}) {
    check_ring(p, rank, below, above);
    check_ring(p, rank, above, below);
    std::vector<int> ranks(static_cast<std::size_t>(p)), from = below;
    if (p >= 4)
      require(ncclBuildRings(1, ranks.data(), rank, p, from.data(), halves.data()) != ncclSuccess, p, rank,
              "two rings are taken for one");
    require(ncclBuildRings(1, ranks.data(), rank, p, from.data(), dead_end.data()) != ncclSuccess, p, rank,
            "a dead end is taken for a ring");
  }
}

void check_tree(int p, const Tree& tree) {
  const auto node = [&](int rank) -> const Node& { return tree[static_cast<std::size_t>(rank)]; };
  const auto is_rank = [&](int rank) { return rank >= -1 && rank < p; };
  int roots = 0, children = 0, most = 1;
  for (int below = 1; below < p; below = 2 * below + 1) most += 2;
  for (int r = 0; r < p; ++r) {
    const Node& own = node(r);
    require(is_rank(own.up) && is_rank(own.first) && is_rank(own.second), p, r, "a link leads to no rank");
    require(own.first == -1 || own.first != own.second, p, r, "both children are the same");
    roots += own.up == -1 ? 1 : 0;
    for (const int child : {own.first, own.second}) {
      if (child == -1) continue;
      ++children;
      require(node(child).up == r, p, child, "its parent isn't the one that has it for a child");
      require(node(child).kind == (child == own.second ? 1 : 0), p, child, "it is the other one of the children");
    }
    int depth = 0;
    for (int at = r; node(at).up != -1; at = node(at).up) require(++depth <= most, p, r, "the root is too far away");
  }
  require(roots == 1 && children == p - 1, p, 0, "the tree hasn't one root and p - 1 children");
}

/// Does rank 0 have children in both trees?
bool check_trees(int p) {
  Tree one(static_cast<std::size_t>(p)), two = one;
  for (int r = 0; r < p; ++r) {
    Node &a = one[static_cast<std::size_t>(r)], &b = two[static_cast<std::size_t>(r)];
    ncclGetDtree(p, r, &a.up, &a.first, &a.second, &a.kind, &b.up, &b.first, &b.second, &b.kind);
  }
  check_tree(p, one);
  check_tree(p, two);
  for (int r = 0; r < p; ++r) {
    const bool is_twice = one[static_cast<std::size_t>(r)].is_inner() && two[static_cast<std::size_t>(r)].is_inner();
    require(!is_twice || (r == 0 && p % 2 == 1), p, r, "it has children in both trees");
  }
  return one[0].is_inner() && two[0].is_inner();
}

}  // namespace

int main(int count, char** arguments) {
  const int most = count == 2 ? std::atoi(arguments[1]) : 0;
  if (most < 2) {
    std::fprintf(stderr, "usage: graphs P\n");
    return 2;
  }
  int twice = 0;
  for (int p = 2; p <= most; ++p) {
    check_rings(p);
    twice += check_trees(p) ? 1 : 0;
  }
  std::printf("p = 2..%d: rings and trees are right; rank 0 has children in both trees for %d odd p\n", most, twice);
}
