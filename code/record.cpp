// One pass over the words of the ledger. A send and a receive belong together if they are the k-th between two ranks
// with one tag and one group, counting receives as they were posted: MPI's messages don't overtake each other.
//
// Example: rank 0 sends twice to rank 1 with tag 5, and rank 1 posts two receives of any source, of which the second is
// complete first. Both name rank 0 when they are complete; so the first posted gets what was sent first.

#include "code/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>

#include "code/runtime/ledger.h"

namespace onceover::code {

namespace {

/// A file of words in memory.
class MappedWords {
 public:
  explicit MappedWords(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      data_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0) close(file);
  }
  ~MappedWords() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  MappedWords(const MappedWords&) = delete;
  MappedWords& operator=(const MappedWords&) = delete;

  std::span<const std::uint64_t> words() const {
    if (data_ == MAP_FAILED) return {};
    return {static_cast<const std::uint64_t*>(data_), bytes_ / sizeof(std::uint64_t)};
  }

 private:
  void* data_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

std::uint32_t high(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}
std::uint32_t low(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}
int signed_high(std::uint64_t word) {
  return static_cast<int>(high(word));
}
int signed_low(std::uint64_t word) {
  return static_cast<int>(low(word));
}

/// Between which ranks, of which group, with which tag.
using Channel = std::tuple<Rank, Rank, std::uint32_t, int>;

class Reader {
 public:
  Reader(std::span<const std::uint64_t> words, Rank ranks) : words_(words), record_(ranks), ranks_(ranks) {
    for (Shape shape = 0; shape < onceover_first_leaf; ++shape) add_shape(Term::nothing, {0, 0});
    for (Rank r = 0; r < ranks; ++r) add_shape(record_.terms.leaf(r), {0, 0});
    where_.resize(static_cast<std::size_t>(ranks));
  }

  Result<Record> read() {
    while (at_ < words_.size() && words_[at_] != 0)
      if (!read_one() && !is_at_end())
        return tl::unexpected(
            Failure{ExitCode::unknown,
                    "code: what was written down breaks its own rules: did the code write to memory that "
                    "isn't its own?"});
    finish_call();
    return std::move(record_);
  }

 private:
  struct Receive {
    Rank rank;
    Rank src;  // as it was asked for
    int tag;
    std::uint32_t group;
    Posting posting;
    bool is_on_world = false;
  };
  /// A send or receive that a rank has posted in this call.
  struct Posted {
    bool is_send;
    std::size_t index;  // among the messages, or the receives
  };

  void add_shape(Term term, Record::Operands operands) {
    record_.term_of.push_back(term);
    record_.operands.push_back(operands);
  }

  /// Is nothing left? Then the last record was cut off when the process ended.
  bool is_at_end() const {
    return std::all_of(words_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, words_.size())), words_.end(),
                       [](std::uint64_t word) { return word == 0; });
  }

  bool has(std::size_t words) const { return words_.size() - at_ >= words; }
  CallRecord& call() { return record_.calls.back(); }

  bool read_one() {
    const std::uint64_t head = words_[at_++];
    const auto kind = static_cast<int>(head >> 56);
    const auto rank = static_cast<Rank>(head >> 32 & 0xFFFFFF);
    const std::uint32_t count = low(head);
    if (rank >= ranks_) return false;
    ++event_;
    if (kind == onceover_sum) return read_sum();
    if (kind == onceover_stack) return read_site(count);
    if (kind == onceover_begin) return begin(rank, count);
    if (kind == onceover_end) return ++record_.ended <= ranks_;
    if (record_.calls.empty()) return false;
    call().last_rank = rank;
    switch (kind) {
      case onceover_join: return read_joins(rank, count);
      case onceover_send: return read_send(rank, count);
      case onceover_receive: return read_receive(rank);
      case onceover_done: return read_done(rank, count);
      case onceover_wait: return read_wait(rank);
      case onceover_odd_sum: return read_odd_sum();
      case onceover_entered: return read_enter(rank, count);
      case onceover_left: return read_leave(rank);
      case onceover_on_world: return read_on_world(rank, count);
      case onceover_result: return read_result(rank, count);
      case onceover_fault: return read_fault(rank, count);
      case onceover_function: return read_function();
      case onceover_beyond: return read_beyond(rank, count);
      case onceover_numbers: return read_numbers(rank, count);
      case onceover_met: return read_met(rank, count);
      default: return false;
    }
  }

  bool read_sum() {
    if (!has(1)) return false;
    const std::uint64_t word = words_[at_++];
    if (std::max(high(word), low(word)) >= record_.term_of.size()) return false;
    const Term a = record_.term_of[high(word)], b = record_.term_of[low(word)];
    if (a == Term::nothing || b == Term::nothing) return false;
    add_shape(record_.terms.sum(a, b), {high(word), low(word)});
    return true;
  }

  bool read_site(std::uint32_t count) {
    if (!has(count)) return false;
    record_.sites.emplace_back(words_.begin() + static_cast<std::ptrdiff_t>(at_),
                               words_.begin() + static_cast<std::ptrdiff_t>(at_ + count));
    at_ += count;
    return true;
  }

