#include <fmt/format.h>

#include "base/rows.h"
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

template <class Texts>
std::string list(const Texts& texts) {
  return fmt::format("[{}]", fmt::join(mapped(texts, in_quotes), ", "));
}

std::string version_text(const std::vector<Setting>& settings) {
  auto item = [](const Setting& s) { return fmt::format("{} = {}", in_quotes(s.name), in_quotes(s.value)); };
  return fmt::format("{{ {} }}", fmt::join(mapped(settings, item), ", "));
}

class Writer {
 public:
  std::string check_text(const Check& c) {
    text_ = "[[check]]\n";
    add("name", in_quotes(c.name));
    if (c.algorithms.all)
      add("algo", in_quotes("all"));
    else if (c.algorithms.are_given())
      add("algo", list(mapped(c.algorithms.named, &Algorithm::name)));
    add_text("file", c.file);
    if (!c.files.empty()) add("files", list(c.files));
    add_text("exec", c.command);
    if (c.peer) add_text("peer", c.peer->text());
    if (c.steps) add_text("peer-steps", c.steps->text());
    if (c.odd) add_text("odd", name(*c.odd));
    if (!c.code.paths.empty()) add("code", list(c.code.paths));
    add_text("function", c.code.function);
    add_text("library", c.code.library);
    add_text("checkout", c.code.checkout);
    if (!c.code.values.empty()) add("values", list(c.code.values));
    if (!c.launches.empty()) add("gpu", list(c.launches));
    if (c.ranks) add_text("p", c.ranks->text);
    if (!c.tori.empty()) add("torus", list(mapped(c.tori, torus_text)));
    if (c.lanes) add_text("lanes", name(*c.lanes));
    if (c.code.collective != nullptr) add_text("collective", c.code.collective->name);
    if (c.without_data) add_text("collective", "none");
    if (c.collectives.all)
      add("collective", "[\"all\"]");
    else if (c.collectives.are_given())
      add("collective", list(mapped(c.collectives.named, [](Collective collective) { return name(collective); })));
    if (!c.settings.empty()) add("set", fmt::format("[{}]", fmt::join(mapped(c.settings, version_text), ", ")));
    add("require", list(c.required));
    if (!c.waived.empty()) add("waive", list(c.waived));
    add("limit", list(mapped(c.limits, &Limit::text)));
    if (c.network.topology) add_text("topology", c.network.topology->text);
    add_text("map", c.network.map);
    if (c.network.routing) add_text("routing", name(*c.network.routing));
    if (c.network.ports) add("network-ports", c.network.ports->text);
    if (c.budget > 0) add("budget", std::to_string(c.budget));
    if (c.timeout > 0) add_text("exec-time-limit", fmt::format("{}s", c.timeout));
    if (c.fifo) add("fifo", std::to_string(*c.fifo));
    if (c.world) add_text("ranks", c.world->text);
    if (c.sizes) add_text("sizes", c.sizes->text);
    add_options(c.code.options);
    return text_;
  }

 private:
  /// The options of `verify code`; one that is there several times is a list.
  void add_options(const std::vector<Setting>& options) {
    std::vector<std::string_view> done;
    for (const Setting& option : options) {
      if (!add_new(done, std::string_view(option.name))) continue;
      std::vector<std::string> values;
      for (const Setting& each : options)
        if (each.name == option.name) values.push_back(each.value);
      if (values.size() > 1)
        add(option.name, list(values));
      else
        add(option.name, values[0].empty() ? "true" : in_quotes(values[0]));
    }
  }

  void add(std::string_view key, std::string_view value) { text_ += fmt::format("{} = {}\n", key, value); }

  void add_text(std::string_view key, std::string_view value) {
    if (!value.empty()) add(key, in_quotes(value));
  }

  std::string text_;
};

}  // namespace

std::string config_text(const Gate& gate) {
  auto text = [](const Check& check) { return Writer().check_text(check); };
  return fmt::format("{}", fmt::join(mapped(gate.checks, text), "\n"));
}

}  // namespace onceover::gate
