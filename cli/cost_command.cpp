// `verify cost`: how long do algorithms take on a network, and which is the fastest for which size of the vector?
//
// A contender is an algorithm, or several versions of one, "a+b"; at each size the fastest version counts, because
// libraries choose so. What the user brings, a file, a command or a formula, is one, too, and comes first; algorithms
// beside it are for its ranks and collective. A wrong schedule is timed like the others, and named.
//
// Example: swing+swing-latency,bucket are two contenders and three schedules. Small vectors take swing-latency's time,
// large ones swing's, and the gain compares the first contender with the best of the others.
//
// A schedule is judged and routed once. Synchronous times of all sizes follow from its loads; asynchronous times take a
// simulation for each size. What a limit cuts off is named, and what was timed before it is shown.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/files.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/contention_report.h"
#include "cli/cost_report.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/plots.h"
#include "cli/program_messages.h"
#include "cli/second_subject.h"
#include "network/contention.h"
#include "papers/presets.h"
#include "papers/swing_figures.h"
#include "schedules/catalogue.h"
#include "subjects/comparison.h"
#include "subjects/run.h"

namespace onceover::cli {

namespace {

/// The letters of the papers' formulas, in ns.
struct MachineOptions {
  NumberOption alpha = {}, beta = {}, gamma = {};

  bool any() const { return alpha || beta || gamma; }
};

struct CostCommand {
  SubjectOptions subject;  // without algorithms, which are contenders
  Contenders contenders = {};
  NetworkOptions network;
  std::optional<std::vector<const Preset*>> presets = {};  // settings of papers
  MachineOptions machine = {};
  std::optional<std::vector<double>> bytes = {};           // of the vector
  std::optional<std::vector<double>> bytes_per_rank = {};  // instead of the vector's size
  std::optional<Mode> mode = {};
  std::string csv = {};
  PlotFiles plot = {};
  JsonOutput json = {};
  std::uint64_t budget = 0;
};

constexpr std::string_view default_sizes = "32..512Mi";

/// A schedule to time, and whether it is right.
struct Judged {
  SchedulePtr schedule;
  Verdict verdict;
};

/// What the user brings: a file, what a command prints, a formula. Algorithms of the catalogue may stand beside it.
struct Own {
  std::string name;
  Judged judged;
  std::optional<ProgramMessages> program = {};

