#include "cli/command_line.h"

#include <fmt/format.h>

#include "base/closest.h"
#include "base/files.h"
#include "base/try.h"
#include "base/words.h"
#include "cli/become_distributed.h"
#include "cli/commands.h"
#include "cli/completion.h"

namespace onceover::cli {

namespace {

constexpr std::string_view examples = R"(  verify --algo swing --p 7                      is Swing right for 7 ranks?
  verify --algo ring --collective allgather --p 2..64
  verify --algo rabenseifner --set order=far --p 2^1..2^10
  verify --algo swing --torus 8x8 --lanes all
  verify my-schedule.json --json                 your own schedule, the result as JSON
  verify --exec './my-generator {p}' --p 2..32   your own program that prints schedules
  verify --peer 'r xor pow2(s)' --p 2^1..2^6     your own algorithm as a formula
  verify --algo swing-latency --p 8 --require bitwise-reproducible
  verify export --algo swing --p 6 --to json -o s.json
  verify draw --view steps --algo swing --p 16 -o swing.pdf
  verify report --algo swing --p 16 -o report.html           all of it on one page
  verify prove --algo swing                      for every p
  verify contention --algo swing --torus 4x4 --lanes all     who shares which link
  verify cost --algo swing,bucket --torus 64x64 --lanes all  how long it takes
  verify list                                    the algorithms of the catalogue
  verify explain ports                           what a property means
  verify algo.xml                                what ranks run, as MSCCL XML
  verify program.goal                            what ranks send and wait for, as GOAL
  verify lint algo.xml --profile rccl            would RCCL load it?
  verify gate gate.toml --junit-out gate.xml     all that CI should judge
  verify live --p 7 --collective allreduce --match   what this machine's MPI computes
  verify claims                                  what the papers claim, and what is so
)";

/// What stands below the options of a command: the examples that begin so, and the exit codes.
std::string footer(std::string_view command) {
  std::string chosen;
  for (const std::string_view line : split(examples, '\n'))
    if (line.starts_with(command)) chosen += fmt::format("{}\n", line);
  return fmt::format("{}{}{}", chosen.empty() ? "" : "Examples:\n", chosen.empty() ? "" : chosen + "\n", exit_codes);
}

Result<void> refuse_extras(const CLI::App& command) {
  const auto extras = command.remaining();
  if (extras.empty()) return {};
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  const std::vector<std::string_view> known(flags.begin(), flags.end());
  return usage_error(fmt::format("unexpected argument '{}'{}; see 'verify --help'", extras.front(),
                                 suggestion(extras.front(), known)));
}

}  // namespace

CommandLine::CommandLine(Team* team)
    : team_(team), app_(std::string(verify_command().about), std::string(verify_command().name)) {
  app_.set_version_flag("--version", "onceover " ONCEOVER_VERSION);
  app_.footer(footer("  verify "));
  app_.set_help_flag("-h,--help", "Print this help and exit");
  app_.allow_extras();
  run_verify_ = verify_command(team).add(app_);
  for (const Command& command : commands()) {
    CLI::App* app = app_.add_subcommand(std::string(command.name), std::string(command.about))->allow_extras();
    app->footer(footer(fmt::format("  verify {} ", command.name)));
    run_command_.push_back(command.add(*app));
  }
}

Result<ExitCode> CommandLine::run(int argc, char** argv) {
  // In no help: shells ask by it, see completion.cpp.
  if (argc > 2 && argv[1] == std::string_view("complete") && argv[2] == std::string_view("--")) {
    if (auto printed = print(completions(app_, {argv + 3, argv + argc})); !printed)
      return tl::unexpected(printed.error());
    return ExitCode::ok;
  }
  try {
    app_.parse(argc, argv);
  } catch (const CLI::Success& e) {
    app_.exit(e);
    TRY(print(""));
    return ExitCode::ok;
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string what = e.what();
    return usage_error(fmt::format("{} takes one value; see 'verify --help'", what.substr(0, what.find(':'))));
  } catch (const CLI::ParseError& e) {
    return usage_error(fmt::format("{}; see 'verify --help'", e.what()));
  }
  return run_parsed(argv);
}

Result<ExitCode> CommandLine::run_parsed(char** argv) const {
  const std::vector<CLI::App*> chosen = app_.get_subcommands();
  const CLI::App& command = chosen.empty() ? app_ : *chosen.front();
  Result<void> clean = chosen.empty() ? Result<void>() : refuse_early_options(command);
  if (clean) clean = refuse_extras(command);
  if (clean && chosen.empty()) clean = refuse_mistyped_command();
  if (!clean) return tl::unexpected(clean.error());
  for (std::size_t i = 0; i < commands().size(); ++i)
    if (commands()[i].name == command.get_name() && !chosen.empty()) return run_command_[i]();
  if (team_ == nullptr && app_.count("--distributed") > 0) return tl::unexpected(become_distributed(argv));
  return run_verify_();
}

/// `verify --json list` would lose the option.
Result<void> CommandLine::refuse_early_options(const CLI::App& command) const {
  for (const CLI::Option* option : app_.get_options()) {
    if (option->count() == 0) continue;
    const bool is_shared = command.get_option_no_throw(option->get_name()) != nullptr;
    return usage_error(is_shared ? fmt::format("write {} after '{}'", option->get_name(), command.get_name())
                                 : fmt::format("{} does not go with '{}'", option->get_name(), command.get_name()));
  }
  return {};
}

/// `verify lst` reads as a file name; if there is no such file, a command was probably meant.
Result<void> CommandLine::refuse_mistyped_command() const {
  if (app_.count("FILE") == 0) return {};
  const auto file = app_.get_option("FILE")->as<std::string>();
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  const auto near = closest(file, names);
  if (!near || check_readable(file)) return {};
  return usage_error(fmt::format("'{}' is no file and no command; did you mean 'verify {}'?", file, *near));
}

}  // namespace onceover::cli
