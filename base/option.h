// Option: an option of the command line, as a row of a table. What users may write, the help, the commands that are
// printed and what an option goes with are made from the rows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/rows.h"
#include "base/text.h"

namespace onceover::base {

/// A row whose value goes into a Target.
template <class Target>
struct Option {
  std::string name;   // without dashes
  std::string value;  // what the help calls its value; empty: it is a flag, whose texts are empty
  std::string about;
  unsigned fits;  // what it goes with, in bits whose meaning the table defines
  bool repeats;   // may it be given several times?
  std::function<Result<void>(const std::string& text, Target& target)> read;
  std::function<std::vector<std::string>(const Target& target)> print;  // its values as texts; none: it isn't given

  bool is_flag() const { return value.empty(); }
  bool is_given(const Target& target) const { return !print(target).empty(); }
};

/// The text of a field's value; empty if there is none.
template <class T, class Print>
std::string text_of(const T& value, const Print& print) {
  return std::string(print(value));
}

template <class T, class Print>
std::string text_of(const std::optional<T>& value, const Print& print) {
  return value ? std::string(print(*value)) : "";
}

/// A row for a field of type T or std::optional<T>, to which `field` leads: &Target::field, or a function of a target.
/// parse(text) returns a Result<T>, print(value) the text again, empty if that is what it is without the option.
template <class Target, class Field, class Parse, class Print>
Option<Target> option(std::string name, std::string value, Field field, Parse parse, Print print, unsigned fits,
                      std::string about) {
  auto read = [=](const std::string& text, Target& target) -> Result<void> {
    std::invoke(field, target) = TRY(parse(text));
    return {};
  };
  auto printed = [=](const Target& target) {
    const std::string text = text_of(std::invoke(field, target), print);
    return text.empty() ? std::vector<std::string>() : std::vector{text};
  };
  return {std::move(name), std::move(value), std::move(about), fits, false, read, printed};
}

/// A row for a field of type std::vector<T>, which has each value once.
template <class Target, class Field, class Parse, class Print>
Option<Target> repeated_option(std::string name, std::string value, Field field, Parse parse, Print print,
                               unsigned fits, std::string about) {
  auto read = [=](const std::string& text, Target& target) -> Result<void> {
    add_new(std::invoke(field, target), TRY(parse(text)));
    return {};
  };
  auto printed = [=](const Target& target) { return mapped(std::invoke(field, target), print); };
  return {std::move(name), std::move(value), std::move(about), fits, true, read, printed};
}

/// A row for a field of type bool.
template <class Target, class Field>
Option<Target> flag(std::string name, Field field, unsigned fits, std::string about) {
  auto read = [=](const std::string&, Target& target) -> Result<void> {
    std::invoke(field, target) = true;
    return {};
  };
  auto printed = [=](const Target& target) { return std::vector<std::string>(std::invoke(field, target) ? 1 : 0); };
  return {std::move(name), "", std::move(about), fits, false, read, printed};
}

/// The value of an option that is a text as it is.
inline Result<std::string> parse_text(const std::string& text) {
  return text;
}
inline std::string print_text(const std::string& text) {
  return text;
}

/// " --p 7", " --in-place": the option as the user would write it again; empty if it isn't given.
template <class Target>
std::string arguments(const Option<Target>& row, const Target& target) {
  std::string line;
  for (const std::string& text : row.print(target))
    line += " --" + row.name + (row.is_flag() ? "" : " " + shell_word(text));
  return line;
}

/// " --algo swing --p 7": the same for all options that are given.
template <class Target>
std::string arguments(const std::vector<Option<Target>>& rows, const Target& target) {
  std::string line;
  for (const Option<Target>& row : rows) line += arguments(row, target);
  return line;
}

}  // namespace onceover::base
