#include "viz/folded_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/result.h"
#include "base/stop.h"
#include "viz/byte_stream.h"

namespace onceover::viz {

namespace {

/// Coordinates of ranks on a torus, row-major, as differences.
class Distances {
 public:
  explicit Distances(std::vector<Rank> sides) : sides_(std::move(sides)) {}

  /// The rank that is as far from rank 0 as `to` is from `from`. O(sides).
  Rank between(Rank from, Rank to) const {
    Rank distance = 0, stride = 1;
    for (std::size_t d = sides_.size(); d-- > 0;) {
      const Rank side = sides_[d], difference = to / stride % side - from / stride % side;
      distance += (difference < 0 ? difference + side : difference) * stride;
      stride *= side;
    }
    return distance;
  }

  const std::vector<Rank>& sides() const { return sides_; }

 private:
  std::vector<Rank> sides_;
};

using Runs = std::vector<Run>;

Runs runs_of(std::vector<Block>& blocks) {
  std::sort(blocks.begin(), blocks.end());
  Runs runs;
  for (const Block b : blocks)
    if (!runs.empty() && runs.back().last + 1 == b)
      runs.back().last = b;
    else
      runs.push_back({b, b});
  return runs;
}

void put_runs(ByteStream& out, const Runs& runs) {
  out.put(runs.size());
  Block end = 0;
  for (const Run run : runs) {
    out.put(static_cast<std::uint64_t>(run.first - end));
    out.put(static_cast<std::uint64_t>(run.last - run.first));
    end = run.last + 1;
  }
}

/// A table of texts, each once, with their numbers.
class Numbers {
 public:
  std::uint64_t of(const ByteStream& text) {
    const auto [place, is_new] = numbers_.emplace(text.bytes(), numbers_.size());
    if (is_new) all_.append(text);
    return place->second;
  }

  void put(ByteStream& out) const {
    out.put(numbers_.size());
    out.append(all_);
  }

  std::size_t bytes() const { return all_.size(); }

 private:
  std::unordered_map<std::string, std::uint64_t> numbers_;
  ByteStream all_;
};

/// The numbers of sets, moved back by their senders.
class Sets {
 public:
  explicit Sets(const Header& header) : header_(header), distances_(header.sides()) {
    if (header.blocks % header.ranks == 0) ranks_in_blocks_ = header.collective == Collective::alltoall ? 2 : 1;
  }

  /// O(sets that differ in this step) for blocks that patterns turn with their senders; else O(blocks log blocks).
  std::uint64_t number(const Transfer& t) {
    if (!turns(t)) return numbers_.of(written(t));
    const Rank distance = distances_.between(t.src, t.blocks.code());
    for (const Turned& known : turned_)
      if (known.distance == distance && known.blocks.same_but_for_code(t.blocks)) return known.number;
    turned_.push_back({t.blocks, distance, numbers_.of(written(t))});
    return turned_.back().number;
  }

  /// Sets are valid until their step ends.
  void begin_step() { turned_.clear(); }

  const Numbers& numbers() const { return numbers_; }
  std::uint64_t work() const { return work_; }

 private:
  struct Turned {
    BlockSet blocks;
    Rank distance;
    std::uint64_t number;
  };

  bool turns(const Transfer& t) const {
    return ranks_in_blocks_ == 1 && t.landings == nullptr && t.blocks.turns_on(distances_.sides(), header_.ranks);
  }

  /// The blocks beyond the last whole copy of ranks can't be moved.
  bool is_movable(const Transfer& t) const {
    const Block whole = header_.all_blocks() / header_.ranks * header_.ranks;
    return ranks_in_blocks_ > 0 && t.blocks.inside(whole);
  }

  Block moved_back(Block block, Rank src) const {
    const Rank p = header_.ranks;
    Block rest = block / p;
    if (ranks_in_blocks_ == 2) rest = rest / p * p + distances_.between(src, rest % p);
    return rest * p + distances_.between(src, block % p);
  }

  Runs moved_back(const BlockSet& set, Rank src, bool moves) {
    work_ += static_cast<std::uint64_t>(set.size());
    set.list(blocks_);
    if (moves)
      for (Block& block : blocks_) block = moved_back(block, src);
    return runs_of(blocks_);
  }

  ByteStream written(const Transfer& t) {
    const bool moves = is_movable(t);
    ByteStream out;
    out.put(moves ? static_cast<std::uint64_t>(ranks_in_blocks_) : 0);
    put_runs(out, moved_back(t.blocks, t.src, moves));
    out.put(t.landings == nullptr ? 0 : t.landings->size());
    if (t.landings == nullptr) return out;
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      out.put_signed(shift);
      put_runs(out, moved_back(set, t.src, moves));
    });
    return out;
  }

