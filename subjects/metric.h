// Metric: one table of the measures that limits are about.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "network/link_loads.h"

namespace onceover::subjects {

/// A row: a name that limits can use.
struct Metric {
  /// Where its value comes from.
  enum class Source {
    shape,      // the subject's shape, as given; it doesn't measure quality
    transfers,  // a judged schedule
    staging,    // a schedule whose blocks are replayed
    network,    // a schedule whose messages are followed through a network
    bound,      // the network, for the schedule's collective
    program,    // a judged program
  };

  std::string_view name;
  std::string_view meaning;
  Source source;
  bool less_is_better = true;
  std::string_view beside = {};  // the metric with which it is compared, if it says something about one alone
};

/// All rows. Limits refer to a metric by its position here.
std::span<const Metric> metrics();

std::optional<std::size_t> metric_named(std::string_view name);

/// The known measures of a subject, exactly, by the names of metrics.
struct Measures {
  std::map<std::string, Rational, std::less<>> known = {};
  std::map<std::string, std::string, std::less<>> missing = {};  // why a measure that was asked for isn't known
};

/// "7", "1.2", "22/7 (about 3.142857)".
std::string number_text(const Rational& number);

}  // namespace onceover::subjects
