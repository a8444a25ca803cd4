// The manual page, made from the same commands and options as --help.
#include <fmt/format.h>

#include "base/try.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace onceover::cli {

namespace {

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

}  // namespace

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

}  // namespace onceover::cli
