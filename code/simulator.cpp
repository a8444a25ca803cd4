// SMPI ends with 0 after a deadlock and after MPI_Abort, so its exit code shows nothing good: a run is whole if the
// ledger says that every rank made all calls.
//
// The computing time of the code isn't simulated (smpi/simulate-computation:no). So the order of events depends on the
// simulated network alone, and a run can be repeated.

#include "code/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <limits>
#include <random>

#include "base/process.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/text.h"
#include "code/runtime/ledger.h"
#include "live/options.h"

namespace onceover::code {

namespace {

using live::LiveCall;

constexpr std::uint64_t most_ledger_bytes = std::uint64_t{4} << 30;
constexpr int ledger_is_full = 99;
constexpr int most_buffered_bytes = 1 << 30;

std::vector<Rank> hosts_of(const Machine& machine) {
  return machine.hosts.empty() ? own_hosts(machine.ranks) : machine.hosts;
}

std::string platform(const Machine& machine) {
  const std::size_t hosts = hosts_of(machine).size();
  const std::string head =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">";
  if (hosts > 1)
    return head + fmt::format(
                      "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" "
                      "bw=\"1GBps\" lat=\"1us\"/></platform>\n",
                      hosts - 1);
  return head +
         "<zone id=\"z\" routing=\"Full\"><host id=\"n0\" speed=\"1Gf\"/>"
         "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"FATPIPE\"/>"
         "<route src=\"n0\" dst=\"n0\"><link_ctn id=\"l\"/></route></zone></platform>\n";
}

std::string hosts(const Machine& machine) {
  std::string text;
  const std::vector<Rank> sizes = hosts_of(machine);
  for (std::size_t host = 0; host < sizes.size(); ++host)
    for (Rank r = 0; r < sizes[host]; ++r) text += fmt::format("n{}\n", host);
  return text;
}

/// When each rank begins a call, in simulated microseconds. A message takes two, so short delays mix the order of
/// messages, and the longest ones hold a rank back for a whole call.
class Delays {
 public:
  explicit Delays(unsigned order) : random_(order), most_(order == 0 ? 0 : scales[(order - 1) % scales.size()]) {}

  std::uint32_t next() { return static_cast<std::uint32_t>(random_()) % (most_ + 1); }

