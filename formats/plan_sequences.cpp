#include "formats/plan_sequences.h"

#include <algorithm>
#include <set>

#include "base/stop.h"
#include "formats/plan.h"

namespace onceover::formats {

namespace {

using I = PlanInstruction;

PlanRange local(Rank rank, const ChunkRange& chunks) {
  return {.buffer = chunks.buffer, .ranks = {rank}, .index = chunks.first, .size = chunks.count};
}

PlanRange remote(Rank rank, const ChunkRange& chunks) {
  return {.where = PlanRange::Where::remote,
          .buffer = chunks.buffer,
          .ranks = {rank},
          .index = chunks.first,
          .size = chunks.count};
}

PlanOperation operation_of(std::string_view word, ChannelType channel = ChannelType::none) {
  PlanOperation o;
  o.instruction = plan_rule(word)->instruction;
  o.word = plan_rule(word)->word;
  o.channel = channel;
  return o;
}

/// What the threads of a block have done since they met.
class SinceMeeting {
 public:
  explicit SinceMeeting(const Buffers& sizes)
      : begin_{0, sizes.input, sizes.input + sizes.output},
        uses_(static_cast<std::size_t>(sizes.input) + static_cast<std::size_t>(sizes.output) +
              static_cast<std::size_t>(sizes.scratch)) {}

  void meet() {
    ++meeting_;
    has_data = has_waits = false;
    waited_.clear();
    signalled_.clear();
  }

  /// Must the threads meet before the operation, since its chunks are in use?
  bool meets_for(const PlanOperation& o) {
    bool must = false;
    for_each_use(
        o, [&](Use& use, bool writes) { must = must || use.written == meeting_ || (writes && use.read == meeting_); });
    return must;
  }

  void add(const PlanOperation& o) {
    for_each_use(o, [&](Use& use, bool writes) { (writes ? use.written : use.read) = meeting_; });
    has_data = true;
  }

  /// Has a thread waited for the peer, or signalled to it? Which thread comes first would not be fixed.
  bool has_shaken(Rank peer, bool is_wait) const { return (is_wait ? waited_ : signalled_).contains(peer); }
  void shake(Rank peer, bool is_wait) { (is_wait ? waited_ : signalled_).insert(peer); }

  bool has_data = false;
  bool has_waits = false;

 private:
  /// The last meeting after which a chunk was read, and written.
  struct Use {
    std::int32_t read = -1;
    std::int32_t written = -1;
  };

  template <class Visit>
  void for_each_use(const PlanOperation& o, Visit&& visit) {
    const auto visit_range = [&](const PlanRange& range, bool writes) {
      if (range.where != PlanRange::Where::local) return;
      const std::int32_t first = begin_[static_cast<int>(range.buffer)] + range.index;
      for (std::int32_t k = 0; k < range.size; ++k) visit(uses_[static_cast<std::size_t>(first + k)], writes);
    };
    for (std::size_t k = 0; k < o.sources.size(); ++k)
      if (!is_packet_source(o, k)) visit_range(o.sources[k], false);
    for (const PlanRange& range : o.targets) visit_range(range, true);
  }

  std::int32_t begin_[3];
  std::vector<Use> uses_;
  std::int32_t meeting_ = 0;
  std::set<Rank> waited_;
  std::set<Rank> signalled_;
};

/// Writes down what one GPU does.
class SequenceBuilder {
 public:
  SequenceBuilder(const Program& program, const Landings& landings, bool with_packets, Rank rank, PlanSequences& to)
      : program_(program),
        landings_(landings),
        with_packets_(with_packets),
        rank_(rank),
        to_(to),
        sequence_(to.of_gpu[static_cast<std::size_t>(rank)]),
        since_(sizes_of(program, landings, rank)) {}

  void begin(const std::vector<std::int32_t>& given, const std::vector<std::int32_t>& awaited) {
    add_handshakes("signal", given);
    add_handshakes("wait", awaited);
  }

  /// Sends that follow one another, and then their signals; or waits, and then all up to the next send.
  OperationId add_phase(OperationId first) {
    const bool are_sends = at(program_, first).to != no_connection;
    OperationId end = first;
    std::vector<std::int32_t> messages;
    for (; end < size() && is_own(end) && (at(program_, end).to != no_connection) == are_sends; ++end) {
      const Operation& o = at(program_, end);
      const ConnectionId connection = are_sends ? o.to : o.from;
      if (connection != no_connection && !o.is_part && !with_packets_) messages.push_back(connection);
    }
    if (!are_sends) add_handshakes("wait", messages);
    for (OperationId id = first; id < end; ++id) add(id);
    if (are_sends) add_handshakes("signal", messages);
    return end;
  }

 private:
  static Buffers sizes_of(const Program& program, const Landings& landings, Rank rank) {
    Buffers sizes = program.buffers[static_cast<std::size_t>(rank)];
    sizes.scratch = landings.scratch_sizes[static_cast<std::size_t>(rank)] * 2;  // plain chunks under packets
    return sizes;
  }

  OperationId size() const { return static_cast<OperationId>(program_.operations.size()); }
  bool is_own(OperationId id) const { return at(program_, id).rank == rank_; }

  void add(OperationId id) {
    const Operation& o = at(program_, id);
    if (o.to != no_connection) return add_put(o, landings_.partners[static_cast<std::size_t>(id)]);
    if (o.from != no_connection) return add_arrived(o, landings_.landings[static_cast<std::size_t>(id)]);
    const auto& packets = landings_.packets[static_cast<std::size_t>(id)];
    const bool is_sum = o.instruction == Instruction::reduce;
    const PlanRange source = local(rank_, packets ? *packets : placed(o.source)),
                    target = local(rank_, placed(o.target));
    PlanOperation moved = operation_of(is_sum ? (packets ? "repkt" : "re") : packets ? "upkt" : "copy");
    if (is_sum) moved.sources.push_back(target);
    moved.sources.push_back(source);
    moved.targets.push_back(target);
    add_data(std::move(moved));
  }

