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
  /// A message of a step. With threads it is a single run.
  struct Message {
    const Transfer* transfer;
    ConnectionId connection;
    std::size_t first_run;
    std::size_t end_run;
  };

  std::optional<NotLowered> add_step(int step, const std::vector<Transfer>& transfers);
  std::optional<NotLowered> fault_of(int step, const Transfer& transfer) const;
  void add_messages(const Transfer& transfer);
  void add_message(const Transfer& transfer, std::size_t first_run);
  void add_send(const Message& message);
  void add_receive(const Message& message);
  void add_staged(const Message& message);
  void add_copy(Rank rank, const ChunkLayout::Copy& copy);
  ConnectionId connection_between(Rank src, Rank dst);
  std::uint64_t bytes_of(const Message& message) const;
  bool is_sent_now(Rank rank, const Message& message) const;
  std::vector<Operation>& of(Rank rank) { return of_rank[static_cast<std::size_t>(rank)]; }

  const Schedule& schedule_;
  const ChunkLayout& layout_;
  const LoweringOptions& options_;
  Program program_;
  std::map<std::pair<Rank, Rank>, std::int64_t> sent_;  // how many messages two ranks have exchanged so far
  std::map<std::tuple<Rank, Rank, std::int64_t>, ConnectionId> connections_;
  std::uint64_t operations_ = 0;

  // Of the current step.
  std::vector<Run> runs_;
  std::vector<Message> messages_;
  std::set<std::pair<Rank, std::int32_t>> sent_now_;  // sent chunks, where that matters
};

std::optional<NotLowered> Drafts::fault_of(int step, const Transfer& t) const {
  const Header& header = schedule_.header();
  auto is_rank = [&](Rank rank) { return rank >= 0 && rank < header.ranks; };
  if (!is_rank(t.src) || !is_rank(t.dst) || !t.blocks.inside(header.blocks))
    return NotLowered{Kind::ill_formed,
                      fmt::format("step {}: a transfer from rank {} to rank {} names a rank or block that isn't there",
                                  step, t.src, t.dst)};
  if (t.src == t.dst) return NotLowered{Kind::ill_formed, fmt::format("step {}: rank {} sends to itself", step, t.src)};
  if (operations_ > most_lowered_operations)
    return NotLowered{Kind::too_large, fmt::format("the program has more than {} operations", most_lowered_operations)};
  return std::nullopt;
}

std::optional<NotLowered> Drafts::add_step(int step, const std::vector<Transfer>& transfers) {
  runs_.clear();
  messages_.clear();
  sent_now_.clear();
  for (const Transfer& t : transfers) {
    if (auto fault = fault_of(step, t)) return fault;
    if (!t.blocks.empty()) add_messages(t);
    operations_ += 3 * t.blocks.run_count();
  }
  for (const Message& message : messages_) {
    stop_point();
    add_send(message);
  }
  for (const Message& message : messages_) {
    stop_point();
    add_receive(message);
  }
  return std::nullopt;
}

void Drafts::add_messages(const Transfer& transfer) {
  std::vector<Run> runs;
  layout_.chunks_of(transfer.blocks, runs);
  const bool in_one = options_.style == ProgramStyle::requests;
  const std::size_t first = runs_.size();
  for (Run run : runs) {
    for (; !in_one && run.size() > options_.most_chunks; run.first += options_.most_chunks) {
      runs_.push_back({run.first, run.first + options_.most_chunks - 1});
      add_message(transfer, runs_.size() - 1);
    }
    runs_.push_back(run);
    if (!in_one) add_message(transfer, runs_.size() - 1);
  }
  if (in_one) add_message(transfer, first);
}

/// Makes a message of the runs from `first_run` on.
void Drafts::add_message(const Transfer& transfer, std::size_t first_run) {
  messages_.push_back({&transfer, connection_between(transfer.src, transfer.dst), first_run, runs_.size()});
}