 private:
  static constexpr std::array<std::uint32_t, 3> scales{4, 40, 4000};
  std::mt19937 random_;
  std::uint32_t most_;
};

/// The calls as the harness reads them.
std::string calls_text(std::span<const PlannedCall> calls) {
  std::string text;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const LiveCall& call = calls[k].call;
    Delays delays(calls[k].order);
    text += fmt::format("{} {} {} {} {} {} {} {} {} {} {}", k, static_cast<int>(call.collective->kind),
                        static_cast<int>(call.layout), call.count, call.root, call.in_place ? 1 : 0,
                        call.commutative ? 1 : 0, positions_of(call), static_cast<int>(calls[k].communicator),
                        calls[k].window, calls[k].round);
    for (Rank r = 0; r < call.ranks; ++r) text += fmt::format(" {}", delays.next());
    text += fmt::format(" {}", calls[k].environment.size());
    for (const std::string& variable : calls[k].environment) text += " " + variable;
    text += "\n";
  }
  return text;
}

/// The function that the program ended in since the simulator has none: "MPI_Mprobe".
std::optional<std::string> missing_function(const std::string& errors) {
  constexpr std::string_view before = "Not yet implemented: ";
  const std::size_t at = errors.find(before);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = errors.find("MPI_", at),
                    end = errors.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", begin);
  if (begin == std::string::npos) return std::nullopt;
  return errors.substr(begin, end - begin);
}

/// The error of an MPI call that the simulator took for fatal, "MPI_ERR_TRUNCATE"; empty if there was none.
std::string mpi_error(const std::string& errors) {
  const std::size_t at = errors.find("returned MPI_ERR_");
  if (at == std::string::npos) return "";
  const std::size_t begin = errors.find("MPI_", at);
  return errors.substr(begin, errors.find_first_of(" \n", begin) - begin);
}

Ended ended(const ProcessEnd& end, const Record& record, int seconds) {
  using How = Ended::How;
  constexpr int alarm_exit = 128 + SIGALRM;
  if (end.exceeded == ProcessEnd::Exceeded::seconds || end.signal == SIGALRM || end.exit_code == alarm_exit)
    return {How::hung, fmt::format("it takes longer than {} s", seconds)};
  if (end.exit_code == ledger_is_full && end.errors.find("onceover: ") != std::string::npos)
    return {How::full, last_words(end.errors)};
  if (record.ended == record.ranks()) return {How::whole, ""};
  if (const auto function = missing_function(end.errors)) return {How::lacking, *function};
  if (end.errors.find("Deadlock detected") != std::string::npos) return {How::deadlock, ""};
  if (end.errors.find("Access violation") != std::string::npos || end.signal == 11 || end.exit_code == 139)
    return {How::crashed, "a segmentation fault"};
  if (const std::string error = mpi_error(end.errors); !error.empty())
    return {How::crashed, "an MPI call ended with " + error};
  if (const std::size_t at = end.errors.find("Assertion"); at != std::string::npos)
    return {How::crashed, end.errors.substr(at, end.errors.find('\n', at) - at)};
  if (end.exit_code == 134 || end.signal == 6) return {How::crashed, "abort or a failed assertion"};
  return {How::crashed,
          end.exit_code == 0 ? "MPI_Abort, or a rank that returned early" : fmt::format("exit code {}", end.exit_code)};
}

/// Runs a program and its arguments on a machine, whose description is written to the folder.
Result<ProcessEnd> run_on(const Machine& machine, const ScratchFolder& folder, const std::vector<std::string>& words,
                          int seconds) {
  TRY(folder.write("platform.xml", platform(machine)));
  TRY(folder.write("hosts", hosts(machine)));
  Invocation invocation{.program = "smpirun",
                        .arguments = {"-np", std::to_string(machine.ranks), "-platform", folder.file("platform.xml"),
                                      "-hostfile", folder.file("hosts"), "--cfg=smpi/simulate-computation:no",
                                      "--cfg=smpi/host-speed:1Gf", "--log=root.thres:critical"},
                        .environment = {}};
  // By itself the simulator buffers up to 64 KiB; whether sends wait is tried apart from how long they are.
  invocation.arguments.push_back(
      fmt::format("--cfg=smpi/send-is-detached-thresh:{}", machine.buffers_sends ? most_buffered_bytes : 0));
  invocation.arguments.insert(invocation.arguments.end(), words.begin(), words.end());
  auto end = run_process(invocation, {.seconds = seconds});
  if (!end) return tl::unexpected(Failure{ExitCode::internal, "code: cannot start smpirun"});
  return std::move(*end);
}

constexpr std::array<std::string_view, onceover_defects> defect_texts{
    "the simulator's nonblocking reductions lose sums of derived datatypes",
    "the simulator's scans lose sums by operators that don't commute",
    "the simulator loses a persistent send of no data that is started again before it was received",
};

/// Which ranks wait for a message that may be lost.
std::vector<bool> first_waiting(const CallRecord& made) {
  std::vector<bool> waits(made.results.size(), false);
  for (const Waiting& waiting : made.waiting)
    for (const SentMessage& message : made.messages)
      if (message.may_be_lost && !message.received && message.dst == waiting.rank &&
          (waiting.src < 0 || waiting.src == message.src) && (waiting.tag < 0 || waiting.tag == message.tag))
        waits[static_cast<std::size_t>(waiting.rank)] = true;
  return waits;
}

}  // namespace

Result<Hosts> Hosts::parse(const std::string& text) {
  constexpr Rank many = 1 << 20;  // so that p-1 is positive
  Hosts hosts;
  hosts.text_ = text;
  if (text == "each") return hosts;
  const auto parts = split(text, ',');
  const auto is_size = [](std::string_view part) {
    const auto size = live::number_in(part, many);
    return size && *size >= 1;
  };
  if (text != "one" && !std::all_of(parts.begin(), parts.end(), is_size))
    return usage_error(fmt::format(
        "--hosts: expected one, each, a number of ranks on each, or a list such as 1,3 or 1,p-1, found '{}'", text));
  const bool is_number = text != "one" && parts.size() == 1;
  hosts.on_each_ = text == "one" ? std::numeric_limits<Rank>::max()
                   : is_number   ? static_cast<Rank>(*live::number_in(text, many))
                                 : 0;
  return hosts;
}

