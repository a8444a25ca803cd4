#include "viz/renderer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "base/process.h"
#include "base/result.h"
#include "base/sentences.h"
#include "base/text.h"
#include "viz/html.h"
#include "viz/ink/graph.h"
#include "viz/ink/writers.h"

namespace onceover::viz {

namespace {

/// A PDF or EPS without the time that the renderer writes into it: the same picture must have the same bytes.
std::string without_date(std::string file) {
  struct Date {
    std::string_view key, nothing;
  };
  for (const auto& [key, nothing] :
       {Date{"/CreationDate (D:", "19700101000000"}, Date{"\n%%CreationDate: ", "Thu Jan 01 00:00:00 1970"}}) {
    const std::size_t at = file.find(key);
    if (at != std::string::npos && at + key.size() + nothing.size() <= file.size())
      file.replace(at + key.size(), nothing.size(), nothing);
  }
  return file;
}

tl::unexpected<DrawError> failed(std::string message) {
  return tl::unexpected(DrawError{DrawError::Kind::failed, std::move(message)});
}

tl::unexpected<DrawError> not_started(const Renderer& renderer, int error) {
  if (error != ENOENT && error != EACCES)
    return failed(fmt::format("{} cannot be started: {}", renderer.name, std::strerror(error)));
  return tl::unexpected(
      DrawError{DrawError::Kind::no_program,
                fmt::format("{} isn't installed: its program '{}' is not found. Install it, or {}{}", renderer.name,
                            renderer.program, renderer.otherwise, ways_to_install(renderer))});
}

}  // namespace

std::string ways_to_install(const Renderer& renderer) {
  struct System {
    std::string_view command, names;
  };
  std::string text;
  const auto add = [&](std::string_view command, std::string_view package, std::string_view names) {
    text += fmt::format("\n  {:<40}{}", fmt::format("{} {}", command, package), names);
  };
  add("apt-get install", renderer.package, "Debian, Ubuntu");
  constexpr std::array<System, 3> others{{{"dnf install", "RHEL, Fedora"},
                                          {"zypper install", "SUSE"},
                                          {"conda install -c conda-forge", "conda, without root"}}};
  for (std::size_t k = 0; k < others.size(); ++k)
    if (!renderer.elsewhere[k].empty()) add(others[k].command, renderer.elsewhere[k], others[k].names);
  return text;
}

Drawn<std::string> run(const Renderer& renderer, std::vector<std::string> arguments, const std::string& input,
                       int seconds) {
  constexpr std::size_t largest_picture = std::size_t{1} << 30;
  const ProcessLimits limits{.seconds = seconds, .bytes = largest_picture};
  const FontSettings fonts;
  auto end = run_process({std::string(renderer.program), std::move(arguments), input, fonts.environment()}, limits);
  if (!end) return not_started(renderer, end.error());
  if (end->exceeded == ProcessEnd::Exceeded::seconds)
    return tl::unexpected(DrawError{
        DrawError::Kind::slow, fmt::format("{} took longer than {} s; {}", renderer.name, seconds, renderer.too_slow)});
  if (end->exceeded == ProcessEnd::Exceeded::bytes)
    return failed(fmt::format("{} {}", renderer.name, *complaint(*end, limits)));
  if (const int code = end->signal != 0 ? 128 + end->signal : end->exit_code; code != 0)
    return failed(fmt::format("{} ended with exit code {}: {}", renderer.name, code, end->errors.substr(0, 2000)));
  if (end->out.empty())
    return failed(fmt::format("{} made no picture: {}", renderer.name, end->errors.substr(0, 2000)));
  return without_date(std::move(end->out));
}

// A family is there if fc-list has it. If it has another name for one, fc-match finds a font for it that isn't the one
// that it finds for any name at all.
//
// Example: without a font Times, fc-match answers "Nimbus Roman" for it, and "DejaVu Sans" for the name "no such font".

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

const Renderer graphviz{.program = "dot",
                        .name = "Graphviz",
                        .package = "graphviz",
                        .elsewhere = {"graphviz", "graphviz", "graphviz"},
                        .otherwise = "write the picture as DOT, to picture.dot",
                        .too_slow = "draw less: --ranks, --steps"};

namespace {

constexpr Renderer librsvg{.program = "rsvg-convert",
                           .name = "librsvg",
                           .package = "librsvg2-bin",
                           .elsewhere = {"librsvg2-tools", "rsvg-convert", "librsvg"},
                           .otherwise = "write the picture as SVG, to picture.svg",
                           .too_slow = "draw less: --ranks, --steps"};

}  // namespace

Drawn<std::string> render(const Picture& picture, std::string_view format, int seconds) {
  if (format == "dot") return dot_of(picture);
  if (picture.graph()) return render(TRY(placed(picture, seconds)), format, seconds);
  if (format == "svg") return svg_of(picture);
  if (format == "tikz") return tikz_of(picture);
  if (format == "tex") return tikz_document_of(picture);
  // One of our points is one point on paper. A PNG is for screens, so it is sharper.
  const std::string dots_an_inch = format == "png" ? fmt::format("{}", picture.style().dpi) : "72";
  return run(librsvg,
             {"--format", std::string(format), "--dpi-x", dots_an_inch, "--dpi-y", dots_an_inch, "--unlimited"},
             svg_of(picture), seconds);
}

}  // namespace onceover::viz
