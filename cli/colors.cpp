// A verdict is a word at the beginning of a line, or one after a property's name in a table of properties:
//
//   pass  every contribution reaches its destination exactly once
//     fail  p = 6: exactly-once: ..
//     well-formed            pass    required: ..
//
// Colours are the terminal's own green, red and yellow, so that they suit its background.
#include "cli/colors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/text.h"

namespace onceover::cli {

namespace {

struct Painted {
  std::string_view word;
  int color;  // as in ECMA-48
};

constexpr int green = 32, red = 31, yellow = 33;
constexpr std::array verdict_colors{Painted{"pass", green}, Painted{"proved", green}, Painted{"fail", red},
                                    Painted{"fails", red}, Painted{"unknown", yellow}};

Colors colors_in_use = Colors::automatic;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool has_colors() {
  if (colors_in_use != Colors::automatic) return colors_in_use == Colors::always;
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return isatty(STDOUT_FILENO) != 0 && !is_set("NO_COLOR") && !is_dumb;
}

/// The verdict at that place of a line, if a whole word there is one.
const Painted* verdict_at(std::string_view line, std::size_t place) {
  const std::string_view word = line.substr(place, line.find(' ', place) - place);
  for (const Painted& row : verdict_colors)
    if (word == row.word) return &row;
  return nullptr;
}

/// The place of a line's verdict: at its beginning, or after one word and at least two blanks.
std::size_t place_of_verdict(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (verdict_at(line, first) != nullptr) return first;
  const std::size_t end = line.find(' ', first);
  if (first != 2 || end == std::string_view::npos || line.substr(end, 2) != "  ") return line.size();
  return std::min(line.find_first_not_of(' ', end), line.size());
}

}  // namespace

Result<Colors> parse_colors(const std::string& text) {
  if (text == "auto") return Colors::automatic;
  if (text == "always") return Colors::always;
  if (text == "never") return Colors::never;
  return usage_error(fmt::format("--color: expected auto, always or never, found '{}'", text));
}

void set_colors(Colors colors) {
  colors_in_use = colors;
}

std::string painted(const std::string& report) {
  if (!has_colors()) return report;
  std::string text;
  for (const std::string_view line : split(report, '\n')) {
    if (!text.empty() || line.data() != report.data()) text += '\n';
    const std::size_t place = place_of_verdict(line);
    const Painted* verdict = place < line.size() ? verdict_at(line, place) : nullptr;
    if (verdict == nullptr) {
      text += line;
      continue;
    }
    text += fmt::format("{}\x1b[{}m{}\x1b[0m{}", line.substr(0, place), verdict->color, verdict->word,
                        line.substr(place + verdict->word.size()));
  }
  return text;
}

}  // namespace onceover::cli
