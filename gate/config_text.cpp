#include <fmt/format.h>

#include "gate/gate.h"

namespace onceover::gate {

namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  out += '"';
  return out;
}

std::string list(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(in_quotes(text));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string version_text(const std::vector<std::string>& settings) {
  std::vector<std::string> items;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    items.push_back(
        fmt::format("{} = {}", in_quotes(setting.substr(0, equals)), in_quotes(setting.substr(equals + 1))));
  }
  return fmt::format("{{ {} }}", fmt::join(items, ", "));
}

class Writer {
 public:
  std::string check_text(const Check& c) {
    text_ = "[[check]]\n";
    add("name", in_quotes(c.name));
    if (c.has_all_algorithms())
      add("algo", in_quotes("all"));
    else if (!c.algorithms.empty())
      add("algo", list(c.algorithms));
    add_text("file", c.file);
    add_text("exec", c.command);
    add_text("peer", c.peer);
    add_text("steps", c.steps);
    add_text("p", c.ranks);
    if (!c.tori.empty()) add("torus", list(c.tori));
    add_text("lanes", c.lanes);
    if (!c.collectives.empty()) add("collective", list(c.collectives));
    if (!c.settings.empty()) add_versions(c.settings);
    add("require", list(c.required));
    add_limits(c.limits);
    add_text("topology", c.network.topology);
    add_text("map", c.network.map);
    add_text("routing", c.network.routing);
    if (!c.network.ports.empty()) add("ports", c.network.ports);
    if (c.budget > 0) add("budget", std::to_string(c.budget));
    if (c.timeout > 0) add("timeout", std::to_string(c.timeout));
    if (c.fifo >= 0) add("fifo", std::to_string(c.fifo));
    return text_;
  }

 private:
  void add(std::string_view key, std::string_view value) { text_ += fmt::format("{} = {}\n", key, value); }

  void add_text(std::string_view key, const std::string& value) {
    if (!value.empty()) add(key, in_quotes(value));
  }

  void add_versions(const std::vector<std::vector<std::string>>& settings) {
    std::vector<std::string> versions;
    for (const auto& one : settings) versions.push_back(version_text(one));
    add("set", fmt::format("[{}]", fmt::join(versions, ", ")));
  }

  void add_limits(const std::vector<Limit>& limits) {
    std::vector<std::string> texts;
    for (const Limit& limit : limits) texts.push_back(limit.text());
    add("limits", list(texts));
  }

  std::string text_;
};

}  // namespace

std::string config_text(const Gate& gate) {
  std::vector<std::string> checks;
  for (const Check& check : gate.checks) checks.push_back(Writer().check_text(check));
  return fmt::format("{}", fmt::join(checks, "\n"));
}

}  // namespace onceover::gate
