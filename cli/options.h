// What users may write after a command: CommandApp, which reads options into values, and the options that several
// commands have.
//
// A text is parsed once, when the line is read. The first mistake is reported before the command runs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "cli/colors.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/plots.h"
#include "subjects/options.h"
#include "verifier/property.h"

namespace onceover::cli {

using subjects::Shape;  // not that of code

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

/// A check of numbers for CLI11: what is wrong with a text, or "".
std::string whole_number(const std::string& text);

/// Adds --torus, which takes lists in which no torus is there twice.
void add_tori(const CommandApp& app, std::vector<Shape>& tori, const std::string& about);

/// Adds the subject of a command: a file, --algo, --exec or --peer, with --p, --torus and so on. `files` says what a
/// file may be; --algo names contenders if there is a place for them, of each of which it takes a schedule. With
/// `several`, the command takes several files.
void add_subject(const CommandApp& app, SubjectOptions& subject, std::string_view files = "A schedule file (JSON)",
                 Takes takes = Takes::one, Contenders* contenders = nullptr,
                 std::vector<std::string>* several = nullptr);

/// Adds --topology and its options, under a heading of the help.
void add_network(const CommandApp& app, NetworkOptions& network, const std::string& heading = network_group);

/// Adds the options of the network on which deficiencies depend.
void add_shape_of_network(const CommandApp& app, NetworkOptions& network, const std::string& heading);

/// Adds --json and --json-out.
void add_json(const CommandApp& app, JsonOutput& json);

/// Adds --plot and --gnuplot; `what` is plotted.
void add_plot(const CommandApp& app, PlotFiles& plot, const std::string& what);

/// Adds --require.
void add_required(const CommandApp& app, std::vector<std::string>& required, std::vector<std::string>& waived);

/// Adds the options of properties' bounds: --ports and so on.
void add_bounds(const CommandApp& app, Bounds& bounds);

/// Adds --color, which every command with a report has.
void add_colors(const CommandApp& app, Colors& colors);

/// Adds --time-limit and --memory-limit, which every command has.
void add_resource_limits(const CommandApp& app, ResourceLimits& limits);

/// What to add to an error about --steps if --peer-steps was probably meant.
inline constexpr std::string_view see_peer_steps = "; for the number of steps of --peer write --peer-steps";

/// What to add to the error if --steps got a text that looks like a formula, which is for --peer-steps.
std::string hint_at_peer_steps(const std::string& text);

/// Adds --budget: in block transfers and results, or in links that messages or maximum flows look at.
void add_block_budget(const CommandApp& app, std::uint64_t& budget, const std::string& about);
void add_link_budget(const CommandApp& app, std::uint64_t& budget);
void add_flow_budget(const CommandApp& app, std::uint64_t& budget);

/// Adds --budget: in units of a solver's work, or in beginnings of words.
void add_search_budget(const CommandApp& app, std::uint64_t& budget);

/// "A schedule file (JSON), or a program: ..": what a file may be.
std::string schedule_or_program();

/// Adds --beside, a second subject.
void add_beside(const CommandApp& app, std::string& beside, const std::string& about);

/// Parses a number from 1 to `most`; the usage error names the option.
Result<int> parse_count(std::string_view flag, const std::string& text, int most);

/// Is the command's result a report with verdicts, or JSON in its place?
template <class Options>
concept Reports = requires(const Options& options) {
  options.json;
};

/// The file of --json-out; empty if there is none, or if another process writes it.
template <class Options>
std::string json_file(const Options& options) {
  if constexpr (requires { options.team; })
    if (options.team != nullptr && options.team->number() != 0) return "";
  if constexpr (requires { options.json.file; }) return options.json.file;
  if constexpr (requires { options.json_out; }) return options.json_out;
  return "";
}

/// The line of progress. A command that waits for the user has none.
template <class Options>
std::optional<Progress> shown_progress(std::string_view name) {
  if constexpr (requires(const Options& options) { options.waits_for_user; })
    return std::nullopt;
  else
    return std::optional<Progress>(std::in_place, name);
}

/// Adds the options of a command to its app; what runs it once they are filled in, with a copy of `defaults`.
template <class Options>
Runner run_with(CLI::App& cli_app, const Options& defaults = {}) {
  const auto options = std::make_shared<Options>(defaults);
  const auto limits = std::make_shared<ResourceLimits>();
  const auto colors = std::make_shared<Colors>();
  const CommandApp app(cli_app);
  describe(app, *options);
  app.group(output_group);
  if constexpr (Reports<Options>) add_colors(app, *colors);
  app.group(limits_group);
  add_resource_limits(app, *limits);
  return [name = cli_app.get_name(), options, limits, colors, app]() -> Result<ExitCode> {
    set_limits(*limits);
    TRY(app.check());
    set_colors(*colors);
    const std::optional<Progress> progress = shown_progress<Options>(name);
    return run_to_the_end([&] { return run(*options); }, json_file(*options));
  };
}

}  // namespace onceover::cli
