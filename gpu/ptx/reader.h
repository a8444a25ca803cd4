// Reads PTX, ISA 7.0 to 9.x.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "gpu/ptx/module.h"

namespace onceover::gpu::ptx {

/// The module, or the first error with its line and column. `name` is the file's. Instructions that the machine doesn't
/// know are read like any other. O(text).
tl::expected<Module, SourceError> read_module(std::string name, std::string text);

}  // namespace onceover::gpu::ptx
