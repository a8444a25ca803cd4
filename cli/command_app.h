// CommandApp: reads the options of a command into values. Each text is parsed once, as soon as the command line is
// read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/exit_code.h"
#include "base/rows.h"
#include "base/words.h"

namespace onceover::cli {

/// Checks for CLI11: what is wrong with a text, or "".
std::string not_empty(const std::string& text);
std::string file_name(const std::string& text);

/// A CLI11 app whose options fill in fields that hold values. The type of the field decides what happens to the text:
/// - T, std::optional<T>: it is parsed.
/// - Result<T>, Result<std::optional<T>>: a mistake stays in the field, and the command reports it in its turn.
/// - std::vector<T>, Result<std::vector<T>>, with `add_each` and `add_list`: the option may be given several times. The
///   vector has each value once.
///
/// Other mistakes belong to the app: the first one is reported before the command runs. The fields must outlive the
/// app.
///
/// Behind a blank, the name of an option has what the help calls its value: "--p LIST".
class CommandApp {
 public:
  explicit CommandApp(CLI::App& app) : app_(app), mistake_(std::make_shared<std::optional<Failure>>()) {}

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

  /// Adds an option whose text parse(text) understands: a function from std::string to Result<T>.
  template <class Field, class Parse>
  CLI::Option* add_parsed(const std::string& name, Field& field, Parse parse, const std::string& about) const {
    return add_text(
        name, [mistake = mistake_, &field, parse](const std::string& text) { put(*mistake, field, text, parse); },
        about);
  }

  /// The same for an option that may be given several times.
  template <class Field, class Parse>
  CLI::Option* add_each(const std::string& name, Field& field, Parse parse, const std::string& about) const {
    return add_texts(
        name, [mistake = mistake_, &field, parse](const std::string& text) { append(*mistake, field, text, parse); },
        about);
  }

  /// The same for each item of such an option's lists a,b.
  template <class Field, class Parse>
  CLI::Option* add_list(const std::string& name, Field& field, Parse parse, const std::string& about) const {
    auto take = [mistake = mistake_, &field, parse](const std::string& text) {
      for (const std::string_view item : split(text, ',')) append(*mistake, field, std::string(item), parse);
    };
    return add_texts(name, take, about);
  }

  /// The first mistake in this app's options, once the command line has been read.
  std::shared_ptr<const std::optional<Failure>> mistake() const { return mistake_; }

 private:
  using Take = std::function<void(const std::string&)>;

  static std::string flags_in(const std::string& name) { return name.substr(0, name.find(' ')); }
  static CLI::Option* with_value(CLI::Option* option, const std::string& name);

  CLI::Option* add_text(const std::string& name, Take take, const std::string& about) const;
  CLI::Option* add_texts(const std::string& name, Take take, const std::string& about) const;

  template <class T, class Parse>
  static void put(std::optional<Failure>& mistake, T& field, const std::string& text, const Parse& parse) {
    auto parsed = parse(text);
    if (parsed)
      field = *std::move(parsed);
    else if (!mistake)
      mistake = parsed.error();
  }

  template <class T, class Parse>
  static void put(std::optional<Failure>&, Result<T>& field, const std::string& text, const Parse& parse) {
    field = parse(text);
  }

  template <class T, class Parse>
  static void put(std::optional<Failure>&, Result<std::optional<T>>& field, const std::string& text,
                  const Parse& parse) {
    field = parse(text).map([](T value) { return std::optional<T>(std::move(value)); });
  }

  template <class T, class Parse>
  static void append(std::optional<Failure>& mistake, std::vector<T>& field, const std::string& text,
                     const Parse& parse) {
    auto parsed = parse(text);
    if (parsed)
      add_new(field, *std::move(parsed));
    else if (!mistake)
      mistake = parsed.error();
  }

  template <class T, class Parse>
  static void append(std::optional<Failure>&, Result<std::vector<T>>& field, const std::string& text,
                     const Parse& parse) {
    if (!field) return;
    auto parsed = parse(text);
    if (parsed)
      add_new(*field, *std::move(parsed));
    else
      field = tl::unexpected(parsed.error());
  }

  CLI::App& app_;
  std::shared_ptr<std::optional<Failure>> mistake_;
};

}  // namespace onceover::cli
