// Turns a table of a file of claims into evidence that can be tried.
//
// A trial has one subject: schedules of the catalogue, of a formula or of a command, as in checks of gate files;
// numbers; or a search written in C++. The gate's own rows read the keys of checks; `trial_keys` reads the others. A
// trial without a subject takes the keys that it lacks from the claim. A trial with a subject takes nothing from the
// claim, so that no key meant for another trial slips in.
//
// Example: a claim with algo = "ring", p = "2..64" and limit = "steps == 2*p" is tried with these; try_correct = {
// limit = "steps == 2*(p-1)" } takes algo and p from it.
//
// The reader reports, with its place, every mistake that can be found before a trial: names, formulas, numbers of ranks
// outside an algorithm's domain. So evidence that was read can be tried. If something only shows in a trial, such as
// numbers that are too large, the claim is unknown.
//
// Cost: the formulas, and a look at an algorithm's domain for each number of ranks; these are bounded.

#include "papers/trial_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "papers/counts.h"
#include "papers/searches.h"
#include "schedules/formula.h"
#include "units/check_keys.h"
#include "units/units.h"

namespace onceover::papers {

namespace {

using Names = std::vector<std::string_view>;

/// The most numbers of ranks of one trial.
constexpr std::size_t most_ranks = 4096;

// The subjects of a trial, as bits; those of a gate's checks come first.
constexpr unsigned about(SubjectKind kind) {
  return 1U << static_cast<unsigned>(kind);
}
constexpr unsigned about_algorithms = about(SubjectKind::algorithms);
constexpr unsigned about_numbers = 1U << 8;
constexpr unsigned about_search = 1U << 9;

struct TrialSubject {
  std::string_view key;
  unsigned bit;
  SubjectKind kind = SubjectKind::algorithms;
};

constexpr std::array trial_subjects{
    TrialSubject{"algo", about_algorithms},
    TrialSubject{"exec", about(SubjectKind::command), SubjectKind::command},
    TrialSubject{"peer", about(SubjectKind::formula), SubjectKind::formula},
    TrialSubject{"for", about_numbers},
    TrialSubject{"search", about_search},
};

/// A trial as it is written.
struct Trial {
  Check check = {.name = "claim"};  // for schedules
  std::vector<Limit> deficiencies = {};
  std::optional<Formula> additions = {};
  std::optional<Check> same_as = {};
  std::optional<Check> reverse_of = {};
  std::vector<Variable> variables = {};  // for numbers
  std::string given = "1";
  std::string holds = {};
  std::string identity = {};
  const Evidence* named = nullptr;  // a search

