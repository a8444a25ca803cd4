#include "programs/message_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/try.h"
#include "programs/happens_before.h"
#include "schedules/listed_schedule.h"

namespace onceover::programs {

namespace {

struct Message {
  std::uint32_t step;
  OperationId send;
  OperationId receive;
};

/// Which operations are joined by messages, and what must arrive before them.
struct Joined {
  std::vector<OperationId> sender_of;  // by operation; -1: it receives nothing
  std::vector<std::uint32_t> before;   // by event: messages, one after another

  std::uint32_t step(OperationId id) const { return before[middle_of(id)]; }
};

/// Nothing if the program never ends.
std::optional<Joined> joined_of(const Program& program) {
  Matching matching = match(program);
  if (!matching.mismatches.empty() || !program.hangs.empty()) return std::nullopt;
  const std::vector<Edge> all = edges(program, matching, std::nullopt);
  const auto order = order_of(event_count(program), all);
  if (!order) return std::nullopt;
  return Joined{std::move(matching.sender_of), messages_before(all, *order)};
}

/// All messages between different ranks, with their steps; nothing if the program never ends.
std::optional<std::vector<Message>> messages_of(const Program& program) {
  const auto joined = joined_of(program);
  if (!joined) return std::nullopt;
  std::vector<Message> messages;
  for (OperationId receive = 0; receive < static_cast<OperationId>(program.operations.size()); ++receive) {
    const OperationId send = joined->sender_of[static_cast<std::size_t>(receive)];
    const bool is_message = send >= 0 && !at(program, receive).is_part;
    if (is_message && at(program, send).rank != at(program, receive).rank)
      messages.push_back({joined->step(send), send, receive});
  }
  std::stable_sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) {
    return a.step != b.step ? a.step < b.step : a.send < b.send;
  });
  return messages;
}

/// How many chunks the vector has; in a format without chunks, how often the common divisor fits into the largest
/// message.
tl::expected<std::uint64_t, std::string> block_count(const Program& program, std::uint64_t largest,
                                                     std::uint64_t block_bytes) {
  const std::uint64_t blocks =
      program.has_data ? static_cast<std::uint64_t>(program.chunks) : std::max<std::uint64_t>(1, largest / block_bytes);
  if (program.has_data && largest > blocks)
    return tl::unexpected(fmt::format("a message has {} chunks, the whole vector {}", largest, blocks));
  if (blocks > static_cast<std::uint64_t>(max_blocks))
    return tl::unexpected(
        fmt::format("the largest message has {} bytes, but {} is the largest size that all are multiples of: more "
                    "than {} times it can't be counted",
                    largest, block_bytes, max_blocks));
  return blocks;
}

}  // namespace

tl::expected<MessageSteps, std::string> message_steps(const Program& program, std::vector<Rank> shape) {
  const auto messages = messages_of(program);
  if (!messages)
    return tl::unexpected(std::string("the program never ends, so its messages have no steps; 'verify' says why"));
  std::uint64_t largest = 0, divisor = 0;
  for (const Message& m : *messages) {
    const std::uint64_t size = message_size(program, m.send);
    largest = std::max(largest, size);
    divisor = std::gcd(divisor, size);
  }
  const std::uint64_t block = program.has_data ? 1 : std::max<std::uint64_t>(1, divisor);
  const auto blocks = TRY(block_count(program, largest, block));
  ListedSchedule::Builder builder;
  std::uint32_t begun = 0;
  for (const Message& m : *messages) {
    for (; begun <= m.step; ++begun) builder.begin_step();
    const auto size = static_cast<Block>(message_size(program, m.send) / block);
    const Run run{0, size - 1};
    builder.add(at(program, m.send).rank, at(program, m.receive).rank, {&run, size > 0 ? 1u : 0u},
                combines(at(program, m.receive).instruction) ? Op::reduce : Op::copy);
  }
  Header header{.collective = program.collective,
                .ranks = program.ranks,
                .blocks = static_cast<Block>(blocks),
                .root = program.root,
                .shape = std::move(shape),
                .algorithm = program.name};
  return MessageSteps{std::make_shared<ListedSchedule>(std::move(header), std::move(builder)),
                      program.has_data ? 0 : block};
}

std::vector<std::optional<MessagePlace>> places_of(const Program& program,
                                                   const std::vector<Counterexample::Site>& sites) {
  std::vector<std::optional<MessagePlace>> places(sites.size());
  const auto joined = joined_of(program);
  if (!joined) return places;
  const auto message_place = [&](OperationId send, OperationId receive) {
    MessagePlace place{static_cast<int>(joined->step(send))};
    const Rank from = at(program, send).rank, to = at(program, receive).rank;
    if (from != to) place.message = {from, to};
    return place;
  };
  const auto note = [&](OperationId id, const MessagePlace& place) {
    const Operation& o = at(program, id);
    for (std::size_t k = 0; k < sites.size(); ++k)
      if (sites[k].rank == o.rank && sites[k].thread == o.thread && sites[k].number == o.number) places[k] = place;
  };
  const auto count = static_cast<OperationId>(program.operations.size());
  for (OperationId id = 0; id < count; ++id) note(id, {static_cast<int>(joined->step(id))});
  for (OperationId id = 0; id < count; ++id)
    if (const OperationId send = joined->sender_of[static_cast<std::size_t>(id)]; send >= 0) {
      note(id, message_place(send, id));
      note(send, message_place(send, id));
    }
  return places;
}

}  // namespace onceover::programs
