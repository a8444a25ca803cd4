// `verify export`: a schedule in the format of another program. C for MPI is made of it and of its text. A trace has
// the messages of programs, too.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "base/files.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/program_messages.h"
#include "cli/transfer_times.h"
#include "formats/goal_file.h"
#include "formats/lowering.h"
#include "formats/mpi_writer.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_xml.h"
#include "formats/perfetto.h"
#include "formats/plan_file.h"
#include "formats/schedule_file.h"
#include "subjects/comparison.h"
#include "subjects/network_plan.h"
#include "subjects/options.h"
#include "subjects/run.h"
#include "subjects/subject.h"
#include "verifier/operand_sides.h"
#include "verifier/verify.h"

namespace onceover::cli {

namespace {

struct ExportFormat;

struct ExportCommand {
  SubjectOptions subject;
  const ExportFormat* format = nullptr;
  std::string output = {};                        // empty or "-": standard output
  bool in_place = false;                          // programs: the result replaces the input
  std::optional<std::int32_t> channels = {};      // MSCCL XML; not given: as few as its limits allow
  std::optional<std::string_view> protocol = {};  // MSCCL XML, MSCCL++
  bool rccl_names = false;                        // MSCCL XML: RCCL's names of collectives
  std::uint64_t bytes = 0;                        // GOAL, traces: of the vector
  NetworkOptions network = {};                    // traces: where they take time
  std::optional<Mode> mode = {};                  // the same
  std::string name = {};                          // MPI: of the function
};

using Write = std::function<bool(std::FILE*)>;

/// A schedule, or the messages of a program.
struct Source {
  SchedulePtr schedule;
  bool is_program = false;
  bool is_of_gpus = false;
  std::uint64_t block_bytes = 0;  // of a program's block; 0: it is a chunk
};

/// A format, and which options apply to it.
struct ExportFormat {
  std::string_view name;
  std::string_view in_words;  // the name, and what it is if the name doesn't say that
  bool is_program = false;    // of ranks, so it can be in place
  bool has_protocol = false;
  bool has_threads = false;
  bool has_bytes = false;
  bool has_name = false;
  bool has_network = false;  // and may show programs
  Result<Write> (*writer)(const ExportCommand&, const Source&);
};

/// The properties that the file depends on, and those that its comment mentions.
const std::array judged_properties{&well_formed_property, &exactly_once_property, &order_preserving_property,
                                   &bitwise_reproducible_property};

/// A failure, unless this report of the schedule says that it is well-formed and exactly-once.
Result<void> require_right(const Report& found, const Schedule& schedule, const SubjectOptions& subject) {
  if (found.find(well_formed_property)->verdict == Verdict::pass &&
      found.find(exactly_once_property)->verdict == Verdict::pass)
    return {};
  Header header = schedule.header();
  header.owners.clear();
  const Verification run{Origin(Origin::Kind::catalogue), header, verify(schedule), {}, {}};
  const ExitCode code = run.report.verdict == Verdict::fail ? ExitCode::violated : ExitCode::unknown;
  std::string verdict = text_report({run}, false);
  verdict.pop_back();  // the line end, which every message gets
  return tl::unexpected(
      Failure{code, fmt::format("not exported: 'verify{}' says\n{}", subject_arguments(subject), verdict)});
}

using Lines = std::vector<std::string>;

Lines declaration(const Header& header, const std::string& function) {
  const std::string what = header.algorithm.empty() ? "An allreduce" : header.algorithm + " allreduce";
  return {fmt::format("{} among {} ranks, as a function that does what MPI_Allreduce does:", what, header.ranks), "",
          fmt::format("  int {}(const void *sendbuf, void *recvbuf, int count,", function),
          fmt::format("  {:{}}MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);", "", function.size() + 5), ""};
}

Lines verdicts(const Report& report, const SubjectOptions& subject) {
  Lines lines{fmt::format("verify{}", subject_arguments(subject)), ""};
  for (const Property* property : judged_properties) {
    const PropertyResult& result = *report.find(*property);
    lines.push_back(fmt::format("  {:<21} {}  {}", result.id, name(result.verdict), result.summary));
  }
  lines.push_back("");
  return lines;
}

Lines terms_of_use(const Header& header, bool keeps_order) {
  const std::string cut =
      header.blocks == 1 ? "is one block" : fmt::format("is cut into {} blocks, as even as can be", header.blocks);
  return {fmt::format("The vector {}; a transfer is one message.", cut),
          fmt::format("It refuses communicators that don't have {} ranks, and intercommunicators.", header.ranks),
          keeps_order ? "Operators that don't commute are applied in the order of the ranks."
                      : "It refuses operators that don't commute, since it doesn't keep the order of the ranks.",
          "",
          "With -DONCEOVER_INTERPOSE the file defines MPI_Allreduce, too, which runs the schedule where it fits",
          "and PMPI_Allreduce elsewhere."};
}

Lines joined(std::initializer_list<Lines> parts) {
  Lines all;
  for (const Lines& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Returns a function that writes the schedule as a C file. The file defines the function `chosen_name`; if that is
/// empty, the name comes from the schedule. `mpi_refusal` must have nothing against the schedule. It is judged first:
/// it must be well-formed and exactly-once. `subject` names the schedule.
Result<std::function<bool(std::FILE*)>> mpi_writer(const SubjectOptions& subject, const std::string& chosen_name,
                                                   const SchedulePtr& schedule) {
  const std::string function = chosen_name.empty() ? mpi_function_name(schedule->header()) : chosen_name;
  if (const auto why = mpi_name_refusal(function))
    return usage_error(fmt::format("--name: {}; call it {}, say", *why, mpi_function_name(schedule->header())));
  const Report report =
      verify(*schedule,
             {.required = {std::string(order_preserving_property.id), std::string(bitwise_reproducible_property.id)}});
  TRY(require_right(report, *schedule, subject));
  // With scratch the sides of operands aren't followed.
  const bool keeps_order =
      report.find(order_preserving_property)->verdict == Verdict::pass && schedule->groups() == nullptr;
  const Header& header = schedule->header();
  MpiOptions options{
      .function = function,
      .about = joined({declaration(header, function), verdicts(report, subject), terms_of_use(header, keeps_order)})};
  if (keeps_order) options.from_right = operands_from_right(*schedule);
  return [schedule, options = std::move(options)](std::FILE* file) { return write_mpi(*schedule, options, file); };
}

/// A schedule with more block transfers isn't exported: no program could read the file.
constexpr std::uint64_t largest_export = std::uint64_t{1} << 28;

/// The vector whose message sizes GOAL gets if the user gives none: 1 MiB.
constexpr std::uint64_t usual_bytes = std::uint64_t{1} << 20;

tl::unexpected<Failure> not_exported(const NotLowered& reason) {
  const ExitCode code = reason.kind == NotLowered::Kind::unfit        ? ExitCode::usage
                        : reason.kind == NotLowered::Kind::ill_formed ? ExitCode::violated
                                                                      : ExitCode::unknown;
  return tl::unexpected(Failure{code, "not exported: " + reason.why});
}

Result<SchedulePtr> small_schedule(std::vector<Subject> subjects) {
  const auto subject = TRY(single(std::move(subjects), "export writes"));
  const auto made = TRY(subject.make());
  const std::uint64_t moves = made.schedule->block_transfers();
  if (moves > largest_export)
    return not_exported(
        {NotLowered::Kind::too_large, fmt::format("{} block transfers are more than {}", moves, largest_export)});
  return made.schedule;
}

/// A program of a schedule that isn't well-formed would have no meaning either.
Result<void> require_well_formed(const Schedule& schedule) {
  const Report report = verify(schedule, {.without_symmetry_up_to = 0});
  const PropertyResult& form = *report.find(well_formed_property);
  if (form.verdict != Verdict::fail) return {};
  return not_exported({NotLowered::Kind::ill_formed, "the schedule isn't " + headline(form)});
}

Result<Write> json(const ExportCommand&, const Source& source) {
  return [schedule = source.schedule](std::FILE* file) { return write_schedule(*schedule, file); };
}

/// The program with the channels that are asked for, or with as few as the limits allow.
Result<Program> threads_of(const ExportCommand& command, const Schedule& schedule, const MscclOptions& options) {
  auto program = lower_for_msccl(schedule, command.in_place, command.channels, options);
  if (!program) return not_exported(program.error());
  return *std::move(program);
}

Result<Write> msccl(const ExportCommand& command, const Source& source) {
  MscclOptions options;
  if (command.protocol) options.protocol = *command.protocol;
  if (command.rccl_names) options.reduce_scatter = "reducescatter";
  auto program = TRY(threads_of(command, *source.schedule, options));
  return [p = std::move(program), options](std::FILE* file) { return write_msccl(p, options, file); };
}

Result<Write> mscclpp(const ExportCommand& command, const Source& source) {
  const std::string_view protocol = command.protocol.value_or("Simple");
  if (protocol != "Simple" && protocol != "LL")
    return usage_error(fmt::format("--proto: plans of MSCCL++ have Simple and LL, not {}", protocol));
  auto plan = lower_for_mscclpp(*source.schedule, {.in_place = command.in_place, .with_packets = protocol == "LL"});
  if (!plan) return not_exported(plan.error());
  return [p = *std::move(plan)](std::FILE* file) { return write_plan(p, file); };
}

Result<Write> goal(const ExportCommand& command, const Source& source) {
  auto program = lower(*source.schedule, {.style = ProgramStyle::requests,
                                          .in_place = command.in_place,
                                          .bytes = command.bytes == 0 ? usual_bytes : command.bytes});
  if (!program) return not_exported(program.error());
  return [p = *std::move(program)](std::FILE* file) { return write_goal(p, file); };
}

Result<Write> mpi(const ExportCommand& command, const Source& source) {
  if (const auto reason = mpi_refusal(*source.schedule)) return not_exported(*reason);
  return mpi_writer(command.subject, command.name, source.schedule);
}

/// The size for which times are known; none: steps have no lengths.
Result<std::optional<double>> traced_bytes(const ExportCommand& command, const Source& source) {
  if (source.is_program && command.mode) TRY(check_mode_of_program(*command.mode));
  if (source.block_bytes == 0 && command.bytes == 0) {
    if (is_given(command.network) || command.mode)
      return usage_error("--topology and other options of times: say --bytes, the size of the vector, too");
    return std::nullopt;
  }
  if (source.block_bytes == 0) return static_cast<double>(command.bytes);
  if (command.bytes > 0) return usage_error("--bytes: a GOAL file says itself how many bytes its messages have");
  return static_cast<double>(source.block_bytes) * source.schedule->header().blocks;
}

/// Adds the times on the command's network.
Result<void> add_times(const ExportCommand& command, const Source& source, double bytes, PerfettoOptions& options) {
  const NetworkOptions on = network_of(command.network, command.subject, source.is_of_gpus);
  const auto plan = plan_of(on);
  const auto network = TRY(make_network(on, plan, source.schedule->header()));
  const Timing timing{
      .mode = command.mode.value_or(Mode::synchronous), .flows = {.routing = plan.routing}, .ranks = plan.ranks};
  options.times = TRY(transfer_times(*source.schedule, network, timing, bytes));
  options.about_times = fmt::format("{:.0f} bytes on {}, {}", bytes, network.name(), name(timing.mode));
  return {};
}

std::uint64_t transfers_in(const Schedule& schedule) {
  std::uint64_t count = 0;
  for (int step = 0; step < schedule.steps() && count <= most_traced; ++step)
    schedule.visit_transfers(step, [&](std::span<const Transfer> some) { count += some.size(); });
  return count;
}

Result<Write> perfetto(const ExportCommand& command, const Source& source) {
  if (transfers_in(*source.schedule) > most_traced)
    return not_exported({NotLowered::Kind::too_large, fmt::format("a trace has at most {} transfers", most_traced)});
  PerfettoOptions options{.has_blocks = !source.is_program};
  if (source.is_program) options.unit = source.block_bytes > 0 ? "byte" : "chunk";
  if (source.block_bytes > 0) options.unit_size = source.block_bytes;
  if (const auto bytes = TRY(traced_bytes(command, source))) TRY(add_times(command, source, *bytes, options));
  return [schedule = source.schedule, options = std::move(options)](std::FILE* file) {
    return write_perfetto(*schedule, options, file);
  };
}

constexpr std::array<ExportFormat, 6> formats{{
    {.name = "json", .in_words = "json", .writer = json},
    {.name = "msccl-xml",
     .in_words = "msccl-xml",
     .is_program = true,
     .has_protocol = true,
     .has_threads = true,
     .writer = msccl},
    {.name = "mscclpp", .in_words = "mscclpp for MSCCL++", .is_program = true, .has_protocol = true, .writer = mscclpp},
    {.name = "goal", .in_words = "goal", .is_program = true, .has_bytes = true, .writer = goal},
    {.name = "mpi", .in_words = "mpi, which is C", .has_name = true, .writer = mpi},
    {.name = "perfetto",
     .in_words = "perfetto, a trace in JSON",
     .has_bytes = true,
     .has_network = true,
     .writer = perfetto},
}};

Result<void> check_options(const ExportCommand& command, const ExportFormat& format) {
  struct Option {
    std::string_view flag;
    bool is_given;
    bool fits;
  };
  for (const Option& option :
       {Option{"--in-place", command.in_place, format.is_program},
        Option{"--channels", command.channels.has_value(), format.has_threads},
        Option{"--proto", command.protocol.has_value(), format.has_protocol},
        Option{"--rccl-names", command.rccl_names, format.has_threads},
        Option{"--bytes", command.bytes > 0, format.has_bytes},
        Option{"--name", !command.name.empty(), format.has_name},
        Option{"--mode", command.mode.has_value(), format.has_network},
        Option{"--topology or another option of the network", is_given(command.network), format.has_network}})
    if (option.is_given && !option.fits)
      return usage_error(fmt::format("{} does not go with --to {}", option.flag, format.name));
  return {};
}

std::string export_formats_in_words() {
  return in_sentence(mapped(formats, &ExportFormat::in_words), "or");
}

Result<const ExportFormat*> parse_export_format(const std::string& text) {
  if (const ExportFormat* format = row_with(formats, &ExportFormat::name, text)) return format;
  return no_such("--to: no format", text, export_format_names());
}

Result<std::int32_t> parse_channels(const std::string& text) {
  return parse_count("--channels", text, msccl_channels);
}

Result<std::string_view> parse_protocol(const std::string& text) {
  const auto protocols = msccl_protocols();
  const auto protocol = std::find(protocols.begin(), protocols.end(), text);
  if (protocol != protocols.end()) return *protocol;
  return no_such("--proto: no protocol", text, protocols);
}

void describe(const CommandApp& app, ExportCommand& command) {
  add_subject(app, command.subject, "A schedule file (JSON); for perfetto also a program: " + program_kind_names("or"));
  app.group(output_group);
  app.add_parsed("--to FORMAT", command.format, parse_export_format, "The format: " + export_formats_in_words())
      ->required();
  app.add_option("-o,--output FILE", command.output, "The file to write (default: standard output)");
  app->add_flag("--in-place", command.in_place,
                "For msccl-xml, mscclpp and goal: write the result over the input instead of copying the input first");
  app.add_parsed("--channels N", command.channels, parse_channels,
                 "For msccl-xml: connections of each two ranks, used in turn (default: as few as the runtimes' limits "
                 "allow)");
  app.add_parsed("--proto NAME", command.protocol, parse_protocol,
                 "For msccl-xml: the protocol, Simple, LL or LL128; for mscclpp Simple or LL (default: Simple)");
  app->add_flag("--rccl-names", command.rccl_names,
                "For msccl-xml: name collectives as RCCL does, reducescatter for reduce_scatter");
  app.add_parsed("--bytes N", command.bytes, parse_vector_bytes,
                 "For goal: bytes of the vector, such as 16Mi (default: 1Mi); for perfetto: show times for a vector of "
                 "this size (default: steps, which have no lengths)");
  app.add_parsed("--mode MODE", command.mode, parse_mode,
                 "For perfetto, with --bytes: synchronous, all ranks wait for each other after every step, or "
                 "asynchronous, each for its own messages (default: synchronous)");
  app.add_option("--name NAME", command.name,
                 "For mpi: the name of the C function (default: from the schedule, such as swing_allreduce_p7)")
      ->check(not_empty);
  add_network(app, command.network, "Network, for times of perfetto");
}

/// The messages of a program, for the formats that show them.
Result<Source> source_of(const ExportCommand& command) {
  if (!command.format->has_network) return Source{TRY(small_schedule(TRY(resolve_schedules(command.subject))))};
  auto named = TRY(resolve(command.subject, ProgramsOnTori::yes));
  if (!named.program) return Source{TRY(small_schedule(std::move(named.schedules)))};
  const auto messages = TRY(messages_of(*named.program, command.subject.tori));
  return Source{messages.schedule, true, named.program->kind().describes_gpus, messages.block_bytes};
}

Result<ExitCode> run(const ExportCommand& command) {
  TRY(check_options(command, *command.format));
  TRY(check_writable(command.output));
  const auto source = TRY(source_of(command));
  if (command.format->is_program) TRY(require_well_formed(*source.schedule));
  const auto write = TRY(command.format->writer(command, source));
  TRY(write_file(command.output.empty() ? "-" : command.output, write));
  return ExitCode::ok;
}

}  // namespace

std::vector<std::string_view> export_format_names() {
  return mapped(formats, &ExportFormat::name);
}

Runner add_export(CLI::App& app) {
  return run_with<ExportCommand>(app);
}

}  // namespace onceover::cli
