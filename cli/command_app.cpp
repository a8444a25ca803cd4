#include "cli/command_app.h"

namespace onceover::cli {

CLI::Option* CommandApp::add_text(const std::string& name, Take take, const std::string& about) const {
  return app_.add_option_function<std::string>(name, take, about);
}

CLI::Option* CommandApp::add_texts(const std::string& name, Take take, const std::string& about) const {
  auto each = [take = std::move(take)](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) take(text);
  };
  return app_.add_option_function<std::vector<std::string>>(name, each, about)
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
}

}  // namespace onceover::cli
