// The file is a tree. Its inner branches are conditions on a call, tried in their order; the first that holds is gone
// into, and there is no way back. So a walk that keeps what is known of the calls at each branch meets each leaf with
// just the calls that end there, and meets calls that no branch takes, for which MPICH aborts.
//
// The number of ranks is always known; sizes are known as intervals, and yes or no as facts.

#include "code/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/closest.h"
#include "base/counted.h"
#include "base/files.h"
#include "base/in_sentence.h"
#include "base/placed_json.h"
#include "base/rows.h"
#include "base/source_text.h"
#include "base/stop.h"
#include "base/try.h"
#include "subjects/rank_list.h"

namespace onceover::code {

namespace {

constexpr std::size_t most_nested = 64;
constexpr std::int64_t most_size = std::numeric_limits<std::int64_t>::max() / (1 << 24);  // times ranks, it fits
constexpr std::string_view within_group = "comm_type=intra";
constexpr std::string_view contrary_mark = "not ";
constexpr std::string_view hierarchy = "comm_hierarchy=parent";
constexpr std::string_view commutes = "is_commutative=yes";
constexpr std::string_view built_in = "is_op_built_in=yes";
constexpr std::string_view few_elements = "count<pow2";
constexpr std::string_view count_name = "count";

struct Condition {
  enum class Kind : std::uint8_t { any, collective, ranks_up_to, ranks_pow2, size_up_to, count_below_pow2, fact, leaf };
  Kind kind = Kind::any;
  std::string subject = {};  // "avg_msg_size", "is_commutative=yes", the name of a collective or of a function
  bool holds = true;         // of a fact: is it asked for, or its contrary?
  std::int64_t bound = 0;
  std::string words = {};  // as the file has it

