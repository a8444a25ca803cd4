// `verify bound`: how little time and how few steps could any schedule take on a network?

#include <fmt/format.h>

#include "base/try.h"
#include "cli/bound_report.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "cli/program_messages.h"
#include "network/least_time.h"
#include "schedules/catalogue.h"
#include "subjects/network_plan.h"

namespace onceover::cli {

namespace {

/// The ranks and the collective, as a schedule would state them.
Result<Header> header_of(const BoundCommand& command) {
  Header header;
  header.collective = command.collective;
  if (!is_bounded(header.collective))
    return usage_error(
        fmt::format("--collective: no bound is known here for {}; expected allreduce, allgather, reduce-scatter, "
                    "broadcast or reduce",
                    name(header.collective)));
  const std::size_t values = command.ranks ? command.ranks->value.size() : command.tori.size();
  if (command.ranks.has_value() == !command.tori.empty() || values != 1)
    return usage_error("bound is about one network: give one --p or one --torus");
  if (command.ranks)
    header.ranks = command.ranks->value.front();
  else
    header.shape = command.tori.front();
  for (const Rank side : header.shape) header.ranks *= side;
  if (header.ranks < 2) return usage_error("a bound needs 2 ranks or more");
  if (command.root && !is_rooted(header.collective))
    return usage_error(fmt::format("--root: {} has no root", name(header.collective)));
  header.root = command.root.value_or(0);
  if (header.root >= header.ranks)
    return usage_error(fmt::format("--root: expected a rank below {}, found {}", header.ranks, header.root));
  return header;
}

Result<NetworkBounds> bounded(const BoundCommand& command, const Header& header) {
  const auto plan = plan_of(command.network);
  auto network = TRY(make_network(command.network, plan, header));
  auto graph = port_graph(network);
  if (!graph) return tl::unexpected(Failure{ExitCode::unknown, graph.error()});
  auto time = time_bound(*graph, {header.collective, header.root}, command.budget);
  if (!time) return tl::unexpected(Failure{ExitCode::unknown, time.error()});
  const bool reached = is_reached(*graph, network, header.collective, *time);
  const Distance distance = farthest(network, header.collective, header.root);
  const int steps = least_steps(header.ranks, network.ports());
  return NetworkBounds{
      header.collective, header.root, std::move(network), std::move(*graph), std::move(*time), reached, steps,
      distance};
}

}  // namespace

Result<ExitCode> run(const BoundCommand& command) {
  const auto header = TRY(header_of(command));
  TRY(check_outputs(files_read({}, command.network), command.json, "", {}));
  const auto result = TRY(bounded(command, header));
  return after_output(ExitCode::ok,
                      give_result(
                          command.json, [&] { return dump(bound_json(result)); }, [&] { return bound_text(result); }));
}

}  // namespace onceover::cli