  const Header& header() const { return judged.schedule->header(); }
  std::uint64_t block_bytes() const { return program ? program->block_bytes : 0; }
};

Result<Judged> judged_single(const std::vector<Subject>& subjects) {
  if (subjects.size() > 1) return usage_error("cost compares algorithms on one network: give one --p or --torus");
  const auto made = TRY(subjects.front().make());
  return Judged{made.schedule, verify(*made.schedule, briefly()).verdict};
}

/// The name of what the user brings; empty if that is nothing.
std::string name_of_own(const SubjectOptions& options) {
  return options.file + options.command + (options.peer ? options.peer->text() : "");
}

/// Nothing if only algorithms are compared. Without either, says that nothing is named.
Result<std::optional<Own>> own_of(const CostCommand& command) {
  SubjectOptions options = command.subject;
  const std::string name = name_of_own(options);
  if (name.empty() && !command.contenders.empty()) return std::nullopt;
  if (!command.contenders.empty()) options.settings.clear();  // they are the algorithms'
  auto sendable = TRY(resolve_sendable(options));
  if (!sendable.program) return Own{name, TRY(judged_single(sendable.schedules))};
  Judged judged{sendable.program->schedule, sendable.program->run.report.verdict};
  return Own{name, std::move(judged), std::move(sendable.program)};
}

/// The options of a row: beside what the user brings, they are what that is for.
SubjectOptions options_of(const CostCommand& command, const Algorithm& row, const std::optional<Own>& own) {
  SubjectOptions options = own ? options_beside(row, own->header()) : command.subject;
  options.algorithms = {&row};
  options.settings = command.subject.settings;
  // Algorithms without lanes run with one where others use all.
  if (options.lanes == Lanes::all && !row.has_lanes) options.lanes = Lanes::one;
  return options;
}

Result<Judged> judged_row(const SubjectOptions& options) {
  const auto subjects = TRY(resolve_schedules(options));
  return judged_single(subjects);
}

/// "swing+swing-latency".
std::string name_of(const std::vector<const Algorithm*>& versions) {
  return fmt::format("{}", fmt::join(mapped(versions, &Algorithm::name), "+"));
}

/// The goodput that the ports allow, if every rank sends and receives the least possible.
double peak_goodput(const Header& header, const Network& network) {
  const auto least = least_vectors(header.collective, header.ranks);
  return least && *least > 0 ? network.ports() * network.port_bandwidth() / *least : 0;
}

/// Does a message of the schedule take several paths at once?
bool splits_messages(const Schedule& schedule, const Network& network, Routing routing) {
  Router router(network, routing);
  std::vector<Transfer> transfers;
  for (const StepKind& kind : step_kinds(schedule)) {
    schedule.transfers(kind.step, transfers);
    for (const Transfer& t : transfers)
      if (!t.is_local() && router.route(t.src, t.dst, t.lane).route->parts > 1) return true;
  }
  return false;
}

/// Does a flow take several paths at once? Not asked of grids, where the ranks' own links are the network. Among more
/// than 512 ranks only some are asked, evenly spread. Where ways are pinned, only what the schedule sends is asked.
bool splits_flows(const Schedule& schedule, const Network& network, Routing routing) {
  constexpr std::int64_t most_routes = 512 * 512;
  if (network.grid() || routing == Routing::dimension_order) return false;
  if (network.pinned() != nullptr) return splits_messages(schedule, network, routing);
  Router router(network, routing);
  const std::int64_t ranks = network.ranks();
  const auto stride = static_cast<Rank>((ranks * ranks + most_routes - 1) / most_routes);
  for (Rank src = 0; src < network.ranks(); src += stride)
    for (Rank dst = 0; dst < network.ranks(); ++dst)
      if (src != dst && router.route(src, dst).route->parts > 1) return true;
  return false;
}

/// How a flow is divided where it has several shortest paths.
std::string_view split_text(Routing routing) {
  switch (routing) {
    case Routing::minimal: return "split evenly over all shortest paths";
    case Routing::ecmp: return "split evenly at every node over the links of shortest paths";
    case Routing::dimension_order: return "one path, the first dimension first";
  }
  return "";
}

/// Checks that all contenders do the same collective.
Result<void> add_collective(Timed& timed, Collective collective) {
  if (timed.collective && *timed.collective != collective)
    return usage_error(fmt::format("cost compares one collective: one of these does {}, another {}; say --collective",
                                   name(*timed.collective), name(collective)));
  timed.collective = collective;
  return {};
}

/// The sizes that the user gives, of the vector or of one rank's data.
struct Sizes {
  std::vector<double> bytes;
  bool are_per_rank = false;

