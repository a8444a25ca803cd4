// Cache: measurements kept from run to run, under the content of everything that they depend on.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/namespaces.h"
#include "units/measurement.h"

namespace onceover::gate {

/// The SHA-256 of a text, by Nettle, as 64 hexadecimal digits.
std::string sha256(std::string_view text);

/// A folder of measurements. The name of a file is the SHA-256 of the key, which is everything that the measurement
/// depends on, together with the linker's build ids of this program and its libraries. So another build finds nothing
/// of this one's. The file also holds the SHA-256 of its content, which reveals damage but not who wrote it: anyone who
/// can write to the folder can change verdicts. Only settled verdicts are kept. A file that can't be read or written,
/// or isn't complete, counts as missing. Several threads may use it.
class Cache {
 public:
  /// Uses this folder, which is made when something is kept. With an empty name, or in a program without a build id,
  /// nothing is kept.
  explicit Cache(std::string folder);

  /// The user's folder: $XDG_CACHE_HOME/onceover or ~/.cache/onceover; empty if neither exists.
  static std::string users_folder();

  /// What was kept under that key. It is marked as cached if an earlier run kept it, but not if this run did, for
  /// another unit with the same key.
  std::optional<Measurement> find(const std::string& key) const;
  void keep(const std::string& key, const Measurement& measurement);

  /// Removes the files that were used longest ago until the folder is small enough. O(files).
  void prune() const;

 private:
  std::string digest_of(const std::string& key) const;
  std::string path_of(const std::string& digest) const { return folder_ + "/" + digest; }

  std::string folder_;
  std::string builds_;
  mutable std::mutex mutex_;
  std::set<std::string> kept_;  // the digests that this run wrote
};

}  // namespace onceover::gate
