#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/resource_limits.h"
#include "base/result.h"
#include "base/sentences.h"
#include "base/table.h"
#include "cli/contention_report.h"
#include "cli/report_sections.h"
#include "network/contention.h"
#include "network/flows.h"
#include "schedules/catalogue.h"
#include "subjects/comparison.h"
#include "viz/html.h"
#include "viz/view.h"

namespace onceover::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view sizes_shown = "32..512Mi";
constexpr std::size_t most_kinds = 200;  // rows for kinds of steps in a table

std::string steps_table(const Contention& contention, const Network& network, const Names& names) {
  Rows rows{{"step", "messages", "mean hops", "most hops", "blocks on the hottest link", "messages on a link",
             "links used", "hottest link"}};
  for (const StepContention& s : contention.steps) {
    if (rows.size() > most_kinds) break;
    rows.push_back({steps_text(s.kind), std::to_string(s.messages), number_text(s.hops_mean()),
                    std::to_string(s.hops_max), number_text(static_cast<double>(s.load)),
                    std::to_string(s.most_messages), std::to_string(s.links_used),
                    s.hottest < 0 ? "" : link_text(network, s.hottest, names)});
  }
  return table_html(rows);
}

/// The network, its links as thick as their loads in all steps.
std::string heat_map(const Reported& reported, const Network& network) {
  const bool has_planes = network.grid() && network.grid()->lines.size() > 2;
  DrawOptions options{.routing = reported.plan.routing, .style = {.width = has_planes ? 7.0 : 4.0, .font_size = 8}};
  options.network = std::make_shared<const Network>(network);
  auto picture = draw(contention_view, reported.schedule, options);
  if (!picture && picture.error().kind == DrawError::Kind::too_large) {
    options.thinned = true;  // links and steps in place of the network
    picture = draw(contention_view, reported.schedule, options);
  }
  return picture_html(picture, "loads of links, all steps") +
         paragraph_html("`verify draw --view contention --steps 0..2` draws single steps.", "soft");
}

std::string deficiencies_table(const Deficiencies& d) {
  return table_html(
      {{"latency", "bandwidth", "congestion"},
       {number_text(d.latency), number_text(d.bandwidth), number_text(d.congestion)}},
      "Deficiencies, as the Swing paper defines them: steps over log2 p; time on the ports over the least "
      "possible; time of the links over that of the ports. Several messages a step can take latency "
      "below 1, flows split over several ports congestion.");
}

/// Other algorithms that do the same on such a shape.
std::vector<std::string_view> rivals(const Header& header) {
  if (header.shape.size() > 1) return {"swing", "swing-latency", "bucket", "recursive-doubling"};
  return {"swing", "swing-latency", "ring", "recursive-doubling"};
}

/// A rival's schedule; null if the row refuses the request.
SchedulePtr rival(std::string_view algorithm, const Header& header) {
  const Algorithm* row = find_algorithm(algorithm);
  Request request{.collective = header.collective, .shape = {header.ranks}};
  if (!header.shape.empty()) request.shape = header.shape;
  request.all_lanes = header.lanes > 1 && row->has_lanes;
  return refusal(*row, request) ? nullptr : row->make(request);
}

/// The schedule, then its rivals. A rival that takes too much work is left out.
Result<Comparison> compared(const Reported& reported, const Network& network, const ReportCommand& command) {
  const Timing timing{.flows = {.routing = reported.plan.routing, .budget = command.budget},
                      .ranks = reported.plan.ranks};
  Comparison comparison{*parse_sizes(std::string(sizes_shown)), {}};
  const auto own = TRY(times_of(reported.schedule, network, timing, comparison.sizes));
  const Header& header = reported.run.header;
  const bool is_row = reported.run.origin.kind == Origin::Kind::catalogue;
  const std::string name = is_row ? header.algorithm : reported.run.report.program ? "this program" : "this schedule";
  comparison.contenders.push_back({name, {{name, own}}});
  for (const std::string_view algorithm : rivals(header)) {
    if (algorithm == name && command.subject.settings.empty()) continue;
    const SchedulePtr other = rival(algorithm, header);
    const auto times = other ? times_of(*other, network, timing, comparison.sizes) : Result<std::vector<double>>();
    if (other && times) comparison.contenders.push_back({std::string(algorithm), {{std::string(algorithm), *times}}});
  }
  return comparison;
}

std::string chart_of(const Comparison& c) {
  LineChart chart{"goodput over the size of the vector", "size of the vector", "goodput, Gb/s", c.sizes, {}, {}};
  for (std::size_t k = 0; k < c.sizes.size(); ++k) chart.x_labels.push_back(k % 2 == 0 ? bytes_text(c.sizes[k]) : "");
  for (const Contender& contender : c.contenders) {
    LineChart::Line line{contender.name, {}};
    for (std::size_t k = 0; k < c.sizes.size(); ++k) line.values.push_back(goodput(c.sizes[k], contender.time(k)));
    chart.lines.push_back(std::move(line));
  }
  return fmt::format("<figure>{}</figure>\n", svg_of(chart));
}

/// Does it fail a property that is always required?
bool is_wrong(const Report& report) {
  return std::any_of(report.properties.begin(), report.properties.end(), [](const PropertyResult& p) {
    return p.verdict == Verdict::fail && (p.id == exactly_once_property.id || p.id == well_formed_property.id);
  });
}