  const Header& header_;
  Distances distances_;
  int ranks_in_blocks_ = 0;  // how many ranks a block's number has
  Numbers numbers_;
  std::vector<Turned> turned_;
  std::vector<Block> blocks_;
  std::uint64_t work_ = 0;
};

/// A row without its set.
struct RowKey {
  Rank distance;
  int lane;
  Op op;
  Block size;
  std::uint64_t set;
  friend bool operator==(const RowKey&, const RowKey&) = default;
};

struct HashOfRow {
  std::size_t operator()(const RowKey& key) const {
    std::size_t hash = static_cast<std::size_t>(key.distance);
    for (const std::uint64_t part : {static_cast<std::uint64_t>(key.lane) * 2 + (key.op == Op::copy ? 1 : 0),
                                     static_cast<std::uint64_t>(key.size), key.set})
      hash = (hash ^ part) * 0x9e3779b97f4a7c15;
    return hash;
  }
};

/// The senders in ascending order, as runs of equal strides.
void put_senders(ByteStream& out, std::vector<Rank>& senders) {
  std::sort(senders.begin(), senders.end());
  ByteStream runs;
  std::uint64_t count = 0;
  Rank end = 0;
  for (std::size_t k = 0; k < senders.size();) {
    const Rank stride = k + 1 < senders.size() ? senders[k + 1] - senders[k] : 1;
    std::size_t next = k + 1;
    while (next < senders.size() && senders[next] - senders[next - 1] == stride) ++next;
    runs.put_signed(senders[k] - end);
    runs.put(static_cast<std::uint64_t>(stride));
    runs.put(next - k);
    end = senders[next - 1];
    k = next;
    ++count;
  }
  out.put(count);
  out.append(runs);
}

class Folding {
 public:
  explicit Folding(const Schedule& schedule)
      : schedule_(schedule), distances_(schedule.header().sides()), sets_(schedule.header()) {}

  Drawn<std::string> bytes() {
    for (int step = 0; step < schedule_.steps(); ++step) {
      TRY(collect(step));
      fold_step();
      if (sets_.numbers().bytes() + kinds_.bytes() + steps_.size() > most_folded_bytes ||
          sets_.work() > most_folded_work)
        return unsuitable("Its messages differ too much from each other: they would make this page too large.");
    }
    ByteStream out;
    sets_.numbers().put(out);
    kinds_.put(out);
    out.put(static_cast<std::uint64_t>(schedule_.steps()));
    out.append(steps_);
    return out.bytes();
  }

 private:
  Drawn<void> collect(int step) {
    rows_.clear();
    number_of_row_.clear();
    sets_.begin_step();
    std::optional<DrawError> wrong;
    schedule_.visit_transfers(step, [&](std::span<const Transfer> some) {
      stop_point();
      for (const Transfer& t : some)
        if (!wrong && !add(t))
          wrong = DrawError{DrawError::Kind::unsuitable,
                            fmt::format("At step {} rank {} sends to rank {}, but there is no such rank, or no such "
                                        "block: the steps can't be played.",
                                        step, t.src, t.dst)};
    });
    if (wrong) return tl::unexpected(*wrong);
    return {};
  }

  bool add(const Transfer& t) {
    const Header& header = schedule_.header();
    const auto exists = [&](Rank rank) { return rank >= 0 && rank < header.ranks; };
    if (!exists(t.src) || !exists(t.dst) || !t.blocks.inside(header.all_blocks())) return false;
    const RowKey key{distances_.between(t.src, t.dst), t.lane, t.op, t.blocks.size(), sets_.number(t)};
    const auto [place, is_new] = number_of_row_.emplace(key, rows_.size());
    if (is_new) rows_.push_back({key, {}});
    rows_[place->second].senders.push_back(t.src);
    return true;
  }

  void fold_step() {
    ByteStream kind;
    kind.put(rows_.size());
    for (Row& row : rows_) {
      kind.put(static_cast<std::uint64_t>(row.key.distance));
      kind.put(static_cast<std::uint64_t>(row.key.lane) * 2 + (row.key.op == Op::copy ? 1 : 0));
      kind.put(static_cast<std::uint64_t>(row.key.size));
      put_senders(kind, row.senders);
    }
    steps_.put(kinds_.of(kind));
    for (const Row& row : rows_) steps_.put(row.key.set);
  }

  struct Row {
    RowKey key;
    std::vector<Rank> senders;
  };

  const Schedule& schedule_;
  Distances distances_;
  Sets sets_;
  Numbers kinds_;
  ByteStream steps_;
  std::vector<Row> rows_;  // of the step
  std::unordered_map<RowKey, std::size_t, HashOfRow> number_of_row_;
};

}  // namespace

Drawn<std::string> folded_messages(const Schedule& schedule) {
  return Folding(schedule).bytes();
}

}  // namespace onceover::viz
