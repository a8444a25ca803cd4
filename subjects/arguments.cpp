#include "subjects/arguments.h"

#include <fmt/format.h>

#include "base/words.h"

namespace onceover::subjects {

std::string option(std::string_view flag, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {} {}", flag, shell_word(value));
}

std::string subject_arguments(const SubjectOptions& s) {
  std::string text = s.file.empty() ? "" : fmt::format(" {}", shell_word(s.file));
  text += option("--algo", s.algorithm) + option("--exec", s.command) + option("--peer", s.peer) +
          option("--steps", s.steps) + option("--p", s.ranks);
  for (const std::string& torus : s.tori) text += option("--torus", torus);
  text += option("--lanes", s.lanes) + option("--collective", s.collective);
  for (const std::string& setting : s.settings) text += option("--set", setting);
  return text;
}

}  // namespace onceover::subjects
