// Formulas that are close to one another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedules/formula.h"

namespace onceover::schedules {

/// The formula as a text with the parentheses that it needs. O(nodes).
std::string text_of(const Formula& formula, std::span<const std::string_view> variables);

/// Formulas over whole numbers that differ from this one in one part: in place of it there is a small formula (two
/// operators or functions at most), one of its own operands, or another operator. Those come first that change least,
/// counted in operators, functions, numbers and variables taken out and put in. Some may be equal in value. Some 1,000
/// for each node.
std::vector<Formula> neighbours(const Formula& formula, std::span<const std::string_view> variables);

}  // namespace onceover::schedules
