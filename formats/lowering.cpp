// Lowering takes two passes. The first, here, writes down for each rank what it does, in an order that would be right
// one after another (`Drafts`): in each step its sends, then its receives. The second, rank by rank, keeps of that
// order what the data needs (assembly.h) and, with threads, assigns the operations to them.
//
// Example: ranks 0 and 1 send each other a block, to be added. Rank 0 drafts "send; receive and add". With threads,
// these are two threads, and the second one's operation waits for the first one's, because it writes what that reads.
// With requests, rank 0 drafts "send; receive into scratch memory; add", and only the add waits: for both.
//
// Each transfer is drafted once and each operation assembled once, so lowering ends. lowering.h says what it costs.

#include "formats/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/stop.h"
#include "formats/assembly.h"
#include "formats/chunk_layout.h"

namespace onceover::formats {

namespace {

using Kind = NotLowered::Kind;

tl::unexpected<NotLowered> not_lowered(Kind kind, std::string why) {
  return tl::unexpected(NotLowered{kind, std::move(why)});
}

/// The operations of each rank, one after another, without their threads.
class Drafts {
 public:
  Drafts(const Schedule& schedule, const ChunkLayout& layout, const LoweringOptions& options)
      : schedule_(schedule), layout_(layout), options_(options) {}

  tl::expected<Program, NotLowered> draft() {
    const Header& header = schedule_.header();
    program_.collective = header.collective;
    program_.ranks = header.ranks;
    program_.chunks = header.blocks;
    program_.root = header.root;
    program_.in_place = options_.in_place;
    program_.name = header.algorithm;
    program_.threads_are_ordered = options_.style == ProgramStyle::threads;
    of_rank.resize(static_cast<std::size_t>(header.ranks));
    for (Rank r = 0; r < header.ranks; ++r) {
      program_.buffers.push_back(layout_.sizes(r));
      for (const auto& copy : layout_.copies_in(r)) add_copy(r, copy);
    }
    std::vector<Transfer> transfers;
    for (int step = 0; step < schedule_.steps(); ++step) {
      stop_point();
      schedule_.transfers(step, transfers);
      if (auto fault = add_step(step, transfers)) return tl::unexpected(*std::move(fault));
    }
    for (Rank r = 0; r < header.ranks; ++r)
      for (const auto& copy : layout_.copies_out(r)) add_copy(r, copy);
    return std::move(program_);
  }

  std::vector<std::vector<Operation>> of_rank;

 private:
  /// A message of a step, or a transfer that stays on its rank. With threads it is a single piece.
  struct Message {
    const Transfer* transfer;
    ConnectionId connection;  // none if it stays
    std::size_t first_piece;
    std::size_t end_piece;
  };

  /// A piece of a transfer that stays on its rank, as it goes to one place.
  struct LocalMove {
    Op op;
    ChunkRange source;
    ChunkRange target;
  };

  std::optional<NotLowered> add_step(int step, const std::vector<Transfer>& transfers);
  std::optional<NotLowered> fault_of(int step, const Transfer& transfer) const;
  void add_messages(const Transfer& transfer);
  void add_message(const Transfer& transfer, std::size_t first_piece);
  void add_send(const Message& message);
  void add_receive(const Message& message);
  void add_staged(const Message& message);
  void note_uses();
  std::vector<LocalMove> begun(const Message& message);
  bool may_come_early(Rank rank, std::int32_t first, std::int32_t count) const;
  void add_local(Rank rank, const LocalMove& move, bool is_part);
  void add_copy(Rank rank, const ChunkLayout::Copy& copy);
  ChunkRange staging(Rank rank, std::int32_t count);
  ConnectionId connection_between(Rank src, Rank dst);
  std::uint64_t bytes_of(const Message& message) const;
  std::uint64_t bytes_of(Run chunks) const;
  bool is_sent_now(Rank rank, const Message& message) const;
  bool lands_apart(const Message& message) const;
  std::vector<Operation>& of(Rank rank) { return of_rank[static_cast<std::size_t>(rank)]; }

  const Schedule& schedule_;
  const ChunkLayout& layout_;
  const LoweringOptions& options_;
  Program program_;
  std::map<std::pair<Rank, Rank>, std::int64_t> sent_;  // how many messages two ranks have exchanged so far
  std::map<std::tuple<Rank, Rank, std::int64_t>, ConnectionId> connections_;
  std::uint64_t operations_ = 0;

