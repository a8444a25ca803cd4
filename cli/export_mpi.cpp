#include "cli/export_mpi.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "formats/mpi_writer.h"
#include "subjects/options.h"
#include "subjects/run.h"
#include "verifier/operand_sides.h"
#include "verifier/verify.h"

namespace onceover::cli {

namespace {

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

}  // namespace

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

}  // namespace onceover::cli