  Names variable_names() const {
    Names names;
    for (const Variable& v : variables) names.push_back(v.name);
    return names;
  }
};

// The keys.

std::string trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

/// Reads "p = 2..64" or "p = 7", a variable whose bounds may use earlier ones.
void read_variable(KeyReader& in, const TomlValue& item, const std::string& text, Trial& trial) {
  const std::size_t equals = text.find('=');
  const std::size_t dots = text.find("..");
  if (equals == std::string::npos) return in.fail_value(item, "expected a range such as \"p = 2..64\"");
  const bool is_range = dots != std::string::npos && dots > equals;
  const std::string_view all = text;
  const std::string first = trimmed(all.substr(0, is_range ? dots : all.size()).substr(equals + 1));
  const Variable variable{trimmed(all.substr(0, equals)), first, is_range ? trimmed(all.substr(dots + 2)) : first};
  Names names = trial.variable_names();
  for (const std::string& bound : {variable.first, variable.last})
    if (const auto formula = Formula::parse("bound", bound, names); !formula)
      return in.fail_value(item, formula.error().message);
  // The formula parser decides whether it is a name.
  names.push_back(variable.name);
  const auto itself = Formula::parse("name", variable.name, names);
  const bool is_name = itself && itself->nodes().size() == 1 && itself->nodes()[0].kind == Formula::Kind::variable &&
                       std::count(names.begin(), names.end(), variable.name) == 1;
  if (!is_name)
    return in.fail_value(item,
                         fmt::format("'{}' cannot be the name of a variable here; choose another", variable.name));
  trial.variables.push_back(variable);
}

void read_for(KeyReader& in, const TomlValue& value, Trial& trial) {
  in.each_text(value, "a range such as \"p = 2..64\"",
               [&](const TomlValue& item, const std::string& text) { read_variable(in, item, text, trial); });
}

/// Parses a formula; the place of a mistake is shown in this file.
std::optional<Formula> read_sentence(KeyReader& in, const TomlValue& value, std::span<const std::string_view> names) {
  const std::string text = read_plain(in, value);
  auto formula = Formula::parse("sentence", text, names);
  if (formula) return std::move(*formula);
  in.fail_within(value, text, formula.error());
  return std::nullopt;
}

template <auto field>
void sentence_key(KeyReader& in, const TomlValue& value, Trial& trial) {
  if (const auto formula = read_sentence(in, value, trial.variable_names())) trial.*field = formula->text();
}

void read_search(KeyReader& in, const TomlValue& value, Trial& trial) {
  Names known;
  for (const NamedEvidence& row : named_evidence()) known.push_back(row.name);
  const auto text = in.text_of(value);
  const auto found = text ? in.name_of(value, *text, known, "search") : std::nullopt;
  if (found) trial.named = &named_evidence()[*found].evidence;
}

void read_deficiencies(KeyReader& in, const TomlValue& value, Trial& trial) {
  in.each_text(value, "a limit such as \"congestion <= 6/5\"", [&](const TomlValue& item, const std::string& text) {
    auto limit = Limit::parse(text);
    if (!limit) return in.fail_within(item, text, limit.error());
    trial.deficiencies.push_back(std::move(*limit));
  });
}

void read_additions(KeyReader& in, const TomlValue& value, Trial& trial) {
  trial.additions = read_sentence(in, value, addition_names());
}

/// The other algorithm of a comparison.
template <auto field>
void other_key(KeyReader& in, const TomlValue& value, Trial& trial) {
  constexpr std::array<std::string_view, 4> known{"algo", "lanes", "collective", "set"};
  const TomlTable* table = value.table();
  if (table == nullptr || table->find("algo") == nullptr)
    return in.fail_value(value, fmt::format("expected a table such as {{ algo = \"ring\" }}, found {}",
                                            table == nullptr ? value.kind() : "one without algo"));
  in.refuse_unknown(*table, known, "what a trial is compared with");
  Check other{.name = "claim", .offset = value.offset, .line = value.line};
  for (const Key<Check>& key : keys_of_checks())
    if (const TomlValue* of_other = table->find(key.name)) {
      other.at.emplace(key.name, of_other->offset);
      in.read(key, *of_other, other);
    }
  trial.*field = std::move(other);
}

/// The keys besides those of checks.
constexpr std::array trial_keys{
    Key<Trial>{"for", about_numbers, read_for},
    Key<Trial>{"given", about_numbers, sentence_key<&Trial::given>},
    Key<Trial>{"holds", about_numbers, sentence_key<&Trial::holds>},
    Key<Trial>{"identity", about_numbers, sentence_key<&Trial::identity>},
    Key<Trial>{"search", about_search, read_search},
    Key<Trial>{"deficiencies", about_algorithms, read_deficiencies},
    Key<Trial>{"additions", about_algorithms, read_additions},
    Key<Trial>{"same_as", about_algorithms, other_key<&Trial::same_as>},
    Key<Trial>{"reverse_of", about_algorithms, other_key<&Trial::reverse_of>},
};

/// May only a gate file's check have the key, not a trial?
bool is_for_gates(const Key<Check>& key) {
  constexpr unsigned others =
      about(SubjectKind::file) | about(SubjectKind::files) | about(SubjectKind::code) | about(SubjectKind::launch);
  return key.name == "name" || (key.fits & ~others) == 0;
}

Evidence evidence_of(const Trial& trial) {
  if (trial.named != nullptr) return *trial.named;
  if (!trial.identity.empty()) return identity(trial.variables, trial.identity);
  if (!trial.holds.empty()) return numbers(trial.variables, trial.holds, trial.given);
  if (!trial.deficiencies.empty()) return deficiencies(trial.check, trial.deficiencies);
  if (trial.additions) return additions(trial.check, *trial.additions);
  if (trial.same_as) return same_transfers(trial.check, *trial.same_as);
  if (trial.reverse_of) return same_transfers(trial.check, *trial.reverse_of, Direction::backwards);
  return schedules(trial.check);
}

/// Reads tables as evidence.
class TrialReader {
 public:
  /// The arguments must outlive the reader.
  TrialReader(KeyReader& in, const std::string& name, const std::string& text) : in_(in), name_(name), text_(text) {}

