// Parts of sentences: counts, lists of names, and the name that the user probably meant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace onceover::base {

/// "1 step", "3 steps".
std::string counted(std::uint64_t n, std::string_view one);

/// "json, goal or mpi": the names with commas between them and `last` before the last one.
std::string in_sentence(std::vector<std::string_view> names, std::string_view last);

/// The candidate nearest to `name` by edits (insert, delete, replace, swap neighbours). Nothing if it takes more edits
/// than a third of the letters of `name` (than two, if the name is short), or as many as the candidate has letters.
/// O(|name| * letters of the candidates).
std::optional<std::string> closest(std::string_view name, std::span<const std::string_view> candidates);

/// The same with at most `most` edits.
std::optional<std::string> closest(std::string_view name, std::span<const std::string_view> candidates,
                                   std::size_t most);

/// "; did you mean 'X'?" if a candidate is near, else "".
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);

/// "--view: no view 'stps'; did you mean 'steps'?; there are steps, matrix": `what` begins it.
tl::unexpected<Failure> no_such(std::string_view what, std::string_view name, std::span<const std::string_view> known);

}  // namespace onceover::base
