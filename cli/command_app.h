// CommandApp: reads the options of a command into values. Each text is parsed once, as soon as the command line is
// read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/exit_code.h"
#include "base/option.h"

namespace onceover::cli {

/// Checks for CLI11: what is wrong with a text, or "".
std::string not_empty(const std::string& text);
std::string file_name(const std::string& text);

/// A CLI11 app whose options fill in fields that hold values: T or std::optional<T>, or with `add_each` and `add_list`
/// std::vector<T>, for options that may be given several times; the vector has each value once. The first mistake on
/// the command line is reported before the command runs. The fields must outlive the app.
///
/// Behind a blank, the name of an option has what the help calls its value: "--p LIST".
class CommandApp {
 public:
  explicit CommandApp(CLI::App& app) : app_(app), mistakes_(std::make_shared<Mistakes>()) {}

  /// For flags and arguments without a name.
  CLI::App* operator->() const { return &app_; }

  /// The help shows the options added from here on under this heading.
  void group(const std::string& name) const { app_.option_defaults()->group(name); }

  /// Adds an option that needs no parser of ours.
  template <class Field>
  CLI::Option* add_option(const std::string& name, Field& field, const std::string& about) const {
    return with_value(app_.add_option(flags_in(name), field, about), name);
  }

  /// Adds an option that takes a file, whose name isn't empty.
  CLI::Option* add_file(const std::string& flags, std::string& field, const std::string& about) const;

  /// Reads the text of an option.
  using Take = std::function<Result<void>(const std::string&)>;

  /// Adds an option, or one that may be given several times.
  CLI::Option* add(const std::string& name, Take take, const std::string& about) const;
  CLI::Option* add_repeated(const std::string& name, Take take, const std::string& about) const;

  /// Adds a flag, whose text is empty.
  CLI::Option* add_flag(const std::string& name, Take take, const std::string& about) const;

  /// Adds the option of a row, or of each of several.
  template <class Target>
  CLI::Option* add(const Option<Target>& row, Target& target) const {
    auto take = [read = row.read, &target](const std::string& text) { return read(text, target); };
    if (row.is_flag()) return add_flag("--" + row.name, take, row.about);
    const std::string name = "--" + row.name + " " + row.value;
    return row.repeats ? add_repeated(name, take, row.about) : add(name, take, row.about);
  }

  template <class Target>
  void add_all(const std::vector<Option<Target>>& rows, Target& target) const {
    for (const Option<Target>& row : rows) add(row, target);
  }

  /// Adds an option whose text parse(text) understands: a function from std::string to Result<T>.
  template <class Field, class Parse>
  CLI::Option* add_parsed(const std::string& name, Field& field, Parse parse, const std::string& about) const {
    auto take = [&field, parse](const std::string& text) -> Result<void> {
      field = TRY(parse(text));
      return {};
    };
    return add(name, take, about);
  }

  /// The same for an option that may be given several times.
  template <class Field, class Parse>
  CLI::Option* add_each(const std::string& name, Field& field, Parse parse, const std::string& about) const {
    auto take = [&field, parse](const std::string& text) -> Result<void> {
      add_new(field, TRY(parse(text)));
      return {};
    };
    return add_repeated(name, take, about);
  }

  /// The same for each item of such an option's lists a,b.
  template <class Field, class Parse>
  CLI::Option* add_list(const std::string& name, Field& field, Parse parse, const std::string& about) const {
    auto take = [&field, parse](const std::string& text) -> Result<void> {
      for (const std::string_view item : split(text, ',')) add_new(field, TRY(parse(std::string(item))));
      return {};
    };
    return add_repeated(name, take, about);
  }

  /// The first mistake on the command line, once it has been read.
  Result<void> check() const;

 private:
  using Mistakes = std::map<std::string, Failure>;  // the first of each option

  static std::string flags_in(const std::string& name) { return name.substr(0, name.find(' ')); }
  static CLI::Option* with_value(CLI::Option* option, const std::string& name);

  /// Keeps what is wrong with a text.
  std::function<void(const std::string&)> noting(const std::string& flags, Take take) const;

  CLI::App& app_;
  std::shared_ptr<Mistakes> mistakes_;
};

}  // namespace onceover::cli