Result<std::vector<Rank>> Hosts::sizes(Rank ranks) const {
  std::vector<Rank> list;
  if (on_each_ > 0) {
    for (Rank placed = 0; placed < ranks; placed += list.back()) list.push_back(std::min(on_each_, ranks - placed));
    return list;
  }
  std::int64_t sum = 0;
  for (const std::string_view part : split(text_, ',')) {
    const std::int64_t size = *live::number_in(part, ranks);
    if (size < 1) return usage_error(fmt::format("--hosts {}: for p = {}, '{}' is {}", text_, ranks, part, size));
    list.push_back(static_cast<Rank>(size));
    sum += size;
  }
  if (sum == ranks) return list;
  return usage_error(fmt::format("--hosts {}: these are {} ranks, and p = {}; the numbers on the hosts must sum to p",
                                 text_, sum, ranks));
}

std::vector<Rank> own_hosts(Rank ranks) {
  return std::vector<Rank>(static_cast<std::size_t>(ranks), 1);
}

std::string_view name(Communicator communicator) {
  constexpr std::array<std::string_view, 3> names{"world", "copy", "backwards"};
  return names[static_cast<std::size_t>(communicator)];
}

Result<Ran> simulate(const Executable& program, const Machine& machine, std::span<const PlannedCall> calls,
                     std::size_t first, int seconds) {
  // The program may run several times at once.
  const ScratchFolder folder = TRY(ScratchFolder::make());
  const std::string ledger = folder.file("ledger");
  TRY(folder.write("calls", calls_text(calls)));
  // The harness limits each call; this limit is for what starts it.
  const auto calls_left = static_cast<int>(std::min(calls.size() - first, std::size_t{10000}));
  const int all_seconds = std::min(seconds, 86400 / (calls_left + 1)) * (calls_left + 1);
  const ProcessEnd end = TRY(run_on(machine, folder,
                                    {program.path, ledger, std::to_string(most_ledger_bytes), folder.file("calls"),
                                     std::to_string(first), std::to_string(seconds)},
                                    all_seconds));
  Record record = TRY(read_record(ledger, machine.ranks));
  const Ended how = ended(end, record, seconds);
  return Ran{how, std::move(record)};
}

Result<bool> loses_starts(const Executable& program) {
  constexpr int seconds = 60;
  const ScratchFolder folder = TRY(ScratchFolder::make());
  const ProcessEnd end = TRY(run_on({.ranks = 2}, folder, {program.path, "probe"}, seconds));
  return end.out.find("no start is lost") == std::string::npos;
}

std::string simulator_name() {
  const auto end = run_process({.program = "smpicc", .arguments = {"-version"}}, {});
  if (!end) return "SimGrid";
  const std::string text = end->out + end->errors;
  const std::size_t at = text.find("version ");
  return at == std::string::npos ? "SimGrid"
                                 : "SimGrid " + text.substr(at + 8, text.find_first_of(" \n,", at + 8) - at - 8);
}

std::string_view defect_text(int number) {
  return defect_texts[static_cast<std::size_t>(number)];
}

bool may_wait_for_lost(const CallRecord& made) {
  const auto at = [](Rank rank) { return static_cast<std::size_t>(rank); };
  std::vector<bool> excused = first_waiting(made);
  if (!has(excused, true)) return false;
  std::vector<bool> waits(excused.size(), false);  // for a message, and not in a collective of the simulator's
  for (const Waiting& waiting : made.waiting) waits[at(waiting.rank)] = true;
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const Waiting& waiting : made.waiting) {
      if (excused[at(waiting.rank)] || waiting.src < 0 || !excused[at(waiting.src)]) continue;
      excused[at(waiting.rank)] = is_new = true;
    }
  }
  for (std::size_t r = 0; r < excused.size(); ++r)
    if (waits[r] && !excused[r]) return false;
  return true;
}

}  // namespace onceover::code
