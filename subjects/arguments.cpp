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

std::string option(std::string_view flag, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {} {}", flag, quoted(std::string(value)));
}

std::string subject_arguments(const SubjectOptions& s) {
  std::string text = s.file.empty() ? "" : fmt::format(" {}", quoted(s.file));
  if (s.algorithm != nullptr) text += option("--algo", s.algorithm->name);
  text += option("--exec", s.command);
  if (s.peer) text += option("--peer", s.peer->text());
  if (s.steps) text += option("--steps", s.steps->text());
  if (s.ranks) text += option("--p", s.ranks->text);
  for (const Shape& torus : s.tori) text += option("--torus", torus_text(torus));
  if (s.lanes) text += option("--lanes", name(*s.lanes));
  if (s.collective) text += option("--collective", name(*s.collective));
  for (const Setting& setting : s.settings) text += option("--set", setting.text());
  return text;
}

}  // namespace onceover::subjects