  void add_put(const Operation& send, OperationId receive) {
    PlanOperation put = operation_of(with_packets_ ? "ppkt" : "put", ChannelType::memory);
    const Operation& other = at(program_, receive);
    const PartPlace& landing = landings_.landings[static_cast<std::size_t>(receive)];
    put.sources.push_back(local(rank_, placed(send.source)));
    put.targets.push_back(remote(other.rank, landing.place));
    add_data(std::move(put));
  }

  void add_arrived(const Operation& receive, const PartPlace& landing) {
    if (landing.is_final) return;
    PlanOperation move = operation_of(with_packets_ ? "upkt" : "copy");
    move.sources.push_back(local(rank_, landing.place));
    move.targets.push_back(local(rank_, placed(receive.target)));
    add_data(std::move(move));
  }

  /// Chunks of the program in the memory of the plan.
  ChunkRange placed(ChunkRange range) const {
    if (range.buffer == Buffer::scratch)
      range.first = landings_.scratch[static_cast<std::size_t>(rank_)][static_cast<std::size_t>(range.first)];
    return range;
  }

  void add_data(PlanOperation o) {
    if (since_.has_waits || since_.meets_for(o)) meet();
    since_.add(o);
    if (!merge(o)) sequence_.push_back(std::move(o));
  }

  /// Puts of equal size from one buffer can be one operation.
  bool merge(PlanOperation& o) {
    if (sequence_.empty() || (o.instruction != I::put && o.instruction != I::put_packets)) return false;
    PlanOperation& last = sequence_.back();
    const auto is_alike = [&](const PlanRange& a, const PlanRange& b) {
      return a.buffer == b.buffer && a.size == b.size;
    };
    if (last.instruction != o.instruction || last.sources.size() == most_operation_ranges ||
        !is_alike(last.sources.front(), o.sources.front()))
      return false;
    last.sources.push_back(std::move(o.sources.front()));
    last.targets.push_back(std::move(o.targets.front()));
    return true;
  }

  void meet() {
    sequence_.push_back(operation_of("nop"));
    since_.meet();
  }

  /// As few operations as can be. Two that name one peer need a meeting between them.
  void add_handshakes(std::string_view word, const std::vector<std::int32_t>& handshakes) {
    if (handshakes.empty()) return;
    const bool is_wait = word == "wait";
    if (!is_wait && (since_.has_data || since_.has_waits)) meet();
    bool is_first = true;
    for (const std::int32_t number : handshakes) {
      Handshake& handshake = to_.handshakes[static_cast<std::size_t>(number)];
      const Rank peer = is_wait ? handshake.from : handshake.to;
      const bool is_again = since_.has_shaken(peer, is_wait);
      if (is_again) meet();
      if (is_first || is_again || sequence_.back().ids.size() == most_operation_channels)
        sequence_.push_back(operation_of(word, ChannelType::memory));
      is_first = false;
      since_.shake(peer, is_wait);
      sequence_.back().ids.push_back(number);
      (is_wait ? handshake.wait : handshake.signal) = static_cast<std::int32_t>(sequence_.size()) - 1;
    }
    since_.has_waits = since_.has_waits || is_wait;
  }

  const Program& program_;
  const Landings& landings_;
  bool with_packets_;
  Rank rank_;
  PlanSequences& to_;
  std::vector<PlanOperation>& sequence_;
  SinceMeeting since_;
};

/// The handshakes with which a call begins, by GPU: those that it gives, and those that it waits for.
struct Entries {
  std::vector<std::vector<std::int32_t>> given;
  std::vector<std::vector<std::int32_t>> awaited;
};

Entries add_entries(const Program& program, PlanSequences& to) {
  const auto ranks = static_cast<std::size_t>(program.ranks);
  Entries entries{std::vector<std::vector<std::int32_t>>(ranks), std::vector<std::vector<std::int32_t>>(ranks)};
  std::set<std::pair<Rank, Rank>> pairs;
  for (const Connection& c : program.connections) pairs.emplace(c.dst, c.src);
  for (const auto& [from, sender] : pairs) {
    const auto number = static_cast<std::int32_t>(to.handshakes.size());
    to.handshakes.push_back({from, sender});
    entries.given[static_cast<std::size_t>(from)].push_back(number);
    entries.awaited[static_cast<std::size_t>(sender)].push_back(number);
  }
  return entries;
}

}  // namespace

PlanSequences sequences_of(const Program& program, const Landings& landings, bool with_packets) {
  PlanSequences to{std::vector<std::vector<PlanOperation>>(static_cast<std::size_t>(program.ranks))};
  Entries entries;
  if (!with_packets) {
    for (const Connection& c : program.connections) to.handshakes.push_back({c.src, c.dst});
    entries = add_entries(program, to);
  }
  OperationId id = 0;
  for (Rank r = 0; r < program.ranks; ++r) {
    stop_point();
    SequenceBuilder builder(program, landings, with_packets, r, to);
    if (!with_packets)
      builder.begin(entries.given[static_cast<std::size_t>(r)], entries.awaited[static_cast<std::size_t>(r)]);
    while (id < static_cast<OperationId>(program.operations.size()) && at(program, id).rank == r)
      id = builder.add_phase(id);
  }
  return to;
}

}  // namespace onceover::formats
