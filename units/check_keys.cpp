// The keys of a check, a row each: which subjects it applies to, how its value is read, and how it is written again.
#include "units/check_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/rows.h"
#include "schedules/catalogue.h"
#include "schedules/types.h"

namespace onceover::units {

namespace {

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

void read_live_collective(KeyReader& in, const TomlValue& value, Check& check) {
  const auto text = in.text_of(value, "the name of one collective of MPI");
  if (!text) return;
  const auto names = mapped(live::live_collectives(), &live::LiveCollective::name);
  if (const auto place = in.name_of(value, *text, names, "collective of MPI"))
    check.code.collective = &live::live_collectives()[*place];
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

/// Reads names of files, each once.
void read_paths(KeyReader& in, const TomlValue& value, std::vector<std::string>& paths, std::string_view what) {
  in.each_text(value, what,
               [&](const TomlValue& item, const std::string& text) { add_once(in, item, paths, text, text); });
}

void read_files(KeyReader& in, const TomlValue& value, Check& check) {
  read_paths(in, value, check.files, "a file or a pattern");
}

void read_launches(KeyReader& in, const TomlValue& value, Check& check) {
  read_paths(in, value, check.launches, "a launch of GPU kernels, or a pattern of such");
}

void read_fifo(KeyReader& in, const TomlValue& value, Check& check) {
  if (const auto depth = in.number_of(value, 0, deepest_fifo)) check.fifo = static_cast<std::uint32_t>(*depth);
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

void read_code(KeyReader& in, const TomlValue& value, Check& check) {
  read_paths(in, value, check.code.paths, "a file of C or C++, or a pattern of such");
}

void read_library(KeyReader& in, const TomlValue& value, Check& check) {
  if (auto text = in.text_of(value, "the name of a library, or its folder")) check.code.library = *text;
}

void read_checkout(KeyReader& in, const TomlValue& value, Check& check) {
  if (auto text = in.text_of(value, "a folder")) check.code.checkout = *text;
}

void read_values(KeyReader& in, const TomlValue& value, Check& check) {
  in.each_text(value, "values of a setting, \"k=2..4\"",
               [&](const TomlValue&, const std::string& text) { check.code.values.push_back(text); });
}

void read_function(KeyReader& in, const TomlValue& value, Check& check) {
  const auto text = in.text_of(value, "a name in C");
  if (!text) return;
  if (const auto fits = code::check_function(*text); !fits) in.fail_option(value, fits.error());
  check.code.function = *text;
}

/// Reads an option of `verify code` that has the key's name.
void read_code_option(KeyReader& in, const TomlValue& value, Check& check) {
  const auto& option = *find_code_option(in.key());
  const auto take = [&](const TomlValue& place, const std::string& text) {
    if (const auto taken = option.read(text, check.code.options); !taken) in.fail_option(place, taken.error());
  };
  if (option.repeats) return in.each_text(value, "a path", take);
  if (const std::int64_t* number = value.integer(); number != nullptr && !option.is_flag())
    return take(value, std::to_string(*number));
  if (const bool* flag = std::get_if<bool>(&value.content); option.is_flag()) {
    if (flag == nullptr) in.fail_value(value, fmt::format("expected true or false, found {}", value.kind()));
    if (flag != nullptr && *flag) take(value, "");
    return;
  }
  if (const auto text = in.text_of(value, "a text or a whole number")) take(value, *text);
}

void read_topology(KeyReader& in, const TomlValue& value, Check& check) {
  if (const auto text = in.text_of(value)) check.network.topology = topology_choice(*text);
}

template <std::string NetworkOptions::*field>
void read_network_file(KeyReader& in, const TomlValue& value, Check& check) {
  text_key<field>(in, value, check.network);
}

void read_routing(KeyReader& in, const TomlValue& value, Check& check) {
  const auto known = mapped(routings, [](Routing routing) { return name(routing); });
  const auto text = in.text_of(value);
  if (!text) return;
  if (const auto place = in.name_of(value, *text, known, "routing")) check.network.routing = routings[*place];
}

void read_ports(KeyReader& in, const TomlValue& value, Check& check) {
  if (const auto ports = in.number_of(value, 1, 1024))
    check.network.ports = Written<double>{static_cast<double>(*ports), std::to_string(*ports)};
}

// How values are written in TOML; empty: the key is left out.

std::string toml(std::string_view text) {
  return text.empty() ? "" : toml_text(text);
}
std::string toml(const std::vector<std::string>& texts) {
  return texts.empty() ? "" : toml_list(texts);
}
std::string toml(const std::vector<Shape>& tori) {
  return tori.empty() ? "" : toml_list(mapped(tori, torus_text));
}
std::string toml(const Formula& formula) {
  return toml(formula.text());
}
std::string toml(std::uint32_t number) {
  return std::to_string(number);
}
std::string toml(const TopologyChoice& choice) {
  return toml(choice.text);
}
template <class T>
std::string toml(const Written<T>& written) {
  return toml(written.text);
}
template <class Enum>
requires std::is_enum_v<Enum> std::string toml(Enum value) {
  return toml(name(value));
}
template <class T>
std::string toml(const std::optional<T>& value) {
  return value ? toml(*value) : "";
}

/// The part of a check that has such fields.
template <class Part, class T>
const Part& part_of(const Check& check, T Part::*) {
  if constexpr (std::is_same_v<Part, CodeChoice>)
    return check.code;
  else if constexpr (std::is_same_v<Part, NetworkOptions>)
    return check.network;
  else
    return check;
}

template <auto field>
std::string print(const Key<Check>&, const Check& check) {
  return toml(part_of(check, field).*field);
}

std::string print_algo(const Key<Check>&, const Check& c) {
  if (c.algorithms.all) return toml_text("all");
  return c.algorithms.are_given() ? toml_list(mapped(c.algorithms.named, &Algorithm::name)) : "";
}

std::string print_collective(const Key<Check>&, const Check& c) {
  if (c.code.collective != nullptr) return toml(c.code.collective->name);
  if (c.without_data) return toml("none");
  if (c.collectives.all) return toml_list(std::array{"all"});
  return c.collectives.are_given() ? toml_list(mapped(c.collectives.named, [](Collective each) { return name(each); }))
                                   : "";
}

std::string version_text(const std::vector<Setting>& settings) {
  auto item = [](const Setting& s) { return fmt::format("{} = {}", toml_text(s.name), toml_text(s.value)); };
  return fmt::format("{{ {} }}", fmt::join(mapped(settings, item), ", "));
}

std::string print_set(const Key<Check>&, const Check& c) {
  if (c.settings.empty()) return "";
  return fmt::format("[{}]", fmt::join(mapped(c.settings, version_text), ", "));
}

std::string print_require(const Key<Check>&, const Check& c) {
  return toml_list(c.required);
}

std::string print_limits(const Key<Check>&, const Check& c) {
  return c.limits.empty() ? "" : toml_list(mapped(c.limits, &Limit::text));
}

std::string print_ports(const Key<Check>&, const Check& c) {
  return c.network.ports ? c.network.ports->text : "";
}

std::string print_budget(const Key<Check>&, const Check& c) {
  return c.budget > 0 ? std::to_string(c.budget) : "";
}

std::string print_time_limit(const Key<Check>&, const Check& c) {
  return c.timeout > 0 ? toml(fmt::format("{}s", c.timeout)) : "";
}

/// Prints an option of `verify code`; one that is there several times is a list.
std::string print_code_option(const Key<Check>& key, const Check& c) {
  const auto& option = *find_code_option(key.name);
  const auto texts = option.print(c.code.options);
  if (texts.size() > 1) return toml_list(texts);
  return texts.empty() ? "" : option.is_flag() ? "true" : toml_text(texts[0]);
}

/// The keys but those of options of `verify code`, in the order in which they are read and printed.
constexpr std::array own_keys{
    Key<Check>{"name", with_all, read_name, print<&Check::name>, false},
    Key<Check>{"algo", with_algorithms, read_algo, print_algo, false},
    Key<Check>{"file", bit(SubjectKind::file), text_key<&Check::file>, print<&Check::file>, false},
    Key<Check>{"files", with_files, read_files, print<&Check::files>, false},
    Key<Check>{"exec", with_command, text_key<&Check::command>, print<&Check::command>, false},
    Key<Check>{"peer", with_formula, read_peer, print<&Check::peer>, false},
    Key<Check>{"peer-steps", with_formula, read_steps, print<&Check::steps>},
    Key<Check>{"odd", with_formula, read_odd, print<&Check::odd>},
    Key<Check>{"code", with_code, read_code, print<&CodeChoice::paths>, false},
    Key<Check>{"function", with_code, read_function, print<&CodeChoice::function>, false},
    Key<Check>{"library", with_code, read_library, print<&CodeChoice::library>, false},
    Key<Check>{"checkout", with_code, read_checkout, print<&CodeChoice::checkout>, false},
    Key<Check>{"values", with_code, read_values, print<&CodeChoice::values>, false},
    Key<Check>{"gpu", with_launch, read_launches, print<&Check::launches>, false},
    Key<Check>{"p", with_ranks | with_launch, read_ranks<&Check::ranks>, print<&Check::ranks>},
    Key<Check>{"torus", with_shapes, read_torus, print<&Check::tori>},
    Key<Check>{"lanes", with_algorithms, read_lanes, print<&Check::lanes>},
    Key<Check>{"collective", with_any, read_collective, print_collective},
    Key<Check>{"set", with_algorithms, read_set, print_set},
    Key<Check>{"require", with_all, read_require, print_require},
    Key<Check>{"waive", with_all, read_waive, print<&Check::waived>},
    Key<Check>{"limit", with_any, read_limits, print_limits},
    Key<Check>{"topology", with_any, read_topology, print<&NetworkOptions::topology>},
    Key<Check>{"map", with_any, read_network_file<&NetworkOptions::map>, print<&NetworkOptions::map>},
    Key<Check>{"ways", with_any, read_network_file<&NetworkOptions::ways>, print<&NetworkOptions::ways>},
    Key<Check>{"routing", with_any, read_routing, print<&NetworkOptions::routing>},
    Key<Check>{"network-ports", with_any, read_ports, print_ports},
    Key<Check>{"budget", with_all, number_key<&Check::budget, 1, 1'000'000'000'000'000>, print_budget},
    Key<Check>{"exec-time-limit", with_command, read_exec_time_limit, print_time_limit},
    Key<Check>{"fifo", with_file, read_fifo, print<&Check::fifo>},
    Key<Check>{"ranks", with_file, read_ranks<&Check::world>, print<&Check::world>},
    Key<Check>{"sizes", with_file, read_sizes, print<&Check::sizes>},
};

}  // namespace

const std::vector<Key<Check>>& keys_of_checks() {
  static const std::vector<Key<Check>> keys = [] {
    std::vector<Key<Check>> all(own_keys.begin(), own_keys.end());
    for (const std::string_view name : code_option_names)
      all.push_back({name, with_code, read_code_option, print_code_option});
    return all;
  }();
  return keys;
}

}  // namespace onceover::units
