#include <catch2/catch.hpp>

#include "formats/plan_lowering.h"
#include "formats/plan_reader.h"
#include "formats/plan_writer.h"
#include "plain_schedule.h"
#include "plan_interpreter.h"
#include "programs/verify_plan.h"
#include "schedules/catalogue.h"
#include "written.h"

using namespace onceover::support;

namespace {

constexpr PlanLoweringOptions ways[] = {{false, false}, {true, false}, {false, true}, {true, true}};

/// The plan of a schedule, written and read.
ExecutionPlan exported(const Schedule& schedule, const PlanLoweringOptions& options) {
  const auto plan = lower_for_mscclpp(schedule, options);
  if (!plan) FAIL(plan.error().why);
  auto read = read_plan("p.json", written([&](std::FILE* file) { return write_plan(*plan, file); }));
  if (!read) FAIL(read.error().render());
  return *std::move(read);
}

/// Calls visit(schedule) for the rows and collectives of which there are plans.
template <class Visit>
void for_each_exported(Rank first, Rank last, Visit&& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (Rank p = first; p <= last; ++p) {
        const Request request = on_line(collective, p);
        const bool has_plan = collective == Collective::allreduce || collective == Collective::allgather ||
                              collective == Collective::reduce_scatter;
        if (row.as_printed || !has_plan || refusal(row, request)) continue;
        CAPTURE(row.name, name(collective), p);
        visit(*row.make(request));
      }
}

void require_pass(const Schedule& schedule) {
  for (const PlanLoweringOptions& way : ways) {
    CAPTURE(way.in_place, way.with_packets);
    const Report report = verify(exported(schedule, way));
    for (const PropertyResult& p : report.properties) {
      CAPTURE(p.id, p.summary);
      REQUIRE((!p.required || p.verdict == Verdict::pass));
    }
    REQUIRE(report.verdict == Verdict::pass);
    REQUIRE(report.find(exactly_once_property)->verdict == Verdict::pass);
    REQUIRE(report.find(repeatable_property)->verdict == Verdict::pass);
  }
}

SchedulePtr ring(Rank p) {
  return find_algorithm("ring")->make(on_line(Collective::allreduce, p));
}

}  // namespace

TEST_CASE("plans of the catalogue pass, again and again, to 6 ranks") {
  for_each_exported(2, 6, require_pass);
}

TEST_CASE("plans of the catalogue pass, again and again, to 16 ranks", "[slow]") {
  for_each_exported(7, 16, require_pass);
}

TEST_CASE("plans of tori and of many blocks pass") {
  Request request{.collective = Collective::allreduce, .shape = {4, 4}};
  request.all_lanes = true;
  require_pass(*find_algorithm("swing")->make(request));
  require_pass(*ring(24));
}
