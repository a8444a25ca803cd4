// The report on code for several numbers of ranks, as text.
#pragma once

#include <span>
#include <string>

#include "live/live_report.h"

namespace onceover::code {

/// Which numbers of ranks pass and which don't, then the smallest that doesn't with what is wrong. With `full`, or if
/// there is only one number of ranks, a line for each call. The calls of one number are neighbours.
std::string code_text(std::span<const live::LiveRun> runs, bool full);

}  // namespace onceover::code
