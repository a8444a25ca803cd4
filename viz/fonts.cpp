// A family is there if fc-list has it. If it has another name for one, fc-match finds a font for it that isn't the one
// that it finds for any name at all.
//
// Example: without a font Times, fc-match answers "Nimbus Roman" for it, and "DejaVu Sans" for the name "no such font".

#include "viz/fonts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>

#include "base/closest.h"
#include "base/process.h"
#include "base/words.h"
#include "viz/html.h"

namespace onceover::viz {

namespace {

constexpr ProcessLimits limits_of_fontconfig{.seconds = 20, .bytes = std::size_t{16} << 20};

/// What the program prints; nothing if it can't be had.
std::optional<std::string> printed(std::string program, std::vector<std::string> arguments) {
  const auto end = run_process({std::move(program), std::move(arguments)}, limits_of_fontconfig);
  if (!end || complaint(*end, limits_of_fontconfig)) return std::nullopt;
  return end->out;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// The families of this machine; empty if that isn't known.
std::set<std::string, std::less<>> families() {
  std::set<std::string, std::less<>> found;
  const auto list = printed("fc-list", {"--format", "%{family}\n"});
  if (!list) return found;
  for (const std::string_view line : split(*list, '\n'))
    for (const std::string_view family : split(line, ','))
      if (!family.empty()) found.emplace(family);
  return found;
}

/// fontconfig reads a colon or hyphen as the end of the name.
std::string as_pattern(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    if (c == '\\' || c == ':' || c == '-' || c == ',') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::optional<std::string> best_match(std::string_view name) {
  return printed("fc-match", {"--format", "%{file}", as_pattern(name)});
}

bool is_there(std::string_view name, const std::set<std::string, std::less<>>& known) {
  static constexpr std::array<std::string_view, 4> generic{"serif", "sans", "sans-serif", "monospace"};
  const std::string lower = in_lower_case(name);
  if (std::find(generic.begin(), generic.end(), lower) != generic.end()) return true;
  if (std::any_of(known.begin(), known.end(), [&](const std::string& each) { return in_lower_case(each) == lower; }))
    return true;
  const auto match = best_match(name), fallback = best_match("no such font");
  return !match || !fallback || *match != *fallback;
}

/// The name without a word of style at its end; nothing if there is none.
std::optional<std::string> without_style(const std::string& name) {
  static constexpr std::array<std::string_view, 12> styles{"bold",  "italic", "oblique",   "regular",
                                                           "roman", "book",   "light",     "medium",
                                                           "demi",  "black",  "condensed", "bolditalic"};
  const std::size_t at = name.find_last_of(" -");
  if (at == std::string::npos || at == 0) return std::nullopt;
  const std::string word = in_lower_case(std::string_view(name).substr(at + 1));
  if (std::find(styles.begin(), styles.end(), word) == styles.end()) return std::nullopt;
  return name.substr(0, at);
}

}  // namespace

Result<void> check_font(std::string_view flag, const std::string& name) {
  const auto known = families();
  if (known.empty()) return {};
  for (std::optional<std::string> family = name; family; family = without_style(*family))
    if (is_there(*family, known)) return {};
  const std::vector<std::string_view> names(known.begin(), known.end());
  return no_such(fmt::format("{}: no font", flag), name, names);
}

namespace {

/// The family stands for the name before any rule of the machine does. `settings` are those of the machine.
std::string settings_text(std::string_view settings) {
  struct Substitute {
    std::string_view name, family;
  };
  std::string text = "<?xml version=\"1.0\"?>\n<!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">\n<fontconfig>\n";
  for (const auto& [name, family] :
       {Substitute{"Times", "Liberation Serif"}, Substitute{"Helvetica", "Liberation Sans"},
        Substitute{"Courier", "Liberation Mono"}})
    text += fmt::format(
        "<match target=\"pattern\"><test name=\"family\" qual=\"first\"><string>{}</string></test>"
        "<edit name=\"family\" mode=\"prepend\" binding=\"strong\"><string>{}</string></edit></match>\n",
        name, family);
  return text + fmt::format("<include ignore_missing=\"yes\">{}</include>\n</fontconfig>\n", html_escaped(settings));
}

/// Writes all of it into a new file, whose name it completes.
bool write_new(std::string& path, std::string_view text) {
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return false;
  const bool is_written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return close(file) == 0 && is_written;
}

}  // namespace

FontSettings::FontSettings() {
  const auto held = hold_interrupts();
  std::error_code error;
  path_ = (std::filesystem::temp_directory_path(error) / "onceover-fonts-XXXXXX").string();
  const char* own = std::getenv("FONTCONFIG_FILE");
  if (error) return;
  is_written_ = write_new(path_, settings_text(own != nullptr ? own : "fonts.conf"));
  removed_.emplace(path_);
}

FontSettings::~FontSettings() {
  unlink(path_.c_str());
}

std::vector<std::string> FontSettings::environment() const {
  if (!is_written_) return {};
  return {fmt::format("FONTCONFIG_FILE={}", path_)};
}

}  // namespace onceover::viz
