// From the messages of a call to a schedule that does the same.
#pragma once

#include <array>
#include <optional>
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

/// When a message can be sent, and what its completion means for later ones.
struct StepRule {
  enum class Receiver { when_posted, when_complete, whenever };
  Receiver receiver;   // not before the receiver posts the receive, or before it waits for it, or regardless
  bool delays_sender;  // what the sender sends after the send is complete is sent later
};

/// In the order in which they are tried.
inline constexpr std::array<StepRule, 5> step_rules{{
    {StepRule::Receiver::when_posted, true},
    {StepRule::Receiver::when_complete, true},
    {StepRule::Receiver::when_posted, false},
    {StepRule::Receiver::when_complete, false},
    {StepRule::Receiver::whenever, false},
}};

/// The messages of each step, in the order in which they were received; those that nobody received are left out.
/// Nothing if messages wait for each other by this rule. O(messages log messages).
std::optional<std::vector<std::vector<std::size_t>>> steps_of(const CallRecord& call, Rank ranks, StepRule rule);

}  // namespace onceover::code
