// The manual page, from the same commands and options as --help.
#include <fmt/format.h>

#include "base/try.h"
#include "cli/command_line.h"
#include "cli/commands.h"

namespace onceover::cli {

namespace {

/// Text as troff shows it literally: backslashes and hyphens are escaped, and so is a control character that would
/// begin a line.
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

std::string names_of(const CLI::Option& option) {
  std::string names = option.get_name(option.get_positional(), true);
  for (std::size_t comma = names.find(','); comma != std::string::npos; comma = names.find(',', comma + 2))
    names.insert(comma + 1, " ");
  return names;
}

std::string option_text(const CLI::Option& option) {
  const bool takes_value = option.get_items_expected_max() > 0 && !option.get_positional();
  std::string text = fmt::format(".TP\n\\fB{}\\fR", literal(names_of(option)));
  if (takes_value) text += fmt::format(" \\fI{}\\fR", literal(option.get_type_name()));
  text += fmt::format("\n{}", literal(option.get_description()));
  if (!option.get_default_str().empty()) text += fmt::format(" [{}]", literal(option.get_default_str()));
  return text + "\n";
}

std::string options_text(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options())
    if (option != app.get_help_ptr() || app.get_parent() == nullptr) text += option_text(*option);
  return text;
}

std::string footer_text(std::string_view footer) {
  return footer.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", literal(footer));
}

/// The page tells exit codes once.
std::string footer_of(const CLI::App& command) {
  const std::string footer = command.get_footer();
  return footer.substr(0, footer.find(exit_codes));
}

std::string command_text(const CLI::App& command) {
  return fmt::format(".SS verify {}\n{}.\n{}{}", literal(command.get_name()), literal(command.get_description()),
                     options_text(command), footer_text(footer_of(command)));
}

}  // namespace

Result<ExitCode> run(const ManualCommand&) {
  const CommandLine line;
  const CLI::App& verify = line.app();
  std::string page = fmt::format(".TH VERIFY 1 \"\" \"Onceover " ONCEOVER_VERSION
                                 "\" \"User Commands\"\n"
                                 ".SH NAME\nverify \\- proves or refutes schedules of collective communication\n"
                                 ".SH SYNOPSIS\n.B verify\n[\\fIoptions\\fR] [\\fIFILE\\fR]\n.br\n"
                                 ".B verify\n\\fIcommand\\fR [\\fIoptions\\fR]\n"
                                 ".SH DESCRIPTION\n{}\n.SH OPTIONS\n{}.SH COMMANDS\n",
                                 literal(verify.get_description()), options_text(verify));
  for (const CLI::App* command : verify.get_subcommands({})) page += command_text(*command);
  page += fmt::format(".SH EXAMPLES AND EXIT CODES\n{}", footer_text(verify.get_footer()));
  TRY(print(page));
  return ExitCode::ok;
}

}  // namespace onceover::cli
