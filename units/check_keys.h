// The keys of a check, also for other files whose tables ask the same as checks.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/toml.h"
#include "units/check.h"

namespace onceover::units {

/// The keys in the order in which they are read and printed. `fits` says which kinds of subjects a key applies to.
const std::vector<Key<Check>>& keys_of_checks();

/// The options of `verify code` that are keys of checks of code.
inline constexpr std::array<std::string_view, 19> code_option_names{
    "count",        "root",   "repeat",        "in-place", "non-commutative", "both-operators", "numbers",
    "number-type",  "digits", "build",         "link",     "include",         "flags",          "hosts",
    "no-buffering", "quick",  "communicators", "orders",   "call-time-limit"};

}  // namespace onceover::units
