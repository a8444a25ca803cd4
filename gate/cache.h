// Measurements kept from run to run, by the content of what they depend on.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "gate/measurement.h"

namespace onceover::gate {

/// A folder of measurements. A file's name is the SHA-256 of the key, which is all that the measurement depends on,
/// together with the linker's build ids of this program and its libraries: another build finds nothing of this one's.
/// The file also holds the SHA-256 of its content, so that damage is seen; it says nothing of who wrote it. Who can
/// write the folder decides what verdicts come out of it. Only verdicts that are settled are kept. What can't be read,
/// isn't whole or can't be written is as if it weren't there. Safe to use from several threads.
class Cache {
 public:
  /// In that folder, which is made when something is kept; an empty name, or a program without a build id, keeps
  /// nothing.
  explicit Cache(std::string folder);

  /// The user's: $XDG_CACHE_HOME/onceover or ~/.cache/onceover; empty where there is neither.
  static std::string users_folder();

  /// What was kept under that key, said to be cached where an earlier run did that: not this one, of another unit that
  /// is the same.
  std::optional<Measurement> find(const std::string& key) const;
  void keep(const std::string& key, const Measurement& measurement);

  /// Removes the files that were used longest ago until what is there is small enough. O(files).
  void prune() const;

 private:
  std::string digest_of(const std::string& key) const;
  std::string path_of(const std::string& digest) const { return folder_ + "/" + digest; }

  std::string folder_;
  std::string builds_;
  mutable std::mutex mutex_;
  std::set<std::string> kept_;  // the digests of what this run wrote
};

}  // namespace onceover::gate
