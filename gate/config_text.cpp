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

std::string version_text(const std::vector<Setting>& settings) {
  std::vector<std::string> items;
  for (const Setting& setting : settings)
    items.push_back(fmt::format("{} = {}", in_quotes(setting.name), in_quotes(setting.value)));
  return fmt::format("{{ {} }}", fmt::join(items, ", "));
}

/// The texts of a list's items.
template <class Items, class Text>
std::vector<std::string> texts(const Items& items, Text&& text) {
  std::vector<std::string> made;
  for (const auto& item : items) made.emplace_back(text(item));
  return made;
}

class Writer {
 public:
  std::string check_text(const Check& c) {
    text_ = "[[check]]\n";
    add("name", in_quotes(c.name));
    if (c.algorithms.all)
      add("algo", in_quotes("all"));
    else if (c.algorithms.are_given())
      add("algo", list(texts(c.algorithms.named, [](const Algorithm* row) { return row->name; })));
    add_text("file", c.file);
    add_text("exec", c.command);
    if (c.peer) add_text("peer", c.peer->text());
    if (c.steps) add_text("peer-steps", c.steps->text());
    if (c.ranks) add_text("p", c.ranks->text);
    if (!c.tori.empty()) add("torus", list(texts(c.tori, torus_text)));
    if (c.lanes) add_text("lanes", name(*c.lanes));
    if (c.collectives.all)
      add("collective", list({"all"}));
    else if (c.collectives.are_given())
      add("collective", list(texts(c.collectives.named, [](Collective collective) { return name(collective); })));
    if (!c.settings.empty()) add("set", fmt::format("[{}]", fmt::join(texts(c.settings, version_text), ", ")));
    add("require", list(c.required));
    add("limit", list(texts(c.limits, [](const Limit& limit) { return limit.text(); })));
    if (c.network.topology) add_text("topology", c.network.topology->text);
    add_text("map", c.network.map);
    if (*c.network.routing) add_text("routing", name(**c.network.routing));
    if (*c.network.ports) add("network-ports", (**c.network.ports).text);
    if (c.budget > 0) add("budget", std::to_string(c.budget));
    if (c.timeout > 0) add_text("exec-time-limit", fmt::format("{}s", c.timeout));
    if (c.fifo) add("fifo", std::to_string(*c.fifo));
    return text_;
  }

 private:
  void add(std::string_view key, std::string_view value) { text_ += fmt::format("{} = {}\n", key, value); }

  void add_text(std::string_view key, std::string_view value) {
    if (!value.empty()) add(key, in_quotes(value));
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
