// Completion for bash, zsh and fish, from the same commands and options as --help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/closest.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "formats/msccl_profile.h"
#include "network/topology.h"
#include "papers/claim.h"
#include "papers/presets.h"
#include "programs/blocking.h"
#include "proofs/theorem.h"
#include "schedules/catalogue.h"
#include "verifier/property.h"
#include "viz/view.h"

namespace onceover::cli {

namespace {

using Words = std::vector<std::string>;

template <class Table>
Words names_in(const Table& table) {
  Words words;
  for (const auto& row : table) words.emplace_back(row.name);
  return words;
}

Words preset_names() {
  Words words = names_in(presets());
  words.insert(words.begin(), "all");
  return words;
}

/// Those that aren't there to show a text that is wrong.
Words algorithm_names() {
  Words words;
  for (const Algorithm& row : catalogue())
    if (!row.as_printed) words.emplace_back(row.name);
  return words;
}

Words claim_ids() {
  Words words;
  for (const Claim& claim : claims()) words.emplace_back(claim.id);
  return words;
}

Words order_names() {
  Words words;
  for (const CallOrder order : call_orders()) words.emplace_back(name(order));
  return words;
}

Words property_ids() {
  Words words;
  for (const Property& property : properties()) words.emplace_back(property.id);
  return words;
}

Words theorem_ids() {
  Words words;
  for (const Theorem& theorem : theorems()) words.emplace_back(theorem.id);
  return words;
}

/// What can stand for the value of an option, where that is one of a few words; options are named as in --help, and
/// arguments without a flag by their command.
struct Values {
  std::string_view option;
  Words (*words)();
};

const std::vector<Values>& values_table() {
  static const std::vector<Values> table{
      {"--algo", algorithm_names},
      {"--blocking", order_names},
      {"--collective", [] { return names_in(contracts); }},
      {"--lanes",
       [] {
         return Words{"1", "all"};
       }},
      {"--mode",
       [] {
         return Words{"synchronous", "asynchronous"};
       }},
      {"--preset", preset_names},
      {"--profile", [] { return names_in(msccl_profiles()); }},
      {"--proto", [] { return Words(msccl_protocols().begin(), msccl_protocols().end()); }},
      {"--require", property_ids},
      {"--routing",
       [] {
         return Words{"minimal", "ecmp", "dimension-order"};
       }},
      {"--solver",
       [] {
         return Words{"z3", "z3,cvc5"};
       }},
      {"--to",
       [] {
         return Words{"json", "msccl-xml", "goal", "mpi"};
       }},
      {"--topology", [] { return names_in(topologies()); }},
      {"--view", [] { return names_in(views()); }},
      {"claims", claim_ids},
      {"completion",
       [] {
         return Words{"bash", "zsh", "fish"};
       }},
      {"explain", property_ids},
      {"list", algorithm_names},
      {"prove", theorem_ids},
  };
  return table;
}

Words words_for(std::string_view option) {
  for (const Values& row : values_table())
    if (row.option == option) return row.words();
  return {};
}

/// An option as shells know it.
struct Flag {
  std::string name;  // with its dashes
  std::string about;
  bool takes_value;
  Words values;  // empty: a file, or anything
};

struct ShellCommand {
  std::string name;
  std::string about;
  std::vector<Flag> flags;
  Words arguments;
};

Flag flag_of(const CLI::Option& option, const std::string& name) {
  return {name, option.get_description(), option.get_items_expected_max() > 0, words_for(name)};
}

ShellCommand shell_command(const CLI::App& app) {
  ShellCommand command{app.get_name(), app.get_description(), {}, words_for(app.get_name())};
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) command.flags.push_back(flag_of(*option, "--" + name));
    for (const std::string& name : option->get_snames()) command.flags.push_back(flag_of(*option, "-" + name));
  }
  return command;
}

/// `verify` itself, then its commands.
std::vector<ShellCommand> shell_commands() {
  const CommandLine line;
  std::vector<ShellCommand> commands{shell_command(line.app())};
  for (const CLI::App* app : line.app().get_subcommands({})) commands.push_back(shell_command(*app));
  return commands;
}

Words command_names(const std::vector<ShellCommand>& commands) {
  Words names;
  for (std::size_t i = 1; i < commands.size(); ++i) names.push_back(commands[i].name);
  return names;
}

Words flag_names(const ShellCommand& command) {
  Words names;
  for (const Flag& flag : command.flags) names.push_back(flag.name);
  return names;
}

/// A text in single quotes, as shells read it.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash_values(const ShellCommand& command) {
  std::string cases;
  for (const Flag& flag : command.flags)
    if (flag.takes_value)
      cases += fmt::format("    {}:{}) COMPREPLY=({}); return ;;\n", command.name, flag.name,
                           flag.values.empty()
                               ? "$(compgen -f -- \"$current\")"
                               : fmt::format("$(compgen -W '{}' -- \"$current\")", fmt::join(flag.values, " ")));
  return cases;
}

