// TOML files: trees of values, each with its place in the text; and tables of the keys that the tables of a file can
// have. A row gives a key's name, what it applies to, and how its value is read into a struct. Mistakes are reported
// with line and column. Only toml_reader.cpp sees toml++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
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

class KeyReader;

/// A row: a key of tables that become a Target. `fits` says what it applies to, in bits whose meaning the file defines.
template <class Target>
struct Key {
  std::string_view name;
  unsigned fits;
  void (*read)(KeyReader& in, const TomlValue& value, Target& target);
  std::string (*print)(const Key& key, const Target& target) = nullptr;  // its value in TOML; empty: there is none
  bool is_default = true;                                                // may it be in [defaults]?
};

/// Reads values of one file. Only the first mistake is reported. Messages about values begin with the key's name.
class KeyReader {
 public:
  /// Both must outlive the reader.
  KeyReader(const std::string& name, const std::string& text) : name_(name), text_(text) {}

  /// The key whose value is read.
  std::string_view key() const { return key_; }

  /// The first mistake, if there is one.
  const std::optional<SourceError>& error() const { return error_; }

  /// Reads the value of a key, unless there was a mistake before.
  template <class Target>
  void read(const Key<Target>& key, const TomlValue& value, Target& target) {
    if (error_) return;
    key_ = key.name;
    key.read(*this, value, target);
  }

  /// Refuses unknown keys; `where` names the table: "a check".
  void refuse_unknown(const TomlTable& table, std::span<const std::string_view> known, std::string_view where);

  // What a value can be. These return nothing after a mistake.

  /// A text that isn't empty; messages call it `what`.
  std::optional<std::string> text_of(const TomlValue& value, std::string_view what = "a text");
  std::optional<std::int64_t> number_of(const TomlValue& value, std::int64_t least, std::int64_t most);

  /// Calls use(item, text) for a text, or for each item of a list of texts, which has at least one.
  template <class Use>
  void each_text(const TomlValue& value, std::string_view what, Use&& use, bool may_be_empty = false);

  /// The position of the text among the names, each of which is a `noun`: "algorithm".
  std::optional<std::size_t> name_of(const TomlValue& value, std::string_view text,
                                     std::span<const std::string_view> known, std::string_view noun);

  /// The text, parsed by `parse`, as on the command line.
  template <class Parse>
  auto parsed(const TomlValue& value, const std::string& text, Parse&& parse) {
    auto result = parse(text);
    if (!result) fail_option(value, result.error());
    return result;
  }

  // Report mistakes.

  void fail(std::size_t offset, std::string_view message);
  void fail(const TomlValue& value, std::string_view message) { fail(value.offset, message); }

  /// Reports a message after the key's name: "p: ..".
  void fail_value(const TomlValue& value, std::string_view message);

  /// Reports an error about an option of the command line, whose name without dashes is the key.
  void fail_option(const TomlValue& value, const Failure& failure);

  /// Reports an error in a text of this file, at its place in the file if the text stands there literally, as in a
  /// plain string.
  void fail_within(const TomlValue& value, const std::string& text, const SourceError& inner);

 private:
  const std::string& name_;
  const std::string& text_;
  std::string_view key_ = "";
  std::optional<SourceError> error_;
};

template <class Use>
void KeyReader::each_text(const TomlValue& value, std::string_view what, Use&& use, bool may_be_empty) {
  const TomlList* list = value.list();
  if (list == nullptr) {
    if (const auto text = text_of(value, std::string(what) + " or a list of such")) use(value, *text);
    return;
  }
  if (list->empty() && !may_be_empty) return fail_value(value, "the list is empty");
  for (const TomlValue& item : *list) {
    if (error_) return;
    if (const auto text = text_of(item, what)) use(item, *text);
  }
}

/// A text as TOML's string, and texts as its list.
std::string toml_text(std::string_view text);

template <class Texts>
std::string toml_list(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : ", ") + toml_text(text);
  return "[" + list + "]";
}

// Readers of rows whose value goes unchanged into a field: Key{"file", with_file, text_key<&Check::file>}.

template <auto field, class Target>
void text_key(KeyReader& in, const TomlValue& value, Target& target) {
  if (auto text = in.text_of(value)) target.*field = std::move(*text);
}

template <auto field, std::int64_t least, std::int64_t most, class Target>
void number_key(KeyReader& in, const TomlValue& value, Target& target) {
  using Number = std::remove_cvref_t<decltype(target.*field)>;
  if (const auto number = in.number_of(value, least, most)) target.*field = static_cast<Number>(*number);
}

}  // namespace onceover::base
