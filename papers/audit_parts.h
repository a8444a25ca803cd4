// What the text, the JSON and the pages of an audit share.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "papers/audit.h"

namespace onceover::papers {

/// In the order in which they are counted.
inline constexpr std::array verdicts{ClaimVerdict::proved,  ClaimVerdict::checked,  ClaimVerdict::imprecise,
                                     ClaimVerdict::refuted, ClaimVerdict::differs,  ClaimVerdict::finding,
                                     ClaimVerdict::unknown, ClaimVerdict::unsettled};

/// Are these the program's claims, not those of a user's file?
bool are_ours(const std::vector<Audited>& audited);

/// The papers in their order; for our claims all papers.
std::vector<std::string_view> papers_of(const std::vector<Audited>& audited);

/// The claims of one paper, in the order of its text.
std::vector<const Audited*> of_paper(const std::vector<Audited>& audited, std::string_view paper);

/// "42 claims: 20 proved, 10 checked".
std::string tally(const std::vector<Audited>& audited);

/// The evidence for the verdict.
std::string grounds(const Audited& a);

/// The command that tries the claim again.
std::string command_of(const Audited& a);

}  // namespace onceover::papers
