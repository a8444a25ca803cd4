#include "cli/command_app.h"

#include <algorithm>

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

Result<void> CommandApp::check() const {
  for (const CLI::Option* option : app_.parse_order())
    if (const auto mistake = mistakes_->find(option->get_name()); mistake != mistakes_->end())
      return tl::unexpected(mistake->second);
  return {};
}

std::function<void(const std::string&)> CommandApp::noting(const std::string& flags, Take take) const {
  return [take = std::move(take), mistakes = mistakes_, flags](const std::string& text) {
    if (const auto taken = take(text); !taken) mistakes->emplace(flags, taken.error());
  };
}

CLI::Option* CommandApp::add(const std::string& name, Take take, const std::string& about) const {
  const std::string flags = flags_in(name);
  return with_value(app_.add_option_function<std::string>(flags, noting(flags, std::move(take)), about), name);
}

CLI::Option* CommandApp::add_flag(const std::string& name, Take take, const std::string& about) const {
  return app_.add_flag_callback(
      name, [note = noting(name, std::move(take))] { note(""); }, about);
}

CLI::Option* CommandApp::add_repeated(const std::string& name, Take take, const std::string& about) const {
  const std::string flags = flags_in(name);
  auto each = [note = noting(flags, std::move(take))](const std::vector<std::string>& texts) {
    std::for_each(texts.begin(), texts.end(), note);
  };
  return with_value(app_.add_option_function<std::vector<std::string>>(flags, each, about), name)
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
}

}  // namespace onceover::cli
