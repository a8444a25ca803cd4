#include "formats/msccl_send_guards.h"

#include <map>
#include <utility>

namespace onceover::formats {

namespace {

class Guards {
 public:
  explicit Guards(const Program& program)
      : program_(program), guarded_(program), is_awaited_(program.operations.size()) {
    for (const Dependency& order : program.dependencies)
      if (!order.on_start) is_awaited_[static_cast<std::size_t>(order.before)] = true;
  }

  Program add() {
    guarded_.operations.clear();
    for (std::size_t o = 0; o < program_.operations.size(); ++o) {
      const Operation& operation = program_.operations[o];
      begin_.push_back(put(operation));
      const bool is_guarded = operation.instruction == Instruction::send && is_awaited_[o];
      end_.push_back(is_guarded ? put(guard_of(operation)) : begin_.back());
    }
    for (Dependency& order : guarded_.dependencies) {
      order.before = (order.on_start ? begin_ : end_)[static_cast<std::size_t>(order.before)];
      order.after = begin_[static_cast<std::size_t>(order.after)];
    }
    return std::move(guarded_);
  }

 private:
  OperationId put(Operation operation) {
    auto& operations = guarded_.operations;
    const bool follows =
        !operations.empty() && operations.back().rank == operation.rank && operations.back().thread == operation.thread;
    operation.number = follows ? operations.back().number + 1 : 0;
    operations.push_back(operation);
    return static_cast<OperationId>(operations.size()) - 1;
  }

  Operation guard_of(const Operation& send) {
    std::int32_t& scratch = guarded_.buffers[static_cast<std::size_t>(send.rank)].scratch;
    const auto [own, is_new] = own_.try_emplace({send.rank, send.thread}, scratch);
    if (is_new) ++scratch;
    return {.rank = send.rank,
            .thread = send.thread,
            .instruction = Instruction::copy,
            .source = {send.source.buffer, send.source.first, 1},
            .target = {Buffer::scratch, own->second, 1}};
  }

  const Program& program_;
  Program guarded_;
  std::vector<bool> is_awaited_;                               // by operation
  std::vector<OperationId> begin_;                             // by operation: its new number
  std::vector<OperationId> end_;                               // by operation: what ends when it is done
  std::map<std::pair<Rank, std::int32_t>, std::int32_t> own_;  // by thread: its own chunk of scratch memory
};

}  // namespace

Program with_send_guards(const Program& program) {
  return Guards(program).add();
}

}  // namespace onceover::formats
