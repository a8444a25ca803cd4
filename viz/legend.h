// The key to the lines of messages.
#pragma once

#include "viz/key.h"
#include "viz/messages.h"

namespace onceover::viz {

/// For below a picture of messages: a sample for each lane if there are several, and what their heads mean. Empty if
/// there are no messages.
PictureKey key_to(const std::vector<Message>& messages, const Style& style);

}  // namespace onceover::viz
