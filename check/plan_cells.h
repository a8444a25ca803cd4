// The memory of a plan in its calls: what each unit holds, and who used it last.
#pragma once

#include <optional>
#include <set>

#include "check/cursor.h"
#include "check/plan.h"

namespace check {

using Number = std::uint64_t;
using Clock = std::vector<std::uint32_t>;  // by chain

/// What is certainly over, and of that, what can be seen.
struct Knowledge {
  Clock over, seen;

  void join(const Knowledge& other, bool publishes) {
    for (std::size_t c = 0; c < over.size(); ++c) {
      over[c] = std::max(over[c], other.over[c]);
      if (publishes) seen[c] = std::max(seen[c], other.seen[c]);
    }
  }
  void step(std::size_t chain) { seen[chain] = ++over[chain]; }
};

/// An access is over when the chain has come to the value.
struct Access {
  std::size_t chain = 0;
  std::uint32_t value = 0;
  bool is_users = false, is_packet = false;  // by the user before a call; waiting for a packet, or writing one
  Number task = 0;                           // of one task all are one access
};

/// A transfer of data: the sum of the sources goes to each target.
struct Move {
  std::vector<Cells> sources, targets;
};

class PlanCells {
 public:
  /// For chunks of so many units. Throws if packets are awaited where plain data is written. Errors are at the place of
  /// the cursor.
  PlanCells(const Plan& plan, Number units, Number calls, const Cursor& at);

  /// What the operation moves in a call.
  std::vector<Move> moves(const Operation& o, Number call) const;

  /// The user has set the GPU's input; from the second call on, the output may have been in use until now.
  void start(Number rank, Number call, Access access, const Knowledge& knowledge);

  /// The user has the GPU's output. Throws if it isn't what it must be.
  void end(Number rank, Number call, Access access, const Knowledge& knowledge);

  /// Moves data, if nothing of it can race. `awaited` gets the senders of packets that are waited for.
  void apply(const std::vector<Move>& all, Access access, const Knowledge& knowledge, Number call,
             std::set<std::size_t>& awaited);

  /// Remembers what the sender of the packets to come knew.
  void note_sender(const Knowledge& knowledge) { sent_.push_back(knowledge); }
  const Knowledge& sender(std::size_t number) const { return sent_[number]; }

 private:
  using Sum = std::vector<std::uint32_t>;  // what is added up, sorted; empty: nothing that is defined

  struct Cell {
    Sum value;
    std::optional<Number> packet_of;  // the call
    std::size_t sender = 0;           // of a packet: what its sender knew
    std::optional<Access> writer;
    std::vector<Access> readers;  // since then
  };

  void check_packets() const;
  void count_packet_writers();
  static bool stays(const Move& m, const Cells& target);
  std::uint32_t leaf(Number call, Number rank, Number unit) const;
  Sum due(Number call, Number rank, Number unit) const;
  void check_alone(const std::vector<Move>& all) const;
  Sum sum_of(const Move& m, Number unit) const;
  void store(const Cells& target, Number unit, const Sum& sum, Access access, const Knowledge& knowledge, Number call);
  void read(Number c, const Access& access, const Knowledge& knowledge);
  void wait_for(Number c, Access access, Number call, std::set<std::size_t>& awaited);
  void write(Number c, const Access& access, const Knowledge& knowledge);

  const Plan& plan_;
  const Memory memory_;
  const Number calls_;
  const Cursor& at_;
  std::vector<Cell> cells_;
  std::vector<Knowledge> sent_;                            // what senders of packets knew
  Number tasks_ = 0;                                       // of the user and of operations so far
  std::vector<std::vector<std::uint8_t>> packet_writers_;  // by call and cell
};

}  // namespace check
