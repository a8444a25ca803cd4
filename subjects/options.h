// The options of subjects and networks, one row each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/option.h"
#include "subjects/network_plan.h"
#include "subjects/subject.h"

namespace onceover::subjects {

/// How many schedules the command takes at a time.
enum class Takes : std::uint8_t { one, several };

/// The options of subjects, without the file. A row fits a kind of subject if its bit 1 << Origin::Kind is set.
const std::vector<Option<SubjectOptions>>& subject_options(Takes takes = Takes::several);

/// What depends on an option of the network, as bits that a row fits.
inline constexpr unsigned for_deficiencies = 1, for_times = 2;

/// The options of the network.
const std::vector<Option<NetworkOptions>>& network_options();

/// " --algo swing --p 7": the arguments that name the subject, with its file.
std::string subject_arguments(const SubjectOptions& options);

}  // namespace onceover::subjects