  // Of the current step.
  std::vector<Piece> pieces_;
  std::vector<Message> messages_;
  std::set<std::pair<Rank, std::int32_t>> sent_now_;  // sent chunks, where that matters
  // Of steps in which something stays on its rank: what is written, how often, and what the ranks themselves read.
  std::map<std::pair<Rank, std::int32_t>, int> writes_;
  std::set<std::pair<Rank, std::int32_t>> own_reads_;
};

std::optional<NotLowered> Drafts::fault_of(int step, const Transfer& t) const {
  const Header& header = schedule_.header();
  auto is_rank = [&](Rank rank) { return rank >= 0 && rank < header.ranks; };
  bool is_inside = t.blocks.inside(header.all_blocks());
  if (is_inside && t.landings != nullptr)
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      set.for_each_run(
          [&](Run run) { is_inside = is_inside && run.first + shift >= 0 && run.last + shift < header.all_blocks(); });
    });
  if (!is_rank(t.src) || !is_rank(t.dst) || !is_inside)
    return NotLowered{Kind::ill_formed,
                      fmt::format("step {}: a transfer from rank {} to rank {} names a rank or block that isn't there",
                                  step, t.src, t.dst)};
  if (t.stays()) return NotLowered{Kind::ill_formed, fmt::format("step {}: rank {} sends to itself", step, t.src)};
  if (operations_ > most_lowered_operations)
    return NotLowered{Kind::too_large, fmt::format("the program has more than {} operations", most_lowered_operations)};
  return std::nullopt;
}

std::optional<NotLowered> Drafts::add_step(int step, const std::vector<Transfer>& transfers) {
  pieces_.clear();
  messages_.clear();
  sent_now_.clear();
  bool stays = false;
  for (const Transfer& t : transfers) {
    if (auto fault = fault_of(step, t)) return fault;
    const std::size_t before = pieces_.size();
    if (!t.blocks.empty()) add_messages(t);
    operations_ += 3 * (pieces_.size() - before);
    stays = stays || t.is_local();
  }
  for (const Message& message : messages_) {
    stop_point();
    if (!message.transfer->is_local()) add_send(message);
  }
  if (stays) note_uses();
  std::map<const Message*, std::vector<LocalMove>> open;
  for (const Message& message : messages_)
    if (message.transfer->is_local()) open[&message] = begun(message);
  for (const Message& message : messages_) {
    stop_point();
    if (!message.transfer->is_local())
      add_receive(message);
    else
      for (const LocalMove& move : open[&message]) add_local(message.transfer->dst, move, false);
  }
  return std::nullopt;
}

void Drafts::note_uses() {
  writes_.clear();
  own_reads_.clear();
  for (const Message& message : messages_)
    for (std::size_t k = message.first_piece; k < message.end_piece; ++k) {
      const Run chunks = pieces_[k].chunks;
      for (const std::int32_t first : pieces_[k].targets())
        for (std::int32_t c = 0; c < chunks.size(); ++c) ++writes_[{message.transfer->dst, first + c}];
      for (std::int32_t c = chunks.first; message.transfer->is_local() && c <= chunks.last; ++c)
        own_reads_.emplace(message.transfer->dst, c);
    }
}

/// May these chunks be written before the step's other writes? So if nothing else writes them, and the rank moves
/// nothing from them.
bool Drafts::may_come_early(Rank rank, std::int32_t first, std::int32_t count) const {
  for (std::int32_t c = first; c < first + count; ++c)
    if (writes_.at({rank, c}) > 1 || own_reads_.contains({rank, c})) return false;
  return true;
}

/// Reads what stays on its rank, before anything is received. What may, goes to its place at once. For the rest there
/// is scratch memory, and a move from there is returned.
std::vector<Drafts::LocalMove> Drafts::begun(const Message& message) {
  const Rank rank = message.transfer->dst;
  std::vector<LocalMove> open;
  for (std::size_t k = message.first_piece; k < message.end_piece; ++k) {
    const Run chunks = pieces_[k].chunks;
    const ChunkRange source = layout_.place(rank, chunks.first, chunks.size());
    std::optional<ChunkRange> kept;
    for (const std::int32_t first : pieces_[k].targets()) {
      const ChunkRange target = layout_.place(rank, first, chunks.size());
      if (may_come_early(rank, first, chunks.size())) {
        add_local(rank, {message.transfer->op, source, target}, false);
        continue;
      }
      if (!kept) {
        kept = staging(rank, chunks.size());
        add_local(rank, {Op::copy, source, *kept}, false);
      }
      open.push_back({message.transfer->op, *kept, target});
    }
  }
  return open;
}

