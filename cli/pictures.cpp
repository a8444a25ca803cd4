#include "cli/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/files.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "subjects/network_plan.h"
#include "subjects/options.h"
#include "viz/film.h"
#include "viz/legible.h"
#include "viz/program_view.h"
#include "viz/renderer.h"
#include "viz/view.h"

namespace onceover::cli {

namespace {

/// Parses a positive decimal number with a unit after it.
std::optional<double> decimal(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  double value = 0;
  const auto [end, error] = read_decimal(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(value) && value > 0
             ? std::optional(value)
             : std::nullopt;
}

std::string suffixes(std::span<const std::string_view> formats) {
  return fmt::format(".{} or .{}", fmt::join(formats.first(formats.size() - 1), ", ."), formats.back());
}

/// A length from 1 to 100 inches.
Result<double> length(std::string_view flag, const std::string& text) {
  struct Unit {
    std::string_view name;
    double per_inch;
  };
  for (const Unit unit : {Unit{"in", 1}, Unit{"mm", 25.4}, Unit{"cm", 2.54}, Unit{"pt", 72}})
    if (const auto value = decimal(text, unit.name);
        value && *value / unit.per_inch >= 1 && *value / unit.per_inch <= 100)
      return *value / unit.per_inch;
  return usage_error(fmt::format("{}: expected 1 to 100 inches, like 3.3in, 84mm or 240pt, found '{}'", flag, text));
}

}  // namespace

Result<std::string> known_format(std::string_view flag, const std::string& format) {
  if (std::find(picture_formats.begin(), picture_formats.end(), format) != picture_formats.end()) return format;
  return no_such(fmt::format("{}: no format", flag), format, picture_formats);
}

tl::unexpected<Failure> drawing_failure(const DrawError& error) {
  switch (error.kind) {
    case DrawError::Kind::unsuitable:
    case DrawError::Kind::too_large:
    case DrawError::Kind::no_program: return usage_error(error.message);
    case DrawError::Kind::slow: return tl::unexpected(Failure{ExitCode::unknown, error.message});
    case DrawError::Kind::failed: break;
  }
  return tl::unexpected(Failure{or_unknown(ExitCode::internal), error.message + limit_of_started_program()});
}

Result<double> parse_width(const std::string& text) {
  return length("--width", text);
}

Result<double> parse_height(const std::string& text) {
  return length("--height", text);
}

Result<double> parse_font_size(const std::string& text) {
  const auto size = decimal(text, "");
  if (size && *size >= smallest_letters && *size <= 40) return *size;
  return usage_error(fmt::format("--font-size: expected {:g} to 40 points, found '{}'", smallest_letters, text));
}

std::string picture_suffixes() {
  return suffixes(picture_formats);
}

std::string plot_suffixes() {
  return suffixes(std::span(picture_formats).first(picture_formats.size() - 1));  // without DOT, which is last
}

Result<std::string> picture_format(const std::string& path) {
  if (path.empty() || is_standard_stream(path)) return std::string("dot");
  const std::size_t point = path.rfind('.');
  if (point == std::string::npos || path.find('/', point) != std::string::npos)
    return usage_error(fmt::format("{}: end the name with {}, which says the format", path, picture_suffixes()));
  return known_format(path, path.substr(point + 1));
}

}  // namespace onceover::cli
