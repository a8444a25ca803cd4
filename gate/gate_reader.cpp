// Reads gate files: the table of a check's keys, and what makes them a complete check.
//
// A key is one row of one table, `check_keys`: which subjects it applies to, and how its value is read into a Check. A
// check is read in the order of the rows. If it lacks a key that applies to its subject, it takes the value from
// [defaults]. A mistake in a default is reported at its place, even if no check takes it: the defaults are also read
// once into a check that nothing uses.
//
// Example: [defaults] with p = "2..9" and a check with algo = "swing" and torus = "4x4". The check's own range replaces
// the one in the defaults, so it has one torus and no line.
//
// Cost: O(file) besides its formulas, and O(checks * keys).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/rows.h"
#include "base/sentences.h"
#include "gate/gate.h"
#include "schedules/catalogue.h"
#include "schedules/types.h"
#include "subjects/option_values.h"
#include "units/check_keys.h"

namespace onceover::gate {

namespace {

/// Makes checks from tables.
class GateReader {
 public:
  GateReader(const std::string& name, const std::string& text) : gate_{name, text, {}}, in_(gate_.name, gate_.text) {}

  Result<Checks> read() {
    const auto file = read_toml(gate_.name, gate_.text, "a gate file");
    if (!file) return usage_error(file.error().render());
    read_file(*file);
    if (in_.error()) return usage_error(in_.error()->render());
    return std::move(gate_);
  }

 private:
  void read_file(const TomlTable& file) {
    constexpr std::array<std::string_view, 2> parts{"check", "defaults"};
    for (const auto& [key, offset, value] : file.entries)
      if (std::find(parts.begin(), parts.end(), key) == parts.end())
        return in_.fail(
            offset, fmt::format("no key '{}' here{}; there are [defaults] and [[check]]", key, suggestion(key, parts)));
    const TomlValue* defaults = file.find("defaults");
    if (defaults != nullptr && defaults->table() == nullptr)
      return in_.fail(*defaults, fmt::format("expected a table, [defaults], found {}", defaults->kind()));
    static const TomlTable none;
    const TomlTable& presets = defaults == nullptr ? none : *defaults->table();
    read_defaults(presets);
    const TomlValue* checks = file.find("check");
    if (checks == nullptr)
      return in_.fail(0, "there is no [[check]] in it; a check is a [[check]] with a name and a subject, such as algo");
    if (!checks->is_list_of_tables())
      return in_.fail(*checks, fmt::format("expected tables, [[check]], found {}", checks->kind()));
    for (const TomlValue& check : *checks->list()) {
      if (in_.error()) return;
      read_check(check, *check.table(), presets);
    }
  }

  /// Reads the defaults into a check that nothing uses, to find their mistakes.
  void read_defaults(const TomlTable& presets) {
    refuse_unknown(presets, false);
    Check unused;
    for (const Key<Check>& key : keys_of_checks())
      if (const TomlValue* value = presets.find(key.name)) in_.read(key, *value, unused);
  }

  void refuse_unknown(const TomlTable& table, bool is_check) {
    std::vector<std::string_view> known;
    for (const Key<Check>& key : keys_of_checks())
      if (is_check || key.is_default) known.push_back(key.name);
    in_.refuse_unknown(table, known, is_check ? "a check" : "[defaults]");
  }

  std::optional<SubjectKind> subject_of(const TomlValue& check, const TomlTable& table) {
    std::optional<SubjectKind> found;
    for (const SubjectKind kind : {SubjectKind::algorithms, SubjectKind::file, SubjectKind::files, SubjectKind::command,
                                   SubjectKind::formula, SubjectKind::code, SubjectKind::launch}) {
      const TomlValue* value = table.find(name_of(kind));
      if (value == nullptr) continue;
      if (found) {
        in_.fail(*value, fmt::format("a check has one subject: either {} or {}", name_of(*found), name_of(kind)));
        return std::nullopt;
      }
      found = kind;
    }
    if (!found) in_.fail(check, "a check needs a subject: algo, file, files, exec, peer, code or gpu");
    return found;
  }

