// What must happen before what, in every run of a program.
//
// An operation is three events: it *begins* when what it waits for in its own rank has ended; at its *middle* its
// message is there, is combined and stored, and its own is on its way; then it *ends*. Besides that, an event waits for
// these:
//
// - begin(b) for end(a), where b follows a in its thread or depends on it; for begin(a), where b needs a only begun;
// - middle(r) for middle(s), where s is the k-th send of a connection and r its k-th receive;
// - room: where FIFOs hold d messages, the k-th send for middle(r) of the (k-d)-th receive;
// - under rendezvous (d = 0), the k-th send for begin(r) of the k-th receive.
//
// A message of several parts is one: it is taken when its last part is on its way, and takes the room of one message.
//
// A send alone is on its way at once, so it is its end that waits for room. An operation that receives and sends takes
// its message only when its own has room, as GPUs do it, so there it is its middle. A program ends, whatever the
// timing, exactly if all messages are matched and there is no cycle; more room never makes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/program.h"

namespace onceover::programs {

inline const Operation& at(const Program& program, OperationId id) {
  return program.operations[static_cast<std::size_t>(id)];
}

using Event = std::uint32_t;

inline Event begin_of(OperationId operation) {
  return 3 * static_cast<Event>(operation);
}
inline Event middle_of(OperationId operation) {
  return begin_of(operation) + 1;
}
inline Event end_of(OperationId operation) {
  return begin_of(operation) + 2;
}
inline OperationId operation_of(Event event) {
  return static_cast<OperationId>(event / 3);
}

/// Why an event waits for another.
enum class Why : std::uint8_t {
  itself,      // an operation begins, then is in its middle, then ends
  thread,      // the operation before it in its thread
  dependency,  // an operation that it depends on
  message,     // the message that it receives
  room,        // an earlier message to be taken, so that there is room for its own
  partner,     // rendezvous: the receiver to be ready
};

struct Edge {
  Event before;
  Event after;
  Why why;
};

/// Messages that a connection holds between sender and receiver; 0 is rendezvous, none as many as it takes.
using Depth = std::optional<std::uint32_t>;

/// A message that is sent and never received, received and never sent, or sent and received in different sizes.
struct Mismatch {
  ConnectionId connection;
  OperationId send;     // -1: there is none
  OperationId receive;  // -1: there is none
  std::size_t sends;    // of the connection
  std::size_t receives;
};

/// Which send belongs to which receive: the k-th message to the k-th. A message of several parts is listed by its
/// first.
struct Matching {
  std::vector<std::vector<OperationId>> sends;     // by connection
  std::vector<std::vector<OperationId>> receives;  // by connection
  std::vector<OperationId> sender_of;              // by operation: the send, or part of it, that it receives, or -1
  std::vector<Mismatch> mismatches;                // at most one a connection
};

/// O(operations).
Matching match(const Program& program);

/// All edges of a program without mismatches. O(operations + orders) time and memory.
std::vector<Edge> edges(const Program& program, const Matching& matching, Depth depth);

/// Only those that one may rely on: none of room, and where a send may end before it has read its source (see
/// Guarantees), its middle comes before less. A wait for it knows of its begin alone. Behind it in its thread the
/// source has been read
/// - when the next operation begins, if that sends or waits: all threads of the block meet there;
/// - else when the next one ends; but a thread of the block that receives or copies a chunk has read the chunk in the
/// same
///   place of the send's, if that was its own, which a reduction doesn't say.
/// `edges` order all that these do.
std::vector<Edge> reliable_edges(const Program& program, const Matching& matching);

/// When an operation reads, and when it stores, as far as others can rely on it.
inline Event reading(OperationId operation) {
  return middle_of(operation);
}
Event storing(const Program& program, OperationId operation);

/// Is its source still to be read when others take it to have ended?
bool ends_early(const Program& program, OperationId operation);

/// All events, each after those that it waits for; nothing if there is a cycle. O(events + edges).
std::optional<std::vector<Event>> order_of(const Program& program, const std::vector<Edge>& edges);

/// For each event, how many messages must arrive, one after another, before it; `order` is that of these edges.
/// O(events + edges).
std::vector<std::uint32_t> messages_before(const std::vector<Edge>& edges, const std::vector<Event>& order);

/// A cycle with the fewest edges, or a short one where there are too many to look at. There must be one.
std::vector<Edge> shortest_cycle(const Program& program, const std::vector<Edge>& edges);

/// The smallest depth at which there is no cycle; nothing if there is one at any. O(log messages) orders.
std::optional<std::uint32_t> smallest_depth(const Program& program, const Matching& matching);

}  // namespace onceover::programs