std::string times_table(const Comparison& c) {
  Rows rows{{"size"}};
  for (const Contender& contender : c.contenders) rows[0].push_back(contender.name);
  if (c.contenders.size() > 1) rows[0].push_back("fastest");
  for (std::size_t k = 0; k < c.sizes.size(); ++k) {
    std::vector<std::string> row{bytes_text(c.sizes[k])};
    for (const Contender& contender : c.contenders) row.push_back(time_text(contender.time(k)));
    if (c.contenders.size() > 1) row.push_back(c.contenders[c.winner(k)].name);
    rows.push_back(row);
  }
  return table_html(rows);
}

/// "400", or "50 to 400" if links differ.
template <class Value>
std::string range_text(const Network& network, Value&& value) {
  double least = value(network.links().front());
  double most = least;
  for (const LinkData& link : network.links()) {
    least = std::min(least, value(link));
    most = std::max(most, value(link));
  }
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

std::string speeds_text(const NetworkPlan& plan, const Network& network) {
  if (network.links().empty()) return fmt::format("On {}.", network.name());
  std::string text = fmt::format("On {}: {} Gb/s, {} ns a link and hop, {}.", network.name(),
                                 range_text(network, [](const LinkData& l) { return l.bandwidth; }),
                                 range_text(network, [](const LinkData& l) { return l.latency; }),
                                 counted(static_cast<std::uint64_t>(network.ports()), "port"));
  if (plan.ranks.overhead > 0) text += fmt::format(" {} ns to send a message.", plan.ranks.overhead);
  if (plan.ranks.reduction > 0) text += fmt::format(" {} ns to reduce a byte.", plan.ranks.reduction);
  return text + " All ranks wait for each other after each step.";
}

}  // namespace

namespace {

Result<ReportedLoads> loads_of(const Schedule& schedule, const NetworkPlan& plan, const ReportCommand& command) {
  auto network = TRY(make_network(command.network, plan, schedule.header()));
  const auto within =
      within_limits([&] { return contention(schedule, network, {.routing = plan.routing, .budget = command.budget}); });
  ReportedLoads loads{std::move(network), {}};
  if (within && *within)
    loads.found = **within;
  else
    loads.why = within ? within->error().text : within.error();
  return loads;
}

}  // namespace

Result<ReportedLoads> loads_of(const Reported& reported, const ReportCommand& command) {
  return loads_of(reported.schedule, reported.plan, command);
}

Result<std::optional<ReportedBeside>> beside_of(const Reported& reported, const ReportCommand& command) {
  if (command.beside.empty()) return std::nullopt;
  auto second = TRY(judged_beside(command.beside, reported.schedule.header(), judging(command, reported.bounds)));
  if ((second.block_bytes > 0) != (reported.block_bytes > 0))
    return usage_error("--beside: one has sizes in bytes, and the other in parts of a vector");
  auto loads = TRY(loads_of(*second.schedule, reported.plan, command));
  return ReportedBeside{std::move(second), std::move(loads)};
}

Result<ReportSection> contention_section(const Reported& reported, const ReportedLoads& loads) {
  const std::string id = "contention", heading = "Who shares which link";
  const Network& network = loads.network;
  const auto& found = loads.found;
  if (!found) return ReportSection{id, heading, paragraph_html(loads.why)};
  std::string html = paragraph_html(
      fmt::format("On {}, {} links, {} routing.", network.name(), network.link_count(), name(reported.plan.routing)));
  if (found->deficiencies && reported.has_deficiencies) html += deficiencies_table(*found->deficiencies);
  if (const auto least = reported.block_bytes == 0
                             ? least_time_beside(reported.run, reported.schedule.header(), network)
                             : std::nullopt) {
    const Rational vectors = found->time / reported.schedule.header().blocks;
    html += paragraph_html(fmt::format("For large vectors: {} vectors at the speed of a port, {}.",
                                       number_text(static_cast<double>(vectors)), beside_least(vectors, *least)));
  }
  const std::string map = heat_map(reported, network);
  return ReportSection{id, heading, html + map + steps_table(*found, network, reported.run.header.names)};
}

ReportSection time_section(const Reported& reported, const ReportCommand& command) {
  const std::string id = "time", heading = "How long it takes";
  const auto network = make_network(command.network, reported.plan, reported.run.header);
  if (!network) return {id, heading, paragraph_html(network.error().message)};
  const auto within = within_limits([&] { return compared(reported, *network, command); });
  if (!within) return {id, heading, paragraph_html(within.error())};
  const auto& comparison = *within;
  if (!comparison) return {id, heading, paragraph_html(comparison.error().message)};
  if (reported.schedule.steps() == 0) return {id, heading, paragraph_html("No time: nobody sends anything.")};
  std::string html = paragraph_html(speeds_text(reported.plan, *network));
  if (is_wrong(reported.run.report))
    html +=
        paragraph_html(fmt::format("The {} is wrong: this is what its messages take, not what the collective would.",
                                   reported.run.report.program ? "program" : "schedule"));
  return {id, heading, html + chart_of(*comparison) + times_table(*comparison)};
}

}  // namespace onceover::cli