  void read_check(const TomlValue& value, const TomlTable& table, const TomlTable& presets) {
    refuse_unknown(table, true);
    if (in_.error()) return;
    if (table.find("name") == nullptr) return in_.fail(value, "a check needs a name");
    const auto kind = subject_of(value, table);
    if (!kind) return;
    Check check{.name = {}, .kind = *kind, .offset = value.offset, .line = value.line};
    if (table.find("p") != nullptr && table.find("torus") != nullptr)
      return in_.fail(*table.find("torus"), "either p or torus, not both");
    read_keys(check, table, presets);
    if (!in_.error()) judge(check, table);
    if (!in_.error()) gate_.checks.push_back(std::move(check));
  }

  /// Reads the check's own values and, for keys that it lacks, the defaults that apply to it.
  void read_keys(Check& check, const TomlTable& table, const TomlTable& presets) {
    // A range of the check's own replaces both ranges in the defaults.
    const bool has_range = table.find("p") != nullptr || table.find("torus") != nullptr;
    for (const Key<Check>& key : keys_of_checks()) {
      const TomlValue* own = table.find(key.name);
      const bool fits = (key.fits & bit(check.kind)) != 0;
      if (own != nullptr && !fits)
        return in_.fail(*own, fmt::format("{} does not go with {}", key.name, name_of(check.kind)));
      const bool is_range = key.name == "p" || key.name == "torus";
      const bool is_preset = fits && !(is_range && has_range);
      const TomlValue* value = own != nullptr ? own : is_preset ? presets.find(key.name) : nullptr;
      if (value == nullptr) continue;
      check.at.emplace(key.name, value->offset);
      in_.read(key, *value, check);
    }
  }

  /// Refuses a check that is wrong as a whole.
  void judge(const Check& check, const TomlTable& table) {
    if (!names_.insert(check.name).second)
      return in_.fail(*table.find("name"), fmt::format("name: there is another check '{}' above", check.name));
    const CodeChoice& code = check.code;
    if (check.kind == SubjectKind::code && code.library.empty() != code.checkout.empty())
      return in_.fail(check.offset, "library and checkout go together: library = \"mpich\", checkout = \"mpich\"");
    if (!code.library.empty() && (!code.function.empty() || code.collective != nullptr))
      return in_.fail(check.offset, "library has its own functions and collectives; leave out function and collective");
    if (check.kind == SubjectKind::code && code.library.empty() && !code.values.empty())
      return in_.fail(check.offset, "values needs library");
    if (check.kind == SubjectKind::code && code.library.empty() && check.code.function.empty())
      return in_.fail(check.offset, "code needs the name of its function: function = \"my_allreduce\"");
    if (check.is_foreign() && (check.collectives.all || check.collectives.named.size() > 1))
      return in_.fail(table.find("collective") != nullptr ? table.find("collective")->offset : check.offset,
                      fmt::format("collective: {} is of one collective; say here of which", name_of(check.kind)));
    if (check.ranks && !check.tori.empty())
      return in_.fail(check.offset, "the defaults have both p and torus; say here which of them it is");
    const bool says_ranks_itself = check.is_about_files() || check.kind == SubjectKind::launch;
    if (!says_ranks_itself && !check.ranks && check.tori.empty())
      in_.fail(check.offset, fmt::format("{} needs numbers of ranks: p = \"2..64\"{}", name_of(check.kind),
                                         check.kind != SubjectKind::algorithms && check.kind != SubjectKind::command
                                             ? ""
                                             : ", or torus = [\"4x4\"]"));
  }

  Checks gate_;
  KeyReader in_;
  std::set<std::string> names_;
};

}  // namespace

std::string config_text(const Checks& gate) {
  std::string text;
  for (const Check& check : gate.checks) {
    text += text.empty() ? "[[check]]\n" : "\n[[check]]\n";
    for (const Key<Check>& key : keys_of_checks())
      if (const std::string value = key.print(key, check); !value.empty())
        text += fmt::format("{} = {}\n", key.name, value);
  }
  return text;
}

Result<Checks> read_gate(const std::string& name, const std::string& text) {
  return GateReader(name, text).read();
}

}  // namespace onceover::gate
