// Example:
//   about = "The tiny library"
//   made_for = "version 1"
//   needs = "coll.h"
//   files = ["adapter.c"]
//   [[pattern]]
//   files = "coll/{collective}_{name}.c"
//   function = "tiny_{collective}_{name}"
//   name = "{collective}/{name}"
//   [algorithm."allreduce/tree"]
//   arguments = "SETTING(k)"
//   settings = { k = { from = 2, to = 64, try = "2,3" } }
// makes `verify code --algo allreduce/tree --set k=5` compile coll/allreduce_tree.c and call tiny_allreduce_tree with
// k.

#include "code/library_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/result.h"
#include "base/rows.h"
#include "base/text.h"
#include "base/toml.h"
#include "code/compiled_headers.h"
#include "code/selection_tree.h"
#include "code/trials.h"
#include "subjects/rank_list.h"

namespace onceover::code {

namespace {

constexpr std::int64_t most_value = 1 << 30;
constexpr std::size_t most_values = 1000;

template <auto field, class Target>
void list_key(KeyReader& in, const TomlValue& value, Target& target) {
  in.each_text(value, "a text", [&](const TomlValue&, const std::string& text) { (target.*field).push_back(text); });
}

template <class Choice, std::size_t n>
std::optional<Choice> choice_of(KeyReader& in, const TomlValue& value, const std::array<std::string_view, n>& names,
                                std::string_view noun) {
  const auto text = in.text_of(value);
  if (!text) return {};
  const auto at = in.name_of(value, *text, names, noun);
  if (!at) return {};
  return static_cast<Choice>(*at);
}

constexpr std::array<std::string_view, 6> ranks_names{"any", "power of two", "even",
                                                      "two", "two or more",  "three or more"};
constexpr std::array<std::string_view, 3> in_place_names{"both", "never", "always"};
constexpr std::array<std::string_view, 2> operator_names{"any", "commute"};

void read_ranks(KeyReader& in, const TomlValue& value, LibraryRow& row) {
  row.ranks = choice_of<RanksDomain>(in, value, ranks_names, "kind of number of ranks").value_or(RanksDomain::any);
}

void read_in_place(KeyReader& in, const TomlValue& value, LibraryRow& row) {
  row.in_place = choice_of<InPlaceDomain>(in, value, in_place_names, "choice").value_or(InPlaceDomain::both);
}

void read_operators(KeyReader& in, const TomlValue& value, LibraryRow& row) {
  row.commutes = choice_of<int>(in, value, operator_names, "kind of operators").value_or(0) == 1;
}

void read_hosts(KeyReader& in, const TomlValue& value, LibraryRow& row) {
  const auto text = in.text_of(value);
  if (text && in.parsed(value, *text, Hosts::parse)) row.hosts = *text;
}

template <class Target>
void read_collective(KeyReader& in, const TomlValue& value, Target& target) {
  const auto text = in.text_of(value);
  if (!text) return;
  const auto known = mapped(live::live_collectives(), &live::LiveCollective::name);
  if (const auto at = in.name_of(value, *text, known, "collective")) target.collective = &live::live_collectives()[*at];
}

void read_try(KeyReader& in, const TomlValue& value, LibrarySetting& setting) {
  const auto text = in.text_of(value);
  if (!text) return;
  if (const auto list = in.parsed(value, *text, parse_setting_values)) setting.tried = *list;
}

void read_selected_if(KeyReader& in, const TomlValue& value, LibraryRow& row) {
  in.each_text(value, "a condition", [&](const TomlValue& each, const std::string& text) {
    if (!requirement_of(text)) return in.fail_value(each, "expected a condition of a selection file");
    row.selected_if.push_back(text);
  });
}

constexpr unsigned any = ~0U;

constexpr std::array setting_keys{
    Key<LibrarySetting>{"from", any, number_key<&LibrarySetting::least, 0, most_value>},
    Key<LibrarySetting>{"to", any, number_key<&LibrarySetting::most, 0, most_value>},
    Key<LibrarySetting>{"try", any, read_try},
};

template <class Target>
void read_settings(KeyReader& in, const TomlValue& value, Target& target) {
  if (value.table() == nullptr) return in.fail_value(value, "expected a table of settings");
  for (const TomlEntry& entry : value.table()->entries) {
    const TomlTable* table = entry.value.table();
    if (!is_name_in_c(entry.key) || table == nullptr)
      return in.fail_value(entry.value, R"(expected settings such as { k = { from = 2, to = 64, try = "2,3" } })");
    const auto known = mapped(setting_keys, &Key<LibrarySetting>::name);
    in.refuse_unknown(*table, known, "a setting");
    LibrarySetting setting{.name = entry.key, .tried = {}};
    for (const auto& key : setting_keys) {
      const TomlValue* found = table->find(key.name);
      if (found == nullptr) return in.fail(entry.value, fmt::format("this setting lacks '{}'", key.name));
      in.read(key, *found, setting);
    }
    const auto is_outside = [&](std::int64_t v) { return v < setting.least || v > setting.most; };
    if (!in.error() && std::any_of(setting.tried.begin(), setting.tried.end(), is_outside))
      return in.fail(entry.value, "what is tried lies outside from .. to");
    target.settings.push_back(std::move(setting));
  }
}

constexpr std::array row_keys{
    Key<LibraryRow>{"collective", any, read_collective<LibraryRow>},
    Key<LibraryRow>{"file", any, text_key<&LibraryRow::file>},
    Key<LibraryRow>{"function", any, text_key<&LibraryRow::function>},
    Key<LibraryRow>{"with", any, list_key<&LibraryRow::with>},
    Key<LibraryRow>{"arguments", any, text_key<&LibraryRow::arguments>},
    Key<LibraryRow>{"settings", any, read_settings<LibraryRow>},
    Key<LibraryRow>{"flags", any, text_key<&LibraryRow::flags>},
    Key<LibraryRow>{"p", any, read_ranks},
    Key<LibraryRow>{"in_place", any, read_in_place},
    Key<LibraryRow>{"operators", any, read_operators},
    Key<LibraryRow>{"layout", any, text_key<&LibraryRow::layout>},
    Key<LibraryRow>{"hosts", any, read_hosts},
    Key<LibraryRow>{"count", any, text_key<&LibraryRow::count>},
    Key<LibraryRow>{"selected_if", any, read_selected_if},
    Key<LibraryRow>{"why", any, text_key<&LibraryRow::why>},
};

constexpr std::array pattern_keys{
    Key<LibraryPattern>{"files", any, text_key<&LibraryPattern::files>},
    Key<LibraryPattern>{"function", any, text_key<&LibraryPattern::function>},
    Key<LibraryPattern>{"name", any, text_key<&LibraryPattern::name>},
    Key<LibraryPattern>{"flags", any, text_key<&LibraryPattern::flags>},
    Key<LibraryPattern>{"collective", any, read_collective<LibraryPattern>},
    Key<LibraryPattern>{"settings", any, read_settings<LibraryPattern>},
    Key<LibraryPattern>{"why", any, text_key<&LibraryPattern::why>},
};

constexpr std::array table_keys{
    Key<LibraryTable>{"about", any, text_key<&LibraryTable::about>},
    Key<LibraryTable>{"made_for", any, text_key<&LibraryTable::made_for>},
    Key<LibraryTable>{"needs", any, text_key<&LibraryTable::needs>},
    Key<LibraryTable>{"files", any, list_key<&LibraryTable::files>},
    Key<LibraryTable>{"include", any, list_key<&LibraryTable::include>},
    Key<LibraryTable>{"checkout_include", any, list_key<&LibraryTable::checkout_include>},
    Key<LibraryTable>{"flags", any, text_key<&LibraryTable::flags>},
};

class TableReader {
 public:
  TableReader(const std::string& name, const std::string& text) : name_(name), text_(text), in_(name, text) {}