  /// The sizes of the vector, which is the data of `per_vector` ranks.
  std::vector<double> of_vectors(Rank per_vector) const {
    std::vector<double> vectors = bytes;
    if (are_per_rank)
      for (double& size : vectors) size *= per_vector;
    return vectors;
  }
};

Result<Sizes> sizes_of(const CostCommand& command) {
  if (command.bytes && command.bytes_per_rank)
    return usage_error("either --bytes, the size of the vector, or --bytes-per-rank, not both");
  if (command.bytes_per_rank) return Sizes{*command.bytes_per_rank, true};
  return Sizes{command.bytes ? *command.bytes : *parse_sizes(std::string(default_sizes))};
}

/// The conditions that all contenders share.
struct Conditions {
  const CostCommand& command;
  const Sizes& sizes;
  const NetworkPlan& plan;
  const Timing& timing;
  const std::optional<Own>& own;
};

/// Is it an alltoall of a program, whose sizes count the chunks of one rank's buffer?
bool counts_own_buffer(const Own& own) {
  return own.program && own.header().collective == Collective::alltoall;
}

/// How many ranks' data the vector is.
Rank ranks_per_vector(const Header& header, const std::optional<Own>& own) {
  return own && counts_own_buffer(*own) ? 1 : subjects::ranks_per_vector(header.collective, header.ranks);
}

/// Have the subjects a bound? What programs send may be only a part of what they do.
bool has_bound(const std::optional<Own>& own) {
  return !own || !own->program;
}

/// Times one version of a contender.
Result<void> add_version(Timed& timed, Contender& contender, const std::string& name, const Judged& judged,
                         const Conditions& on) {
  const Schedule& schedule = *judged.schedule;
  const auto network = TRY(make_network(on.command.network, on.plan, schedule.header()));
  TRY(add_collective(timed, schedule.header().collective));
  timed.per_vector = ranks_per_vector(schedule.header(), on.own);
  timed.comparison.sizes = on.sizes.of_vectors(timed.per_vector);
  timed.are_per_rank = on.sizes.are_per_rank;
  auto times = TRY(times_of(schedule, network, on.timing, timed.comparison.sizes));
  contender.versions.push_back({name, std::move(times)});
  if (judged.verdict != Verdict::pass) (judged.verdict == Verdict::fail ? timed.wrong : timed.unjudged).push_back(name);
  timed.network = network.name();
  timed.splits = timed.splits || splits_flows(schedule, network, on.plan.routing);
  timed.ranks = network.ranks();
  timed.ports = network.ports();
  timed.peak = peak_goodput(schedule.header(), network);
  // Blocks may be spread differently over the ranks: what holds of all versions is the least of their bounds.
  const auto least = has_bound(on.own) ? least_time(network, schedule.header()) : std::nullopt;
  if (least && timed.least) {
    const double latency = std::min(least->latency, timed.least->latency);
    if (least->vectors < timed.least->vectors) timed.least = least;
    timed.least->latency = latency;
  } else if (least) {
    timed.least = least;
  }
  return {};
}

/// Times what the user brings.
Result<void> add_own(Timed& timed, const Conditions& on) {
  Contender contender{on.own->name, {}};
  TRY(add_version(timed, contender, on.own->name, on.own->judged, on));
  timed.comparison.contenders.push_back(std::move(contender));
  return {};
}

/// Times an algorithm with all its versions, "a+b".
Result<void> add_algorithm(Timed& timed, const std::vector<const Algorithm*>& versions, const Conditions& on) {
  Contender contender{name_of(versions), {}};
  for (const Algorithm* row : versions) {
    const auto judged = TRY(judged_row(options_of(on.command, *row, on.own)));
    TRY(add_version(timed, contender, std::string(row->name), judged, on));
  }
  timed.comparison.contenders.push_back(std::move(contender));
  return {};
}

/// Times what the user brings, then the algorithms in order. What a limit or an interrupt cuts off, and everything
/// after it, is left out.
Result<Timed> time_all(const Conditions& on) {
  Timed timed{.comparison = {on.sizes.bytes, {}}, .collective = {}, .network = "", .peak = 0, .ranks = 0};
  const std::size_t all = on.command.contenders.size() + (on.own ? 1 : 0);
  const auto add = [&](const std::string& name, const std::function<Result<void>()>& timing) -> Result<void> {
    Progress::say(timed.comparison.contenders.size(), all, name);
    const auto added = within_limits(timing);
    if (added) return *added;
    if (timed.comparison.contenders.empty()) throw LimitRanOut(added.error());
    timed.untimed.push_back(name);
    timed.why = added.error();
    return {};
  };
  if (on.own) TRY(add(on.own->name, [&] { return add_own(timed, on); }));
  for (const auto& versions : on.command.contenders)
    TRY(add(name_of(versions), [&] { return add_algorithm(timed, versions, on); }));
  if (!timed.wrong.empty()) timed.least.reset();
  return timed;
}

Verdict timed_verdict(const Timed& timed) {
  if (!timed.wrong.empty()) return Verdict::fail;
  return timed.unjudged.empty() && timed.untimed.empty() ? Verdict::pass : Verdict::unknown;
}

/// Adds the conditions under which the times hold.
void add_setting(Json& json, const CostCommand& command, const NetworkPlan& plan, const std::string& network,
                 Rank ranks, int ports) {
  json["network"] = network;
  json["ranks"] = ranks;
  json["mode"] = name(command.mode.value_or(Mode::synchronous));
  json["routing"] = name(plan.routing);
  json["flows"] = split_text(plan.routing);
  json["bandwidth_gbps"] = plan.links.bandwidth;
  json["latency_ns"] = plan.links.latency;
  json["hop_latency_ns"] = plan.links.hop;
  json["overhead_ns"] = plan.ranks.overhead;
  json["reduction_ns_per_byte"] = plan.ranks.reduction;
  json["ports"] = ports;
}

Json cost_json(const Timed& timed, const CostCommand& command, const NetworkPlan& plan) {
  Json json = result_json();
  json["collective"] = name(*timed.collective);
  add_setting(json, command, plan, timed.network, timed.ranks, timed.ports);
  json["peak_goodput_gbps"] = timed.peak > 0 ? Json(timed.peak) : Json(nullptr);
  if (!timed.wrong.empty()) json["wrong"] = timed.wrong;
  if (!timed.unjudged.empty()) json["unjudged"] = timed.unjudged;
  if (!timed.untimed.empty()) json["untimed"] = {{"algorithms", timed.untimed}, {"reason", timed.why}};
  json["sizes"] = sizes_json(timed);
  return json;
}

Timing timing_of(const CostCommand& command, const NetworkPlan& plan) {
  return {.mode = command.mode.value_or(Mode::synchronous),
          .flows = {.routing = plan.routing, .budget = command.budget},
          .ranks = plan.ranks};
}

/// The speeds of the links, in words.
std::string links_text(const NetworkPlan& plan) {
  return fmt::format("{} Gb/s, {} ns a link, {} ns a hop", plan.links.bandwidth, plan.links.latency, plan.links.hop);
}

/// Refuses options that don't apply to a program with the sizes of its messages.
Result<void> refuse_beside_bytes(const CostCommand& command) {
  if (command.bytes || command.bytes_per_rank)
    return usage_error(fmt::format("{}: a GOAL file says itself how many bytes its messages have",
                                   command.bytes ? "--bytes" : "--bytes-per-rank"));
  if (command.network.reduction)
    return usage_error("--reduction: GOAL doesn't say what is reduced; its times are those of messages alone");
  if (!command.csv.empty() || command.plot.any())
    return usage_error("--csv-out and --plot are of times over sizes of the vector; a GOAL file has one time");
  return {};
}

/// Refuses algorithms beside a program whose sizes aren't those of a vector.
Result<void> refuse_algorithms_beside(const Own& own) {
  if (own.block_bytes() > 0)
    return usage_error(
        fmt::format("--algo: {} says itself how many bytes its messages have; algorithms are timed for "
                    "sizes of a vector",
                    own.name));
  if (counts_own_buffer(own))
    return usage_error(
        fmt::format("--algo: sizes of {} are those of one rank's buffer, and of algorithms those of the "
                    "vector; time them apart",
                    own.name));
  return {};
}

/// Times a program with the sizes of its messages.
Result<ExitCode> run_bytes(const CostCommand& command, const NetworkPlan& plan, const Timing& timing,
                           const ProgramMessages& messages) {
  TRY(refuse_beside_bytes(command));
  const Schedule& schedule = *messages.schedule;
  const auto network = TRY(make_network(command.network, plan, schedule.header()));
  const auto block = static_cast<double>(messages.block_bytes);
  const auto times = TRY(times_of(schedule, network, timing, {block * schedule.header().blocks}));
  const Report& report = messages.run.report;
  const std::uint64_t bytes = schedule.block_transfers() * messages.block_bytes;
  Json json = result_json();
  json["program"] = {{"file", messages.run.origin.text},
                     {"steps", schedule.steps()},
                     {"bytes", bytes},
                     {"time_ns", times.front()},
                     {"verdict", name(report.verdict)}};
  add_setting(json, command, plan, network.name(), network.ranks(), network.ports());
  const auto text = [&] {
    return fmt::format("{} on {}, {} steps: {}\n  {} step{} of messages, {}: {}\n{}  the program; see 'verify'\n",
                       messages.run.origin.text, network.name(), name(timing.mode), links_text(plan), schedule.steps(),
                       schedule.steps() == 1 ? "" : "s", bytes_text(static_cast<double>(bytes)),
                       time_text(times.front()), name(report.verdict));
  };
  return after_output(exit_code(report.verdict), give_result(
                                                     command.json, [&] { return dump(json); }, text));
}

/// Refuses options of the command line, some of which are given, that not all of the chosen presets use.
Result<void> refuse_unused(const std::vector<std::pair<std::string_view, bool>>& given, PresetInput input,
                           const std::vector<const Preset*>& chosen) {
  const auto idle = std::find_if(chosen.begin(), chosen.end(), [&](const Preset* p) { return !p->takes(input); });
  const auto used = std::find_if(given.begin(), given.end(), [](const auto& option) { return option.second; });
  if (idle == chosen.end() || used == given.end()) return {};
  std::vector<std::string_view> users;
  for (const Preset& preset : presets())
    if (preset.takes(input)) users.push_back(preset.name);
  return usage_error(fmt::format("{}: the preset {} does not use it; these do: {}", used->first, (*idle)->name,
                                 fmt::join(users, ", ")));
}

/// Refuses options that a preset decides itself.
Result<void> refuse_beside_preset(const CostCommand& command) {
  const SubjectOptions& subject = command.subject;
  const NetworkOptions& network = command.network;
  const MachineOptions& machine = command.machine;
  const auto& presets = *command.presets;
  const bool has_subject =
      !command.contenders.empty() || subject.peer || subject.lanes || subject.collective || !subject.settings.empty();
  const bool has_network = network.topology || network.routing || network.ports || network.bandwidth;
  const bool has_rest = command.bytes_per_rank || command.mode;
  const auto texts = {subject.file, subject.command, network.map, network.ways};
  if (has_subject || has_network || has_rest ||
      std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return !text.empty(); }))
    return usage_error(
        "--preset says itself which algorithms run where; only outputs go with it, and what the preset uses of --p, "
        "--torus, --bytes, --alpha, --beta, --gamma, --latency, --hop-latency, --overhead and --reduction");
  TRY(refuse_unused({{"--p", subject.ranks.has_value()}}, PresetInput::ranks, presets));
  TRY(refuse_unused({{"--torus", !subject.tori.empty()}}, PresetInput::tori, presets));
  TRY(refuse_unused({{"--bytes", command.bytes.has_value()}}, PresetInput::sizes, presets));
  TRY(refuse_unused({{"--alpha", machine.alpha.has_value()}, {"--beta", machine.beta.has_value()}},
                    PresetInput::machine, presets));
  TRY(refuse_unused({{"--gamma", machine.gamma.has_value()}}, PresetInput::adding, presets));
  TRY(refuse_unused({{"--latency", network.latency.has_value()},
                     {"--hop-latency", network.hop_latency.has_value()},
                     {"--overhead", network.overhead.has_value()},
                     {"--reduction", network.reduction.has_value()}},
                    PresetInput::speeds, presets));
  const bool is_one = presets.size() == 1;
  if (!is_one && (command.plot.any() || !command.csv.empty()))
    return usage_error("--preset all has no picture and no CSV; name one preset");
  return {};
}

