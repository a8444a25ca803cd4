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

#include "base/closest.h"
#include "base/rows.h"
#include "gate/check_keys.h"
#include "gate/code_keys.h"
#include "gate/gate.h"
#include "gate/network_keys.h"
#include "schedules/catalogue.h"
#include "schedules/types.h"
#include "subjects/option_values.h"

namespace onceover::gate {

namespace {

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

constexpr unsigned bit(SubjectKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

constexpr unsigned with_algorithms = bit(SubjectKind::algorithms);
constexpr unsigned with_files = bit(SubjectKind::files);
constexpr unsigned with_file = bit(SubjectKind::file) | with_files;
constexpr unsigned with_command = bit(SubjectKind::command);
constexpr unsigned with_formula = bit(SubjectKind::formula);
constexpr unsigned with_code = bit(SubjectKind::code);
constexpr unsigned with_launch = bit(SubjectKind::launch);
constexpr unsigned with_shapes = with_algorithms | with_command;
constexpr unsigned with_ranks = with_shapes | with_formula | with_code;
constexpr unsigned with_any = with_ranks | with_file;
constexpr unsigned with_all = with_any | with_launch;

/// Adds an item to a list that has each item once.
template <class Item>
void add_once(KeyReader& in, const TomlValue& value, std::vector<Item>& items, Item item, const std::string& text) {
  if (!add_new(items, std::move(item))) in.fail_value(value, fmt::format("'{}' is there twice", text));
}

/// Reads names of `rows`, or "all" by itself.
template <class Rows, class Name, class Item>
void read_choices(KeyReader& in, const TomlValue& value, Choices<Item>& choices, const Rows& rows, Name&& name_and_item,
                  std::string_view what, std::string_view noun) {
  std::vector<std::string_view> known{"all"};
  for (const auto& row : rows) known.push_back(name_and_item(row).first);
  in.each_text(value, what, [&](const TomlValue& item, const std::string& text) {
    const auto place = in.name_of(item, text, known, noun);
    if (!place) return;
    if (*place > 0) return add_once(in, item, choices.named, name_and_item(rows[*place - 1]).second, text);
    if (choices.all) return in.fail_value(item, "'all' is there twice");
    choices.all = true;
  });
  if (choices.all && !choices.named.empty()) in.fail_value(value, "\"all\" stands alone");
}

void read_name(KeyReader& in, const TomlValue& value, Check& check) {
  const auto text = in.text_of(value);
  if (!text) return;
  check.name = *text;
  const bool is_plain = std::all_of(text->begin(), text->end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '/';
  });
  if (!is_plain) in.fail_value(value, "expected a text without '/' and control characters");
}

void read_algo(KeyReader& in, const TomlValue& value, Check& check) {
  read_choices(
      in, value, check.algorithms, catalogue(), [](const Algorithm& row) { return std::pair(row.name, &row); },
      "the name of an algorithm", "algorithm");
}

void read_collective(KeyReader& in, const TomlValue& value, Check& check) {
  if (check.kind == SubjectKind::code) return read_live_collective(in, value, check);
  check.without_data = check.is_about_files() && value.text() != nullptr && *value.text() == "none";
  if (check.without_data) return;
  read_choices(
      in, value, check.collectives, contracts, [](const Contract& c) { return std::pair(c.name, c.collective); },
      "the name of a collective", "collective");
}

/// Parses a formula; the place of a mistake is shown in this file.
template <class Read>
std::optional<Formula> formula_of(KeyReader& in, const TomlValue& value, Read&& read) {
  const auto text = in.text_of(value);
  if (!text) return std::nullopt;
  auto formula = read(*text);
  if (formula) return *std::move(formula);
  in.fail_within(value, *text, formula.error());
  return std::nullopt;
}

void read_peer(KeyReader& in, const TomlValue& value, Check& check) {
  check.peer = formula_of(in, value, read_peer_formula);
}

void read_steps(KeyReader& in, const TomlValue& value, Check& check) {
  check.steps = formula_of(in, value, read_steps_formula);
}

void read_odd(KeyReader& in, const TomlValue& value, Check& check) {
  if (const auto text = in.text_of(value, "\"apart\" or \"as-written\""))
    if (const auto odd = in.parsed(value, *text, parse_odd)) check.odd = *odd;
}

template <auto field>
void read_ranks(KeyReader& in, const TomlValue& value, Check& check) {
  const bool is_number = value.integer() != nullptr;
  const auto number = is_number ? in.number_of(value, 1, max_ranks) : std::nullopt;
  const auto text = is_number ? std::nullopt : in.text_of(value, "a list such as \"2..64\", or a number");
  if (!number && !text) return;
  if (auto ranks = in.parsed(value, number ? std::to_string(*number) : *text, parse_ranks)) check.*field = *ranks;
}

void read_torus(KeyReader& in, const TomlValue& value, Check& check) {
  in.each_text(value, "the sides of a torus, \"4x4\"", [&](const TomlValue& item, const std::string& text) {
    if (auto sides = in.parsed(item, text, parse_torus)) add_once(in, item, check.tori, *sides, text);
  });
}

void read_lanes(KeyReader& in, const TomlValue& value, Check& check) {
  if (value.integer() != nullptr) {
    if (in.number_of(value, 1, 1)) check.lanes = Lanes::one;
    return;
  }
  const auto text = in.text_of(value, "1 or \"all\"");
  if (!text) return;
  if (const auto lanes = parse_lanes(*text)) check.lanes = *lanes;
  if (!check.lanes) in.fail_value(value, fmt::format("expected 1 or \"all\", found '{}'", *text));
}

void read_version(KeyReader& in, const TomlValue& value, Check& check) {
  const TomlTable* table = value.table();
  if (table == nullptr || table->entries.empty())
    return in.fail_value(value, fmt::format("expected a table such as {{ order = \"near\" }}, found {}",
                                            table == nullptr ? value.kind() : "an empty one"));
  std::vector<Setting> version;
  for (const auto& [name, place, setting] : table->entries) {
    if (const std::int64_t* number = setting.integer())
      version.push_back({name, std::to_string(*number)});
    else if (const auto text = in.text_of(setting, "a text or a whole number"))
      version.push_back({name, *text});
  }
  if (std::find(check.settings.begin(), check.settings.end(), version) != check.settings.end())
    return in.fail_value(value, "this is there twice");
  check.settings.push_back(std::move(version));
}

void read_set(KeyReader& in, const TomlValue& value, Check& check) {
  const TomlList* list = value.list();
  if (list == nullptr) return read_version(in, value, check);
  if (list->empty()) return in.fail_value(value, "the list is empty");
  for (const TomlValue& version : *list) read_version(in, version, check);
}

void read_require(KeyReader& in, const TomlValue& value, Check& check) {
  const auto known = mapped(properties(), &Property::id);
  auto read_id = [&](const TomlValue& item, const std::string& text) {
    const auto place = in.name_of(item, text, known, "property");
    if (!place) return;
    if (const auto& bound = properties()[*place].bound)
      return in.fail_value(
          item, fmt::format("{} {} a limit: limit = [\"{}\"]", text, bound->is_plural ? "are" : "is", bound->limit));
    add_once(in, item, check.required, text, text);
  };
  in.each_text(value, "the id of a property", read_id, true);
}

/// Is the property required of some subject by default? Of code these two are.
bool may_be_waived(const Property& p) {
  return p.required_by_default || p.id == bitwise_reproducible_property.id || p.id == order_preserving_property.id;
}

void read_waive(KeyReader& in, const TomlValue& value, Check& check) {
  const auto known = mapped(properties(), &Property::id);
  auto read_id = [&](const TomlValue& item, const std::string& text) {
    const auto place = in.name_of(item, text, known, "property");
    if (!place) return;
    if (!may_be_waived(properties()[*place]))
      return in.fail_value(item, fmt::format("{} isn't required unless asked for", text));
    if (std::find(check.required.begin(), check.required.end(), text) != check.required.end())
      return in.fail_value(item, fmt::format("{} is required, too", text));
    add_once(in, item, check.waived, text, text);
  };
  in.each_text(value, "the id of a property", read_id, true);
}

void read_limits(KeyReader& in, const TomlValue& value, Check& check) {
  auto read_limit = [&](const TomlValue& item, const std::string& text) {
    auto limit = Limit::parse(text);
    if (!limit) return in.fail_within(item, text, limit.error());
    check.at.emplace(text, item.offset);
    add_once(in, item, check.limits, std::move(*limit), text);
  };
  in.each_text(value, "a limit such as \"steps <= p\"", read_limit, true);
}

void read_fifo(KeyReader& in, const TomlValue& value, Check& check) {
  if (const auto depth = in.number_of(value, 0, deepest_fifo)) check.fifo = static_cast<std::uint32_t>(*depth);
}

void read_files(KeyReader& in, const TomlValue& value, Check& check) {
  in.each_text(value, "a file or a pattern",
               [&](const TomlValue& item, const std::string& text) { add_once(in, item, check.files, text, text); });
}

void read_launches(KeyReader& in, const TomlValue& value, Check& check) {
  in.each_text(value, "a launch of GPU kernels, or a pattern of such",
               [&](const TomlValue& item, const std::string& text) { add_once(in, item, check.launches, text, text); });
}

void read_sizes(KeyReader& in, const TomlValue& value, Check& check) {
  const bool is_number = value.integer() != nullptr;
  const auto text = is_number ? std::nullopt : in.text_of(value, "sizes such as \"1Ki..64Mi\", or a number");
  if (!is_number && !text) return;
  if (auto sizes = in.parsed(value, is_number ? std::to_string(*value.integer()) : *text, parse_message_sizes))
    check.sizes = *sizes;
}

void read_exec_time_limit(KeyReader& in, const TomlValue& value, Check& check) {
  if (const auto text = in.text_of(value, "a time such as \"60s\""))
    if (const auto limit = in.parsed(value, *text, parse_exec_time_limit)) check.timeout = *limit;
}

/// In the order in which they are read and printed.
constexpr std::array check_keys{
    Key<Check>{"name", with_all, read_name, false},
    Key<Check>{"algo", with_algorithms, read_algo, false},
    Key<Check>{"file", bit(SubjectKind::file), text_key<&Check::file>, false},
    Key<Check>{"files", with_files, read_files, false},
    Key<Check>{"exec", with_command, text_key<&Check::command>, false},
    Key<Check>{"peer", with_formula, read_peer, false},
    Key<Check>{"peer-steps", with_formula, read_steps},
    Key<Check>{"odd", with_formula, read_odd},
    Key<Check>{"code", with_code, read_code, false},
    Key<Check>{"function", with_code, read_function, false},
    Key<Check>{"library", with_code, read_library, false},
    Key<Check>{"checkout", with_code, read_checkout, false},
    Key<Check>{"values", with_code, read_values, false},
    Key<Check>{"gpu", with_launch, read_launches, false},
    Key<Check>{"p", with_ranks | with_launch, read_ranks<&Check::ranks>},
    Key<Check>{"torus", with_shapes, read_torus},
    Key<Check>{"lanes", with_algorithms, read_lanes},
    Key<Check>{"collective", with_any, read_collective},
    Key<Check>{"set", with_algorithms, read_set},
    Key<Check>{"require", with_all, read_require},
    Key<Check>{"waive", with_all, read_waive},
    Key<Check>{"limit", with_any, read_limits},
    Key<Check>{"topology", with_any, read_topology},
    Key<Check>{"map", with_any, read_map},
    Key<Check>{"routing", with_any, read_routing},
    Key<Check>{"network-ports", with_any, read_ports},
    Key<Check>{"budget", with_all, number_key<&Check::budget, 1, 1'000'000'000'000'000>},
    Key<Check>{"exec-time-limit", with_command, read_exec_time_limit},
    Key<Check>{"fifo", with_file, read_fifo},
    Key<Check>{"ranks", with_file, read_ranks<&Check::world>},
    Key<Check>{"sizes", with_file, read_sizes},
    Key<Check>{"count", with_code, read_code_value},
    Key<Check>{"root", with_code, read_code_value},
    Key<Check>{"repeat", with_code, read_code_value},
    Key<Check>{"in-place", with_code, read_code_flag},
    Key<Check>{"non-commutative", with_code, read_code_flag},
    Key<Check>{"both-operators", with_code, read_code_flag},
    Key<Check>{"numbers", with_code, read_code_flag},
    Key<Check>{"number-type", with_code, read_code_list},
    Key<Check>{"digits", with_code, read_code_value},
    Key<Check>{"build", with_code, read_code_value},
    Key<Check>{"link", with_code, read_code_list},
    Key<Check>{"include", with_code, read_code_list},
    Key<Check>{"flags", with_code, read_code_value},
    Key<Check>{"hosts", with_code, read_code_value},
    Key<Check>{"no-buffering", with_code, read_code_flag},
    Key<Check>{"quick", with_code, read_code_flag},
    Key<Check>{"communicators", with_code, read_code_value},
    Key<Check>{"orders", with_code, read_code_value},
    Key<Check>{"call-time-limit", with_code, read_code_value},
};

/// Makes checks from tables.
class GateReader {
 public:
  GateReader(const std::string& name, const std::string& text) : gate_{name, text, {}}, in_(gate_.name, gate_.text) {}

  Result<Gate> read() {
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
    for (const Key<Check>& key : check_keys)
      if (const TomlValue* value = presets.find(key.name)) in_.read(key, *value, unused);
  }

  void refuse_unknown(const TomlTable& table, bool is_check) {
    std::vector<std::string_view> known;
    for (const Key<Check>& key : check_keys)
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
    for (const Key<Check>& key : check_keys) {
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
                                         (bit(check.kind) & with_shapes) == 0 ? "" : ", or torus = [\"4x4\"]"));
  }

  Gate gate_;
  KeyReader in_;
  std::set<std::string> names_;
};

std::size_t offset_of(const Check& check, std::string_view key) {
  const auto place = check.at.find(key);
  return place == check.at.end() ? check.offset : place->second;
}

}  // namespace

std::span<const Key<Check>> keys_of_checks() {
  return check_keys;
}

bool Check::mentions(Metric::Source source) const {
  return std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) { return limit.mentions(source); });
}

std::size_t Gate::line_of(const Check& check, std::string_view key) const {
  const auto before = text.begin() + static_cast<std::ptrdiff_t>(offset_of(check, key));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), before, '\n'));
}

tl::unexpected<Failure> Gate::error(const Check& check, std::string_view key, std::string_view message) const {
  if (message.starts_with("--")) message.remove_prefix(2);
  return usage_error(source_error(name, text, offset_of(check, key), message).render());
}

Result<Gate> read_gate(const std::string& name, const std::string& text) {
  return GateReader(name, text).read();
}

}  // namespace onceover::gate
