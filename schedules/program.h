// A program: what each rank really runs, operation by operation, on buffers, with threads, connections and waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/collective.h"
#include "schedules/types.h"

namespace onceover {

/// Memory that a rank's operations name, cut into chunks of one size.
enum class Buffer : std::uint8_t { input, output, scratch };

std::string_view name(Buffer buffer);

/// Chunks first .. first+count-1 of a buffer of the operation's own rank; none where count is 0.
struct Slots {
  Buffer buffer = Buffer::input;
  std::int32_t first = 0;
  std::int32_t count = 0;
};

/// What an operation does, in this order: it waits for what it depends on, takes a message, combines, stores, passes on.
enum class Act : std::uint8_t {
  send,                      // passes on `source`
  receive,                   // stores the message at `target`
  receive_copy_send,         // stores it and passes it on
  receive_reduce,            // stores message + `source` at `target`
  receive_reduce_send,       // passes on message + `source`, stores nothing
  receive_reduce_copy_send,  // stores message + `source` at `target` and passes it on
  copy,                      // target := source
  reduce,                    // target := target + source
  wait,                      // nothing but its dependencies; or time spent on work that the program doesn't show
};

std::string_view name(Act act);
bool receives(Act act);
bool sends(Act act);
bool stores(Act act);
bool reads_source(Act act);

/// An operation, 0 .. operations-1 of the program.
using OperationId = std::int32_t;

/// A FIFO from one rank to another, 0 .. connections-1; its k-th message sent is the k-th received.
using ConnectionId = std::int32_t;
inline constexpr ConnectionId no_connection = -1;

struct Connection {
  Rank src;
  Rank dst;
  std::int64_t channel;  // MSCCL's channel, GOAL's tag: tells connections of two ranks apart
};

struct Operation {
  Rank rank;
  std::int32_t thread = 0;  // of the rank; operations of a thread run in their order
  std::int32_t number = 0;  // in the thread, as its file counts
  Act act = Act::wait;
  Slots source = {};
  Slots target = {};
  ConnectionId from = no_connection;  // receives from it
  ConnectionId to = no_connection;    // sends to it
  std::uint64_t bytes = 0;            // of the message, for formats that know no chunks
  std::uint32_t line = 0;             // of the file, from 1; 0: there is none
  std::uint32_t column = 0;
};

/// `after` may begin only when `before` has ended (or, if `on_start`, has begun). Both are of one rank.
struct Order {
  OperationId before;
  OperationId after;
  bool on_start = false;
};

/// Sizes of a rank's buffers, in chunks.
struct Buffers {
  std::int32_t input = 0;
  std::int32_t output = 0;
  std::int32_t scratch = 0;
};

/// Whose value a chunk is at the start, and what it must be at the end, follow from the collective as in a schedule of
/// `chunks` blocks: block b of the vector is chunk b of the input where everyone holds all (allreduce, reduce-scatter,
/// broadcast's root), else the owner's chunks in their order. With `in_place`, input and output share memory as
/// `aliases` says.
struct Program {
  Collective collective = Collective::allreduce;
  Rank ranks = 1;
  std::int32_t chunks = 1;  // blocks of the whole vector
  Rank root = 0;
  bool in_place = false;
  bool has_data = true;  // false: the format says who sends what to whom, but not which data
  std::string name = {};
  std::vector<Buffers> buffers = {};         // by rank
  std::vector<Connection> connections = {};
  std::vector<Operation> operations = {};    // by rank, by thread, in the thread's order
  std::vector<Order> orders = {};            // besides those of threads; for GOAL, all there are
  bool threads_are_ordered = true;           // false: only `orders` order operations of a rank
};

}  // namespace onceover
