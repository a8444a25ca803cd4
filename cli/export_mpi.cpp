#include "cli/export_mpi.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/arguments.h"
#include "cli/run.h"
#include "schedules/mpi_writer.h"
#include "verifier/operand_sides.h"
#include "verifier/verify.h"

namespace onceover::cli {

namespace {

/// What the file depends on, and what its comment says of the schedule.
const std::array judged_properties{&well_formed_property, &exactly_once_property, &order_preserving_property,
                                   &bitwise_reproducible_property};

const PropertyResult& result_of(const Report& report, const Property& property) {
  return *std::find_if(report.properties.begin(), report.properties.end(),
                       [&](const PropertyResult& result) { return result.id == property.id; });
}

/// A failure unless the schedule, of which this was found, does what an allreduce must.
Result<void> require_right(const Report& found, const Schedule& schedule, const SubjectOptions& subject) {
  if (result_of(found, well_formed_property).verdict == Verdict::pass &&
      result_of(found, exactly_once_property).verdict == Verdict::pass)
    return {};
  Header header = schedule.header();
  header.owners.clear();
  const Run run{Origin(Origin::Kind::catalogue), header, verify(schedule), {}, {}};
  const ExitCode code = run.report.verdict == Verdict::fail ? ExitCode::violated : ExitCode::unknown;
  return tl::unexpected(Failure{
      code, fmt::format("not exported: 'verify{}' says\n{}", subject_arguments(subject), text_report({run}, false))});
}

std::vector<std::string> about(const Schedule& schedule, const Report& report, const SubjectOptions& subject,
                               const std::string& name, bool keeps_order) {
  const Header& h = schedule.header();
  std::vector<std::string> lines{
      fmt::format("{} among {} ranks, as a function that does what MPI_Allreduce does:",
                  h.algorithm.empty() ? "An allreduce" : h.algorithm + " allreduce", h.ranks),
      "",
      fmt::format("  int {}(const void *sendbuf, void *recvbuf, int count,", name),
      fmt::format("  {:{}}MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);", "", name.size() + 5),
      "",
      fmt::format("verify{}", subject_arguments(subject)),
      ""};
  for (const Property* property : judged_properties) {
    const PropertyResult& result = result_of(report, *property);
    lines.push_back(fmt::format("  {:<21} {}  {}", result.id, onceover::name(result.verdict), result.summary));
  }
  lines.insert(
      lines.end(),
      {"",
       h.blocks == 1
           ? "The vector is one block; a transfer is one message."
           : fmt::format("The vector is cut into {} blocks, as even as can be; a transfer is one message.", h.blocks),
       fmt::format("It refuses communicators that don't have {} ranks, and intercommunicators.", h.ranks)});
  lines.push_back(keeps_order
                      ? "Operators that don't commute are applied in the order of the ranks."
                      : "It refuses operators that don't commute, since it doesn't keep the order of the ranks.");
  lines.insert(
      lines.end(),
      {"", "With -DONCEOVER_INTERPOSE the file defines MPI_Allreduce, too, which runs the schedule where it fits",
       "and PMPI_Allreduce elsewhere."});
  return lines;
}

}  // namespace

Result<std::function<bool(std::FILE*)>> mpi_writer(const SubjectOptions& subject, const std::string& name,
                                                   const SchedulePtr& schedule) {
  const std::string function = name.empty() ? mpi_function_name(schedule->header()) : name;
  if (const auto why = mpi_name_refusal(function)) return usage_error("--name: " + *why);
  if (const auto why = mpi_refusal(*schedule)) return usage_error("not exported: " + *why);
  const Report report =
      verify(*schedule,
             {.required = {std::string(order_preserving_property.id), std::string(bitwise_reproducible_property.id)}});
  if (auto right = require_right(report, *schedule, subject); !right) return tl::unexpected(right.error());
  const bool keeps_order = result_of(report, order_preserving_property).verdict == Verdict::pass;
  MpiOptions options{.function = function, .about = about(*schedule, report, subject, function, keeps_order)};
  if (keeps_order) options.from_right = operands_from_right(*schedule);
  return [schedule, options = std::move(options)](std::FILE* file) { return write_mpi(*schedule, options, file); };
}

}  // namespace onceover::cli
