#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>

#include "base/closest.h"
#include "base/files.h"
#include "base/in_sentence.h"
#include "base/rows.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/export_mpi.h"
#include "formats/goal_file.h"
#include "formats/lowering.h"
#include "formats/mpi_writer.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_xml.h"
#include "formats/plan_file.h"
#include "formats/schedule_file.h"
#include "subjects/run.h"
#include "verifier/verify.h"

namespace onceover::cli {

using Write = std::function<bool(std::FILE*)>;

/// A format, and which options apply to it.
struct ExportFormat {
  std::string_view name;
  std::string_view in_words;  // the name, and what it is if the name doesn't say that
  bool is_program;            // of ranks, so it can be in place
  bool has_protocol;
  bool has_threads;
  bool has_bytes;
  bool has_name;
  Result<Write> (*writer)(const ExportCommand&, const SchedulePtr&);
};

namespace {

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

Result<SchedulePtr> small_schedule(const SubjectOptions& options) {
  auto subjects = TRY(resolve_schedules(options));
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

Result<Write> json(const ExportCommand&, const SchedulePtr& schedule) {
  return [schedule](std::FILE* file) { return write_schedule(*schedule, file); };
}

/// The program with the channels that are asked for, or with as few as the limits allow.
Result<Program> threads_of(const ExportCommand& command, const Schedule& schedule, const MscclOptions& options) {
  auto program = lower_for_msccl(schedule, command.in_place, command.channels, options);
  if (!program) return not_exported(program.error());
  return *std::move(program);
}

Result<Write> msccl(const ExportCommand& command, const SchedulePtr& schedule) {
  MscclOptions options;
  if (command.protocol) options.protocol = *command.protocol;
  if (command.rccl_names) options.reduce_scatter = "reducescatter";
  auto program = TRY(threads_of(command, *schedule, options));
  return [p = std::move(program), options](std::FILE* file) { return write_msccl(p, options, file); };
}

Result<Write> mscclpp(const ExportCommand& command, const SchedulePtr& schedule) {
  const std::string_view protocol = command.protocol.value_or("Simple");
  if (protocol != "Simple" && protocol != "LL")
    return usage_error(fmt::format("--proto: plans of MSCCL++ have Simple and LL, not {}", protocol));
  auto plan = lower_for_mscclpp(*schedule, {.in_place = command.in_place, .with_packets = protocol == "LL"});
  if (!plan) return not_exported(plan.error());
  return [p = *std::move(plan)](std::FILE* file) { return write_plan(p, file); };
}

Result<Write> goal(const ExportCommand& command, const SchedulePtr& schedule) {
  auto program = lower(*schedule, {.style = ProgramStyle::requests,
                                   .in_place = command.in_place,
                                   .bytes = command.bytes == 0 ? usual_bytes : command.bytes});
  if (!program) return not_exported(program.error());
  return [p = *std::move(program)](std::FILE* file) { return write_goal(p, file); };
}

Result<Write> mpi(const ExportCommand& command, const SchedulePtr& schedule) {
  if (const auto reason = mpi_refusal(*schedule)) return not_exported(*reason);
  return mpi_writer(command.subject, command.name, schedule);
}

constexpr std::array<ExportFormat, 5> formats{{
    {"json", "json", false, false, false, false, false, json},
    {"msccl-xml", "msccl-xml", true, true, true, false, false, msccl},
    {"mscclpp", "mscclpp for MSCCL++", true, true, false, false, false, mscclpp},
    {"goal", "goal", true, false, false, true, false, goal},
    {"mpi", "mpi, which is C", false, false, false, false, true, mpi},
}};

Result<void> check_options(const ExportCommand& command, const ExportFormat& format) {
  struct Option {
    std::string_view flag;
    bool is_given;
    bool fits;
  };
  for (const Option& option : {Option{"--in-place", command.in_place, format.is_program},
                               Option{"--channels", command.channels.has_value(), format.has_threads},
                               Option{"--proto", command.protocol.has_value(), format.has_protocol},
                               Option{"--rccl-names", command.rccl_names, format.has_threads},
                               Option{"--bytes", command.bytes > 0, format.has_bytes},
                               Option{"--name", !command.name.empty(), format.has_name}})
    if (option.is_given && !option.fits)
      return usage_error(fmt::format("{} does not go with --to {}", option.flag, format.name));
  return {};
}

}  // namespace

std::vector<std::string_view> export_format_names() {
  return mapped(formats, &ExportFormat::name);
}

std::string export_formats_in_words() {
  return in_sentence(mapped(formats, &ExportFormat::in_words), "or");
}

Result<const ExportFormat*> parse_export_format(const std::string& text) {
  if (const ExportFormat* format = row_with(formats, &ExportFormat::name, text)) return format;
  return no_such("--to: no format", text, export_format_names());
}

Result<std::int32_t> parse_channels(const std::string& text) {
  std::int32_t channels = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), channels);
  if (error != std::errc{} || end != text.data() + text.size() || channels < 1 || channels > msccl_channels)
    return usage_error(fmt::format("--channels: expected a number from 1 to {}, found '{}'", msccl_channels, text));
  return channels;
}

Result<std::string_view> parse_protocol(const std::string& text) {
  const auto protocols = msccl_protocols();
  const auto protocol = std::find(protocols.begin(), protocols.end(), text);
  if (protocol != protocols.end()) return *protocol;
  return no_such("--proto: no protocol", text, protocols);
}

Result<ExitCode> run(const ExportCommand& command) {
  TRY(check_options(command, *command.format));
  TRY(check_writable(command.output));
  const auto schedule = TRY(small_schedule(command.subject));
  if (command.format->is_program) TRY(require_well_formed(*schedule));
  const auto write = TRY(command.format->writer(command, schedule));
  TRY(write_file(command.output.empty() ? "-" : command.output, write));
  return ExitCode::ok;
}

}  // namespace onceover::cli