void Drafts::add_local(Rank rank, const LocalMove& move, bool is_part) {
  of(rank).push_back({.rank = rank,
                      .instruction = move.op == Op::reduce ? Instruction::reduce : Instruction::copy,
                      .source = move.source,
                      .target = move.target,
                      .is_part = is_part});
}

/// Scratch memory that nothing else uses.
ChunkRange Drafts::staging(Rank rank, std::int32_t count) {
  std::int32_t& scratch = program_.buffers[static_cast<std::size_t>(rank)].scratch;
  scratch += count;
  return {Buffer::scratch, scratch - count, count};
}

void Drafts::add_messages(const Transfer& transfer) {
  std::vector<Piece> pieces;
  layout_.pieces_of(transfer, pieces);
  const bool in_one = options_.style == ProgramStyle::requests;
  const std::size_t first = pieces_.size();
  for (Piece& piece : pieces) {
    for (const std::int32_t most = options_.most_chunks; !in_one && piece.chunks.size() > most;) {
      pieces_.push_back({{piece.chunks.first, piece.chunks.first + most - 1}, piece.into});
      add_message(transfer, pieces_.size() - 1);
      piece.chunks.first += most;
      for (std::int32_t& into : piece.into) into += most;
    }
    pieces_.push_back(std::move(piece));
    if (!in_one) add_message(transfer, pieces_.size() - 1);
  }
  if (in_one) add_message(transfer, first);
}

/// Makes a message of the pieces from `first_piece` on.
void Drafts::add_message(const Transfer& transfer, std::size_t first_piece) {
  const ConnectionId connection = transfer.is_local() ? no_connection : connection_between(transfer.src, transfer.dst);
  messages_.push_back({&transfer, connection, first_piece, pieces_.size()});
}

ConnectionId Drafts::connection_between(Rank src, Rank dst) {
  const std::int64_t number = sent_[{src, dst}]++;
  const std::int64_t channel = options_.style == ProgramStyle::requests ? number : number % options_.channels;
  const auto [known, is_new] =
      connections_.try_emplace({src, dst, channel}, static_cast<ConnectionId>(program_.connections.size()));
  if (is_new) program_.connections.push_back({src, dst, channel});
  return known->second;
}

/// The size of chunks. The vector is divided into blocks at whole bytes, as evenly as possible. A scratch block is as
/// large as the lowest block that its values come from or go to.
std::uint64_t Drafts::bytes_of(Run chunks) const {
  const auto blocks = static_cast<std::uint64_t>(schedule_.header().blocks);
  auto cut = [&](std::int32_t chunk) {
    return static_cast<std::uint64_t>(static_cast<__uint128_t>(options_.bytes) * static_cast<std::uint64_t>(chunk) /
                                      blocks);
  };
  if (chunks.first < schedule_.header().blocks) return cut(chunks.last + 1) - cut(chunks.first);
  std::uint64_t bytes = 0;
  for (Block b = chunks.first; b <= chunks.last; ++b) {
    const std::int32_t home = layout_.chunk_of(schedule_.groups()->of(b).front());
    bytes += cut(home + 1) - cut(home);
  }
  return bytes;
}

std::uint64_t Drafts::bytes_of(const Message& message) const {
  std::uint64_t bytes = 0;
  for (std::size_t k = message.first_piece; k < message.end_piece; ++k) bytes += bytes_of(pieces_[k].chunks);
  return bytes;
}

void Drafts::add_send(const Message& message) {
  const Rank rank = message.transfer->src;
  for (std::size_t k = message.first_piece; k < message.end_piece; ++k) {
    const Run chunks = pieces_[k].chunks;
    of(rank).push_back({.rank = rank,
                        .instruction = Instruction::send,
                        .source = layout_.place(rank, chunks.first, chunks.size()),
                        .to = message.connection,
                        .bytes = bytes_of(message),
                        .is_part = k > message.first_piece});
    if (options_.style == ProgramStyle::requests)
      for (std::int32_t c = chunks.first; c <= chunks.last; ++c) sent_now_.emplace(rank, c);
  }
}

