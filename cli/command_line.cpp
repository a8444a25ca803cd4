#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/files.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "schedules/catalogue.h"

namespace onceover::cli {

namespace {

/// An option, and what else it may be called, with blanks between. The first row whose option the command has counts.
struct Guesses {
  std::string_view option;
  std::string_view names;
};

/// Names that options have in other programs, or that users try.
constexpr std::array guessed_options{
    Guesses{"--p", "-p -n -np --np --n --nprocs --num-ranks --nranks --processes --procs --rank --ranks --world-size"},
    Guesses{"--peer-steps", "--steps --num-steps"},
    Guesses{"--csv-out", "--csv"},
    Guesses{"--exec-time-limit", "--exec-timeout"},
    Guesses{"--to", "--format"},
    Guesses{"--in-place", "--inplace"},
    Guesses{"--algo", "--alg --algorithm --name --schedule"},
    Guesses{"--peer", "--formula --peers"},
    Guesses{"--odd", "--odd-p"},
    Guesses{"--exec", "--cmd --command --generator --program --run"},
    Guesses{"--torus", "--dims --grid --mesh --shape"},
    Guesses{"--collective", "--coll"},
    Guesses{"--set", "--param"},
    Guesses{"--require", "--check --properties --property"},
    Guesses{"--memory-limit", "--memory"},
    Guesses{"--time-limit", "--timeout"},
    Guesses{"--bytes", "--message-size --size"},
    Guesses{"--topology", "--net --network --topo"},
    Guesses{"--draw-counterexample", "--counterexample"},
    Guesses{"--full", "--all --verbose -v"},
    Guesses{"--output", "--out"},
    Guesses{"--json-out", "--output"}};

/// What a command can't do by its nature, and which one does instead.
struct Instead {
  std::string_view command;
  std::string_view option;
  std::string_view advice;
};

constexpr std::array instead_of_options{
    Instead{"prove", "--exec", "a program has no proof for every p; for some: verify --exec 'COMMAND' --p 2..64"},
    Instead{"prove", "--torus", "its theorems are for every torus; for one: verify --algo NAME --torus 4x4"},
    Instead{"bound", "--algo", "a bound is for all schedules; beside the time of one: verify cost --algo NAME --p P"},
    Instead{"list", "--algo", "write the name alone: verify list NAME"},
    Instead{"explain", "--require", "write the name alone: verify explain ID"},
    Instead{"gate", "--algo", "a gate file says what is judged: verify gate FILE"}};

bool has_option(const CLI::App& command, std::string_view name) {
  return command.get_option_no_throw(std::string(name)) != nullptr;
}

/// The commands that have the option: "; it is an option of cost and report".
std::string owners_text(const CLI::App& command, const std::string& name) {
  const CLI::App& verify = command.get_parent() == nullptr ? command : *command.get_parent();
  std::vector<std::string_view> owners;
  if (has_option(verify, name)) owners.emplace_back("verify itself");
  for (const Command& each : commands())
    if (has_option(*verify.get_subcommand(std::string(each.name)), name)) owners.push_back(each.name);
  return owners.empty() ? "" : fmt::format("; it is an option of {}", in_sentence(owners, "and"));
}

/// The option of this command with the nearest name, if few enough letters differ that a slip is likely.
std::string likely_option(const CLI::App& command, std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::vector<std::string_view> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& each : option->get_lnames()) names.push_back(each);
  const auto near = closest(name, names, std::max<std::size_t>(1, name.size() / 4));
  return near ? fmt::format("; did you mean '--{}'?", *near) : "";
}

/// What the user probably meant by an option that the command doesn't have.
std::string advice(const CLI::App& command, const std::string& name) {
  for (const Instead& row : instead_of_options)
    if (command.get_name() == row.command && name == row.option) return fmt::format("; {}", row.advice);
  for (const Guesses& row : guessed_options)
    if (has(split(row.names, ' '), name) && has_option(command, row.option))
      return fmt::format("; it is called {}", row.option);
  const std::string likely = likely_option(command, name);
  return likely.empty() ? owners_text(command, name) : likely;
}

/// "verify draw --help".
std::string help_of(const CLI::App& command) {
  return command.get_parent() == nullptr ? "verify --help" : fmt::format("verify {} --help", command.get_name());
}

Result<void> refuse_extras(const CLI::App& command) {
  if (command.get_prefix_command()) return {};  // it takes any words
  const auto extras = command.remaining();
  if (extras.empty()) return {};
  const std::string& extra = extras.front();
  const bool is_option = extra.size() > 1 && extra.starts_with('-');
  const std::string name = extra.substr(0, extra.find('='));
  return usage_error(is_option
                         ? fmt::format("no option '{}'{}; see '{}'", name, advice(command, name), help_of(command))
                         : fmt::format("unexpected argument '{}'; see '{}'", extra, help_of(command)));
}

/// The command that the line names, as far as the line has been read.
const CLI::App& chosen_in(const CLI::App& verify) {
  const std::vector<CLI::App*> chosen = verify.get_subcommands();
  return chosen.empty() ? verify : *chosen.front();
}

}  // namespace

