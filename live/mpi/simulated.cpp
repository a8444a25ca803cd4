// `verify-mpi-simgrid`: all ranks in this process, over the network of SimGrid's simulator, whose MPI is under test.
//
//   verify-mpi-simgrid --p 7 --hosts each --cfg=smpi/allreduce:lr --collective allreduce
//
// --p is the number of ranks, and --hosts says which of them share a host, which algorithms that know of hosts depend
// on.
// --cfg and --log are SimGrid's own; the rest is that of verify-mpi. Ranks take turns: one runs until it waits. Each
// host has a link of its own to a switch that is never busy. What the computer needs for its work takes no simulated
// time, so that every run is the same.

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "live/mpi/verify_mpi.h"
#include "live/mpi/watch.h"
#include "live/options.h"

// SMPI exports it, and its own loader calls it first. Before, it has no settings for collectives.
extern "C" void smpi_init_options();

namespace onceover::live {

namespace {

namespace s4u = simgrid::s4u;

constexpr int most_ranks = 8000;

/// Hosts around a switch, so many as the ranks need with `per_host` on each.
std::vector<s4u::Host*> make_hosts(int ranks, int per_host) {
  using Direction = s4u::LinkInRoute::Direction;
  auto* zone = s4u::create_star_zone("hosts");
  std::vector<s4u::Host*> hosts;
  for (int h = 0; h * per_host < ranks; ++h) {
    auto* host = zone->create_host(fmt::format("host{}", h), "1Gf")->seal();
    const auto* link = zone->create_link(fmt::format("link{}", h), "1GBps")->set_latency("1us")->seal();
    const auto* inside = zone->create_link(fmt::format("inside{}", h), "10GBps")->set_latency("100ns")->seal();
    auto* point = host->get_netpoint();
    zone->add_route(point, nullptr, nullptr, nullptr, {{link, Direction::NONE}}, true);
    zone->add_route(point, point, nullptr, nullptr, {{inside, Direction::NONE}}, false);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

/// Runs the ranks until all have ended, and returns the exit code of rank 0.
ExitCode simulate(int ranks, int per_host, const std::vector<std::string>& words) {
  const auto hosts = make_hosts(ranks, per_host);
  ExitCode code = ExitCode::internal;
  SMPI_app_instance_register("verify-mpi", nullptr, ranks);
  SMPI_init();
  for (int rank = 0; rank < ranks; ++rank) {
    const auto actor = s4u::Actor::init(fmt::format("rank{}", rank), hosts[static_cast<std::size_t>(rank / per_host)]);
    actor->set_property("instance_id", "verify-mpi");
    actor->set_property("rank", std::to_string(rank));
    actor->start([&code, &words, rank] {
      std::vector<std::string> own = words;
      std::vector<char*> arguments;
      for (std::string& word : own) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      const ExitCode end = run_rank(static_cast<int>(own.size()), arguments.data(), true);
      if (rank == 0) code = end;
    });
  }
  s4u::Engine::on_deadlock_cb(end_deadlocked);
  s4u::Engine::get_instance()->run();
  SMPI_finalize();
  return code;
}

ExitCode run_program(int argc, char** argv) {
  smpi_init_options();
  std::string quiet = "--log=root.thres:critical";
  std::vector<char*> all(argv, argv + argc);
  all.insert(all.begin() + 1, quiet.data());
  all.push_back(nullptr);
  int count = argc + 1;
  s4u::Engine engine(&count, all.data());
  for (const char* setting : {"smpi/simulate-computation:no", "smpi/host-speed:1Gf", "smpi/errors-are-fatal:no"})
    s4u::Engine::set_config(setting);

  std::vector<std::string> words(all.data(), all.data() + count);
  const std::string asked_ranks = take_option(words, "--p", "4"), asked_hosts = take_option(words, "--hosts", "each");
  const auto ranks = number_to(most_ranks, asked_ranks);
  const auto per_host = asked_hosts == "each"  ? 1
                        : asked_hosts == "one" ? most_ranks
                                               : number_to(most_ranks, asked_hosts);
  if (!ranks || !per_host) {
    fmt::print(stderr, "verify-mpi: expected --p 1 to {}, and --hosts each, one or ranks a host; found '{}' and '{}'\n",
               most_ranks, asked_ranks, asked_hosts);
    return ExitCode::usage;
  }
  return simulate(*ranks, *per_host, words);
}

}  // namespace

}  // namespace onceover::live

int main(int argc, char** argv) {
  const auto code = onceover::live::run_program(argc, argv);
  std::fflush(stdout);
  std::_Exit(static_cast<int>(code));  // SimGrid's own end frees what ranks still hold
}