ConnectionId Drafts::connection_between(Rank src, Rank dst) {
  const std::int64_t number = sent_[{src, dst}]++;
  const std::int64_t channel = options_.style == ProgramStyle::requests ? number : number % options_.channels;
  const auto [known, is_new] =
      connections_.try_emplace({src, dst, channel}, static_cast<ConnectionId>(program_.connections.size()));
  if (is_new) program_.connections.push_back({src, dst, channel});
  return known->second;
}

/// The size of a message. The vector is divided into blocks at whole bytes, as evenly as possible.
std::uint64_t Drafts::bytes_of(const Message& message) const {
  auto cut = [&](std::int32_t chunk) {
    return static_cast<std::uint64_t>(static_cast<__uint128_t>(options_.bytes) * static_cast<std::uint64_t>(chunk) /
                                      static_cast<std::uint64_t>(schedule_.header().blocks));
  };
  std::uint64_t bytes = 0;
  for (std::size_t k = message.first_run; k < message.end_run; ++k)
    bytes += cut(runs_[k].last + 1) - cut(runs_[k].first);
  return bytes;
}

void Drafts::add_send(const Message& message) {
  const Rank rank = message.transfer->src;
  for (std::size_t k = message.first_run; k < message.end_run; ++k) {
    of(rank).push_back({.rank = rank,
                        .instruction = Instruction::send,
                        .source = {layout_.work(rank), runs_[k].first, runs_[k].size()},
                        .to = message.connection,
                        .bytes = bytes_of(message),
                        .is_part = k > message.first_run});
    if (options_.style == ProgramStyle::requests)
      for (std::int32_t c = runs_[k].first; c <= runs_[k].last; ++c) sent_now_.emplace(rank, c);
  }
}

bool Drafts::is_sent_now(Rank rank, const Message& message) const {
  for (std::size_t k = message.first_run; k < message.end_run; ++k) {
    const auto next = sent_now_.lower_bound({rank, runs_[k].first});
    if (next != sent_now_.end() && next->first == rank && next->second <= runs_[k].last) return true;
  }
  return false;
}

void Drafts::add_receive(const Message& message) {
  const Rank rank = message.transfer->dst;
  const bool is_sum = message.transfer->op == Op::reduce;
  if (options_.style == ProgramStyle::requests && (is_sum || is_sent_now(rank, message))) return add_staged(message);
  for (std::size_t k = message.first_run; k < message.end_run; ++k) {
    const ChunkRange range{layout_.work(rank), runs_[k].first, runs_[k].size()};
    of(rank).push_back({.rank = rank,
                        .instruction = is_sum ? Instruction::receive_reduce : Instruction::receive,
                        .source = is_sum ? range : ChunkRange{},
                        .target = range,
                        .from = message.connection,
                        .bytes = bytes_of(message),
                        .is_part = k > message.first_run});
  }
}

/// The message arrives in scratch memory of its own, and its data goes from there to its place.
void Drafts::add_staged(const Message& message) {
  const Rank rank = message.transfer->dst;
  std::int32_t& scratch = program_.buffers[static_cast<std::size_t>(rank)].scratch;
  std::vector<Operation> acts;
  for (std::size_t k = message.first_run; k < message.end_run; ++k) {
    const ChunkRange staging{Buffer::scratch, scratch, runs_[k].size()};
    scratch += staging.count;
    of(rank).push_back({.rank = rank,
                        .instruction = Instruction::receive,
                        .target = staging,
                        .from = message.connection,
                        .bytes = bytes_of(message),
                        .is_part = k > message.first_run});
    acts.push_back({.rank = rank,
                    .instruction = message.transfer->op == Op::reduce ? Instruction::reduce : Instruction::copy,
                    .source = staging,
                    .target = {layout_.work(rank), runs_[k].first, staging.count},
                    .is_part = k > message.first_run});
  }
  of(rank).insert(of(rank).end(), acts.begin(), acts.end());
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
  if (static_cast<std::uint64_t>(header.ranks) * static_cast<std::uint64_t>(header.blocks) > most_lowered_chunks)
    return not_lowered(Kind::too_large, fmt::format("{} ranks with {} blocks each are more than {} chunks",
                                                    header.ranks, header.blocks, most_lowered_chunks));
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
