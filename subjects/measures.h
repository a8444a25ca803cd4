// Metrics, the numbers that limits are about: the table of them, and their values for a judged schedule or program.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "network/link_loads.h"
#include "network/network.h"
#include "network/routing.h"
#include "schedules/schedule.h"
#include "subjects/network_plan.h"
#include "verifier/verify.h"

namespace onceover::subjects {

/// A row: a name that limits can use.
struct Metric {
  /// Where its value comes from.
  enum class Source {
    shape,      // the subject's shape, as given; it doesn't measure quality
    transfers,  // a judged schedule
    property,   // a property of a judged schedule, which has a bound
    network,    // a schedule whose messages are followed through a network
    bound,      // the network, for the schedule's collective
    program,    // a judged program
  };

  std::string_view name;
  std::string_view meaning;
  Source source;
  bool less_is_better = true;
  std::string_view beside = {};         // the metric with which it is compared, if it says something about one alone
  const Property* judged_by = nullptr;  // the property whose finding has its value
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

/// Measures that cost more than the verdict, so they are made only if they are asked for.
struct Wanted {
  std::vector<const Property*> properties = {};
  bool network = false;
  bool bound = false;  // goes with `network`

  void add(const Metric& metric);
};

/// The measures of a judged schedule, without those that need a network. A property's measure is known if the report
/// judged it. If the schedule isn't known to be well-formed, only the shape is known.
Measures measures_of(const Header& header, const Report& report);

/// The same for a program; if it isn't known to be well-formed, only its number of ranks is known.
Measures measures_of_program(const Header& header, const Report& report);

/// Adds what is measured of a well-formed schedule on a network, or why it isn't known. Its time is that of
/// `contention`.
void add_network(Measures& measures, const Schedule& schedule, const Network& network, Routing routing);

/// Adds the bound on the time of any schedule for that collective, or why it isn't known. Its time is that of
/// `time_bound`.
void add_bound(Measures& measures, const Header& header, const Network& network);

/// The measures of a judged schedule; an error if the network that they need can't be made.
Result<Measures> measures_of(const Schedule& schedule, const Report& report, const Wanted& wanted,
                             const NetworkOptions& network);

/// Does the report say that the schedule or program is well-formed?
bool is_well_formed(const Report& report);

/// Is the report about a plan of MSCCL++? A plan has no FIFOs, and its messages aren't counted in a row.
bool is_of_plan(const Report& report);

}  // namespace onceover::subjects
