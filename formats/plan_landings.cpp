// Whether a sender knows enough is read off vector clocks. Operations of a rank come in the order of the program, and
// an entry of a clock says up to which of them the rank is through. Messages carry clocks.
//
// Example: rank 0 sends its part of a sum to rank 1, which sends the whole sum back. Rank 1 knows that rank 0 has read
// its part, so the sum is put over it. Had both sent each other their parts in the same step, to be added, neither
// would know, and both parts would land in scratch.

#include <algorithm>
#include <unordered_map>

#include "base/stop.h"
#include "formats/plan_sequences.h"

namespace onceover::formats {

namespace {

constexpr std::uint64_t most_landing_clocks = std::uint64_t{1} << 27;

std::size_t index_of(std::int32_t number) {
  return static_cast<std::size_t>(number);
}

std::vector<OperationId> partners_of(const Program& program) {
  std::vector<std::vector<OperationId>> sent(program.connections.size()), received(program.connections.size());
  for (OperationId id = 0; id < static_cast<OperationId>(program.operations.size()); ++id) {
    const Operation& o = at(program, id);
    if (o.to != no_connection) sent[index_of(o.to)].push_back(id);
    if (o.from != no_connection) received[index_of(o.from)].push_back(id);
  }
  std::vector<OperationId> partners(program.operations.size(), -1);
  for (std::size_t c = 0; c < sent.size(); ++c)
    for (std::size_t k = 0; k < std::min(sent[c].size(), received[c].size()); ++k) {
      partners[index_of(sent[c][k])] = received[c][k];
      partners[index_of(received[c][k])] = sent[c][k];
    }
  return partners;
}

/// The operations of a rank: ids from `begin` to before `end`.
struct OfRank {
  OperationId begin = 0;
  OperationId end = 0;
};

std::vector<OfRank> by_rank(const Program& program) {
  std::vector<OfRank> ranks(index_of(program.ranks));
  for (OperationId id = 0; id < static_cast<OperationId>(program.operations.size()); ++id) {
    OfRank& of = ranks[index_of(at(program, id).rank)];
    if (of.end == 0) of.begin = id;
    of.end = id + 1;
  }
  return ranks;
}

/// By operation that receives: the last one of its rank before it that uses a chunk of its target, or -1.
std::vector<OperationId> last_uses(const Program& program) {
  std::vector<OperationId> last(program.operations.size(), -1);
  std::vector<OperationId> uses[3];
  Rank rank = -1;
  for (OperationId id = 0; id < static_cast<OperationId>(program.operations.size()); ++id) {
    const Operation& o = at(program, id);
    if (o.rank != rank) {
      rank = o.rank;
      const Buffers& sizes = program.buffers[index_of(rank)];
      uses[0].assign(index_of(sizes.input), -1);
      uses[1].assign(index_of(sizes.output), -1);
      uses[2].assign(index_of(sizes.scratch), -1);
    }
    for (const ChunkRange& range : {o.source, o.target})
      for (std::int32_t c = range.first; c < range.first + range.count; ++c) {
        OperationId& use = uses[static_cast<int>(range.buffer)][index_of(c)];
        if (receives(o.instruction)) last[index_of(id)] = std::max(last[index_of(id)], use);
        use = id;
      }
  }
  return last;
}

/// Follows the messages of a program, and decides for each part where it lands.
class Follower {
 public:
  Follower(const Program& program, Landings& to)
      : program_(program),
        to_(to),
        ranks_(by_rank(program)),
        last_use_(last_uses(program)),
        clocks_(ranks_.size(), std::vector<OperationId>(ranks_.size(), 0)) {}

  void follow() {
    for (Rank r = 0; r < program_.ranks; ++r) ready_.push_back(r);
    while (!ready_.empty()) {
      const Rank rank = ready_.back();
      ready_.pop_back();
      go_on(rank);
    }
  }

 private:
  /// Runs the rank until it waits for a message that isn't on its way yet.
  void go_on(Rank rank) {
    stop_point();
    OfRank& left = ranks_[index_of(rank)];
    for (; left.begin < left.end; ++left.begin) {
      const Operation& o = at(program_, left.begin);
      if (o.from != no_connection && !o.is_part && !take(o)) return;
      clocks_[index_of(rank)][index_of(rank)] = left.begin + 1;
      if (o.to == no_connection) continue;
      place(o, to_.partners[index_of(left.begin)]);
      if (o.is_part) continue;
      carried_.emplace(o.to, clocks_[index_of(rank)]);
      ready_.push_back(program_.connections[index_of(o.to)].dst);
    }
  }

  bool take(const Operation& receive) {
    const auto message = carried_.find(receive.from);
    if (message == carried_.end()) return false;
    std::vector<OperationId>& clock = clocks_[index_of(receive.rank)];
    for (std::size_t r = 0; r < clock.size(); ++r) clock[r] = std::max(clock[r], message->second[r]);
    carried_.erase(message);
    return true;
  }

  void place(const Operation& send, OperationId receive) {
    const Operation& o = at(program_, receive);
    const bool is_free = last_use_[index_of(receive)] < clocks_[index_of(send.rank)][index_of(o.rank)];
    std::int32_t& scratch = to_.scratch_sizes[index_of(o.rank)];
    to_.landings[index_of(receive)] =
        is_free ? PartPlace{o.target, true} : PartPlace{{Buffer::scratch, scratch, o.target.count}, false};
    if (!is_free) scratch += o.target.count;
  }

