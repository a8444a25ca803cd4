// BlockVersions: every version of one block that a rank held, and where each came from.
//
// Every write to a rank makes a new *version* of what it holds. A version has up to two parents: the version that
// arrived (a move), and for a reduction the version that was there (no move). The paths from a contributor's first
// version to a rank's last one are the paths of its contribution; their number is its multiplicity.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verifier/counterexample.h"

namespace onceover::verifier {

/// Stands for a version that doesn't exist.
inline constexpr std::int32_t no_version = -1;

/// A number as an index.
inline std::size_t at(std::int32_t number) {
  return static_cast<std::size_t>(number);
}

struct Version {
  Rank rank;                // or cell (see Trace), like every rank here
  std::int32_t kept;        // the rank's previous version, if it was kept
  std::int32_t carry;       // the version that arrived; no_version for a first one
  std::int32_t replaced;    // the rank's previous version, if a copy replaced it
  Counterexample::Leg leg;  // the move that made this version
};

/// The fault at which recording ends, and both moves of a conflict.
struct LocatedFault {
  Fault fault;
  Counterexample::Leg leg;
  std::optional<Counterexample::Leg> other = {};
};

struct BlockVersions {
  std::vector<Version> all;                // in the order in which they were made, so parents come first
  std::vector<std::int32_t> last;          // by cell: its last version, or no_version
  std::optional<LocatedFault> clash = {};  // the first conflict of copies of one value, after which recording goes on
};

/// Follows the trace of one block into `versions`, as far as it has a defined meaning. O(moves log moves + cells).
std::optional<LocatedFault> record_versions(const Header& header, Block block, const Trace& trace,
                                            BlockVersions& versions);

/// Finds the copies that destroyed data: they replaced a value that held everything they brought, and more. Sets of
/// contributors are bits, 64 at a time. Time: see `cost`; memory: O(versions).
class DestructiveCopies {
 public:
  /// A copy, and a contributor that it lost: if possible one that its rank lacks in the end.
  struct Copy {
    std::int32_t version;
    Rank lost;
  };

  /// Keeps a reference to the versions.
  DestructiveCopies(const Header& header, const BlockVersions& versions);

  /// The cost of the constructor, in visits of versions.
  static std::uint64_t cost(const Header& header, const BlockVersions& versions);

  bool contains(std::int32_t version) const { return is_destructive_[static_cast<std::size_t>(version)]; }

  /// All of them, in the order of their versions.
  const std::vector<Copy>& copies() const { return copies_; }

 private:
  void hold(Rank first);
  void look_at(Rank first);
  std::uint64_t held(std::int32_t version) const {
    return version == no_version ? 0 : held_[static_cast<std::size_t>(version)];
  }

  Rank ranks_;
  const BlockVersions& versions_;
  std::vector<std::uint64_t> held_;  // by version: the contributors of the current 64 in it
  std::vector<Copy> copies_;
  std::vector<bool> is_lost_for_good_;  // by version: does its rank end without what the copy lost?
  std::vector<bool> is_destructive_;    // by version: did it destroy data?
};

}  // namespace onceover::verifier
