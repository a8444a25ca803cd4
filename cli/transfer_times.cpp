#include "cli/transfer_times.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "network/simulation.h"
#include "subjects/network_plan.h"

namespace onceover::cli {

namespace {

/// The messages that a rank sends in a step and lane, in order, as positions among all transfers.
using SentInStep = std::map<std::tuple<int, Rank, int>, std::vector<std::size_t>>;

struct Places {
  std::vector<Transfer> transfers;  // of all steps
  std::vector<std::size_t> ends;    // of each step
  SentInStep sent;
};

Places places_of(const Schedule& schedule) {
  Places places;
  std::vector<Transfer> in_step;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, in_step);
    for (const Transfer& t : in_step) {
      if (!t.is_local()) places.sent[{step, t.src, t.lane}].push_back(places.transfers.size());
      places.transfers.push_back(t);
    }
    places.ends.push_back(places.transfers.size());
  }
  return places;
}

/// Fills in the times of transfers within ranks.
void time_local_transfers(const Places& places, Rank ranks, std::vector<TransferTime>& times) {
  std::vector<double> ready(static_cast<std::size_t>(ranks));
  std::size_t begin = 0;
  for (const std::size_t end : places.ends) {
    for (std::size_t k = begin; k < end; ++k)
      if (const Transfer& t = places.transfers[k]; t.is_local())
        times[k].begin = times[k].end = ready[static_cast<std::size_t>(t.src)];
    for (; begin < end; ++begin)
      if (const Transfer& t = places.transfers[begin]; !t.is_local())
        ready[static_cast<std::size_t>(t.dst)] = std::max(ready[static_cast<std::size_t>(t.dst)], times[begin].end);
  }
}

}  // namespace

Result<std::vector<TransferTime>> transfer_times(const Schedule& schedule, const Network& network, const Timing& timing,
                                                 double bytes) {
  const Places places = places_of(schedule);
  std::vector<TransferTime> times(places.transfers.size());
  const auto note = [&](const TimedMessage& m) {
    times[places.sent.at({m.step, m.src, m.lane})[m.order]] = {m.sent, m.arrived};
  };
  const auto all = timing.mode == Mode::synchronous
                       ? follow_in_time(schedule, network, timing.flows, timing.ranks, bytes, note, [](double) {})
                       : simulate(schedule, network, timing.flows, timing.ranks, bytes, note);
  if (!all) return tl::unexpected(failure_of(all.error()));
  time_local_transfers(places, schedule.header().ranks, times);
  return times;
}

}  // namespace onceover::cli
