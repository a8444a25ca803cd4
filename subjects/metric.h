// The measures that limits are about: one table.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "network/link_loads.h"

namespace onceover::subjects {

/// A row: a name that limits may use.
struct Metric {
  /// What it takes to know it.
  enum class Source {
    shape,      // of the subject, as given; no measure of how good it is
    transfers,  // a judged schedule
    staging,    // its blocks replayed
    network,    // its messages followed through a network
    program,    // a judged program
  };

  std::string_view name;
  std::string_view meaning;
  Source source;
  bool less_is_better = true;
};

/// All rows. Limits know a metric by its position here.
std::span<const Metric> metrics();

std::optional<std::size_t> metric_named(std::string_view name);

/// What is known of a subject, exactly, by the names of metrics.
struct Measures {
  std::map<std::string, Rational, std::less<>> known = {};
  std::map<std::string, std::string, std::less<>> missing = {};  // why one that was asked for is not known
};

/// "7", "1.2", "22/7 (about 3.142857)".
std::string number_text(const Rational& number);

}  // namespace onceover::subjects