  const Program& program_;
  Landings& to_;
  std::vector<OfRank> ranks_;  // what is left
  const std::vector<OperationId> last_use_;
  std::vector<std::vector<OperationId>> clocks_;  // by rank: operations before these are certainly over
  std::unordered_map<ConnectionId, std::vector<OperationId>> carried_;
  std::vector<Rank> ready_;
};

/// Gives packets room in scratch, and finds the local operations that read them there.
class PacketRooms {
 public:
  PacketRooms(const Program& program, Landings& to) : program_(program), to_(to) {}

  void find() {
    for (const OfRank& of : by_rank(program_))
      if (of.end > 0) find(of);
  }

 private:
  void find(const OfRank& of) {
    const Rank rank = at(program_, of.begin).rank;
    kept_.assign(index_of(program_.buffers[index_of(rank)].scratch), unused);
    for (OperationId id = of.begin; id < of.end; ++id) note_writes(id);
    for (OperationId id = of.begin; id < of.end; ++id) note_reads(id);
    std::int32_t plain = 0;
    for (std::size_t c = 0; c < kept_.size(); ++c) to_.scratch[index_of(rank)][c] = kept_[c] >= 0 ? -1 : plain++;
    std::int32_t next = (plain + 1) / 2;  // chunk k of packets lies over chunks 2k and 2k+1
    for (OperationId id = of.begin; id < of.end; ++id) {
      const Operation& o = at(program_, id);
      if (o.from != no_connection) {
        to_.landings[index_of(id)] = {{Buffer::scratch, next, o.target.count}, is_kept(id)};
        next += o.target.count;
      } else if (const OperationId receive = keeper(o.source); receive >= 0) {
        const PartPlace& landing = to_.landings[index_of(receive)];
        const std::int32_t from = o.source.first - at(program_, receive).target.first;
        to_.packets[index_of(id)] = ChunkRange{Buffer::scratch, landing.place.first + from, o.source.count};
      }
    }
    to_.scratch_sizes[index_of(rank)] = std::max(next, plain);
  }

  /// The part of a message that alone is kept where the range begins; negative if there is none.
  OperationId keeper(const ChunkRange& range) const {
    return range.count == 0 || range.buffer != Buffer::scratch ? unused : kept_[index_of(range.first)];
  }

  bool is_kept(OperationId receive) const { return keeper(at(program_, receive).target) == receive; }

  void note_writes(OperationId id) {
    const Operation& o = at(program_, id);
    if (!stores(o.instruction) || o.target.buffer != Buffer::scratch) return;
    const auto first = kept_.begin() + o.target.first, end = first + o.target.count;
    const bool is_fresh = o.from != no_connection && std::all_of(first, end, [](OperationId k) { return k == unused; });
    if (!is_fresh) return drop(o.target);
    std::fill(first, end, id);
  }

  /// Do the chunks hold anything else than one whole part?
  bool is_used_otherwise(const ChunkRange& range) const {
    const OperationId receive = keeper(range);
    if (receive < 0) return true;
    const ChunkRange& whole = at(program_, receive).target;
    return range.first + range.count > whole.first + whole.count;
  }

  void note_reads(OperationId id) {
    const Operation& o = at(program_, id);
    if (!reads_source(o.instruction) || o.source.buffer != Buffer::scratch || o.source.count == 0) return;
    const bool is_local = o.instruction == Instruction::copy || o.instruction == Instruction::reduce;
    if (!is_local || is_used_otherwise(o.source)) drop(o.source);
  }

  /// None of the parts in these chunks is kept.
  void drop(const ChunkRange& range) {
    for (std::int32_t c = range.first; c < range.first + range.count; ++c) {
      const OperationId receive = kept_[index_of(c)];
      kept_[index_of(c)] = several;
      if (receive < 0) continue;
      const ChunkRange& whole = at(program_, receive).target;
      for (std::int32_t k = whole.first; k < whole.first + whole.count; ++k) kept_[index_of(k)] = several;
    }
  }

  static constexpr OperationId unused = -1;
  static constexpr OperationId several = -2;

  const Program& program_;
  Landings& to_;
  std::vector<OperationId> kept_;  // by chunk of scratch: the only operation that writes it, if it receives
};

}  // namespace

std::optional<Landings> land(const Program& program, bool with_packets) {
  const std::size_t size = program.operations.size();
  if (size * index_of(program.ranks) > most_landing_clocks) return std::nullopt;
  Landings to{std::vector<PartPlace>(size), partners_of(program), std::vector<std::optional<ChunkRange>>(size), {}, {}};
  for (const Buffers& sizes : program.buffers) {
    to.scratch_sizes.push_back(sizes.scratch);
    to.scratch.emplace_back(index_of(sizes.scratch));
    for (std::size_t c = 0; c < to.scratch.back().size(); ++c) to.scratch.back()[c] = static_cast<std::int32_t>(c);
  }
  if (with_packets)
    PacketRooms(program, to).find();
  else
    Follower(program, to).follow();
  return to;
}

}  // namespace onceover::formats
