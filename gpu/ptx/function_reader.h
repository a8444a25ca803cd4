// Reads the body of a PTX function.
#pragma once

#include "gpu/ptx/lexer.h"
#include "gpu/ptx/module.h"

namespace onceover::gpu::ptx {

/// Reads `{ .. }`. Names that the body uses must be declared before in it, in its parameters or in the module; labels
/// may come later.
void read_body(Lexer& lexer, Module& module, Function& function);

}  // namespace onceover::gpu::ptx
