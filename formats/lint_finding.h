// What reading a file closely finds, whatever its format.
#pragma once

#include "base/source_text.h"

namespace onceover::formats {

/// Something about a file that a runtime stumbles over, or that its user should know.
struct LintFinding {
  SourceError at;
  bool is_note = false;  // the file is loaded all the same
};

}  // namespace onceover::formats