  Result<LibraryTable> read() {
    const auto file = read_toml(name_, text_, "the table of a library");
    if (!file) return tl::unexpected(malformed(file.error()));
    read_file(*file);
    if (in_.error()) return tl::unexpected(malformed(*in_.error()));
    return std::move(table_);
  }

 private:
  template <class Target, std::size_t n>
  void read_keys(const TomlTable& from, const std::array<Key<Target>, n>& keys, Target& target) {
    for (const Key<Target>& key : keys)
      if (const TomlValue* value = from.find(key.name)) in_.read(key, *value, target);
  }

  void read_file(const TomlTable& file) {
    std::vector<std::string_view> known = mapped(table_keys, &Key<LibraryTable>::name);
    known.insert(known.end(), {"headers", "pattern", "algorithm", "selection"});
    in_.refuse_unknown(file, known, "the table of a library");
    for (const std::string_view needed : {"about", "made_for", "needs", "files"})
      if (file.find(needed) == nullptr) return in_.fail(0, fmt::format("the table of a library lacks '{}'", needed));
    read_keys(file, table_keys, table_);
    if (const TomlValue* headers = file.find("headers")) read_headers(*headers);
    if (const TomlValue* patterns = file.find("pattern")) read_patterns(*patterns);
    if (const TomlValue* rows = file.find("algorithm")) read_rows(*rows);
    if (const TomlValue* selection = file.find("selection")) read_selection(*selection);
    if (table_.patterns.empty() && table_.rows.empty()) in_.fail(0, "there is neither a pattern nor an algorithm");
  }

  void read_headers(const TomlValue& value) {
    if (value.table() == nullptr) return in_.fail(value, "expected a table, [headers]");
    for (const TomlEntry& entry : value.table()->entries)
      in_.each_text(entry.value, "a header", [&](const TomlValue& item, const std::string& path) {
        if (path.starts_with('/') || path.find("..") != std::string::npos)
          in_.fail_value(item, fmt::format("expected a path in the library, found '{}'", path));
        table_.headers[path] = entry.key;
      });
  }

