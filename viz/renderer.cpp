#include "viz/renderer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/process.h"
#include "viz/fonts.h"

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
  if (renderer.elsewhere.empty()) return text;
  for (const auto& [command, names] : {System{"dnf install", "RHEL, Fedora"}, System{"zypper install", "SUSE"},
                                       System{"conda install -c conda-forge", "conda, without root"}})
    add(command, renderer.elsewhere, names);
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

}  // namespace onceover::viz