  /// Adds the evidence of the trial `own`, which takes the keys that it lacks from `claim`.
  void add(const TomlValue& place, const TomlTable& own, ClaimTable* claim, std::vector<Evidence>& evidence) {
    if (is_wrong()) return;
    if (claim != nullptr) in_.refuse_unknown(own, trial_key_names(), "a trial");
    const TrialSubject* subject = subject_of(own);
    ClaimTable* base = subject == nullptr ? claim : nullptr;
    if (base != nullptr) subject = subject_of(base->keys);
    if (subject == nullptr) return in_.fail(place, "a trial needs a subject: add algo, exec, peer, for or search");
    Trial trial;
    trial.check.kind = subject->kind;
    trial.check.offset = place.offset;
    trial.check.line = place.line;
    read_keys(trial, *subject, own, base);
    if (is_wrong()) return;
    if (subject->bit == about_numbers) judge_numbers(place, trial);
    if (subject->bit < about_numbers) judge_schedules(*subject, trial);
    if (!is_wrong()) evidence.push_back(evidence_of(trial));
  }

  const std::optional<Failure>& error() const { return error_; }

 private:
  bool is_wrong() const { return in_.error() || error_; }

  const TrialSubject* subject_of(const TomlTable& table) {
    const TrialSubject* found = nullptr;
    for (const TrialSubject& subject : trial_subjects) {
      const TomlValue* value = table.find(subject.key);
      if (value == nullptr) continue;
      if (found != nullptr)
        in_.fail(*value, fmt::format("a trial has one subject: keep {} or {}", found->key, subject.key));
      found = &subject;
    }
    return found;
  }

  void read_keys(Trial& trial, const TrialSubject& subject, const TomlTable& own, ClaimTable* base) {
    // A trial's own range replaces the claim's, whether that is p or torus.
    const bool has_range = own.find("p") != nullptr || own.find("torus") != nullptr;
    const auto value_of = [&](std::string_view key, unsigned fits) -> const TomlValue* {
      const TomlValue* value = own.find(key);
      const bool does_fit = (fits & subject.bit) != 0;
      if (value != nullptr && !does_fit) in_.fail(*value, fmt::format("{} does not go with {}", key, subject.key));
      const bool is_range = key == "p" || key == "torus";
      if (value != nullptr || base == nullptr || !does_fit || (is_range && has_range)) return value;
      base->taken.insert(key);
      return base->keys.find(key);
    };
    for (const Key<Check>& key : keys_of_checks()) {
      const TomlValue* value = is_for_gates(key) ? nullptr : value_of(key.name, key.fits);
      if (value == nullptr) continue;
      trial.check.at.emplace(key.name, value->offset);
      in_.read(key, *value, trial.check);
    }
    for (const Key<Trial>& key : trial_keys)
      if (const TomlValue* value = value_of(key.name, key.fits)) in_.read(key, *value, trial);
  }

  void judge_numbers(const TomlValue& place, const Trial& trial) {
    if (trial.holds.empty() == trial.identity.empty())
      return in_.fail(place, "for needs one sentence: holds = \"p > 1\", or identity = \"p == p\"");
    if (!trial.identity.empty() && trial.given != "1") in_.fail(place, "given does not go with identity");
  }

  void judge_schedules(const TrialSubject& subject, const Trial& trial) {
    const Check& check = trial.check;
    if (check.ranks && !check.tori.empty()) return fail_at(check, "torus", "either p or torus, not both");
    if (!check.ranks && check.tori.empty())
      return in_.fail(check.offset, fmt::format("{} needs numbers of ranks: p = \"2..64\"{}", subject.key,
                                                check.kind == SubjectKind::formula ? "" : ", or torus = [\"4x4\"]"));
    judge_versions(check);
    if (!is_wrong()) judge_question(trial);
    if (!is_wrong()) judge_domain(check);
    for (const auto* other : {&trial.same_as, &trial.reverse_of}) {
      if (!*other || is_wrong()) continue;
      if ((*other)->algorithms.all) return fail_at(**other, "algo", "compare with one algorithm, not with all");
      judge_versions(**other);
      Check same_ranks = **other;
      same_ranks.ranks = check.ranks;
      same_ranks.tori = check.tori;
      if (!is_wrong()) judge_domain(same_ranks);
    }
  }