  /// "avg_msg_size": what is asked of a call; of the library's table of conditions.
  std::string asked() const { return words.substr(0, words.find_first_of("<=")); }
};

struct Branch {
  std::size_t offset;
  Condition condition;
  std::vector<Branch> branches = {};
  std::vector<std::pair<std::string, std::optional<std::int64_t>>> settings = {};  // of a leaf; nothing: no number
};

constexpr std::array<std::string_view, 3> size_names{"avg_msg_size", "total_msg_size", count_name};
constexpr std::array<std::string_view, 6> yes_or_no{"is_multi_threaded", "is_commutative",   "is_sendbuf_inplace",
                                                    "is_op_built_in",    "is_block_regular", "is_node_consecutive"};
constexpr std::array<std::string_view, 4> others{"comm_size", "comm_avg_ppn", "comm_type", "comm_hierarchy"};

std::optional<std::int64_t> whole_bound(std::string_view text) {
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool fits = end.ec == std::errc{} && end.ptr == text.data() + text.size() && number >= 0 &&
                    number <= std::numeric_limits<std::int32_t>::max();
  return fits ? std::optional(number) : std::nullopt;
}

template <class Names>
bool has_name(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Condition fact(std::string_view words, bool holds) {
  return {.kind = Condition::Kind::fact, .subject = std::string(words), .holds = holds};
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
  if (key == few_elements) return Condition{.kind = Kind::count_below_pow2, .subject = subject};
  if (subject == "comm_hierarchy" && has_name(std::array{"parent", "node_roots", "node", "flat"}, value))
    return fact(hierarchy, value == "parent");
  if (has_name(yes_or_no, subject) && (value == "yes" || value == "no")) return fact(subject + "=yes", value == "yes");
  const auto bound = whole_bound(value);
  if (!bound || (relation != "<=" && relation != "<")) return std::nullopt;
  const std::int64_t most = relation == "<" ? *bound - 1 : *bound;
  if (subject == "comm_size") return Condition{.kind = Kind::ranks_up_to, .bound = most};
  if (subject == "comm_avg_ppn" || has_name(size_names, subject))
    return Condition{.kind = Kind::size_up_to, .subject = subject, .bound = most};
  return std::nullopt;
}

/// Reads the tree.
class FileReader {
 public:
  FileReader(const std::string& name, const std::string& text, const SelectionVocabulary& vocabulary)
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
    if (condition.kind == Condition::Kind::collective && !has_name(known, condition.subject))
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
    if (has_name(known, subject))
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

struct Interval {
  std::string_view subject;
  std::int64_t least = 0;
  std::int64_t most = most_size;
  bool is_told = true;
};

std::int64_t largest_power_of_two(Rank up_to) {
  std::int64_t power = 1;
  while (power * 2 <= up_to) power *= 2;
  return power;
}

/// Calls of p ranks, and what is known of them.
class Calls {
 public:
  Calls(Rank ranks, std::string_view collective) : ranks_(ranks), collective_(collective) {
    facts_.emplace_back(within_group, true);
  }

  Rank ranks() const { return ranks_; }
  std::string_view collective() const { return collective_; }

  /// Those of them for which the condition holds, or doesn't; nothing if there are none.
  std::optional<Calls> where(const Condition& condition, bool holds) const {
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

  /// "allgather, is_commutative=yes, avg_msg_size 9..12288"
  std::string text() const {
    std::string text(collective_);
    for (const auto& [words, holds] : facts_)
      if (words != within_group && !(words == commutes && is_built_in()))
        text += fmt::format(", {}", holds ? std::string(words) : contrary(std::string(words)));
    for (const Interval& size : sizes_) {
      if (!size.is_told) continue;
      text += size.most == most_size ? fmt::format(", {} from {}", size.subject, size.least)
                                     : fmt::format(", {} {}..{}", size.subject, size.least, size.most);
    }
    return text;
  }

 private:
  static std::string contrary(const std::string& words) {
    if (words.ends_with("=yes")) return words.substr(0, words.size() - 3) + "no";
    return std::string(contrary_mark) + words;
  }

  bool is_built_in() const {
    return std::find(facts_.begin(), facts_.end(), std::pair(built_in, true)) != facts_.end();
  }

  std::optional<Calls> with_fact(std::string_view words, bool holds) const {
    for (const auto& [known, value] : facts_)
      if (known == words) return value == holds ? std::optional(*this) : std::nullopt;
    if (words == hierarchy && holds && ranks_ < 3)
      return std::nullopt;  // it takes two hosts, one of them with two ranks
    Calls calls = *this;
    calls.facts_.emplace_back(words, holds);
    // MPI's own operators commute.
    if (words == built_in && holds) return calls.with_fact(commutes, true);
    if (words == commutes && !holds) return calls.with_fact(built_in, false);
    return calls;
  }

  /// Is there less than an element for each rank, p rounded down to a power of two?
  std::optional<Calls> short_for_halving(bool holds) const {
    auto calls = sized(count_name, largest_power_of_two(ranks_) - 1, holds);
    if (!calls) return std::nullopt;
    row_with(calls->sizes_, &Interval::subject, count_name)->is_told = false;
    return calls->with_fact(few_elements, holds);
  }

  std::optional<Calls> sized(std::string_view subject, std::int64_t bound, bool up_to) const {
    Calls calls = *this;
    Interval* size = row_with(calls.sizes_, &Interval::subject, subject);
    if (size == nullptr) {
      // Calls without elements return at once; nobody is picked for them. comm_avg_ppn is at least 1, too.
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
  bool is_possible() const {
    for (const Interval& size : sizes_)
      if (size.least > size.most) return false;
    const Interval* average = row_with(sizes_, &Interval::subject, "avg_msg_size");
    const Interval* total = row_with(sizes_, &Interval::subject, "total_msg_size");
    const Interval* count = row_with(sizes_, &Interval::subject, "count");
    if (average != nullptr && count != nullptr && count->least > average->most) return false;
    return average == nullptr || total == nullptr ||
           (total->least <= average->most * ranks_ && average->least * ranks_ <= total->most);
  }

  Rank ranks_;
  std::string_view collective_;
  std::vector<std::pair<std::string_view, bool>> facts_ = {};
  std::vector<Interval> sizes_ = {};
};

/// The algorithms that are picked in a part of the tree, each once.
using Picked = std::vector<std::string>;

/// A branch that calls reach, and what is picked in it.
struct Reached {
  const Branch* branch;
  Calls before;  // the calls that come to it
  Picked picked;
};

/// The walks: one for each collective and number of ranks.
class Judge {
 public:
  Judge(const Library& library, const std::string& name, const std::string& text, Selection& selection)
      : library_(library), name_(name), text_(text), selection_(selection) {}

  void judge(const std::vector<Branch>& file) {
    is_of_device_ = picks_of_device(file);
    const std::vector<std::string> named = collectives_in(file);
    if (!is_of_device_) refuse_missing(named);
    for (const std::string& collective : named) {
      adds_up_ = false;
      for (const Rank p : selection_.ranks) {
        stop_point();
        walk(file, 0, Calls(p, collective));
      }
    }
    selection_.picks = leaves_.size();
    if (!others_.empty())
      selection_.not_tried.push_back(
          fmt::format("{}, which verify code can't call", in_sentence({others_.begin(), others_.end()}, "and")));
    for (auto& [at, fault] : faults_) selection_.faults.push_back(std::move(fault));
    for (auto& [at, change] : changes_) selection_.changes.push_back(std::move(change));
  }

 private:
  using Kind = Condition::Kind;

  static std::vector<std::string> collectives_in(const std::vector<Branch>& branches) {
    std::vector<std::string> names;
    for (const Branch& branch : branches) {
      if (branch.condition.kind == Kind::collective) add_new(names, branch.condition.subject);
      for (std::string& name : collectives_in(branch.branches)) add_new(names, std::move(name));
    }
    return names;
  }

  /// Files of MPICH's devices may leave calls to that of MPIR.
  static bool picks_of_device(const std::vector<Branch>& branches) {
    return std::any_of(branches.begin(), branches.end(), [](const Branch& branch) {
      return (branch.condition.kind == Kind::leaf && branch.condition.subject.starts_with("MPIDI_")) ||
             picks_of_device(branch.branches);
    });
  }

  void refuse_missing(const std::vector<std::string>& named) {
    std::vector<std::string> missing;
    for (const std::string& each : library_.selection().collectives)
      if (!has_name(named, each)) missing.push_back(each);
    if (missing.empty()) return;
    const SelectionFault fault{Verdict::fail, place(0), "no algorithm is picked, since there is no branch",
                               fmt::format("{}", fmt::join(missing, ", ")), selection_.ranks};
    faults_.try_emplace({0, fault.what}, fault);
  }

  /// MPICH aborts where a condition isn't defined for the collective.
  void check_defined(const Branch& branch, const Calls& calls) {
    const auto& conditions = library_.selection().conditions;
    const auto known = conditions.find(branch.condition.asked());
    if (branch.condition.kind == Kind::any) return;
    if (known != conditions.end() && !has_name(known->second, calls.collective()))
      add_fault(Verdict::fail, branch.offset, fmt::format("{} isn't defined for this collective", known->first), calls);
  }

  Picked walk(const std::vector<Branch>& branches, std::size_t offset, const Calls& calls) {
    std::vector<Reached> reached;
    std::optional<Calls> left = calls;
    for (const Branch& branch : branches) {
      check_defined(branch, *left);
      const auto inside = left->where(branch.condition, true);
      if (inside && branch.condition.kind == Kind::leaf)
        reached.push_back({&branch, *left, pick(branch, *inside)});
      else if (inside)
        reached.push_back({&branch, *left, walk(branch.branches, branch.offset, *inside)});
      left = left->where(branch.condition, false);
      if (!left) break;
    }
    if (left && is_of_device_)
      add_fault(Verdict::unknown, offset, "no algorithm is picked, so that another file decides", *left);
    else if (left)
      add_fault(Verdict::fail, offset, "no algorithm is picked", *left);
    return picked_of(reached);
  }

  /// What all branches pick; notes where a size decides.
  Picked picked_of(const std::vector<Reached>& reached) {
    Picked beyond;
    for (auto each = reached.rbegin(); each != reached.rend(); ++each) {
      const Kind kind = each->branch->condition.kind;
      const bool is_size = kind == Kind::size_up_to || kind == Kind::count_below_pow2;
      if (is_size && !beyond.empty() && each->picked != beyond) add_change(*each, beyond);
      for (const std::string& algorithm : each->picked) add_new(beyond, algorithm);
    }
    return beyond;
  }

  Picked pick(const Branch& leaf, const Calls& calls) {
    const std::string& function = leaf.condition.subject;
    const auto& all = library_.algorithms();
    const auto found = std::find_if(all.begin(), all.end(), [&](auto& each) { return each.row.function == function; });
    const bool is_known = found != all.end() && found->is_there;
    if (is_known ? found->row.collective == nullptr : !has_collective(calls.collective())) {
      add_new(others_, std::string(calls.collective()));
      return {};
    }
    if (!is_known) {
      const bool is_composition = leaf.condition.words.starts_with("composition=");
      add_fault(Verdict::unknown, leaf.offset,
                fmt::format("picks {}, {}", function,
                            is_composition ? "which is composed of several" : "which isn't in --list"),
                calls);
      return {function};
    }
    const LibraryRow& row = found->row;
    if (row.name.substr(0, row.name.find('/')) != calls.collective()) {
      add_fault(Verdict::fail, leaf.offset, fmt::format("picks {}, of another collective", row.name), calls);
      return {row.name};
    }
    leaves_.insert(leaf.offset);
    adds_up_ = row.collective->reduces();
    add_new(selection_.collectives, std::string(calls.collective()));
    if (!row.why.empty() || !found->is_known)
      add_fault(Verdict::unknown, leaf.offset,
                fmt::format("picks {}, {}", row.name,
                            found->is_known ? "which isn't judged: " + row.why : "whose domain isn't in the table"),
                calls);
    else
      check(row, leaf, calls);
    return {row.name};
  }

  /// Also in the nonblocking form, with an i before it.
  static bool has_collective(std::string_view name) {
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', '-');
    const auto& all = live::live_collectives();
    return row_with(all, &live::LiveCollective::name, words) != nullptr ||
           (words.starts_with('i') && row_with(all, &live::LiveCollective::name, words.substr(1)) != nullptr);
  }

  void check(const LibraryRow& row, const Branch& leaf, const Calls& calls) {
    const auto refuse = [&](const std::string& meant_for) {
      add_fault(Verdict::fail, leaf.offset, fmt::format("picks {}, which is meant for {}", row.name, meant_for), calls);
    };
    if (!contains(row.ranks, calls.ranks())) refuse(fmt::format("p {}", name(row.ranks)));
    if (row.commutes && calls.where(fact(commutes, false), true)) refuse("operators that commute");
    const Condition in_place = fact("is_sendbuf_inplace=yes", true);
    if (row.in_place == InPlaceDomain::never && calls.where(in_place, true)) refuse("calls that aren't in place");
    if (row.in_place == InPlaceDomain::always && calls.where(in_place, false)) refuse("calls in place");
    for (const std::string& words : row.selected_if) {
      const bool is_contrary = words.starts_with(contrary_mark);
      const Condition condition = *condition_of(is_contrary ? words.substr(contrary_mark.size()) : words);
      if (calls.where(condition, is_contrary)) refuse("calls with " + words);
    }
    check_settings(row, leaf, calls);
  }

  /// What a leaf gives an algorithm. What it doesn't give, MPICH leaves unset.
  void check_settings(const LibraryRow& row, const Branch& leaf, const Calls& calls) {
    const auto add = [&](Verdict verdict, const std::string& what) {
      add_fault(verdict, leaf.offset, fmt::format("picks {}, {}", row.name, what), calls);
    };
    for (const auto& [name, value] : leaf.settings) {
      const LibrarySetting* setting = row_with(row.settings, &LibrarySetting::name, name);
      if (setting == nullptr)
        add(Verdict::unknown, fmt::format("with a setting that isn't in the table, {}", name));
      else if (!value || *value < setting->least || *value > setting->most)
        add(Verdict::fail, fmt::format("which is meant for {} = {}..{}", name, setting->least, setting->most));
    }
    for (const LibrarySetting& setting : row.settings) {
      const auto is_it = [&](const auto& given) { return given.first == setting.name; };
      const bool is_passed = row.arguments.find(fmt::format("SETTING({})", setting.name)) != std::string::npos;
      if (is_passed && std::none_of(leaf.settings.begin(), leaf.settings.end(), is_it))
        add(Verdict::unknown, fmt::format("without its setting {}", setting.name));
    }
  }

  SourcePlace place(std::size_t offset) const {
    const SourceError at = source_error(name_, text_, offset, "");
    return {name_, at.line, at.column};
  }

  void add_fault(Verdict verdict, std::size_t offset, const std::string& what, const Calls& calls) {
    const std::string text = calls.text();
    const SelectionFault fault{verdict, place(offset), what, text, {}};
    faults_.try_emplace({offset, what + text}, fault).first->second.ranks.push_back(calls.ranks());
  }

  void add_change(const Reached& at, const Picked& beyond) {
    if (!adds_up_) return;
    const Branch& branch = *at.branch;
    const auto known = changes_.find(branch.offset);
    const SelectionChange change{place(branch.offset), at.before.text(), branch.condition.words, at.picked, beyond, {}};
    (known == changes_.end() ? changes_.emplace(branch.offset, change).first : known)
        ->second.ranks.push_back(at.before.ranks());
  }

  const Library& library_;
  const std::string& name_;
  const std::string& text_;
  Selection& selection_;
  bool is_of_device_ = false;
  bool adds_up_ = false;                  // does the collective of this walk?
  std::set<std::size_t> leaves_ = {};     // that some call reaches
  std::vector<std::string> others_ = {};  // collectives that verify code doesn't have
  std::map<std::pair<std::size_t, std::string>, SelectionFault> faults_ = {};
  std::map<std::size_t, SelectionChange> changes_ = {};
};

std::string at_place(const SourcePlace& place) {
  return fmt::format("{}:{}", place.text(), place.column);
}

Json place_json(const SourcePlace& place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

}  // namespace

bool is_selection_condition(const std::string& words) {
  const bool is_contrary = words.starts_with(contrary_mark);
  return condition_of(is_contrary ? words.substr(contrary_mark.size()) : words).has_value();
}

Verdict Selection::verdict() const {
  Verdict all = collectives.empty() ? Verdict::unknown : Verdict::pass;
  for (const SelectionFault& fault : faults) all = worse(all, fault.verdict);
  return all;
}

std::string Selection::text() const {
  const std::string p = subjects::rank_list_text(ranks);
  std::string text = fmt::format("{}\n", title);
  for (const SelectionFault& fault : faults)
    text += fmt::format("{} {}: {}\n  for {}, p = {}\n", name(fault.verdict), at_place(fault.place), fault.what,
                        fault.calls, subjects::rank_list_text(fault.ranks));
  if (!changes.empty()) text += "a size decides between algorithms, which may add up in other orders:\n";
  for (const SelectionChange& change : changes)
    text += fmt::format("  {}: {}, p = {}: {} where {}, otherwise {}\n", at_place(change.place), change.calls,
                        subjects::rank_list_text(change.ranks), fmt::join(change.within, " or "), change.size,
                        fmt::join(change.beyond, " or "));
  if (!not_tried.empty()) text += fmt::format("not tried: {}\n", fmt::join(not_tried, "; "));
  const std::string what =
      fmt::format("{} for calls of {}, p = {}", counted(picks, "pick"), counted(collectives.size(), "collective"), p);
  switch (verdict()) {
    case Verdict::pass:
      return text + fmt::format("pass  each call gets an algorithm that is meant for it ({})\n", what);
    case Verdict::fail:
      return text + fmt::format("fail  not each call gets an algorithm that is meant for it ({})\n", what);
    case Verdict::unknown: break;
  }
  return text + (collectives.empty() ? "unknown  no pick was judged\n"
                                     : fmt::format("unknown  not each pick could be judged ({})\n", what));
}

Json Selection::json() const {
  Json all = {{"title", title},
              {"verdict", std::string(name(verdict()))},
              {"ranks", subjects::rank_list_text(ranks)},
              {"picks", picks},
              {"collectives", collectives}};
  all["faults"] = Json::array();
  for (const SelectionFault& fault : faults)
    all["faults"].push_back({{"verdict", std::string(name(fault.verdict))},
                             {"place", place_json(fault.place)},
                             {"what", fault.what},
                             {"calls", fault.calls},
                             {"ranks", subjects::rank_list_text(fault.ranks)}});
  all["changes"] = Json::array();
  for (const SelectionChange& change : changes)
    all["changes"].push_back({{"place", place_json(change.place)},
                              {"calls", change.calls},
                              {"size", change.size},
                              {"within", change.within},
                              {"beyond", change.beyond},
                              {"ranks", subjects::rank_list_text(change.ranks)}});
  if (!not_tried.empty()) all["not_tried"] = not_tried;
  return all;
}

Result<Selection> judge_selection(const Library& library, const std::string& file, const std::vector<Rank>& ranks) {
  const std::string text = TRY(read_file(file));
  if (library.selection().collectives.empty())
    return usage_error(
        fmt::format("code: --select: {} has no files that pick algorithms", library.name_and_checkout()));
  const std::vector<Branch> tree = TRY(FileReader(file, text, library.selection()).read());
  Selection selection{.title = fmt::format("{}, a selection of {}", file, library.name_and_checkout()), .ranks = ranks};
  Judge(library, file, text, selection).judge(tree);
  selection.not_tried.insert(selection.not_tried.begin(),
                             {"calls without elements, which return at once", "calls between two groups",
                              "whether the algorithms are right (--algo)"});
  return selection;
}

}  // namespace onceover::code
