// `verify`: runs one command line, and ends with its exit code.

#include <fmt/format.h>

#include "base/interrupts.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace onceover::cli;
  handle_interrupts();
  const End end = carry_out(argc, argv);
  if (!end.message.empty()) fmt::print(stderr, "{}\n", end.message);
  return static_cast<int>(end.code);
}
