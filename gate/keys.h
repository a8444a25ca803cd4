// Tables of keys: which keys the tables of a TOML file have, and how their values are read into structs. A row says a
// key's name, what it goes with, and how its value is read; what is wrong is said with line and column.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/exit_code.h"
#include "gate/toml_reader.h"

namespace onceover::gate {

class KeyReader;

/// A row: a key of tables that become a Target. `fits`: what it goes with, as bits of the file's own meaning.
template <class Target>
struct Key {
  std::string_view name;
  unsigned fits;
  void (*read)(KeyReader& in, const TomlValue& value, Target& target);
  bool is_default = true;  // may stand in [defaults]
};

/// Reads values of one file. Its first mistake counts: what is wrong after that is not told. The messages of values
/// begin with the key's name.
class KeyReader {
 public:
  /// Both must outlive the reader.
  KeyReader(const std::string& name, const std::string& text) : name_(name), text_(text) {}

  /// The first mistake, if there is one.
  const std::optional<SourceError>& error() const { return error_; }

  /// Reads the value of a key, unless there was a mistake before.
  template <class Target>
  void read(const Key<Target>& key, const TomlValue& value, Target& target) {
    if (error_) return;
    key_ = key.name;
    key.read(*this, value, target);
  }

  /// Refuses keys that aren't known; `where` they stand: "a check".
  void refuse_unknown(const TomlTable& table, std::span<const std::string_view> known, std::string_view where);

  // What a value may be. Nothing comes back after a mistake.

  /// A text that isn't empty, called `what` in the message.
  std::optional<std::string> text_of(const TomlValue& value, std::string_view what = "a text");
  std::optional<std::int64_t> number_of(const TomlValue& value, std::int64_t least, std::int64_t most);

  /// Calls use(item, text) for a text or each of a list of texts, of which there is at least one.
  template <class Use>
  void each_text(const TomlValue& value, std::string_view what, Use&& use, bool may_be_empty = false);

  /// The position of the text among the names; `noun` they are: "algorithm".
  std::optional<std::size_t> name_of(const TomlValue& value, std::string_view text,
                                     std::span<const std::string_view> known, std::string_view noun);

  /// A text as parse(text) understands it, as on the command line.
  template <class Parse>
  auto parsed(const TomlValue& value, const std::string& text, Parse&& parse) {
    auto result = parse(text);
    if (!result) fail_option(value, result.error());
    return result;
  }

  // What is wrong.

  void fail(std::size_t offset, std::string_view message);
  void fail(const TomlValue& value, std::string_view message) { fail(value.offset, message); }

  /// The message after the key's name: "p: ..".
  void fail_value(const TomlValue& value, std::string_view message);

  /// An error about an option of the command line: the key has its name without the dashes.
  void fail_option(const TomlValue& value, const Failure& failure);

  /// An error in a text that stands in this file: where it is there if that is the same text, as in a plain string.
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

// Readers of rows whose value goes into a field as it is: Key{"file", with_file, text_key<&Check::file>}.

template <auto field, class Target>
void text_key(KeyReader& in, const TomlValue& value, Target& target) {
  if (auto text = in.text_of(value)) target.*field = std::move(*text);
}

template <auto field, std::int64_t least, std::int64_t most, class Target>
void number_key(KeyReader& in, const TomlValue& value, Target& target) {
  using Number = std::remove_cvref_t<decltype(target.*field)>;
  if (const auto number = in.number_of(value, least, most)) target.*field = static_cast<Number>(*number);
}

}  // namespace onceover::gate
