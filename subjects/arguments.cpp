#include "subjects/arguments.h"

#include <fmt/format.h>

#include "base/words.h"

namespace onceover::subjects {

std::string option(std::string_view flag, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {} {}", flag, shell_word(value));
}

std::string subject_arguments(const SubjectOptions& s) {
  std::string text = s.file.empty() ? "" : fmt::format(" {}", shell_word(s.file));
  text += option("--algo", names_text(s.algorithms));
  text += option("--exec", s.command);
  if (s.peer) text += option("--peer", s.peer->text());
  if (s.steps) text += option("--peer-steps", s.steps->text());
  if (s.odd) text += option("--odd", name(*s.odd));
  if (s.ranks) text += option("--p", s.ranks->text);
  for (const Shape& torus : s.tori) text += option("--torus", torus_text(torus));
  if (s.lanes) text += option("--lanes", name(*s.lanes));
  if (s.collective) text += option("--collective", name(*s.collective));
  if (s.collective.is_none) text += option("--collective", "none");
  if (s.root) text += option("--root", std::to_string(*s.root));
  for (const Setting& setting : s.settings) text += option("--set", setting.text());
  return text;
}

}  // namespace onceover::subjects
