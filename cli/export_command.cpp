#include <fmt/format.h>

#include <array>

#include "cli/commands.h"
#include "cli/files.h"
#include "schedules/closest.h"
#include "schedules/schedule_file.h"

namespace onceover::cli {

namespace {

constexpr std::array<std::string_view, 1> formats{"json"};

/// More block transfers than this are no file that anything could read.
constexpr std::uint64_t largest_export = std::uint64_t{1} << 28;

Result<SchedulePtr> small_schedule(const SubjectOptions& options) {
  auto schedule = resolve_single(options, "export writes");
  if (schedule && (*schedule)->block_transfers() > largest_export)
    return tl::unexpected(Failure{ExitCode::unknown, fmt::format("not exported: {} block transfers are more than {}",
                                                                 (*schedule)->block_transfers(), largest_export)});
  return schedule;
}

}  // namespace

Result<ExitCode> run(const ExportCommand& command) {
  if (std::find(formats.begin(), formats.end(), command.format) == formats.end())
    return usage_error(fmt::format("--to: no format '{}'{}; there is {}", command.format,
                                   suggestion(command.format, formats), fmt::join(formats, ", ")));
  const auto schedule = small_schedule(command.subject);
  if (!schedule) return tl::unexpected(schedule.error());
  if (command.output.empty() || command.output == "-") {
    const bool written = write_schedule(**schedule, stdout);
    if (auto printed = print(""); !written || !printed) return tl::unexpected(printed.error());
    return ExitCode::ok;
  }
  auto write = [&](std::FILE* file) { return write_schedule(**schedule, file); };
  if (auto written = write_file(command.output, write); !written) return tl::unexpected(written.error());
  return ExitCode::ok;
}

}  // namespace onceover::cli
