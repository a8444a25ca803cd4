// The options of a command, read into values: a text is parsed as soon as the command line has been read, once.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/exit_code.h"
#include "base/words.h"

namespace onceover::cli {

/// A CLI11 app whose options go into fields that hold values. What the field is says what becomes of a text:
/// - T, std::optional<T>: it is parsed.
/// - Result<T>, Result<std::optional<T>>: a mistake stays in the field, for the command to tell when its turn comes.
/// - With `add_each` and `add_list`, std::vector<T> and Result<std::vector<T>>: the option may be given several times.
/// Other mistakes are the app's: the first of them is told before the command runs. The fields must outlive the app.
class CommandApp {
 public:
  explicit CommandApp(CLI::App& app) : app_(app), mistake_(std::make_shared<std::optional<Failure>>()) {}

  /// For options that need no parser of ours.
  CLI::App* operator->() const { return &app_; }

  /// The options added from here on stand under this heading in the help.
  void group(const std::string& name) const { app_.option_defaults()->group(name); }

  /// An option whose text parse(text) understands: Result<T> of a std::string.
  template <class Field, class Parse>
  CLI::Option* add_parsed(const std::string& name, Field& field, Parse parse, const std::string& about) const {
    return add_text(
        name, [mistake = mistake_, &field, parse](const std::string& text) { put(*mistake, field, text, parse); },
        about);
  }

  /// The same for each of its texts.
  template <class Field, class Parse>
  CLI::Option* add_each(const std::string& name, Field& field, Parse parse, const std::string& about) const {
    return add_texts(
        name, [mistake = mistake_, &field, parse](const std::string& text) { append(*mistake, field, text, parse); },
        about);
  }

  /// The same for each item of its texts, which are lists a,b.
  template <class Field, class Parse>
  CLI::Option* add_list(const std::string& name, Field& field, Parse parse, const std::string& about) const {
    auto take = [mistake = mistake_, &field, parse](const std::string& text) {
      for (const std::string_view item : split(text, ',')) append(*mistake, field, std::string(item), parse);
    };
    return add_texts(name, take, about);
  }

  /// The first mistake that the command line made in this app's options, once it was read.
  std::shared_ptr<const std::optional<Failure>> mistake() const { return mistake_; }

 private:
  using Take = std::function<void(const std::string&)>;

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
      field.push_back(*std::move(parsed));
    else if (!mistake)
      mistake = parsed.error();
  }

  template <class T, class Parse>
  static void append(std::optional<Failure>&, Result<std::vector<T>>& field, const std::string& text,
                     const Parse& parse) {
    if (!field) return;
    auto parsed = parse(text);
    if (parsed)
      field->push_back(*std::move(parsed));
    else
      field = tl::unexpected(parsed.error());
  }

  CLI::App& app_;
  std::shared_ptr<std::optional<Failure>> mistake_;
};

}  // namespace onceover::cli
