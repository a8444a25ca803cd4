#include "verifier/property.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "base/sentences.h"

namespace onceover::verifier {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return "pass";
    case Verdict::fail: return "fail";
    case Verdict::unknown: return "unknown";
  }
  return "";
}

Verdict worse(Verdict a, Verdict b) {
  for (const Verdict bad : {Verdict::fail, Verdict::unknown})
    if (a == bad || b == bad) return bad;
  return Verdict::pass;
}

std::span<const Property> properties() {
  static const auto rows = base::mapped(property_rows, [](const Property* row) { return *row; });
  return rows;
}

bool asks_for(std::span<const std::string> ids, const Property& property) {
  return std::find(ids.begin(), ids.end(), property.id) != ids.end();
}

std::optional<std::uint64_t> bound_of(const Property& property, const Bounds& bounds) {
  return property.bound ? bounds.*property.bound->number : std::nullopt;
}

std::string bound_flag(const Property& property) {
  return fmt::format("--{}", property.bound->flag.empty() ? property.id : property.bound->flag);
}

std::string bound_flags(std::string_view last) {
  std::vector<std::string> flags;
  for (const Property& p : properties())
    if (p.bound) flags.push_back(bound_flag(p));
  return in_sentence({flags.begin(), flags.end()}, last);
}

std::span<const Property> schedule_properties() {
  const auto all = properties();
  const auto end =
      std::find_if(all.begin(), all.end(), [](const Property& p) { return p.subjects != Subjects::schedules; });
  return all.first(static_cast<std::size_t>(end - all.begin()));
}

}  // namespace onceover::verifier