Result<ExitCode> run_preset(const CostCommand& command, const NetworkPlan& plan) {
  TRY(refuse_beside_preset(command));
  TRY(check_outputs({}, command.json, command.csv, command.plot));
  const auto value_of = [](const NumberOption& number) { return number ? std::optional(number->value) : std::nullopt; };
  const MachineOptions& machine = command.machine;
  const PresetRequest asked{plan,
                            command.subject.ranks ? command.subject.ranks->value : std::vector<Rank>{},
                            command.subject.tori,
                            command.bytes.value_or(std::vector<double>{}),
                            {value_of(machine.alpha), value_of(machine.beta), value_of(machine.gamma)}};
  std::string text;
  Json json = result_json();
  PresetReport last;
  const auto& presets = *command.presets;
  for (std::size_t k = 0; k < presets.size(); ++k) {
    const Preset& preset = *presets[k];
    Progress::say(k, presets.size(), preset.name);
    last = TRY(preset.report(preset, asked));
    if (command.plot.any() && last.plots.empty())
      return usage_error(fmt::format("--plot: the preset {} is a table, not a picture", preset.name));
    text += (k == 0 ? "" : "\n") + last.text;
    json["presets"].push_back({{"name", preset.name}, {"summary", preset.summary}, {"rows", json_of(last.records)}});
  }
  const std::string csv = command.csv.empty() ? "" : csv_text(csv_rows(last.records));
  return give_measured(ExitCode::ok, {text, csv, dump(json), [&] { return last.plots; }}, command.json, command.csv,
                       command.plot);
}

