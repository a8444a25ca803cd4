#include "units/check.h"

#include <algorithm>

#include "base/source_text.h"

namespace onceover::units {

std::string_view name_of(SubjectKind kind) {
  switch (kind) {
    case SubjectKind::algorithms: return "algo";
    case SubjectKind::file: return "file";
    case SubjectKind::files: return "files";
    case SubjectKind::command: return "exec";
    case SubjectKind::formula: return "peer";
    case SubjectKind::code: return "code";
    case SubjectKind::launch: return "gpu";
  }
  return "";
}

namespace {

std::size_t offset_of(const Check& check, std::string_view key) {
  const auto place = check.at.find(key);
  return place == check.at.end() ? check.offset : place->second;
}

}  // namespace

std::size_t Checks::line_of(const Check& check, std::string_view key) const {
  const auto before = text.begin() + static_cast<std::ptrdiff_t>(offset_of(check, key));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), before, '\n'));
}

tl::unexpected<Failure> Checks::error(const Check& check, std::string_view key, std::string_view message) const {
  if (message.starts_with("--")) {
    message.remove_prefix(2);
    if (const auto named = message.substr(0, message.find(':')); check.at.contains(named)) key = named;
  }
  return usage_error(source_error(name, text, offset_of(check, key), message).render());
}

}  // namespace onceover::units
