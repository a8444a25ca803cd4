#include "gpu/launch/draft.h"

#include <fmt/format.h>

namespace onceover::gpu {

namespace {

/// A line for an argument, with what is known about it.
std::string argument_line(std::size_t position, const ptx::PtxVariable& parameter) {
  const bool is_scalar = parameter.bytes <= 8 && parameter.type != "b8";
  if (!is_scalar)
    return fmt::format("{} = {{ 0 = \"?\" }}          # a struct of {} bytes: items by their offsets\n", position,
                       parameter.bytes);
  if (parameter.bytes == 8)
    return fmt::format("{} = \"?\"                  # .{}: an address, such as \"in@r\", or a number\n", position,
                       parameter.type);
  return fmt::format("{} = \"?\"                  # .{}: a number, such as \"n\", \"r\", \"p\" or \"k + 1\"\n",
                     position, parameter.type);
}

std::string kernel_text(const ptx::Function& entry) {
  std::string text = fmt::format("[[kernel]]                 # line {}\nentry = \"{}\"\ngrid = \"?\"\nblock = \"?\"\n",
                                 entry.line, entry.name);
  for (const ptx::PtxVariable& variable : entry.variables)
    if (variable.is_unsized) text += "shared = \"?\"               # bytes of dynamic shared memory\n";
  text += "[kernel.arguments]\n";
  for (std::size_t k = 0; k < entry.parameters.size(); ++k) text += argument_line(k, entry.parameters[k]);
  return text;
}

}  // namespace

std::string draft(const ptx::Module& module) {
  std::string text = fmt::format(
      "# A draft: put something in the place of each '?', and remove the kernels that a call doesn't run.\n"
      "ptx = \"{}\"\nranks = \"2..4\"\nn = \"?\"\ncalls = 3\n\n"
      "[buffer.in]\ntype = \"?\"                # f32, bf16, f16, ..\ncount = \"n\"\nrole = \"input\"\n\n"
      "[buffer.out]\ntype = \"?\"\ncount = \"n\"\nrole = \"output\"\n\n"
      "[buffer.flags]\ntype = \"u32\"\ncount = \"?\"\nrole = \"memory\"\nfill = 0\n\n"
      "[expect]\nout = \"?\"                 # allreduce(in), reduce-scatter(in), allgather(in), broadcast(in, root = "
      "0), ..\n",
      module.name);
  for (const ptx::PtxVariable& variable : module.variables) {
    if (variable.is_unsized)
      text +=
          fmt::format("\n# {} is dynamic shared memory: give its size, shared = \"?\", to the kernels that use it.\n",
                      variable.name);
    else if (variable.space == ptx::StateSpace::global || variable.space == ptx::StateSpace::constant)
      text += fmt::format("\n# {} is a variable of {} bytes on each rank; its address is \"{}@r\".\n", variable.name,
                          variable.bytes, variable.name);
  }
  for (const ptx::Function& function : module.functions)
    if (function.is_entry && !function.is_declared_only) text += "\n" + kernel_text(function);
  return text;
}

}  // namespace onceover::gpu
