// `verify-mpi`: run by every rank under mpirun. It calls the library's collectives, and rank 0 judges what they leave.
//
// Each call is made as often as the user asks. After each, the other ranks send rank 0 their results, how often their
// operator was called, and what went wrong. They use plain messages, because collectives are under test. Rank 0 numbers
// the different values, judges, looks for the schedule with these terms if that is asked for, and reports all calls at
// the end.
//
// Example: mpirun -n 7 verify-mpi --collective allreduce --count 1 makes one call; ranks 1 to 6 send an element each.
//
// The program ends even if libraries crash or hang: a call is watched, and a crash or too long a wait in it ends the
// process (watch.h). Rank 0 holds the results of one call and its repeats at a time: each rank's elements, as numbers.

#include "live/mpi/verify_mpi.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/rows.h"
#include "live/live_report.h"
#include "live/match.h"
#include "live/mpi/collectives.h"
#include "live/mpi/watch.h"
#include "live/options.h"
#include "live/scope.h"

namespace onceover::live {

namespace {

/// A function of MPI, and the file of the library that defines it instead of the MPI.
struct Interposed {
  std::string function;  // "MPI_Allreduce"
  std::string file;
};

/// The library that defines a function: its address, and its file.
std::optional<Dl_info> library_of(const std::string& function) {
  Dl_info info{};
  void* const address = dlsym(RTLD_DEFAULT, function.c_str());
  if (address == nullptr || dladdr(address, &info) == 0) return std::nullopt;
  return info;
}

/// "MPI_Ireduce_scatter" for "ireduce-scatter".
std::string function_of(const LiveCall& call) {
  std::string name = call.name();
  std::replace(name.begin(), name.end(), '-', '_');
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "MPI_" + name;
}

/// The functions that the calls need and that another library defines than their profiling form, each once, as the
/// dynamic linker of this process resolves them.
std::vector<Interposed> interposed(const std::vector<LiveCall>& calls) {
  auto functions = mapped(calls, function_of);
  std::sort(functions.begin(), functions.end());
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  std::vector<Interposed> list;
  for (const std::string& function : functions) {
    const auto called = library_of(function), own = library_of("P" + function);
    if (called && own && called->dli_fbase != own->dli_fbase) list.push_back({function, called->dli_fname});
  }
  return list;
}

/// Far from the tags of a user's allreduce, which may number its steps and leave messages behind.
constexpr int results_tag = 32765;
constexpr int joins_tag = 32766;
constexpr int faults_tag = 32767;

/// Spans MPI_Init to MPI_Finalize.
class World {
 public:
  World(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  ~World() { MPI_Finalize(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Rank rank() const { return rank_; }
  Rank ranks() const { return ranks_; }

 private:
  int rank_ = 0;
  int ranks_ = 1;
};

/// "Open MPI v4.1.4, .. (MPI 3.1)": the first line of the library's description of itself.
std::string library_text() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0, version = 0, subversion = 0;
  MPI_Get_library_version(text, &length);
  MPI_Get_version(&version, &subversion);
  std::string line(text);
  line = line.substr(0, line.find('\n'));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return fmt::format("{} (MPI {}.{})", line, version, subversion);
}

/// The libraries that define functions instead of the MPI: "; MPI_Allreduce of ./right.so".
std::string interposed_text(const std::vector<LiveCall>& calls) {
  std::string text;
  for (const Interposed& other : interposed(calls)) text += fmt::format("; {} of {}", other.function, other.file);
  return text;
}

/// Sends results to rank 0 by plain messages, one rank after the other, because collectives are under test.
class Gathering {
 public:
  Gathering(const World& world, const ElementFormat& format, Values& values)
      : world_(world), format_(format), values_(values) {}

  /// On rank 0, what all ranks have; on other ranks, nothing.
  CallOutcome gather(const LiveCall& call, Called& own) {
    CallOutcome outcome;
    if (world_.rank() != 0) {
      send(call, own);
      return outcome;
    }
    outcome.cells.resize(static_cast<std::size_t>(world_.ranks()));
    for (Rank r = 0; r < world_.ranks(); ++r) {
      Called called = r == 0 ? std::move(own) : receive(call, r);
      if (!called.fault.empty()) outcome.faults.push_back(called.fault);
      outcome.joins.push_back(std::move(called.joins));
      read(called.result, due(call, r).size(), outcome.cells[static_cast<std::size_t>(r)]);
    }
    return outcome;
  }

 private:
  void send(const LiveCall& call, Called& own) {
    const std::size_t bytes = due(call, world_.rank()).size() * format_.size();
    MPI_Send(own.result.data(), static_cast<int>(bytes), MPI_BYTE, 0, results_tag, MPI_COMM_WORLD);
    MPI_Send(own.joins.data(), static_cast<int>(own.joins.size()), MPI_UINT32_T, 0, joins_tag, MPI_COMM_WORLD);
    MPI_Send(own.fault.data(), static_cast<int>(own.fault.size()), MPI_CHAR, 0, faults_tag, MPI_COMM_WORLD);
  }

  Called receive(const LiveCall& call, Rank from) {
    CallBuffer result(format_, due(call, from).size());
    MPI_Recv(result.data(), static_cast<int>(result.bytes()), MPI_BYTE, from, results_tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    std::vector<std::uint32_t> joins(call.collective->reduces() ? given(call, from) : 0);
    MPI_Recv(joins.data(), static_cast<int>(joins.size()), MPI_UINT32_T, from, joins_tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Status status;
    int length = 0;
    MPI_Probe(from, faults_tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string fault(static_cast<std::size_t>(length), ' ');
    MPI_Recv(fault.data(), length, MPI_CHAR, from, faults_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return {std::move(result), std::move(joins), std::move(fault)};
  }

  void read(CallBuffer& result, std::size_t elements, std::vector<Cell>& cells) {
    for (std::size_t k = 0; k < elements; ++k)
      cells.push_back({values_.add(format_, result.element(k)), format_.position(result.element(k))});
  }

  const World& world_;
  const ElementFormat& format_;
  Values& values_;
};

class Session {
 public:
  Session(const World& world, const Options& options, SchedulePtr schedule)
      : world_(world),
        options_(options),
        schedule_(std::move(schedule)),
        format_(world.ranks()),
        matcher_(world.ranks()) {}

  ExitCode run() {
    std::vector<LiveRun> runs;
    for (const LiveCall& call : options_.calls) {
      LiveRun run = judged(call);
      if (world_.rank() == 0) runs.push_back(std::move(run));
    }
    if (world_.rank() != 0) return ExitCode::ok;
    const std::string library = library_text() + interposed_text(options_.calls);
    return give_runs(library, runs, options_);
  }

 private:
  LiveRun judged(const LiveCall& call) {
    const Recorder recorder(format_, call.commutative);
    Values values(world_.ranks());
    Gathering gathering(world_, format_, values);
    std::vector<CallOutcome> repeats;
    for (int k = 0; k < repeats_of(options_, call); ++k) {
      format_.next_call();
      Called called = watched(call, recorder);
      repeats.push_back(gathering.gather(call, called));
    }
    if (world_.rank() != 0) return LiveRun{.call = call, .element_bytes = 0, .repeats = 0, .report = {}};
    LiveRun run = judged_run(call, format_, values, repeats, options_, matcher_);
    if (schedule_) compare_with_schedule(call, values, repeats[0], run);
    return run;
  }

  /// Adds a fault if the terms aren't the schedule's.
  void compare_with_schedule(const LiveCall& call, const Values& values, const CallOutcome& outcome, LiveRun& run) {
    Matched matched = matcher_.compare_with(*schedule_, call, values, outcome);
    if (!matched.same) {
      run.report.faults.push_back(fmt::format("the terms are not those of {}", options_.schedule));
      run.report.verdict = Verdict::fail;
    }
    run.match = std::move(matched.json);
    run.match_text = std::move(matched.text);
  }

  Called watched(const LiveCall& call, const Recorder& recorder) {
    const WatchedCall watch(fmt::format("{} of {} ranks, count {}", call.name(), call.ranks, call.count),
                            options_.seconds);
    return carry_out(call, format_, recorder, world_.rank());
  }

  const World& world_;
  const Options& options_;
  SchedulePtr schedule_;  // the library's terms must be its, if there is one
  ElementFormat format_;
  Matcher matcher_;
};

}  // namespace

ExitCode run_rank(int argc, char** argv, bool simulated) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const World world(argc, argv);
  auto fail = [&](ExitCode code, const std::string& message) {
    if (world.rank() == 0) fmt::print(stderr, "verify-mpi: {}\n", message);
    return code;
  };
  if (world.ranks() > ElementFormat::most_ranks)
    return fail(ExitCode::usage, fmt::format("at most {} ranks", ElementFormat::most_ranks));
  const Result<Options> options = read_options(words, world.ranks());
  if (!options) return fail(options.error().code, options.error().message);
  if (!options->help.empty()) {
    if (world.rank() == 0) fmt::print("{}", options->help);
    return ExitCode::ok;
  }
  if (options->preloaded && interposed(options->calls).empty())
    return fail(ExitCode::usage, "--preload: the library isn't loaded, or defines none of the collectives to call");
  const auto schedule = schedule_for(*options);
  if (!schedule) return fail(schedule.error().code, schedule.error().message);
  watch_for_crashes(simulated ? "a rank" : fmt::format("rank {}", world.rank()));
  return Session(world, *options, *schedule).run();
}

}  // namespace onceover::live
