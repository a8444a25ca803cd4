// The options of `verify code` that say how code is run and called, for all that judge code.
#pragma once

#include <string>
#include <vector>

#include "base/exit_code.h"
#include "live/options.h"

namespace onceover::code {

/// The collective of that name, as `--collective` takes it.
Result<const live::LiveCollective*> parse_live_collective(const std::string& name);

/// "one", "each" or a number of ranks on a host, which is 0 for "one".
Result<Rank> parse_hosts(const std::string& text);

/// An error unless the text is a name in C.
Result<void> check_function(const std::string& name);

/// The calls that `words`, options of the command line, ask for.
Result<live::Options> call_options(std::vector<std::string> words, Rank ranks);

}  // namespace onceover::code
