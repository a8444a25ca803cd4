// Hosts: which ranks share a host, as the user says it for every number of ranks.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/exit_code.h"
#include "schedules/types.h"

namespace onceover::code {

/// A placement of ranks on hosts, in the order of the ranks: "each" (one on each), "one" (all on one), "4" (four on
/// each, the rest on the last), or how many on each, such as "1,3" or "1,p-1".
class Hosts {
 public:
  static Result<Hosts> parse(const std::string& text);

  /// How many ranks each host has. An error if the numbers of a list don't sum to `ranks`.
  Result<std::vector<Rank>> sizes(Rank ranks) const;

  const std::string& text() const { return text_; }

 private:
  std::string text_ = "each";
  Rank on_each_ = 1;  // of a list 0
};

/// One rank on each host.
std::vector<Rank> own_hosts(Rank ranks);

/// "1,3"; "each" and "one" where that is all there is to say.
std::string hosts_text(const std::vector<Rank>& sizes);

}  // namespace onceover::code
