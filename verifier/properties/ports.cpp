// ports: how many messages does a rank send, and receive, in one step?

#include <fmt/format.h>

#include "verifier/property.h"

namespace onceover::verifier {

namespace {

/// The most messages that a rank sends, or receives, in one step.
struct Busiest {
  std::uint64_t messages = 0;
  Rank rank = 0;
  int step = 0;
};

/// Counts the messages of each rank at one step.
class Counter {
 public:
  explicit Counter(Rank ranks) : counts_(static_cast<std::size_t>(ranks)) {}

  void add(Rank rank, int step, std::optional<std::uint64_t> bound) {
    const std::uint64_t count = ++counts_[static_cast<std::size_t>(rank)];
    if (count > busiest.messages) busiest = {count, rank, step};
    if (bound && count == *bound + 1) ++over;
  }

  void clear(Rank rank) { counts_[static_cast<std::size_t>(rank)] = 0; }

  Busiest busiest;
  std::uint64_t over = 0;  // (rank, step) pairs above the bound

 private:
  std::vector<std::uint64_t> counts_;
};

Finding check_ports(const Schedule& schedule, const Bounds& bounds) {
  Counter sends(schedule.header().ranks);
  Counter receives(schedule.header().ranks);
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    std::erase_if(transfers, [](const Transfer& t) { return t.is_local(); });
    for (const Transfer& t : transfers) {
      sends.add(t.src, step, bounds.ports);
      receives.add(t.dst, step, bounds.ports);
    }
    for (const Transfer& t : transfers) {
      sends.clear(t.src);
      receives.clear(t.dst);
    }
  }
  const Names& names = schedule.header().names;
  const std::string most =
      sends.busiest.messages == 0
          ? "nothing is sent"
          : fmt::format("sends at once: at most {} (rank {}, step {}); receives: at most {} (rank {}, step {})",
                        sends.busiest.messages, names.rank(sends.busiest.rank), names.step(sends.busiest.step),
                        receives.busiest.messages, names.rank(receives.busiest.rank),
                        names.step(receives.busiest.step));
  if (!bounds.ports) return {Verdict::pass, most + "; no limit given, see --ports"};
  const std::string summary = fmt::format("{}; the limit is {}", most, *bounds.ports);
  const std::uint64_t over = sends.over + receives.over;
  if (over == 0) return {Verdict::pass, summary};
  const bool is_send = sends.busiest.messages >= receives.busiest.messages;
  const Busiest& busiest = is_send ? sends.busiest : receives.busiest;
  return {
      Verdict::fail, summary,
      Counterexample{.what = Counterexample::Ports{{is_send ? "sends" : "receives"}, busiest.messages, *bounds.ports},
                     .rank = busiest.rank,
                     .step = busiest.step},
      over};
}

}  // namespace

const Property ports_property{
    .id = "ports",
    .asks = "no rank sends, or receives, more messages in a step than asked for (--ports)",
    .required_by_default = false,
    .matters =
        R"(A step costs one latency only if the network takes all its messages at once. A rank of a D-dimensional torus has 2D ports,
most others one; what exceeds them is sent one after the other, and a schedule that looks short isn't.)",
    .example = R"({"format":"onceover-schedule","version":1,"collective":"broadcast","ranks":3,"blocks":1,"root":0,
"steps":[
[{"src":0,"dst":1,"blocks":[0],"op":"copy"}, {"src":0,"dst":2,"blocks":[0],"op":"copy"}]
]}
)",
    .remedy = "Spread the messages over more steps, or over more ranks that can send them.",
    .of_schedule = check_ports,
    .bound =
        Bound{
            .number = &Bounds::ports,
            .help = "Require that no rank sends, or receives, more than K messages in a step (implies --require ports)",
            .question = "how many there are",
            .limit = "max_sends_per_rank_step <= 2",
            .is_plural = true},
};

}  // namespace onceover::verifier
