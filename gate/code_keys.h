// The keys of checks of code, which are options of `verify code`.
#pragma once

#include "base/keys.h"
#include "gate/gate.h"

namespace onceover::gate {

void read_code(KeyReader& in, const TomlValue& value, Check& check);
void read_library(KeyReader& in, const TomlValue& value, Check& check);
void read_checkout(KeyReader& in, const TomlValue& value, Check& check);
void read_values(KeyReader& in, const TomlValue& value, Check& check);
void read_function(KeyReader& in, const TomlValue& value, Check& check);
void read_live_collective(KeyReader& in, const TomlValue& value, Check& check);

// These read an option that has the key's name.

/// A text, or a whole number.
void read_code_value(KeyReader& in, const TomlValue& value, Check& check);

/// A text or a list of texts: the option, several times.
void read_code_list(KeyReader& in, const TomlValue& value, Check& check);

/// True or false.
void read_code_flag(KeyReader& in, const TomlValue& value, Check& check);

}  // namespace onceover::gate
