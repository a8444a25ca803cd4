// `verify-mpi-gloo`: the collectives of Gloo, judged as those of an MPI are. The ranks are threads of this process.
//
//   verify-mpi-gloo --p 6 --algorithm AllreduceHalvingDoubling --collective allreduce --count 1,p
//
// --p is the number of ranks, --algorithm one of those that `--settings` lists; the rest is that of verify-mpi. Gloo
// has reductions by functions of the user, which must commute. What a call throws is a fault. After it, ranks are
// connected anew. A call that waits longer than --call-time-limit throws; watch.h ends one that doesn't.

#include <fmt/format.h>
#include <gloo/config.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/hash_store.h>
#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "live/gloo/algorithms.h"
#include "live/live_report.h"
#include "live/match.h"
#include "live/mpi/watch.h"
#include "live/options.h"
#include "live/scope.h"

namespace onceover::live {

namespace {

/// Runs `body` for each rank in a thread, until all have ended.
std::vector<std::string> in_threads(std::size_t ranks, const std::function<void(Rank)>& body) {
  std::vector<std::string> thrown(ranks);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < ranks; ++k)
    threads.emplace_back([&, k] {
      try {
        body(static_cast<Rank>(k));
      } catch (const std::exception& e) {
        thrown[k] = e.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

/// The ranks of Gloo as threads of this process: a context for each, connected with all others by TCP over the loopback
/// interface.
///
/// Contexts live until all ranks have ended, since one that closes early makes others fail. A call that throws leaves
/// them unusable. O(ranks^2) connections.
class Mesh {
 public:
  /// A wait longer than `most` throws.
  Mesh(Rank ranks, std::chrono::milliseconds most) : contexts_(static_cast<std::size_t>(ranks)) {
    gloo::rendezvous::HashStore store;
    const auto thrown = in_threads(contexts_.size(), [&](Rank rank) {
      gloo::transport::tcp::attr attributes;
      attributes.iface = "lo";
      auto device = gloo::transport::tcp::CreateDevice(attributes);
      auto context = std::make_shared<gloo::rendezvous::Context>(rank, ranks);
      context->setTimeout(most);
      context->connectFullMesh(store, device);
      contexts_[static_cast<std::size_t>(rank)] = context;
    });
    for (const std::string& text : thrown)
      if (!text.empty()) throw std::runtime_error("Gloo's ranks can't be connected: " + text);
  }

  /// Runs a function on every rank, each in a thread. What a rank's function throws is the rank's text, else empty.
  std::vector<std::string> run(const std::function<void(Rank, const std::shared_ptr<gloo::Context>&)>& body) {
    return in_threads(contexts_.size(), [&](Rank rank) { body(rank, contexts_[static_cast<std::size_t>(rank)]); });
  }

 private:
  std::vector<std::shared_ptr<gloo::rendezvous::Context>> contexts_;
};

std::string_view name_of(CallKind kind) {
  const auto all = live_collectives();
  return std::find_if(all.begin(), all.end(), [&](const LiveCollective& c) { return c.kind == kind; })->name;
}

const GlooAlgorithm* find(CallKind kind, const std::string& name) {
  const auto all = gloo_algorithms();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const GlooAlgorithm& a) { return a.kind == kind && a.name == name; });
  return found == all.end() ? nullptr : &*found;
}

class Session {
 public:
  Session(Rank ranks, std::string algorithm, const Options& options)
      : ranks_(ranks), algorithm_(std::move(algorithm)), options_(options), format_(most_gloo_ranks), matcher_(ranks) {}

  ExitCode run() {
    std::vector<LiveRun> runs;
    for (const LiveCall& call : options_.calls) runs.push_back(judged(call));
    const std::string library =
        fmt::format("Gloo {}.{}.{}, over TCP", GLOO_VERSION_MAJOR, GLOO_VERSION_MINOR, GLOO_VERSION_PATCH);
    return give_runs(library, runs, options_);
  }

 private:
  LiveRun judged(const LiveCall& call) {
    Values values(ranks_);
    std::vector<CallOutcome> repeats;
    for (int k = 0; k < repeats_of(options_, call); ++k) {
      format_.next_call();
      repeats.push_back(called(call, values));
    }
    return judged_run(call, format_, values, repeats, options_, matcher_);
  }

  CallOutcome called(LiveCall call, Values& values) {
    const GlooAlgorithm& algorithm = *find(call.collective->kind, algorithm_);
    call.in_place = algorithm.in_place;
    std::vector<CallData> data;
    for (Rank r = 0; r < ranks_; ++r) data.emplace_back(call, format_, r);
    CallOutcome outcome;
    outcome.joins.resize(data.size());
    if (!mesh_) mesh_ = std::make_unique<Mesh>(ranks_, std::chrono::seconds(options_.seconds));
    outcome.faults = run_on_all(algorithm, call, data, outcome.joins);
    outcome.cells.resize(data.size());
    for (std::size_t r = 0; r < data.size(); ++r) {
      const std::string fault = data[r].fault();
      if (!fault.empty()) outcome.faults.push_back(fault);
      for (std::size_t k = 0; k < wanted(call, static_cast<Rank>(r)); ++k) {
        const std::byte* element = data[r].result.element(k);
        outcome.cells[r].push_back({values.add(format_, element), format_.position(element)});
      }
    }
    return outcome;
  }

  /// What ranks threw. A wait that is too long is a hang rather than an error of the call.
  std::vector<std::string> run_on_all(const GlooAlgorithm& algorithm, const LiveCall& call, std::vector<CallData>& data,
                                      std::vector<std::vector<std::uint32_t>>& joins) {
    const WatchedCall watch(fmt::format("{} of {} ranks, count {}", call.name(), call.ranks, call.count),
                            2 * options_.seconds);
    ++tag_;
    std::vector<std::shared_ptr<void>> kept(data.size());
    const auto thrown = mesh_->run([&](Rank rank, const std::shared_ptr<gloo::Context>& context) {
      const auto r = static_cast<std::size_t>(rank);
      joins[r] = run_counted(algorithm, {context, call, data[r], tag_, kept[r]}, format_);
    });
    std::vector<std::string> faults;
    for (std::size_t r = 0; r < thrown.size(); ++r) {
      if (thrown[r].empty()) continue;
      const bool hangs = thrown[r].find("imed out") != std::string::npos ||  // as its functions say, and its classes
                         thrown[r].find("imeout") != std::string::npos;
      faults.push_back(fmt::format("rank {}: the call {}: {}", r, hangs ? "waits too long" : "returns an error",
                                   thrown[r].substr(0, thrown[r].find('\n'))));
    }
    if (!faults.empty()) mesh_.reset();
    return faults;
  }

  Rank ranks_;
  std::string algorithm_;
  const Options& options_;
  ElementFormat format_;
  Matcher matcher_;
  std::unique_ptr<Mesh> mesh_;  // none before the first call, and after one that throws
  std::uint32_t tag_ = 0;
};

/// Keeps the calls that Gloo has, which takes counts and no displacements; an error if there is none.
Result<void> keep_known(const std::string& algorithm, Options& options) {
  std::erase_if(options.calls, [&](const LiveCall& call) {
    return call.nonblocking || !call.commutative || call.layout == Layout::scattered ||
           find(call.collective->kind, algorithm) == nullptr;
  });
  if (!options.calls.empty()) return {};
  return usage_error(
      fmt::format("Gloo has no '{}' of these collectives, and reduces by functions that commute", algorithm));
}

Result<ExitCode> run_program(std::vector<std::string> words) {
  if (words == std::vector<std::string>{"--settings"}) {
    for (const GlooAlgorithm& row : gloo_algorithms()) fmt::print("{} {}\n", name_of(row.kind), row.name);
    return ExitCode::ok;
  }
  const std::string asked = take_option(words, "--p", "4"), algorithm = take_option(words, "--algorithm", "default");
  const auto ranks = number_to(most_gloo_ranks, asked);
  if (!ranks) return usage_error(fmt::format("--p: expected 1 to {}, found '{}'", most_gloo_ranks, asked));
  auto options = read_options(words, *ranks, {.in_place = false, .both_operators = false});
  if (!options) return tl::unexpected(options.error());
  if (!options->help.empty()) {
    fmt::print("{}", options->help);
    return ExitCode::ok;
  }
  if (const auto known = keep_known(algorithm, *options); !known) return tl::unexpected(known.error());
  watch_for_crashes("a rank");
  return Session(*ranks, algorithm, *options).run();
}

}  // namespace

}  // namespace onceover::live

int main(int argc, char** argv) {
  using namespace onceover::live;
  try {
    const auto end = run_program({argv + 1, argv + argc});
    if (!end) fmt::print(stderr, "verify-mpi: {}\n", end.error().message);
    return static_cast<int>(end ? *end : end.error().code);
  } catch (const std::exception& e) {
    fmt::print(stderr, "verify-mpi: internal error: {}\n", e.what());
    return static_cast<int>(ExitCode::internal);
  }
}
