// The steps in which the messages of a call are sent.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "code/record.h"

namespace onceover::code {

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
