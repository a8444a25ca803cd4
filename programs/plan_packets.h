// Packets of an MSCCL++ plan: which task writes those that another waits for.
#pragma once

#include "programs/plan_graph.h"

namespace onceover::programs {

/// What a task moves. A transfer moves one movement of its operation, or to one target of it.
std::vector<Movement> movements_of(const ExecutionPlan& plan, const PlanMemory& memory, const PlanTask& task);

/// Is the target the movement's only source? A packet that is stored onto itself stays as it is.
bool stays(const Movement& movement, const Operand& target);

/// Adds the edges from writers to readers of packets, and what waits for a packet that nobody writes in its call, or
/// that several write. A reader is after the origin of the writer; if it reads all that a transfer has written, after
/// the transfer. O(cells * calls + what all tasks move).
void connect_packets(const ExecutionPlan& plan, const PlanMemory& memory, std::int32_t calls, PlanGraph& graph);

}  // namespace onceover::programs
