// Help fits 80 columns: options on the left, what they do on the right, wrapped.
//
// Example: an option whose names are longer than the left column has a line of its own; its text begins on the next
// line, below the texts of the others.
//
// CLI11 knows an option's names, type, default and group. Groups come in the order in which options were added.
// O(options) for each command.
#include "cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/watched_files.h"

namespace onceover::cli {

namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t footer_columns = 100;
// The columns where texts begin.
constexpr std::size_t beside_options = 28;
constexpr std::size_t beside_commands = 14;

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override { return help_text(*app); }
};

/// Appends the words of a text; lines after the first begin at column `indent`.
void wrap(std::string& out, std::string_view text, std::size_t indent) {
  std::size_t at = indent;
  bool is_first = true;
  for (const std::string_view word : split(text, ' ')) {
    if (!is_first && at + 1 + word.size() > columns) {
      out += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!is_first) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    is_first = false;
  }
  out += '\n';
}

/// Appends what a command says after its options, in lines of its own. A line that lists the rows of a table may be too
/// long.
void add_footer(std::string& out, std::string_view footer) {
  for (const std::string_view line : split(footer, '\n')) {
    if (line.size() <= footer_columns) {
      out += fmt::format("{}\n", line);
      continue;
    }
    const std::size_t indent = line.find_first_not_of(' ');
    out += std::string(indent, ' ');
    wrap(out, line.substr(indent), indent);
  }
}

std::string row(const std::string& name, std::string_view about, std::size_t left) {
  std::string text = "  " + name;
  if (text.size() + 2 > left)
    text += "\n" + std::string(left, ' ');
  else
    text.resize(left, ' ');
  wrap(text, about, left);
  return text;
}

std::string group_text(const CLI::App& app, const std::string& group) {
  std::string text = fmt::format("\n{}:\n", group);
  for (const CLI::Option* option : app.get_options())
    if (option->get_group() == group) text += row(option_names(*option), option_about(*option), beside_options);
  return text;
}

std::string commands_text() {
  std::string text = "\nCommands:\n";
  for (const Command& command : commands()) text += row(std::string(command.name), command.about, beside_commands);
  return text + "\n'verify help COMMAND' explains a command.\n";
}

bool is_verify(const CLI::App& app) {
  return app.get_parent() == nullptr;
}

}  // namespace

const Command* find_command(std::string_view name) {
  return row_with(commands(), &Command::name, name);
}

std::vector<std::string> headings_of(const CLI::App& app) {
  std::vector<std::string> groups;
  for (const std::string& group : app.get_groups())
    if (group != help_group) groups.push_back(group);
  groups.emplace_back(help_group);
  return groups;
}

std::string option_names(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string names = option.get_name(false, true);
  if (const std::size_t comma = names.find(','); comma != std::string::npos) names.insert(comma + 1, " ");
  return option.get_items_expected_max() > 0 ? fmt::format("{} {}", names, option.get_type_name()) : names;
}

std::string option_about(const CLI::Option& option) {
  const std::string usual = option.get_default_str();
  return fmt::format("{}{}{}", option.get_description(), usual.empty() ? "" : fmt::format(" (default: {})", usual),
                     option.get_required() ? " (required)" : "");
}

std::string usage_text(const CLI::App& app) {
  std::string text = is_verify(app) ? "verify [OPTIONS]" : fmt::format("verify {} [OPTIONS]", app.get_name());
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) {
      const std::string name = option->get_name(true);
      text += option->get_required() ? " " + name : fmt::format(" [{}]", name);
    }
  return app.get_prefix_command() ? fmt::format("{} [{}] ARGUMENTS..", text, fmt::join(watched_commands, " | ")) : text;
}