  /// Refuses several algorithms, collectives or settings, which a check may have; a trial has one of each.
  void judge_versions(const Check& check) {
    if (check.algorithms.named.size() > 1) return fail_at(check, "algo", "a trial takes one algorithm, or \"all\"");
    if (check.collectives.named.size() > 1 || check.collectives.all)
      return fail_at(check, "collective", "a trial takes one collective");
    if (check.settings.size() > 1) return fail_at(check, "set", "a trial takes one table of settings");
  }

  /// Refuses several questions: a trial asks one, either a check's or one that only trials ask.
  void judge_question(const Trial& trial) {
    const std::array<std::pair<std::string_view, bool>, 4> questions{{{"deficiencies", !trial.deficiencies.empty()},
                                                                      {"additions", trial.additions.has_value()},
                                                                      {"same_as", trial.same_as.has_value()},
                                                                      {"reverse_of", trial.reverse_of.has_value()}}};
    std::string_view asked;
    for (const auto& [key, is_asked] : questions) {
      if (!is_asked) continue;
      if (!asked.empty()) return in_.fail(trial.check.offset, fmt::format("{} does not go with {}", key, asked));
      asked = key;
    }
    if (asked.empty()) return;
    if (trial.check.algorithms.all && (trial.same_as || trial.reverse_of))
      return fail_at(trial.check, "algo", fmt::format("\"all\" does not go with {}", asked));
    for (const std::string_view key : {"require", "limit", "topology", "map", "routing", "network-ports", "budget"})
      if (trial.check.at.find(key) != trial.check.at.end())
        return fail_at(trial.check, key, fmt::format("{} does not go with {}", key, asked));
  }

  /// Refuses too many ranks, and ranks outside the algorithm's domain.
  void judge_domain(const Check& check) {
    const std::string_view range = check.tori.empty() ? "p" : "torus";
    if (check.tori.size() > most_ranks || (check.ranks && check.ranks->value.size() > most_ranks))
      return fail_at(check, range, fmt::format("{}: a trial takes at most {} numbers of ranks", range, most_ranks));
    const Checks gate{.name = name_, .text = text_, .checks = {check}};
    if (const auto units = units_of(gate); !units) error_ = units.error();
  }

  void fail_at(const Check& check, std::string_view key, std::string_view message) {
    const auto place = check.at.find(key);
    in_.fail(place == check.at.end() ? check.offset : place->second, message);
  }

  KeyReader& in_;
  const std::string& name_;
  const std::string& text_;
  std::optional<Failure> error_;
};

}  // namespace

std::string read_plain(KeyReader& in, const TomlValue& value) {
  auto text = in.text_of(value);
  if (!text) return "";
  if (!is_plain(*text)) in.fail_value(value, "expected a text of one line without control characters");
  return std::move(*text);
}

std::vector<std::string_view> trial_key_names() {
  Names names;
  for (const Key<Check>& key : keys_of_checks())
    if (!is_for_gates(key)) names.push_back(key.name);
  for (const Key<Trial>& key : trial_keys) names.push_back(key.name);
  return names;
}

Result<std::vector<Evidence>> read_trials(KeyReader& in, const std::string& name, const std::string& text,
                                          const TomlValue& value, ClaimTable* claim) {
  std::vector<Evidence> evidence;
  TrialReader trials(in, name, text);
  if (value.table() == nullptr && !value.is_list_of_tables())
    in.fail(value, fmt::format("expected a table such as {{ algo = \"ring\", p = 7 }}, or a list of such, found {}",
                               value.kind()));
  else if (value.table() != nullptr)
    trials.add(value, *value.table(), claim, evidence);
  else
    for (const TomlValue& item : *value.list()) trials.add(item, *item.table(), claim, evidence);
  if (trials.error()) return tl::unexpected(*trials.error());
  return evidence;
}

}  // namespace onceover::papers