CommandLine::CommandLine(Team* team)
    : team_(team), app_(std::string(verify_command().about), std::string(verify_command().name)) {
  use_help_text(app_);
  app_.allow_extras();
  app_.require_subcommand(0, 1);  // so that `help draw` names one command, not two
  app_.set_help_flag("-h,--help", "Print this help")->group(help_group);
  run_verify_ = verify_command(team).add(app_);
  app_.set_version_flag("--version", "onceover " ONCEOVER_VERSION, "Print the version")->group(help_group);
  for (const Command& command : commands()) {
    CLI::App* app = app_.add_subcommand(std::string(command.name), std::string(command.about))->allow_extras();
    app->get_help_ptr()->group(help_group);
    run_command_.push_back(command.add(*app));
  }
}

Result<ExitCode> CommandLine::run(int argc, char** argv) {
  // No help shows this: it is for shells, see completion.cpp.
  if (argc > 2 && argv[1] == std::string_view("complete") && argv[2] == std::string_view("--")) {
    if (auto printed = print(completions(app_, {argv + 3, argv + argc})); !printed)
      return tl::unexpected(printed.error());
    return ExitCode::ok;
  }
  const CLI::App* command = TRY(read(argc, argv));
  if (command == nullptr) return ExitCode::ok;
  for (std::size_t i = 0; i < commands().size(); ++i)
    if (command != &app_ && commands()[i].name == command->get_name()) return run_command_[i]();
  if (team_ == nullptr && app_.count("--distributed") > 0) return tl::unexpected(become_distributed(argv));
  return run_verify_();
}

Result<const CLI::App*> CommandLine::read(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::Success& e) {
    app_.exit(e);
    TRY(print(""));
    return nullptr;
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string what = e.what();
    return usage_error(
        fmt::format("{} takes one value; see '{}'", what.substr(0, what.find(':')), help_of(chosen_in(app_))));
  } catch (const CLI::ParseError& e) {
    return usage_error(fmt::format("{}; see '{}'", e.what(), help_of(chosen_in(app_))));
  }
  const CLI::App& command = chosen_in(app_);
  const bool is_verify = &command == &app_;
  if (!is_verify) TRY(refuse_early_options(command));
  TRY(refuse_extras(command));
  if (is_verify) TRY(refuse_mistyped_command());
  return &command;
}

/// Refuses `verify --json list`, which would lose the option.
Result<void> CommandLine::refuse_early_options(const CLI::App& command) const {
  for (const CLI::Option* option : app_.get_options()) {
    if (option->count() == 0) continue;
    const bool is_shared = command.get_option_no_throw(option->get_name()) != nullptr;
    return usage_error(is_shared ? fmt::format("write {} after '{}'", option->get_name(), command.get_name())
                                 : fmt::format("{} does not go with '{}'", option->get_name(), command.get_name()));
  }
  return {};
}

/// Refuses `verify lst` and `verify swing` if there is no such file: the user probably meant a command or an algorithm.
Result<void> CommandLine::refuse_mistyped_command() const {
  if (app_.count("FILE") == 0) return {};
  const std::string file = app_.get_option("FILE")->results().front();
  const auto names = mapped(commands(), &Command::name);
  const auto near = closest(file, names);
  std::error_code ignored;
  if (check_readable(file) || std::filesystem::is_directory(file, ignored)) return {};
  if (find_algorithm(file) != nullptr)
    return usage_error(fmt::format("'{}' is not a file; for the algorithm write --algo {}", file, file));
  if (!near) return {};
  return usage_error(fmt::format("'{}' is neither a file nor a command; did you mean 'verify {}'?", file, *near));
}

}  // namespace onceover::cli
