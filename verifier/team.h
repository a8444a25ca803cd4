// Team: several processes that judge the same schedule together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::verifier {

/// One process's view of the team. All processes judge the same schedules in the same order, so their calls of `gather`
/// match.
class Team {
 public:
  Team() = default;
  virtual ~Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// The number of processes, at least 1.
  virtual int size() const = 0;

  /// This process's number, 0 .. size-1.
  virtual int number() const = 0;

  /// How many threads a process should use, at least 1; the same in all.
  virtual int threads() const = 0;

  /// The texts of all processes, by number; every process gets the same. Waits until all have called it, and throws if
  /// one has ended instead. Call it from one thread only.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
};

/// Did all processes give the same text? Every process gets the same answer. Texts are compared in parts, 1 MiB of each
/// process at a time.
bool is_same_in_all(Team& team, std::string_view mine);

/// Stops the work of all processes if one of them is to stop; returns whether that is so. Afterwards all agree, which
/// matters because some may otherwise see the stop later than others.
bool agree_to_stop(Team& team);

}  // namespace onceover::verifier