  /// The first rank that begins a call begins it for all, because ranks wait for each other between calls.
  bool begin(Rank rank, std::uint32_t number) {
    if (!record_.calls.empty() && call().number == static_cast<int>(number)) {
      call().last_rank = rank;
      return true;
    }
    finish_call();
    CallRecord next{.number = static_cast<int>(number)};
    const auto ranks = static_cast<std::size_t>(ranks_);
    next.joins.resize(ranks);
    next.results.resize(ranks);
    next.inside.resize(ranks);
    next.numbers.resize(ranks);
    next.last_site.resize(ranks);
    next.last_rank = rank;
    record_.calls.push_back(std::move(next));
    return true;
  }

  bool is_site(Site site) const { return site < record_.sites.size(); }

  std::optional<std::vector<ElementRun>> runs(std::uint32_t count) {
    if (!has(2 * std::size_t{count})) return std::nullopt;
    std::vector<ElementRun> list;
    list.reserve(count);
    for (std::uint32_t k = 0; k < count; ++k, at_ += 2) {
      const std::uint64_t first = words_[at_], length = words_[at_ + 1];
      const std::uint64_t shape = first >> onceover_position_bits;
      if (shape >= record_.term_of.size() || length >= 1u << onceover_position_bits) return std::nullopt;
      const auto position = static_cast<std::uint32_t>(first & ((1u << onceover_position_bits) - 1));
      list.push_back({static_cast<Shape>(shape), position, static_cast<std::uint32_t>(length)});
    }
    return list;
  }

  bool read_joins(Rank rank, std::uint32_t count) {
    if (!has(1)) return false;
    const Site site = words_[at_++];
    if (!is_site(site)) return false;
    if (site != 0) ++call().sum_sites[site];
    const auto list = runs(count);
    if (!list) return false;
    auto& joins = call().joins[static_cast<std::size_t>(rank)];
    for (const ElementRun& run : *list)
      if (record_.is_term(run.shape)) add_run(joins[record_.term_of[run.shape]], run);
    add_sum({rank, site, event_, *list, std::exchange(odd_, std::nullopt)});
    return true;
  }

  /// Code that adds elements one by one makes one sum of them.
  void add_sum(Sum sum) {
    auto& sums = call().sums;
    const bool goes_on = !sums.empty() && sums.back().rank == sum.rank && sums.back().site == sum.site && !sum.odd &&
                         sum.runs.size() == 1 && sum.runs[0].length == 1;
    if (goes_on)
      add_run(sums.back().runs, sum.runs[0]);
    else
      sums.push_back(std::move(sum));
  }

  bool read_odd_sum() {
    if (!has(2)) return false;
    const auto operand = [&](std::uint64_t word) {
      return ElementRun{static_cast<Shape>(word >> onceover_position_bits),
                        static_cast<std::uint32_t>(word & ((1u << onceover_position_bits) - 1)), 1};
    };
    odd_ = {operand(words_[at_]), operand(words_[at_ + 1])};
    at_ += 2;
    return (*odd_)[0].shape < record_.term_of.size() && (*odd_)[1].shape < record_.term_of.size();
  }

  bool read_enter(Rank rank, std::uint32_t bytes) {
    if (!has(1)) return false;
    const Site site = words_[at_++];
    auto name = text(bytes);
    if (!name || !is_site(site)) return false;
    call().last_site[static_cast<std::size_t>(rank)] = site;
    call().inside[static_cast<std::size_t>(rank)] = {site, *std::move(name)};
    return true;
  }

  bool read_leave(Rank rank) {
    call().inside[static_cast<std::size_t>(rank)].reset();
    return true;
  }

  bool read_on_world(Rank rank, std::uint32_t serial) {
    const auto& posted = where_[static_cast<std::size_t>(rank)];
    const auto found = posted.find(serial);
    if (found == posted.end()) return false;
    if (found->second.is_send)
      call().messages[found->second.index].is_on_world = true;
    else
      receives_[found->second.index].is_on_world = true;
    return true;
  }

  /// Adds a run to those before it; code that adds elements one by one makes one run of them.
  static void add_run(std::vector<ElementRun>& runs, const ElementRun& run) {
    if (!runs.empty() && runs.back().shape == run.shape && runs.back().position + runs.back().length == run.position)
      runs.back().length += run.length;
    else
      runs.push_back(run);
  }

  void post(Rank rank, std::uint32_t serial, Posted posted, Site site) {
    where_[static_cast<std::size_t>(rank)][serial] = posted;
    call().last_site[static_cast<std::size_t>(rank)] = site;
  }

  bool read_send(Rank rank, std::uint32_t count) {
    if (!has(3)) return false;
    const std::uint64_t peer = words_[at_], serial = words_[at_ + 1], site = words_[at_ + 2];
    at_ += 3;
    auto list = runs(count);
    if (!list || !is_site(site)) return false;
    post(rank, low(serial), {true, call().messages.size()}, site);
    groups_.push_back(high(serial));
    call().messages.push_back(
        {rank, signed_high(peer), signed_low(peer), {site, event_, 0}, std::nullopt, false, false, std::move(*list)});
    return true;
  }

