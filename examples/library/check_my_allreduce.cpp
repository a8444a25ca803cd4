// An allreduce of one's own, as a schedule, and its verdict for every p from 2 to 64.
#include <cstdlib>
#include <iostream>

#include "schedules/listed_schedule.h"
#include "verifier/verify.h"

using namespace onceover::verifier;

namespace {

/// Every rank sends every block to its neighbour p-1 times: first each adds what it gets, then each keeps it.
ListedSchedule my_allreduce(Rank p) {
  ListedSchedule::Builder steps;
  const auto send_to_the_next = [&](Rank delay, Op op) {
    for (Rank s = 0; s < p - 1; ++s) {
      steps.begin_step();
      for (Rank r = 0; r < p; ++r) {
        const Block block = (r - s + delay + p) % p;
        const Run run{block, block};
        steps.add(r, (r + 1) % p, {&run, 1}, op);
      }
    }
  };
  send_to_the_next(-1, Op::reduce);
  send_to_the_next(0, Op::copy);
  return {Header{.collective = Collective::allreduce, .ranks = p, .blocks = p}, std::move(steps)};
}

}  // namespace

int main() {
  for (Rank p = 2; p <= 64; ++p) {
    const Report report = verify(my_allreduce(p));
    for (const PropertyResult& property : report.properties)
      if (property.required && property.verdict != Verdict::pass) {
        std::cout << "p = " << p << ": " << property.id << ": " << property.summary << '\n';
        return EXIT_FAILURE;
      }
  }
  std::cout << "my allreduce is right for every p from 2 to 64\n";
}
