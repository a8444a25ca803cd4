// Several processes that judge the same schedule together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::verifier {

/// One process's view of the team. All processes judge the same schedules in the same order, so that their calls of
/// `gather` belong together.
class Team {
 public:
  Team() = default;
  virtual ~Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Number of processes, from 1.
  virtual int size() const = 0;

  /// Which of them this one is, 0 .. size-1.
  virtual int number() const = 0;

  /// Threads that a process should use, from 1; the same in all.
  virtual int threads() const = 0;

  /// What each process gave, by number; the same in all. Waits until all have called it, and throws if one has ended
  /// instead. From one thread.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
};

/// Did all processes give the same text? The same answer in all. Texts are gathered a part at a time, 1 MiB of each
/// process.
bool is_same_in_all(Team& team, std::string_view mine);

/// Stops all processes' work if one's is to stop; whether it is. Afterwards all agree: without it some may see the stop
/// later than others.
bool agree_to_stop(Team& team);

}  // namespace onceover::verifier