std::string help_text(const CLI::App& app) {
  std::string text;
  wrap(text, fmt::format("{}.", app.get_description()), 0);
  text += fmt::format("\nUsage: {}\n", usage_text(app));
  if (is_verify(app)) text += "       verify COMMAND [OPTIONS]\n";
  text += fmt::format("\nExamples:\n{}",
                      is_verify(app) ? verify_command().examples : find_command(app.get_name())->examples);
  for (const std::string& group : headings_of(app)) text += group_text(app, group);
  if (is_verify(app)) text += commands_text();
  if (const std::string more = app.get_footer(); !more.empty()) {
    text += '\n';
    add_footer(text, more);
  }
  return text + fmt::format("\n{}\n", exit_codes);
}

void use_help_text(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
}

namespace {

struct HelpCommand {
  std::string about = {};  // the name of a command; empty: verify itself
};

void describe(const CommandApp& app, HelpCommand& command) {
  app.group(subject_group);
  app->add_option("COMMAND", command.about, "The command to explain (default: verify itself)");
}

Result<ExitCode> run(const HelpCommand& command) {
  const CommandLine line;
  std::vector<std::string_view> names{"verify"};
  for (const Command& each : commands()) names.push_back(each.name);
  if (command.about.empty() || command.about == "verify") {
    TRY(print(help_text(line.app())));
    return ExitCode::ok;
  }
  if (find_command(command.about) == nullptr)
    return usage_error(
        fmt::format("no command '{}'{}; 'verify help' lists them", command.about, suggestion(command.about, names)));
  TRY(print(help_text(*line.app().get_subcommand(command.about))));
  return ExitCode::ok;
}

struct ManualCommand {};

/// Text that troff shows literally: backslashes and hyphens are escaped, and so is a control character at the beginning
/// of a line.
std::string literal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    if (begins_line && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

std::string option_text(const CLI::Option& option) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", literal(option_names(option)), literal(option_about(option)));
}

/// The options under their headings; the help options only once, with verify itself.
std::string options_text(const CLI::App& app) {
  std::string text;
  for (const std::string& group : headings_of(app)) {
    if (group == help_group && app.get_parent() != nullptr) continue;
    text += fmt::format(".PP\n\\fI{}\\fR\n", literal(group));
    for (const CLI::Option* option : app.get_options())
      if (option->get_group() == group) text += option_text(*option);
  }
  return text;
}

std::string plain_text(std::string_view text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", literal(text));
}

std::string command_text(const CLI::App& command) {
  return fmt::format(".SS {}\n{}.\n{}{}{}", literal(usage_text(command)), literal(command.get_description()),
                     plain_text(find_command(command.get_name())->examples), options_text(command),
                     plain_text(command.get_footer()));
}

void describe(const CommandApp&, ManualCommand&) {}

Result<ExitCode> run(const ManualCommand&) {
  const CommandLine line;
  const CLI::App& verify = line.app();
  std::string page =
      fmt::format(".TH VERIFY 1 \"\" \"Onceover " ONCEOVER_VERSION
                  "\" \"User Commands\"\n"
                  ".SH NAME\nverify \\- check that collective algorithms deliver every contribution exactly once\n"
                  ".SH SYNOPSIS\n.B verify\n[\\fIoptions\\fR] [\\fIFILE\\fR]\n.br\n"
                  ".B verify\n\\fIcommand\\fR [\\fIoptions\\fR]\n"
                  ".SH DESCRIPTION\n{}.\n{}.SH OPTIONS\n{}.SH COMMANDS\n",
                  literal(verify.get_description()), plain_text(verify_command().examples), options_text(verify));
  for (const CLI::App* command : verify.get_subcommands({})) page += command_text(*command);
  page += fmt::format(".SH EXIT CODES\n{}", plain_text(exit_codes));
  TRY(print(page));
  return ExitCode::ok;
}

}  // namespace

Runner add_manual(CLI::App& app) {
  return run_with<ManualCommand>(app);
}

Runner add_help(CLI::App& app) {
  return run_with<HelpCommand>(app);
}

}  // namespace onceover::cli