void describe(const CommandApp& app, CostCommand& command) {
  add_subject(app, command.subject, schedule_or_program(), Takes::one, &command.contenders);
  app.group("Times");
  app.add_parsed("--bytes LIST", command.bytes, parse_sizes, "Sizes of the vector: 2Ki, 1Mi,4Mi, or 32..512Mi by fours")
      ->default_str("32..512Mi");
  app.add_parsed("--bytes-per-rank LIST", command.bytes_per_rank, parse_sizes_per_rank,
                 "In place of --bytes: sizes of what one rank brings or gets, of an allgather the p-th part of the "
                 "vector");
  app.add_parsed("--mode MODE", command.mode, parse_mode,
                 "synchronous: all ranks wait after each step; asynchronous: each waits for its own receives")
      ->default_str("synchronous");
  app.add_parsed("--preset NAME", command.presets, presets_named,
                 "Repeat a setting of a paper and compare with what the paper says: swing-fig7, .., or all");
  app.add_parsed("--alpha NS", command.machine.alpha, NumberParser{"--alpha", 0},
                 "Of a preset's formula: the time of a message, in ns");
  app.add_parsed("--beta NS", command.machine.beta, NumberParser{"--beta", 1e-6},
                 "Of a preset's formula: the time to send a byte, in ns");
  app.add_parsed("--gamma NS", command.machine.gamma, NumberParser{"--gamma", 0},
                 "Of a preset's formula: the time to add a byte, in ns");
  add_network(app, command.network);
  app.group(output_group);
  add_json(app, command.json);
  app.add_file("--csv-out", command.csv, "Write all times to this file; - prints them");
  add_plot(app, command.plot, "goodput over the vector's size");
  app.group(limits_group);
  add_link_budget(app, command.budget);
}

