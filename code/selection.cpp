// The file is a tree. Its inner branches are conditions on a call, tried in their order; the first that holds is gone
// into, and there is no way back. So a walk that keeps what is known of the calls at each branch meets each leaf with
// just the calls that end there, and meets calls that no branch takes, for which MPICH aborts.

#include "code/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/source_text.h"
#include "base/stop.h"
#include "code/selection_tree.h"
#include "subjects/rank_list.h"

namespace onceover::code {

namespace {

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
      if (!has(named, each)) missing.push_back(each);
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
    if (known != conditions.end() && !has(known->second, calls.collective()))
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
    if (row.commutes && calls.where(fact(operator_commutes, false), true)) refuse("operators that commute");
    const Condition in_place = fact(sends_in_place, true);
    if (row.in_place == InPlaceDomain::never && calls.where(in_place, true)) refuse("calls that aren't in place");
    if (row.in_place == InPlaceDomain::always && calls.where(in_place, false)) refuse("calls in place");
    for (const std::string& words : row.selected_if) {
      const Requirement asked = *requirement_of(words);  // the table was checked
      if (calls.where(asked.condition, !asked.holds)) refuse("calls with " + words);
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
  const std::vector<Branch> tree = TRY(read_selection_tree(file, text, library.selection()));
  Selection selection{.title = fmt::format("{}, a selection of {}", file, library.name_and_checkout()), .ranks = ranks};
  Judge(library, file, text, selection).judge(tree);
  selection.not_tried.insert(selection.not_tried.begin(), {"calls without elements", "calls between two groups",
                                                           "whether the algorithms are right (--algo)"});
  return selection;
}

}  // namespace onceover::code
