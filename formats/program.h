// Program: what each rank runs, operation by operation, on buffers, with threads, connections and waits. Two functions
// rewrite a program: as runtimes divide its messages, and for runtimes whose sends may end early.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/types.h"

namespace onceover::formats {

/// Memory that a rank's operations name, divided into chunks of one size.
enum class Buffer : std::uint8_t { input, output, scratch };

std::string_view name(Buffer buffer);

/// Chunks first .. first+count-1 of a buffer of the operation's own rank; none if count is 0.
struct ChunkRange {
  Buffer buffer = Buffer::input;
  std::int32_t first = 0;
  std::int32_t count = 0;
};

/// What an operation does, in this order: it waits for its dependencies, takes a message, combines, stores, passes on.
enum class Instruction : std::uint8_t {
  send,                      // passes on `source`
  receive,                   // stores the message at `target`
  receive_copy_send,         // stores it and passes it on
  receive_reduce,            // stores message + `source` at `target`
  receive_reduce_send,       // passes on message + `source`, stores nothing
  receive_reduce_copy_send,  // stores message + `source` at `target` and passes it on
  copy,                      // target := source
  reduce,                    // target := target + source
  wait,                      // only waits for its dependencies, or spends time on work that the program doesn't show
};

std::string_view name(Instruction instruction);
bool receives(Instruction instruction);
bool sends(Instruction instruction);
bool stores(Instruction instruction);
bool reads_source(Instruction instruction);

/// Does it combine the source with a message or with the target?
inline bool combines(Instruction instruction) {
  return receives(instruction) ? reads_source(instruction) : instruction == Instruction::reduce;
}

/// The number of an operation, 0 .. operations-1.
using OperationId = std::int32_t;

/// The number of a FIFO from one rank to another, 0 .. connections-1; its k-th message sent is the k-th received.
using ConnectionId = std::int32_t;
inline constexpr ConnectionId no_connection = -1;

struct Connection {
  Rank src;
  Rank dst;
  std::int64_t channel;  // MSCCL's channel or GOAL's tag: distinguishes connections between the same ranks
};

struct Operation {
  Rank rank;
  std::int32_t thread = 0;  // of the rank; operations of a thread run in order
  std::int32_t number = 0;  // in the thread, as its file counts
  Instruction instruction = Instruction::wait;
  ChunkRange source = {};
  ChunkRange target = {};
  ConnectionId from = no_connection;  // the connection that it receives from
  ConnectionId to = no_connection;    // the connection that it sends to
  std::uint64_t bytes = 0;            // of the message, for formats without chunks
  bool is_part = false;               // the next run of chunks of the previous operation's message or local instruction
  std::uint32_t line = 0;             // in the file, from 1; 0: none
  std::uint32_t column = 0;
};

/// How many chunks an operation moves, or the bytes of its message if the format has no chunks.
inline std::uint64_t run_size(const Operation& operation) {
  const auto chunks = static_cast<std::uint64_t>(std::max(operation.source.count, operation.target.count));
  return chunks > 0 ? chunks : operation.bytes;
}

/// `after` may begin only when `before` has ended (or has begun, if `on_start`). Both belong to one rank.
struct Dependency {
  OperationId before;
  OperationId after;
  bool on_start = false;
};

/// An operation that waits for something that never comes, whatever the others do.
struct Hang {
  OperationId operation;
  std::string why;  // what it waits for: "for step 3 of thread block 1, which tells nobody (hasdep=0)"
};

/// Chunks that a rank copies before any operation begins.
struct InitialCopy {
  Rank rank;
  ChunkRange source;
  ChunkRange target;
  std::uint32_t line = 0;
};

/// What the runtime of a program guarantees beyond the order of its operations; if the runtime isn't known, what all of
/// them guarantee. An operation that has ended has read and stored, except as said here.
struct Guarantees {
  bool reads_before_end = true;           // a plain send that has ended has read its source
  bool stores_before_sending = true;      // an operation that stores and sends has stored when its message arrives
  bool chunks_in_order = true;            // the chunks of a message arrive in order, or all at once; false: each alone
  std::optional<std::uint32_t> fifo = 1;  // messages that a connection holds; none: any number
  friend bool operator==(const Guarantees&, const Guarantees&) = default;
};

/// A runtime of MSCCL XML.
struct Runtime {
  std::string protocol = {};  // the file's; empty if it names none
  std::string profile = {};
  bool is_chosen = false;  // did the user choose it? Otherwise it is the one that guarantees least
};

/// The sizes of a rank's buffers, in chunks.
struct Buffers {
  std::int32_t input = 0;
  std::int32_t output = 0;
  std::int32_t scratch = 0;
};

/// A program. The collective says whose value a chunk is at the start and what it must be at the end
/// (programs/postcondition.h). The larger of a rank's input and output has `chunks` chunks; if the collective has
/// shares, a rank's share is `chunks` / `ranks`. With `in_place`, input and output share memory: the same chunks if
/// both are whole, else the share lies in the whole buffer, `rank` shares from its start.
struct Program {
  Collective collective = Collective::allreduce;
  Rank ranks = 1;
  std::int32_t chunks = 1;  // of a whole buffer
  Rank root = 0;
  bool in_place = false;
  bool either_place = false;  // it must be right whether or not input and output share memory
  bool has_data = true;       // false: the format says which rank sends to which, but not which data
  std::string name = {};
  std::vector<Buffers> buffers = {};  // by rank
  std::vector<Connection> connections = {};
  std::vector<Operation> operations = {};     // by rank, then thread, then the thread's order
  std::vector<Dependency> dependencies = {};  // besides those of threads; for GOAL, all there are
  bool threads_are_ordered = true;            // false: only `dependencies` order operations of a rank
  std::vector<Hang> hangs = {};
  std::vector<InitialCopy> initial_copies = {};
  Guarantees guarantees = {};
  std::optional<Runtime> runtime = {};  // only of MSCCL XML
  std::vector<std::string> notes = {};  // what to know about how it was read
};

/// The operation with this number, which must exist.
inline const Operation& at(const Program& program, OperationId id) {
  return program.operations[static_cast<std::size_t>(id)];
}

/// An operation and those after it that are parts of the same message or local instruction.
std::span<const Operation> parts_of(const Program& program, OperationId first);

/// How many chunks the message has that begins with this operation, or its bytes.
std::uint64_t message_size(const Program& program, OperationId first);

/// How many operations `in_single_chunks` makes; as many as the program has if none moves more than one chunk, or if
/// its format doesn't divide messages (GOAL).
std::uint64_t operations_in_single_chunks(const Program& program);

/// Which chunk of an operation comes first.
enum class ChunkOrder : std::uint8_t { upward, downward };

/// The same program with an operation, and a message of its own, for each chunk, in that order. An operation that waits
/// does so before its first piece; one that is waited for has ended when its last piece has. Sends and receives of one
/// message must have the same count.
Program in_single_chunks(const Program& program, ChunkOrder order = ChunkOrder::upward);

/// Adds, behind each plain send that other operations wait for, a copy of its first chunk into scratch memory of the
/// thread's own; they wait for the copy instead. All threads of the block meet at the end of a copy, but not at the end
/// of a send of LL. The program's threads must be ordered. O(operations + dependencies).
Program with_send_guards(const Program& program);

}  // namespace onceover::formats