  bool read_receive(Rank rank) {
    if (!has(3)) return false;
    const std::uint64_t peer = words_[at_], serial = words_[at_ + 1], site = words_[at_ + 2];
    at_ += 3;
    if (!is_site(site)) return false;
    post(rank, low(serial), {false, receives_.size()}, site);
    receives_.push_back({rank, signed_high(peer), signed_low(peer), high(serial), {site, event_, 0}});
    return true;
  }

  bool read_done(Rank rank, std::uint32_t serial) {
    if (!has(1)) return false;
    const std::uint64_t word = words_[at_++];
    const auto& posted = where_[static_cast<std::size_t>(rank)];
    const auto found = posted.find(serial);
    if (found == posted.end()) return true;  // of an earlier call
    if (found->second.is_send) {
      SentMessage& message = call().messages[found->second.index];
      message.sent.complete = event_;
      message.was_changed = high(word) != 0;
    } else {
      Receive& receive = receives_[found->second.index];
      receive.posting.complete = event_;
      receive.src = signed_high(word);
      receive.tag = signed_low(word);
    }
    return true;
  }

  bool read_met(Rank rank, std::uint32_t defect) {
    if (!has(2) || defect >= onceover_defects) return false;
    const Site site = words_[at_];
    const std::uint32_t serial = low(words_[at_ + 1]);
    at_ += 2;
    call().met.push_back({rank, static_cast<int>(defect), site});
    if (defect != onceover_lost_starts) return is_site(site);
    const auto& posted = where_[static_cast<std::size_t>(rank)];
    const auto found = posted.find(serial);
    if (found == posted.end() || !found->second.is_send) return false;
    call().messages[found->second.index].may_be_lost = true;
    return is_site(site);
  }

  bool read_wait(Rank rank) {
    if (!has(1)) return false;
    const Site site = words_[at_++];
    call().last_site[static_cast<std::size_t>(rank)] = site;
    return is_site(site);
  }

  bool read_result(Rank rank, std::uint32_t count) {
    auto list = runs(count);
    if (!list) return false;
    call().results[static_cast<std::size_t>(rank)] = std::move(*list);
    return true;
  }

  std::optional<std::string> text(std::uint32_t bytes) {
    const std::size_t words = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    if (!has(words)) return std::nullopt;
    std::string text(reinterpret_cast<const char*>(words_.data() + at_), bytes);
    at_ += words;
    return text;
  }

  bool read_fault(Rank rank, std::uint32_t bytes) {
    const auto told = text(bytes);
    if (told) call().faults.push_back(fmt::format("rank {}: {}", rank, *told));
    return told.has_value();
  }

  bool read_function() {
    if (!has(1)) return false;
    const Site site = words_[at_++];
    call().functions.push_back(site);
    return is_site(site);
  }

  bool read_beyond(Rank rank, std::uint32_t bytes) {
    if (!has(1)) return false;
    const Site site = words_[at_++];
    auto told = text(bytes);
    if (!told || !is_site(site)) return false;
    call().beyond = {rank, site, *std::move(told)};
    return true;
  }

  bool read_numbers(Rank rank, std::uint32_t count) {
    if (!has(count)) return false;
    auto& numbers = call().numbers[static_cast<std::size_t>(rank)].emplace();
    for (const std::uint64_t word : words_.subspan(at_, count)) numbers.push_back(static_cast<std::int64_t>(word));
    at_ += count;
    return true;
  }

  void finish_call() {
    if (record_.calls.empty()) return;
    std::map<Channel, std::vector<std::size_t>> sends;  // in the order of sending, the next one last
    for (std::size_t m = call().messages.size(); m-- > 0;) {
      const SentMessage& message = call().messages[m];
      sends[{message.src, message.dst, groups_[m], message.tag}].push_back(m);
    }
    for (const Receive& receive : receives_) {
      if (receive.src == onceover_cancelled) continue;
      if (receive.posting.complete == 0) {
        call().waiting.push_back({receive.rank, receive.src, receive.tag, receive.posting.site, receive.is_on_world});
        continue;
      }
      const auto found = sends.find({receive.src, receive.rank, receive.group, receive.tag});
      if (found == sends.end() || found->second.empty()) {
        ++call().unseen;
        continue;
      }
      call().messages[found->second.back()].received = receive.posting;
      found->second.pop_back();
    }
    receives_.clear();
    groups_.clear();
    for (auto& posted : where_) posted.clear();
  }

  std::span<const std::uint64_t> words_;
  std::size_t at_ = 0;
  Record record_;
  Rank ranks_;
  std::size_t event_ = 0;
  std::optional<std::array<ElementRun, 2>> odd_ = {};   // of the sum that comes next
  std::vector<Receive> receives_;                       // of this call
  std::vector<std::uint32_t> groups_;                   // by message of this call
  std::vector<std::map<std::uint32_t, Posted>> where_;  // by rank, then by serial number
};

}  // namespace

Result<Record> read_record(const std::string& path, Rank ranks) {
  const MappedWords file(path);
  return Reader(file.words(), ranks).read();
}

}  // namespace onceover::code
