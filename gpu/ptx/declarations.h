// Reads parts of a module: declarations of variables, with types, sizes and initial values, and bodies of functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "gpu/ptx/lexer.h"
#include "gpu/ptx/module.h"

namespace onceover::gpu::ptx {

/// In bytes, of "u64", "b8", "f16x2"; nothing for a type that PTX doesn't have. Predicates count as one byte.
std::optional<std::uint32_t> bytes_of_type(std::string_view type);

/// ".global" and the like, without the dot; nothing for another directive.
std::optional<StateSpace> state_space(std::string_view directive);

/// What follows the state space, up to the ';' or ',': `.align 8 .b8 name[192]`, `.u32 a, b = 3`. `is_one` reads one
/// variable only, as in lists of parameters.
std::vector<PtxVariable> read_variables(Lexer& lexer, StateSpace space, bool is_one);

/// A whole number, perhaps with signs before it.
std::int64_t read_integer(Lexer& lexer);

/// Reads `{ .. }`. Names that the body uses must be declared before in it, in its parameters or in the module; labels
/// may come later.
void read_body(Lexer& lexer, Module& module, Function& function);

}  // namespace onceover::gpu::ptx
