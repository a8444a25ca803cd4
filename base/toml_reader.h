// TOML files as trees of values, each with its place in the text. Only toml_reader.cpp sees toml++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "base/source_text.h"

namespace onceover::base {

struct TomlEntry;
struct TomlValue;

/// The entries of a table, ascending by key, each key once.
struct TomlTable {
  std::vector<TomlEntry> entries;

  /// The value of a key, or null. O(log entries).
  const TomlValue* find(std::string_view key) const;
};

using TomlList = std::vector<TomlValue>;

/// A date, a time, or both: no key takes one.
struct TomlMoment {};

/// A value, and where it begins.
struct TomlValue {
  std::variant<TomlTable, TomlList, std::string, std::int64_t, double, bool, TomlMoment> content;
  std::size_t offset;  // in the text, in bytes
  std::size_t line;    // from 1

  /// The value if it is of this kind, else null.
  const TomlTable* table() const { return std::get_if<TomlTable>(&content); }
  const TomlList* list() const { return std::get_if<TomlList>(&content); }
  const std::string* text() const { return std::get_if<std::string>(&content); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&content); }

  /// The kind of value, for messages: "a table", "a whole number".
  std::string_view kind() const;

  /// Is it a list with at least one table, and only tables: [[check]]?
  bool is_list_of_tables() const;
};

struct TomlEntry {
  std::string key;
  std::size_t offset;  // of the key
  TomlValue value;
};

/// Parses the text of a file called `name`; messages call the file `what`: "a gate file". A text has at most 4 MiB, and
/// a line at most 1000 points.
tl::expected<TomlTable, SourceError> read_toml(std::string_view name, std::string_view text, std::string_view what);

}  // namespace onceover::base
