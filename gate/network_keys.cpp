#include "gate/network_keys.h"

#include "base/rows.h"

namespace onceover::gate {

void read_topology(KeyReader& in, const TomlValue& value, Check& check) {
  if (const auto text = in.text_of(value)) check.network.topology = topology_choice(*text);
}

void read_map(KeyReader& in, const TomlValue& value, Check& check) {
  text_key<&NetworkOptions::map>(in, value, check.network);
}

void read_routing(KeyReader& in, const TomlValue& value, Check& check) {
  const auto known = mapped(routings, [](Routing routing) { return name(routing); });
  const auto text = in.text_of(value);
  if (!text) return;
  if (const auto place = in.name_of(value, *text, known, "routing")) check.network.routing = routings[*place];
}

void read_ports(KeyReader& in, const TomlValue& value, Check& check) {
  if (const auto ports = in.number_of(value, 1, 1024))
    check.network.ports = Written<double>{static_cast<double>(*ports), std::to_string(*ports)};
}

}  // namespace onceover::gate
