// Each machine is a process of the simulator, which takes 0.1 s to start; calls cost little. So what is chosen besides
// the user's calls are few machines: hosts of unequal size, on which only the first or the last rank is alone, and one
// on which each send waits for its receive. In place, other communicators and long messages are calls of the first.
//
// Example: allreduce with p = 4. The first machine makes the calls with 0 to 1000 elements, p+1 also on a communicator
// whose ranks run backwards; then all of them in place, and both ways with 8193p elements. Hosts 1,3 and 3,1 and sends
// that wait get two calls each.

#include "code/trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "base/try.h"
#include "live/scope.h"
#include "subjects/rank_list.h"

namespace onceover::code {

namespace {

using live::LiveCall;
using live::Options;

/// More elements than fit into 64 KiB, from where on libraries send in another way.
constexpr int long_message = 8193;

class Chooser {
 public:
  Chooser(const Asked& asked, const Options& options, Rank ranks) : asked_(asked), options_(options), ranks_(ranks) {}

  Result<std::vector<CodeTrial>> run() {
    const auto sizes = asked_.hosts ? TRY(asked_.hosts->sizes(ranks_)) : own_hosts(ranks_);
    CodeTrial& first = add(sizes, !asked_.is_unbuffered);
    for (const LiveCall& call : options_.calls)
      first.calls.push_back({call, communicators(call), options_.repeats, asked_.orders});
    if (asked_.is_quick) return std::move(list_);
    add_long(first, false);
    if (has_in_place()) add_in_place(first);
    add_hosts();
    add_unbuffered(sizes);
    return std::move(list_);
  }

 private:
  CodeTrial& add(const std::vector<Rank>& sizes, bool buffers_sends) {
    const Machine machine{.ranks = ranks_, .hosts = sizes, .buffers_sends = buffers_sends};
    const std::string hosts = hosts_text(sizes);
    return list_.emplace_back(
        CodeTrial{.machine = machine, .calls = {}, .setting = hosts == "each" ? "" : "hosts " + hosts});
  }

  std::vector<Communicator> communicators(const LiveCall& call) const {
    if (!asked_.communicators.empty()) return asked_.communicators;
    const bool is_also_elsewhere = !asked_.is_quick && ranks_ > 1 && call.count == middle();
    return is_also_elsewhere ? std::vector{Communicator::world, Communicator::backwards}
                             : std::vector{Communicator::world};
  }

  /// A count that isn't special: p+1, or of the user's counts the largest up to 1000, or else the smallest.
  int middle() const {
    int found = options_.calls.front().count;
    for (const LiveCall& call : options_.calls)
      if (call.count <= 1000 && (options_.said.counts || call.count <= ranks_ + 1)) found = std::max(found, call.count);
    return found;
  }

  /// Those of the calls that are made on every machine.
  std::vector<CallTries> few() const {
    int least = 0;
    for (const LiveCall& call : options_.calls)
      if (call.count > 0 && (least == 0 || call.count < least)) least = call.count;
    std::vector<CallTries> calls;
    for (const LiveCall& call : options_.calls)
      if (call.count == least || call.count == middle()) calls.push_back({call});
    return calls;
  }

  bool has_in_place() const {
    return !asked_.avoids_in_place && !options_.said.in_place && options_.calls.front().collective->has_in_place;
  }

  /// Last, because code that takes MPI_IN_PLACE for a buffer ends the process.
  void add_in_place(CodeTrial& trial) const {
    const auto first = static_cast<std::ptrdiff_t>(trial.calls.size());
    for (const LiveCall& call : options_.calls) trial.calls.push_back({call});
    add_long(trial, true);
    std::for_each(trial.calls.begin() + first, trial.calls.end(), [](CallTries& tries) {
      tries.call.in_place = true;
      tries.is_offered = true;
    });
  }

  void add_long(CodeTrial& trial, bool in_place) const {
    if (options_.said.counts || asked_.has_digits) return;
    for (LiveCall call : options_.calls) {
      if (call.count != options_.calls.front().count || call.root != options_.calls.back().root) continue;
      call.count = live::counts_whole_vector(*call.collective) ? long_message * ranks_ : long_message;
      call.in_place = call.in_place || in_place;
      trial.calls.push_back({call});
    }
  }

  void add_hosts() {
    if (asked_.hosts || ranks_ < 3) return;
    for (const auto& sizes : {std::vector<Rank>{1, ranks_ - 1}, std::vector<Rank>{ranks_ - 1, 1}})
      add(sizes, !asked_.is_unbuffered).calls = few();
  }

  void add_unbuffered(const std::vector<Rank>& sizes) {
    if (asked_.is_unbuffered || ranks_ < 2) return;
    CodeTrial& trial = add(sizes, false);
    trial.calls = few();
    trial.setting += fmt::format("{}sends not buffered", trial.setting.empty() ? "" : ", ");
    trial.judges_buffering = true;
  }