/// Does the receiver send, in this step, what the message replaces?
bool Drafts::is_sent_now(Rank rank, const Message& message) const {
  for (std::size_t k = message.first_piece; k < message.end_piece; ++k)
    for (const std::int32_t first : pieces_[k].targets()) {
      const auto next = sent_now_.lower_bound({rank, first});
      if (next != sent_now_.end() && next->first == rank && next->second < first + pieces_[k].chunks.size())
        return true;
    }
  return false;
}

/// Do chunks of the message land in several places?
bool Drafts::lands_apart(const Message& message) const {
  return std::any_of(pieces_.begin() + static_cast<std::ptrdiff_t>(message.first_piece),
                     pieces_.begin() + static_cast<std::ptrdiff_t>(message.end_piece),
                     [](const Piece& piece) { return piece.into.size() > 1; });
}

void Drafts::add_receive(const Message& message) {
  const Rank rank = message.transfer->dst;
  const bool is_sum = message.transfer->op == Op::reduce;
  if (lands_apart(message)) return add_staged(message);
  if (options_.style == ProgramStyle::requests && (is_sum || is_sent_now(rank, message))) return add_staged(message);
  for (std::size_t k = message.first_piece; k < message.end_piece; ++k) {
    const ChunkRange range = layout_.place(rank, pieces_[k].targets().front(), pieces_[k].chunks.size());
    of(rank).push_back({.rank = rank,
                        .instruction = is_sum ? Instruction::receive_reduce : Instruction::receive,
                        .source = is_sum ? range : ChunkRange{},
                        .target = range,
                        .from = message.connection,
                        .bytes = bytes_of(message),
                        .is_part = k > message.first_piece});
  }
}

/// The message arrives in scratch memory of its own, and its data goes from there to its places.
void Drafts::add_staged(const Message& message) {
  const Rank rank = message.transfer->dst;
  std::vector<LocalMove> moves;
  for (std::size_t k = message.first_piece; k < message.end_piece; ++k) {
    const std::int32_t count = pieces_[k].chunks.size();
    const ChunkRange arrived = staging(rank, count);
    of(rank).push_back({.rank = rank,
                        .instruction = Instruction::receive,
                        .target = arrived,
                        .from = message.connection,
                        .bytes = bytes_of(message),
                        .is_part = k > message.first_piece});
    for (const std::int32_t first : pieces_[k].targets())
      moves.push_back({message.transfer->op, arrived, layout_.place(rank, first, count)});
  }
  const bool in_one = options_.style == ProgramStyle::requests;
  for (std::size_t k = 0; k < moves.size(); ++k) add_local(rank, moves[k], in_one && k > 0);
}

void Drafts::add_copy(Rank rank, const ChunkLayout::Copy& copy) {
  const std::int32_t most = options_.style == ProgramStyle::threads ? options_.most_chunks : copy.source.count;
  for (std::int32_t done = 0; done < copy.source.count; done += most) {
    const std::int32_t count = std::min(most, copy.source.count - done);
    of(rank).push_back({.rank = rank,
                        .instruction = Instruction::copy,
                        .source = {copy.source.buffer, copy.source.first + done, count},
                        .target = {copy.target.buffer, copy.target.first + done, count}});
  }
}

}  // namespace

tl::expected<Program, NotLowered> lower(const Schedule& schedule, const LoweringOptions& options) {
  const Header& header = schedule.header();
  if (static_cast<std::uint64_t>(header.ranks) * static_cast<std::uint64_t>(header.all_blocks()) > most_lowered_chunks)
    return not_lowered(Kind::too_large, fmt::format("{} ranks with {} blocks each are more than {} chunks",
                                                    header.ranks, header.all_blocks(), most_lowered_chunks));
  const auto layout = ChunkLayout::of(header, options.in_place);
  if (!layout) return not_lowered(Kind::unfit, layout.error());
  Drafts drafts(schedule, *layout, options);
  auto program = drafts.draft();
  if (!program) return program;
  for (Rank r = 0; r < header.ranks; ++r) {
    std::vector<Operation>& operations = drafts.of_rank[static_cast<std::size_t>(r)];
    if (options.style == ProgramStyle::requests)
      add_requests(operations, *program, r);
    else if (!add_threads(operations, *program, r))
      return not_lowered(Kind::too_large, fmt::format("rank {} has too many threads and operations", r));
    operations = {};
  }
  return program;
}

}  // namespace onceover::formats
