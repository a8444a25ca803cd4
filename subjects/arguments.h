// Options, written as the user would write them again.
#pragma once

#include <string>
#include <string_view>

#include "subjects/subject.h"

namespace onceover::subjects {

/// " --flag value", or nothing if the value is empty.
std::string option(std::string_view flag, std::string_view value);

/// " --algo swing --p 7": the arguments that name the subject.
std::string subject_arguments(const SubjectOptions& options);

}  // namespace onceover::subjects
