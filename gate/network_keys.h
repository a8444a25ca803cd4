// The keys of a check that describe a network.
#pragma once

#include "base/keys.h"
#include "gate/gate.h"

namespace onceover::gate {

void read_topology(KeyReader& in, const TomlValue& value, Check& check);
void read_map(KeyReader& in, const TomlValue& value, Check& check);
void read_routing(KeyReader& in, const TomlValue& value, Check& check);
void read_ports(KeyReader& in, const TomlValue& value, Check& check);

}  // namespace onceover::gate
