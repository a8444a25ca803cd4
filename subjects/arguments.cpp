#include "subjects/arguments.h"

#include <fmt/format.h>

namespace onceover::subjects {

std::string quoted(const std::string& text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string option(std::string_view flag, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {} {}", flag, quoted(value));
}

std::string subject_arguments(const SubjectOptions& s) {
  std::string text = s.file.empty() ? "" : fmt::format(" {}", quoted(s.file));
  text += option("--algo", s.algorithm) + option("--exec", s.command) + option("--peer", s.peer) +
          option("--steps", s.steps) + option("--p", s.ranks);
  for (const std::string& torus : s.tori) text += option("--torus", torus);
  text += option("--lanes", s.lanes) + option("--collective", s.collective);
  for (const std::string& setting : s.settings) text += option("--set", setting);
  return text;
}

}  // namespace onceover::subjects