Result<ExitCode> run(const CostCommand& given) {
  CostCommand command = given;
  const auto plan = plan_of(command.network);
  if (command.presets) return run_preset(command, plan);
  if (command.machine.any())
    return usage_error("--alpha, --beta and --gamma are letters of the papers' formulas; they go with --preset");
  TRY(check_outputs(files_read(command.subject, command.network), command.json, command.csv, command.plot));
  const Timing timing = timing_of(command, plan);
  const auto own = TRY(own_of(command));
  if (own && !command.contenders.empty()) TRY(refuse_algorithms_beside(*own));
  const auto* messages = own && own->program ? &*own->program : nullptr;
  if (messages != nullptr) TRY(check_mode_of_program(timing.mode));
  if (messages != nullptr) command.network = network_of(command.network, command.subject, messages->is_of_gpus);
  if (messages != nullptr && messages->block_bytes > 0) return run_bytes(command, plan, timing, *messages);
  const auto sizes = TRY(sizes_of(command));
  const auto timed = TRY(time_all({command, sizes, plan, timing, own}));
  const std::string json = command.json.is_wanted() ? dump(cost_json(timed, command, plan)) : "";
  const std::string split =
      timed.splits ? fmt::format("  a flow is {}, so also over several NICs\n", split_text(plan.routing)) : "";
  const std::string text = fmt::format("{} on {}, {} steps: {}\n", name(*timed.collective), timed.network,
                                       name(timing.mode), links_text(plan)) +
                           split + text_of(timed);
  const std::string csv = command.csv.empty() ? "" : csv_text(csv_rows(timed));
  const auto plot = [&] {
    return std::vector{
        goodput_plot(timed.comparison, fmt::format("{} on {}", name(*timed.collective), timed.network), timed.peak)};
  };
  return give_measured(exit_code(timed_verdict(timed)), {text, csv, json, plot}, command.json, command.csv,
                       command.plot);
}

}  // namespace

Runner add_cost(CLI::App& app) {
  return run_with<CostCommand>(app);
}

}  // namespace onceover::cli