std::string bash(const std::vector<ShellCommand>& commands) {
  std::string values;
  std::string words;
  for (const ShellCommand& command : commands) {
    values += bash_values(command);
    words += fmt::format("    {}) flags='{}' arguments='{}' ;;\n", command.name, fmt::join(flag_names(command), " "),
                         fmt::join(command.arguments, " "));
  }
  const Words names = command_names(commands);
  return fmt::format(R"(# Completion of `verify` for bash.
_verify() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=verify word flags arguments
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {}) command=$word; break ;; esac
  done
  case $command:$previous in
{}  esac
  case $command in
{}  esac
  if [[ $command = verify ]]; then arguments='{}'; fi
  if [[ $current = -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$arguments" -- "$current") $(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _verify verify
)",
                     fmt::join(names, "|"), values, words, fmt::join(names, " "));
}

/// A text inside an option's brackets in zsh.
std::string in_brackets(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_flag(const Flag& flag) {
  std::string spec = fmt::format("*{}[{}]", flag.name, in_brackets(flag.about));
  if (flag.takes_value)
    spec += flag.values.empty() ? ":value:_files" : fmt::format(":value:({})", fmt::join(flag.values, " "));
  return in_quotes(spec);
}

std::string zsh_case(const ShellCommand& command) {
  std::string text = fmt::format("    {}) _arguments", command.name);
  for (const Flag& flag : command.flags) text += " \\\n      " + zsh_flag(flag);
  const std::string rest =
      command.arguments.empty() ? "*:file:_files" : fmt::format("*:argument:({})", fmt::join(command.arguments, " "));
  return text + " \\\n      " + in_quotes(rest) + " ;;\n";
}

std::string zsh(const std::vector<ShellCommand>& commands) {
  std::string cases;
  for (std::size_t i = 1; i < commands.size(); ++i) cases += zsh_case(commands[i]);
  std::string described;
  for (std::size_t i = 1; i < commands.size(); ++i)
    described += fmt::format("    {}\n", in_quotes(commands[i].name + ":" + commands[i].about));
  std::string own;
  for (const Flag& flag : commands[0].flags) own += " \\\n        " + zsh_flag(flag);
  return fmt::format(R"(#compdef verify
# Completion of `verify` for zsh.
_verify() {{
  local -a commands
  commands=(
{}  )
  local command=verify word
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case $word in {}) command=$word; break ;; esac
  done
  case $command in
{}    *)
      if [[ $words[CURRENT] != -* && $CURRENT -eq 2 ]]; then _describe command commands; fi
      _arguments{} \
        '*:file:_files' ;;
  esac
}}
if [[ $funcstack[1] = _verify ]]; then _verify "$@"; else compdef _verify verify; fi
)",
                     described, fmt::join(command_names(commands), "|"), cases, own);
}

std::string fish_flag(const Flag& flag, const std::string& condition) {
  const bool is_long = flag.name.starts_with("--");
  std::string line = fmt::format("complete -c verify -n {} {} {} -d {}", in_quotes(condition), is_long ? "-l" : "-s",
                                 flag.name.substr(is_long ? 2 : 1), in_quotes(flag.about));
  if (flag.takes_value) line += flag.values.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(flag.values, " "));
  return line + "\n";
}

std::string fish(const std::vector<ShellCommand>& commands) {
  std::string text = "# Completion of `verify` for fish.\n";
  for (const ShellCommand& command : commands) {
    const bool is_verify = &command == &commands.front();
    const std::string condition = is_verify ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + command.name;
    if (!is_verify)
      text += fmt::format("complete -c verify -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          in_quotes(command.about));
    for (const Flag& flag : command.flags) text += fish_flag(flag, condition);
    if (!command.arguments.empty())
      text +=
          fmt::format("complete -c verify -n {} -a '{}'\n", in_quotes(condition), fmt::join(command.arguments, " "));
  }
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const std::vector<ShellCommand>&);
};

constexpr Shell shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

}  // namespace

Result<ExitCode> run(const CompletionCommand& command) {
  std::vector<std::string_view> names;
  for (const Shell& shell : shells) {
    names.push_back(shell.name);
    if (shell.name != command.shell) continue;
    if (auto printed = print(shell.script(shell_commands())); !printed) return tl::unexpected(printed.error());
    return ExitCode::ok;
  }
  return usage_error(fmt::format("no completion for '{}'{}; there are {}", command.shell,
                                 suggestion(command.shell, names), fmt::join(names, ", ")));
}

}  // namespace onceover::cli
