// Happens-before: what must happen before what, in every run of a program.
//
// An operation is three events. It *begins* when what it waits for in its own rank has ended. At its *middle* its
// message has arrived, is combined and stored, and its own message is on its way. Then it *ends*. An event also waits
// for these:
//
// - begin(b) for end(a), if b follows a in its thread or depends on it; for begin(a), if b needs a only to have begun;
// - middle(r) for middle(s), if s is the k-th send of a connection and r its k-th receive;
// - room: if FIFOs hold d messages, the k-th send for middle(r) of the (k-d)-th receive;
// - under rendezvous (d = 0), the k-th send for begin(r) of the k-th receive.
//
// A message of several parts counts as one: it is taken when its last part is on its way, and takes the room of one.
//
// A plain send is on its way at once, so its end waits for room. An operation that receives and sends takes its message
// only when there is room for its own, as on GPUs, so there the middle waits. A program ends, whatever the timing,
// exactly if all messages are matched and there is no cycle; more room never makes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/program.h"
#include "programs/event_graph.h"

namespace onceover::programs {

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

/// How many messages a connection holds between sender and receiver; 0 is rendezvous, nothing is any number.
using Depth = std::optional<std::uint32_t>;

/// A message that is sent and never received, received and never sent, or sent and received in different sizes.
struct Mismatch {
  ConnectionId connection;
  OperationId send;     // -1: none
  OperationId receive;  // -1: none
  std::size_t sends;    // on the connection
  std::size_t receives;
};

/// Which send matches which receive: the k-th message sent, the k-th received. A message of several parts is listed by
/// its first.
struct Matching {
  std::vector<std::vector<OperationId>> sends;     // by connection
  std::vector<std::vector<OperationId>> receives;  // by connection
  std::vector<OperationId> sender_of;              // by operation: the send, or part of one, that it receives; -1: none
  std::vector<Mismatch> mismatches;                // at most one for each connection
  /// By source, destination and channel, which in GOAL several connections have: the messages that match, by their
  /// sends and receives. All of one source, destination and channel share its room.
  std::vector<std::vector<std::pair<OperationId, OperationId>>> messages;
};

/// Are both operations of one thread of one rank?
bool same_thread(const Program& program, OperationId a, OperationId b);

/// O(operations).
Matching match(const Program& program);

/// All edges of a program without mismatches. O(operations + dependencies) time and memory.
std::vector<Edge> edges(const Program& program, const Matching& matching, Depth depth);

/// Only the edges that are guaranteed. There are none of room. If a send may end before it has read its source (see
/// Guarantees), its middle comes before fewer events, and a wait for that send knows only of its begin. Behind it in
/// its thread, the source has been read
/// - when the next operation begins, if that sends or waits, because all threads of the block meet there;
/// - otherwise when the next one ends. But a thread of the block that receives or copies a chunk has read the chunk at
///   the same place of the send, if that was its own; a reduction doesn't tell that.
///
/// `edges` order everything that these do.
std::vector<Edge> reliable_edges(const Program& program, const Matching& matching);

/// The events at which an operation has read, and has stored, as far as others can rely on it.
inline Event reading(OperationId operation) {
  return middle_of(operation);
}
Event storing(const Program& program, OperationId operation);

/// May the operation still have to read its source when others see that it has ended?
bool ends_early(const Program& program, OperationId operation);

inline Event event_count(const Program& program) {
  return begin_of(static_cast<OperationId>(program.operations.size()));
}

/// For each event, how many messages must arrive, one after another, before it; `order` is an order of these edges.
/// O(events + edges).
std::vector<std::uint32_t> messages_before(const std::vector<Edge>& edges, const std::vector<Event>& order);

/// The smallest depth at which there is no cycle; nothing if there is one at every depth. Orders the events O(log
/// messages) times.
std::optional<std::uint32_t> smallest_depth(const Program& program, const Matching& matching);

}  // namespace onceover::programs
