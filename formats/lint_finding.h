// LintFinding: something to know about a file, in any format.
#pragma once

#include "base/source_text.h"

namespace onceover::formats {

/// A place in a file that a runtime refuses, or that the file's user should know about.
struct LintFinding {
  SourceError at;
  bool is_note = false;    // the file is loaded all the same
  bool is_silent = false;  // the file is loaded without a word, and its run goes wrong
};

}  // namespace onceover::formats
