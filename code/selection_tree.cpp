#include "code/selection_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/json_source.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/source_text.h"
#include "base/text.h"

namespace onceover::code {

namespace {

constexpr std::size_t most_nested = 64;
constexpr std::string_view contrary_mark = "not ";

constexpr std::array<std::string_view, 3> size_names{"avg_msg_size", "total_msg_size", "count"};
constexpr std::array<std::string_view, 6> yes_or_no{"is_multi_threaded", "is_commutative",   "is_sendbuf_inplace",
                                                    "is_op_built_in",    "is_block_regular", "is_node_consecutive"};
constexpr std::array<std::string_view, 4> others{"comm_size", "comm_avg_ppn", "comm_type", "comm_hierarchy"};

/// A number that MPICH can read.
std::optional<std::int64_t> whole_bound(std::string_view text) {
  return parse_whole<std::int64_t>(text, 0, std::numeric_limits<std::int32_t>::max());
}

/// The condition of a key without blanks; nothing if it is none.
std::optional<Condition> condition_of(const std::string& key) {
  using Kind = Condition::Kind;
  const std::size_t sign = std::min(key.find_first_of("<="), key.size());
  const std::string subject = key.substr(0, sign);
  const std::string relation = key.substr(sign, key.substr(sign).starts_with("<=") ? 2 : 1);
  const std::string value = key.substr(std::min(key.size(), sign + relation.size()));
  if (key == "any" || (relation == "=" && value == "any")) return Condition{};
  if (subject == "collective") return Condition{.kind = Kind::collective, .subject = value};
  if (subject == "algorithm" || subject == "composition") return Condition{.kind = Kind::leaf, .subject = value};
  if (key == within_group) return fact(within_group, true);
  if (key == "comm_type=inter") return fact(within_group, false);
  if (key == "comm_size=pow2") return Condition{.kind = Kind::ranks_pow2};
  if (key == "comm_size=node_comm_size") return fact(key, true);
  if (key == has_few_elements) return Condition{.kind = Kind::count_below_pow2, .subject = subject};
  if (subject == "comm_hierarchy" && has(std::array{"parent", "node_roots", "node", "flat"}, value))
    return fact(has_hierarchy, value == "parent");
  if (has(yes_or_no, subject) && (value == "yes" || value == "no")) return fact(subject + "=yes", value == "yes");
  const auto bound = whole_bound(value);
  if (!bound || (relation != "<=" && relation != "<")) return std::nullopt;
  const std::int64_t most = relation == "<" ? *bound - 1 : *bound;
  if (subject == "comm_size") return Condition{.kind = Kind::ranks_up_to, .bound = most};
  if (subject == "comm_avg_ppn" || has(size_names, subject))
    return Condition{.kind = Kind::size_up_to, .subject = subject, .bound = most};
  return std::nullopt;
}

/// Reads the tree.
class TreeReader {
 public:
  TreeReader(const std::string& name, const std::string& text, const SelectionVocabulary& vocabulary)
      : name_(name), text_(text), vocabulary_(vocabulary) {}

  Result<std::vector<Branch>> read() const {
    const auto file = read_placed_json(name_, text_, most_nested);
    if (!file) return tl::unexpected(malformed(file.error()));
    if (file->as<PlacedJson::Object>() == nullptr) return wrong(file->offset(), "expected an object of conditions");
    return branches_of(*file, false);
  }

 private:
  tl::unexpected<Failure> wrong(std::size_t offset, const std::string& message) const {
    return tl::unexpected(malformed(source_error(name_, text_, offset, message)));
  }

  std::size_t place_of(const std::string& key, const PlacedJson& value) const {
    const std::size_t found = std::string_view(text_).rfind("\"" + key + "\"", value.offset());
    return found == std::string::npos ? value.offset() : found + 1;
  }

