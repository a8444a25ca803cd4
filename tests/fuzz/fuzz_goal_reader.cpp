// Fuzz target: whatever text comes, the reader ends with a program or with a short message, and a program is sound.

#include <cstdint>
#include <cstdlib>

#include "formats/goal_file.h"
#include "programs/message_steps.h"
#include "programs/verify_program.h"

using namespace onceover::programs;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const GoalFile& file) {
  const Program& program = file.program;
  const auto operations = static_cast<OperationId>(program.operations.size());
  const auto connections = static_cast<ConnectionId>(program.connections.size());
  auto rank_of = [&](OperationId id) { return program.operations[static_cast<std::size_t>(id)].rank; };
  for (const Dependency& order : program.dependencies) {
    require(order.before >= 0 && order.before < operations && order.after >= 0 && order.after < operations);
    require(rank_of(order.before) == rank_of(order.after));
  }
  for (const Operation& operation : program.operations) {
    require(operation.rank >= 0 && operation.rank < program.ranks && operation.line > 0);
    require(operation.to < connections && operation.from < connections);
  }
}

/// Whatever has steps has them in range.
void check_steps(const GoalFile& file) {
  const auto steps = message_steps(without_data(file));
  if (!steps) return;
  std::vector<Transfer> transfers;
  for (int step = 0; step < steps->schedule->steps(); ++step) {
    steps->schedule->transfers(step, transfers);
    for (const Transfer& t : transfers) {
      require(t.src >= 0 && t.src < file.program.ranks && t.dst >= 0 && t.dst < file.program.ranks && t.src != t.dst);
      require(t.blocks.inside(steps->schedule->header().blocks));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = read_goal("fuzz", {reinterpret_cast<const char*>(data), size});
  if (!file) {
    require(file.error().render().size() <= 2000);
    return 0;
  }
  check(*file);
  check_steps(*file);
  std::int64_t chunks = 0;
  for (const Buffers& sizes : file->program.buffers) chunks += std::int64_t{sizes.input} + sizes.output + sizes.scratch;
  if (chunks <= 1 << 16) verify(*file);
  return 0;
}
