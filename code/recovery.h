// From the messages of a call to a schedule that does the same.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "code/record.h"
#include "live/live_call.h"
#include "schedules/schedule.h"

namespace onceover::code {

/// A schedule, and where its transfers come from.
struct Recovered {
  SchedulePtr schedule;
  std::vector<std::vector<std::size_t>> messages;  // by step: those of the call that are its transfers
  std::vector<std::vector<ElementRun>> elements;   // by block: which it stands for; the shape doesn't matter
};

/// The schedule that the call's messages are, or why they are none.
///
/// Each message gets a step: one later than all that its sender had completed when it sent, or its receiver when it
/// posted the receive. Then the steps are executed. A message must carry what its sender holds when the step begins;
/// it is a reduce if the receiver joined what it holds with what arrived, else a copy; and each rank must end with what
/// the run left. If this doesn't fit, other rules for the steps are tried (see recovery.cpp).
///
/// Elements that always travel alike are one block. O(messages + ranks * intervals + elements of results).
tl::expected<Recovered, std::string> recover(const live::LiveCall& call, Record& record, const CallRecord& made);

/// The collective of schedules that the call is; nothing if there is none that recover() can make.
std::optional<Collective> recoverable(const live::LiveCall& call);

}  // namespace onceover::code