  /// Why MPICH aborts on this condition; empty: it doesn't.
  std::string forbidden(const Condition& condition, bool has_collective) const {
    const std::vector<std::string_view> known(vocabulary_.collectives.begin(), vocabulary_.collectives.end());
    if (condition.kind == Condition::Kind::collective && !has(known, condition.subject))
      return fmt::format("there is no collective '{:.60}'{}", condition.subject, suggestion(condition.subject, known));
    const bool is_of_calls =
        condition.kind != Condition::Kind::any && vocabulary_.conditions.contains(condition.asked());
    if (!has_collective && (is_of_calls || condition.kind == Condition::Kind::leaf))
      return "expected conditions on communicators, or a collective, before this";
    return "";
  }

  Result<std::vector<Branch>> branches_of(const PlacedJson& object, bool has_collective) const {
    std::vector<Branch> branches;
    for (const auto& [key, value] : *object.as<PlacedJson::Object>()) {
      const std::size_t offset = place_of(key, value);
      if (value.as<PlacedJson::Object>() == nullptr)
        return wrong(value.offset(), fmt::format("expected an object, found {}", value.words()));
      std::string words = key;
      std::erase(words, ' ');
      auto condition = condition_of(words);
      if (!condition) return wrong(offset, not_a_condition(words));
      condition->words = words;
      if (const std::string why = forbidden(*condition, has_collective); !why.empty()) return wrong(offset, why);
      const bool is_collective = condition->kind == Condition::Kind::collective;
      branches.push_back({offset, std::move(*condition)});
      if (branches.back().condition.kind == Condition::Kind::leaf)
        branches.back().settings = settings_of(value);
      else
        branches.back().branches = TRY(branches_of(value, has_collective || is_collective));
    }
    return branches;
  }

  static std::string not_a_condition(const std::string& words) {
    std::vector<std::string_view> known(others.begin(), others.end());
    known.insert(known.end(), size_names.begin(), size_names.end());
    known.insert(known.end(), yes_or_no.begin(), yes_or_no.end());
    known.insert(known.end(), {"collective", "algorithm"});
    const std::string subject = words.substr(0, words.find_first_of("<="));
    if (has(known, subject))
      return fmt::format("{} isn't a value that {} can have, or a number up to {}", words, subject,
                         std::numeric_limits<std::int32_t>::max());
    return fmt::format("expected a condition or an algorithm, found '{:.60}'{}", words, suggestion(subject, known));
  }

  static std::vector<std::pair<std::string, std::optional<std::int64_t>>> settings_of(const PlacedJson& parameters) {
    std::vector<std::pair<std::string, std::optional<std::int64_t>>> settings;
    for (const auto& [key, value] : *parameters.as<PlacedJson::Object>()) {
      std::string words = key;
      std::erase(words, ' ');
      const std::size_t sign = std::min(words.find('='), words.size());
      settings.emplace_back(words.substr(0, sign),
                            whole_bound(std::string_view(words).substr(std::min(words.size(), sign + 1))));
    }
    return settings;
  }