  void read_patterns(const TomlValue& value) {
    if (!value.is_list_of_tables()) return in_.fail(value, "expected tables, [[pattern]]");
    for (const TomlValue& each : *value.list()) {
      in_.refuse_unknown(*each.table(), mapped(pattern_keys, &Key<LibraryPattern>::name), "a pattern");
      for (const std::string_view needed : {"files", "function", "name"})
        if (each.table()->find(needed) == nullptr)
          return in_.fail(each, fmt::format("this pattern lacks '{}'", needed));
      LibraryPattern pattern;
      read_keys(*each.table(), pattern_keys, pattern);
      if (in_.error()) return;
      if (pattern.files.find("{name}") == std::string::npos && pattern.function.find("{name}") == std::string::npos)
        return in_.fail(each, "neither files nor function has {name} in it");
      table_.patterns.push_back(std::move(pattern));
    }
  }

  void read_rows(const TomlValue& value) {
    if (value.table() == nullptr) return in_.fail(value, "expected tables, [algorithm.\"bcast/tree\"]");
    for (const TomlEntry& entry : value.table()->entries) {
      const TomlTable* keys = entry.value.table();
      if (keys == nullptr) return in_.fail(entry.value, "expected a table, [algorithm.\"bcast/tree\"]");
      in_.refuse_unknown(*keys, mapped(row_keys, &Key<LibraryRow>::name), "an algorithm");
      LibraryRow row{.name = entry.key};
      read_keys(*keys, row_keys, row);
      if (in_.error()) return;
      table_.rows.push_back(std::move(row));
    }
  }

  void read_selection(const TomlValue& value) {
    if (value.table() == nullptr) return in_.fail(value, "expected a table, [selection]");
    for (const TomlEntry& entry : value.table()->entries) {
      const bool is_all = entry.key == "collectives";
      auto& names = is_all ? table_.selection.collectives : table_.selection.conditions[entry.key];
      in_.each_text(entry.value, "a collective",
                    [&](const TomlValue&, const std::string& text) { names.push_back(text); });
    }
    if (table_.selection.collectives.empty()) in_.fail(value, "[selection] lacks 'collectives'");
  }

  const std::string& name_;
  const std::string& text_;
  KeyReader in_;
  LibraryTable table_ = {};
};

}  // namespace

std::string_view name(RanksDomain domain) {
  return ranks_names[static_cast<std::size_t>(domain)];
}

bool contains(RanksDomain domain, Rank ranks) {
  switch (domain) {
    case RanksDomain::any: return true;
    case RanksDomain::power_of_two: return (ranks & (ranks - 1)) == 0;
    case RanksDomain::even: return ranks % 2 == 0;
    case RanksDomain::two: return ranks == 2;
    case RanksDomain::two_or_more: return ranks >= 2;
    case RanksDomain::three_or_more: return ranks >= 3;
  }
  return false;
}

std::string domain_text(const LibraryRow& row) {
  std::vector<std::string> parts;
  if (row.ranks != RanksDomain::any) parts.push_back(fmt::format("p {}", name(row.ranks)));
  if (row.in_place == InPlaceDomain::never) parts.emplace_back("not in place");
  if (row.in_place == InPlaceDomain::always) parts.emplace_back("in place");
  if (row.commutes) parts.emplace_back("operators that commute");
  if (!row.layout.empty()) parts.push_back("layout " + row.layout);
  if (!row.hosts.empty()) parts.push_back("hosts " + row.hosts);
  if (!row.count.empty()) parts.push_back("counts " + row.count);
  for (const LibrarySetting& setting : row.settings)
    parts.push_back(
        fmt::format("{} = {} ({}..{})", setting.name, fmt::join(setting.tried, ", "), setting.least, setting.most));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string left_out_text(const LibraryRow& row, std::span<const Rank> ranks) {
  std::vector<Rank> list(ranks.begin(), ranks.end());
  std::erase_if(list, [&](Rank p) { return contains(row.ranks, p); });
  return list.empty() ? "" : fmt::format("p = {} (it is meant for p {})", rank_list_text(list), name(row.ranks));
}

std::vector<std::string> not_tried(const LibraryRow& row, std::span<const Rank> ranks) {
  std::vector<std::string> list;
  if (std::string left_out = left_out_text(row, ranks); !left_out.empty()) list.push_back(std::move(left_out));
  if (!row.settings.empty()) list.emplace_back("other settings (--set)");
  return list;
}

Result<std::vector<std::int64_t>> parse_setting_values(const std::string& text) {
  std::vector<std::int64_t> values;
  const auto wrong = [&] {
    return usage_error(fmt::format("expected whole numbers and ranges such as 1..4,8, found '{}'", text));
  };
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dots = part.find("..");
    const auto first = parse_whole<std::int64_t>(part.substr(0, dots), 0, most_value);
    const auto last =
        dots == std::string_view::npos ? first : parse_whole<std::int64_t>(part.substr(dots + 2), 0, most_value);
    if (!first || !last || *last < *first) return wrong();
    if (static_cast<std::size_t>(*last - *first) + values.size() >= most_values)
      return usage_error(fmt::format("more than {} values", most_values));
    for (std::int64_t v = *first; v <= *last; ++v) add_new(values, v);
  }
  return values;
}

Result<LibraryTable> read_library_table(const std::string& name, const std::string& text) {
  return TableReader(name, text).read();
}

}  // namespace onceover::code
