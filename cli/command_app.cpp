#include "cli/command_app.h"

namespace onceover::cli {

std::string not_empty(const std::string& text) {
  return text.empty() ? "expected a value" : "";
}

std::string file_name(const std::string& text) {
  return text.empty() ? "expected a file name" : "";
}

CLI::Option* CommandApp::add_file(const std::string& flags, std::string& field, const std::string& about) const {
  return app_.add_option(flags, field, about)->type_name("FILE")->check(file_name);
}

CLI::Option* CommandApp::with_value(CLI::Option* option, const std::string& name) {
  const std::size_t blank = name.find(' ');
  return blank == std::string::npos ? option : option->type_name(name.substr(blank + 1));
}

CLI::Option* CommandApp::add_text(const std::string& name, Take take, const std::string& about) const {
  return with_value(app_.add_option_function<std::string>(flags_in(name), take, about), name);
}

CLI::Option* CommandApp::add_texts(const std::string& name, Take take, const std::string& about) const {
  auto each = [take = std::move(take)](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) take(text);
  };
  return with_value(app_.add_option_function<std::vector<std::string>>(flags_in(name), each, about), name)
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
}

}  // namespace onceover::cli