  const Asked& asked_;
  const Options& options_;
  Rank ranks_;
  std::vector<CodeTrial> list_;
};

std::string counts_text(const Asked& asked, const Options& options) {
  if (options.said.counts) return "counts " + *options.said.counts;
  const std::string_view usual = "counts 0, 1, p-1, p, p+1, 1000";
  if (asked.is_quick || asked.has_digits) return std::string(usual);
  return fmt::format("{}, {}{}", usual, long_message,
                     live::counts_whole_vector(*options.calls.front().collective) ? "p" : "");
}

/// The layouts of the calls; none if they are all that the collective has.
std::vector<std::string_view> chosen_layouts(const Options& options) {
  std::vector<std::string_view> chosen;
  for (const LiveCall& call : options.calls)
    add_new(chosen, live::layout_names()[static_cast<std::size_t>(call.layout)]);
  if (chosen.size() == layouts_of(*options.calls.front().collective).size()) chosen.clear();
  return chosen;
}

std::string communicators_text(const Asked& asked) {
  if (asked.communicators.empty())
    return asked.is_quick ? "on MPI_COMM_WORLD" : "on MPI_COMM_WORLD and in another order of ranks";
  std::vector<std::string_view> names;
  for (const Communicator each : asked.communicators) names.push_back(name(each));
  return fmt::format("on the communicators {}", fmt::join(names, ", "));
}

std::string hosts_scope(const Asked& asked, std::span<const Rank> ranks) {
  if (asked.hosts) return "hosts " + asked.hosts->text();
  if (asked.is_quick || ranks.back() < 3) return "a host for each rank";
  return "hosts each, 1,p-1 and p-1,1";
}

std::string buffering_text(const Asked& asked, std::span<const Rank> ranks) {
  if (asked.is_unbuffered) return "sends not buffered";
  return asked.is_quick || ranks.back() < 2 ? "sends buffered" : "sends buffered and not";
}

}  // namespace

CodeTrial plain_trial(const Machine& machine, const Options& options) {
  CodeTrial trial{.machine = machine, .calls = {}};
  for (const LiveCall& call : options.calls) trial.calls.push_back({.call = call, .repeats = options.repeats});
  return trial;
}

Result<std::vector<CodeTrial>> trials(const Asked& asked, const Options& options, Rank ranks) {
  return Chooser(asked, options, ranks).run();
}

std::string scope_text(const Asked& asked, const Options& options, std::span<const Rank> ranks,
                       const KnownOfCode& known) {
  const live::LiveCollective& collective = *options.calls.front().collective;
  std::vector<std::string> parts{"p = " + rank_list_text({ranks.begin(), ranks.end()}), counts_text(asked, options)};
  if (const auto layouts = chosen_layouts(options); !layouts.empty())
    parts.push_back(fmt::format("layout {}", fmt::join(layouts, ", ")));
  if (collective.has_in_place)
    parts.push_back(options.said.in_place                                       ? "in place"
                    : asked.is_quick || asked.avoids_in_place || known.in_place ? "not in place"
                                                                                : "in place and not");
  if (collective.has_root()) parts.push_back(live::roots_text(options, ranks));
  if (collective.reduces() && !asked.has_digits) parts.push_back(live::operators_text(options));
  parts.push_back(communicators_text(asked));
  parts.push_back(hosts_scope(asked, ranks));
  parts.push_back(known.buffering.empty() ? buffering_text(asked, ranks) : known.buffering);
  if (asked.orders > 0) parts.push_back(fmt::format("{} other orders of arrival", asked.orders));
  for (const std::string& id : options.waived) parts.push_back(id + " waived");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> not_tried(const Asked& asked, const Options& options, const KnownOfCode& known) {
  const live::LiveCollective& collective = *options.calls.front().collective;
  std::vector<std::string> list;
  if ((asked.is_quick || asked.avoids_in_place) && collective.has_in_place && !options.said.in_place)
    list.emplace_back("in place");
  if (known.in_place)
    list.push_back(fmt::format("in place (it takes MPI_IN_PLACE for a buffer at {})", *known.in_place));
  if (options.said.in_place) list.emplace_back("input and result apart");
  if (asked.is_quick && !options.said.counts) list.emplace_back("messages above 64 KiB");
  if (options.said.counts) list.emplace_back("other counts");
  if (!chosen_layouts(options).empty()) list.emplace_back("other layouts");
  if (asked.is_quick && collective.has_root() && !options.said.roots) list.emplace_back("other roots");
  if (asked.is_quick && asked.communicators.empty()) list.emplace_back("other communicators");
  if (asked.is_quick && !asked.hosts) list.emplace_back("unequal hosts");
  if (asked.is_quick && !asked.is_unbuffered) list.emplace_back("sends that wait for their receives");
  if (collective.reduces() && live::all_commute(options) && !asked.has_digits)
    list.emplace_back("operators that don't commute (--both-operators)");
  if (asked.orders == 0) list.emplace_back("other orders of arrival (--orders)");
  list.emplace_back("datatypes with gaps, of other sizes, or others at the receiver");
  return list;
}

}  // namespace onceover::code