  const std::string& name_;
  const std::string& text_;
  const SelectionVocabulary& vocabulary_;
};

constexpr std::int64_t most_size = std::numeric_limits<std::int64_t>::max() / (1 << 24);  // times ranks, it fits
constexpr std::string_view count_name = "count";

std::int64_t largest_power_of_two(Rank up_to) {
  std::int64_t power = 1;
  while (power * 2 <= up_to) power *= 2;
  return power;
}

std::string contrary(const std::string& words) {
  if (words.ends_with("=yes")) return words.substr(0, words.size() - 3) + "no";
  return "not " + words;
}

}  // namespace

Condition fact(std::string_view words, bool holds) {
  return {.kind = Condition::Kind::fact, .subject = std::string(words), .holds = holds};
}

std::optional<Requirement> requirement_of(const std::string& words) {
  const bool is_contrary = words.starts_with(contrary_mark);
  auto condition = condition_of(is_contrary ? words.substr(contrary_mark.size()) : words);
  if (!condition) return std::nullopt;
  return Requirement{std::move(*condition), !is_contrary};
}

Result<std::vector<Branch>> read_selection_tree(const std::string& name, const std::string& text,
                                                const SelectionVocabulary& vocabulary) {
  return TreeReader(name, text, vocabulary).read();
}

Calls::Calls(Rank ranks, std::string_view collective)
    : ranks_(ranks), collective_(collective), facts_{{within_group, true}} {}

std::optional<Calls> Calls::where(const Condition& condition, bool holds) const {
  using Kind = Condition::Kind;
  switch (condition.kind) {
    case Kind::any: return holds ? std::optional(*this) : std::nullopt;
    case Kind::ranks_up_to: return (ranks_ <= condition.bound) == holds ? std::optional(*this) : std::nullopt;
    case Kind::ranks_pow2:
      return contains(RanksDomain::power_of_two, ranks_) == holds ? std::optional(*this) : std::nullopt;
    case Kind::size_up_to: return sized(condition.subject, condition.bound, holds);
    case Kind::count_below_pow2: return short_for_halving(holds);
    case Kind::fact: return with_fact(condition.subject, condition.holds == holds);
    case Kind::collective: return (condition.subject == collective_) == holds ? std::optional(*this) : std::nullopt;
    case Kind::leaf: return holds ? std::optional(*this) : std::nullopt;
  }
  return std::nullopt;
}

std::string Calls::text() const {
  std::string text(collective_);
  for (const auto& [words, holds] : facts_)
    if (words != within_group && !(words == operator_commutes && knows(operator_is_built_in)))
      text += fmt::format(", {}", holds ? std::string(words) : contrary(std::string(words)));
  for (const Interval& size : sizes_) {
    if (!size.is_told) continue;
    text += size.most == most_size ? fmt::format(", {} from {}", size.subject, size.least)
                                   : fmt::format(", {} {}..{}", size.subject, size.least, size.most);
  }
  return text;
}

bool Calls::knows(std::string_view words) const {
  return has(facts_, std::pair(words, true));
}

std::optional<Calls> Calls::with_fact(std::string_view words, bool holds) const {
  for (const auto& [known, value] : facts_)
    if (known == words) return value == holds ? std::optional(*this) : std::nullopt;
  if (words == has_hierarchy && holds && ranks_ < 3)
    return std::nullopt;  // it takes two hosts, one of them with two ranks
  Calls calls = *this;
  calls.facts_.emplace_back(words, holds);
  // MPI's own operators commute.
  if (words == operator_is_built_in && holds) return calls.with_fact(operator_commutes, true);
  if (words == operator_commutes && !holds) return calls.with_fact(operator_is_built_in, false);
  return calls;
}

/// Is there less than an element for each rank, p rounded down to a power of two?
std::optional<Calls> Calls::short_for_halving(bool holds) const {
  auto calls = sized(count_name, largest_power_of_two(ranks_) - 1, holds);
  if (!calls) return std::nullopt;
  row_with(calls->sizes_, &Interval::subject, count_name)->is_told = false;
  return calls->with_fact(has_few_elements, holds);
}

std::optional<Calls> Calls::sized(std::string_view subject, std::int64_t bound, bool up_to) const {
  Calls calls = *this;
  Interval* size = row_with(calls.sizes_, &Interval::subject, subject);
  if (size == nullptr) {
    // Calls without elements aren't judged. comm_avg_ppn is at least 1, too.
    calls.sizes_.push_back({subject, 1, most_size});
    size = &calls.sizes_.back();
  }
  if (up_to)
    size->most = std::min(size->most, bound);
  else
    size->least = std::max(size->least, bound + 1);
  return calls.is_possible() ? std::optional(std::move(calls)) : std::nullopt;
}

/// A message's size is at least its count, and all messages together have p times the bytes of one.
bool Calls::is_possible() const {
  for (const Interval& size : sizes_)
    if (size.least > size.most) return false;
  const Interval* average = row_with(sizes_, &Interval::subject, "avg_msg_size");
  const Interval* total = row_with(sizes_, &Interval::subject, "total_msg_size");
  const Interval* count = row_with(sizes_, &Interval::subject, "count");
  if (average != nullptr && count != nullptr && count->least > average->most) return false;
  return average == nullptr || total == nullptr ||
         (total->least <= average->most * ranks_ && average->least * ranks_ <= total->most);
}

}  // namespace onceover::code
