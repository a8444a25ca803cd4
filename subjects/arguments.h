// Options as the user would write them again.
#pragma once

#include <string>
#include <string_view>

#include "subjects/subject.h"

namespace onceover::subjects {

/// " --flag value", or nothing where there is no value.
std::string option(std::string_view flag, std::string_view value);

/// " --algo swing --p 7": what names the subject.
std::string subject_arguments(const SubjectOptions& options);

}  // namespace onceover::subjects
