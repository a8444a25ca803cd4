// One table and one file for all ranks: SMPI copies a program for each rank, but loads a library once. Its ranks take
// turns in one thread, so nothing is locked.
//
// Elements next to each other mostly have one shape and ascending positions. So a list of elements is written as runs:
// a ring's message of a thousand elements is one run of two words. The file is written through a mapped window, which
// the system keeps when the process is killed.
//
// Example: rank 1 joins rank 0's contribution to its own at positions 0 .. 9. That is one new shape, leaf 0 + leaf 1,
// and one record of one run, (shape at position 0, 10).

#include "code/runtime/ledger.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr std::uint64_t position_mask = (std::uint64_t{1} << onceover_position_bits) - 1;
constexpr int ledger_is_full = 99;

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "onceover: %s\n", why);
  std::fflush(stderr);
  _exit(ledger_is_full);
}

/// A bijection of words in which every bit depends on every other (the finaliser of splitmix64).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Undoes `mix`; the factors are the inverses modulo 2^64.
std::uint64_t unmix(std::uint64_t x) {
  x = (x ^ (x >> 31) ^ (x >> 62)) * 0x319642b2d24d8ec3u;
  x = (x ^ (x >> 27) ^ (x >> 54)) * 0x96de1b173f119089u;
  return x ^ (x >> 30) ^ (x >> 60);
}

/// The file, of which a window is in memory.
class File {
 public:
  void open(const char* path, std::uint64_t limit) {
    limit_ = limit;
    file_ = ::open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file_ < 0) give_up("cannot create the ledger");
    map_window();
  }

  void append(std::uint64_t word) {
    if (used_ == window_words) map_window();
    window_[used_++] = word;
  }

 private:
  static constexpr std::size_t window_words = std::size_t{1} << 21;

  void map_window() {
    constexpr std::size_t bytes = window_words * sizeof(std::uint64_t);
    if (window_ != nullptr) munmap(window_, bytes);
    if (begin_ + bytes > limit_) give_up("the ledger is full");
    if (ftruncate(file_, static_cast<off_t>(begin_ + bytes)) != 0) give_up("cannot extend the ledger");
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(begin_));
    if (at == MAP_FAILED) give_up("cannot map the ledger");
    window_ = static_cast<std::uint64_t*>(at);
    begin_ += bytes;
    used_ = 0;
  }

  int file_ = -1;
  std::uint64_t limit_ = 0;
  std::uint64_t begin_ = 0;  // where the next window begins
  std::uint64_t* window_ = nullptr;
  std::size_t used_ = 0;
};

constexpr std::uint64_t at_no_position(std::uint64_t shape) {
  return shape << onceover_position_bits;
}

/// What is known of a rank: the call that it is in.
struct Place {
  std::uint64_t salt = 0;
  std::uint32_t positions = 0;
};

class Ledger {
 public:
  void open(const char* path, std::uint32_t ranks, std::uint64_t limit) {
    if (path_ == path) return;
    *this = Ledger();
    path_ = path;
    file_.open(path, limit);
    places_.resize(ranks);
    shapes_ = onceover_first_leaf + ranks;
  }

  void record(onceover_record kind, std::uint32_t rank, std::uint32_t count) {
    file_.append(static_cast<std::uint64_t>(kind) << 56 | static_cast<std::uint64_t>(rank) << 32 | count);
  }
  void word(std::uint64_t word) { file_.append(word); }

  void begin(std::uint32_t rank, std::uint32_t call, std::uint32_t positions) {
    places_[rank] = {mix(call + 1), positions};
    call_ = call;
    record(onceover_begin, rank, call);
  }

  /// Functions are at least 16 bytes apart, as compilers align them; of two that aren't, one is written down.
  void enter(std::uint32_t rank, std::uint64_t address) {
    const std::size_t place = address / 16;
    if (place >= entered_.size()) entered_.resize(place + 1024);
    if (entered_[place] == call_ + 1) return;
    entered_[place] = call_ + 1;
    const std::uint64_t inside = address + 1;  // as of calls, which return to what is behind them
    const std::uint64_t function = site(&inside, 1);
    record(onceover_function, rank, 0);
    file_.append(function);
  }

  void count_zeros() { has_numbers_ = true; }

  onceover_element encode(std::uint32_t rank, std::uint64_t word) const { return mix(word ^ places_[rank].salt); }

  /// The shape and position of an element, as a word; if it is none, what it is instead, at position 0.
  std::uint64_t decode(std::uint32_t rank, onceover_element element) const {
    if (element == 0 && has_numbers_) return at_no_position(onceover_zero);
    const std::uint64_t word = unmix(element) ^ places_[rank].salt;
    if (is_known(word, places_[rank].positions)) return word;
    if (element == 0) return at_no_position(onceover_cleared);
    if (element == unwritten) return at_no_position(onceover_unwritten);
    return at_no_position(is_of_earlier_call(element) ? onceover_stale : onceover_garbled);
  }

  /// The same of element k of a list. Bytes of two elements make none, but show when the list is read from elsewhere.
  std::uint64_t decode(std::uint32_t rank, const char* bytes, std::size_t k, std::size_t elements) const {
    onceover_element element;
    std::memcpy(&element, bytes + k * sizeof element, sizeof element);
    const std::uint64_t word = decode(rank, element);
    if (word != at_no_position(onceover_garbled)) return word;
    for (std::size_t shift = 1; shift < sizeof element; ++shift) {
      if (k + 1 == elements && k == 0) break;
      const char* const at = bytes + k * sizeof element;
      std::memcpy(&element, k + 1 < elements ? at + shift : at - shift, sizeof element);
      if (is_known(unmix(element) ^ places_[rank].salt, places_[rank].positions)) return at_no_position(onceover_split);
    }
    return word;
  }

  std::uint64_t join(std::uint64_t left, std::uint64_t right) {
    const std::uint64_t a = left >> onceover_position_bits, b = right >> onceover_position_bits;
    if (a == onceover_zero) return right;
    if (b == onceover_zero) return left;
    if (a == onceover_unjudged || b == onceover_unjudged) return at_no_position(onceover_unjudged);
    if (a == onceover_mismatch && b == onceover_mismatch) return at_no_position(onceover_mismatch);
    for (const std::uint64_t bad : {a, b})
      if (is_garbled(bad)) return at_no_position(bad);
    if (a < onceover_first_leaf || b < onceover_first_leaf) return at_no_position(onceover_garbled);
    if (((left ^ right) & position_mask) != 0) return at_no_position(onceover_mismatch);
    return sum(a, b) << onceover_position_bits | (left & position_mask);
  }

  /// Writes `elements` of memory as runs; `extra` words come between the head of the record and the runs.
  void runs(onceover_record kind, std::uint32_t rank, const void* data, std::size_t elements,
            std::initializer_list<std::uint64_t> extra = {}) {
    found_.clear();
    const auto* bytes = static_cast<const char*>(data);
    for (std::size_t k = 0; k < elements; ++k) add(decode(rank, bytes, k, elements));
    write_runs(kind, rank, extra);
  }

  void join_all(std::uint32_t rank, std::uint64_t site, const void* left, void* right, std::size_t elements) {
    found_.clear();
    const auto* a = static_cast<const char*>(left);
    auto* b = static_cast<char*>(right);
    bool is_odd = false;
    for (std::size_t k = 0; k < elements; ++k) {
      const std::uint64_t x = decode(rank, a, k, elements), y = decode(rank, b, k, elements), joined = join(x, y);
      if (!is_odd && is_bad(joined)) {
        record(onceover_odd_sum, rank, 0);
        file_.append(x);
        file_.append(y);
        is_odd = true;
      }
      const onceover_element sum = encode(rank, joined);
      std::memcpy(b + k * sizeof sum, &sum, sizeof sum);
      add(joined);
    }
    write_runs(onceover_join, rank, {site});
  }

  std::uint32_t group(const int* members, int size) {
    const std::vector<int> list(members, members + size);
    return groups_.try_emplace(list, static_cast<std::uint32_t>(groups_.size())).first->second;
  }

  std::uint64_t site(const std::uint64_t* addresses, int count) {
    std::vector<std::uint64_t> list(addresses, addresses + count);
    const auto [at, is_new] = sites_.try_emplace(std::move(list), sites_.size() + 1);
    if (is_new) {
      record(onceover_stack, 0, static_cast<std::uint32_t>(count));
      for (const std::uint64_t address : at->first) file_.append(address);
    }
    return at->second;
  }

 private:
  struct Run {
    std::uint64_t first;
    std::uint64_t length;
  };

  static constexpr onceover_element unwritten = ~onceover_element{0} / 0xFF * onceover_unwritten_byte;

  bool is_known(std::uint64_t word, std::uint32_t positions) const {
    return word >> onceover_position_bits < shapes_ && (word & position_mask) < positions;
  }

  bool is_of_earlier_call(onceover_element element) const {
    constexpr std::uint32_t remembered = 64;
    for (std::uint32_t call = call_ - std::min(call_, remembered); call < call_; ++call)
      if (const std::uint64_t word = unmix(element) ^ mix(call + 1);
          word >> onceover_position_bits >= onceover_first_leaf && is_known(word, 1u << 24))
        return true;
    return false;
  }

  static bool is_garbled(std::uint64_t shape) {
    return shape == onceover_garbled || (shape >= onceover_unwritten && shape <= onceover_cleared);
  }

  static bool is_bad(std::uint64_t word) { return word >> onceover_position_bits < onceover_first_leaf; }

  void add(std::uint64_t word) {
    if (!found_.empty() && found_.back().first + found_.back().length == word)
      ++found_.back().length;
    else
      found_.push_back({word, 1});
  }

  void write_runs(onceover_record kind, std::uint32_t rank, std::initializer_list<std::uint64_t> extra) {
    record(kind, rank, static_cast<std::uint32_t>(found_.size()));
    for (const std::uint64_t word : extra) file_.append(word);
    for (const Run& run : found_) {
      file_.append(run.first);
      file_.append(run.length);
    }
  }

  std::uint64_t sum(std::uint64_t left, std::uint64_t right) {
    const std::uint64_t operands = left << 32 | right;
    if (operands == last_operands_) return last_sum_;
    const auto [at, is_new] = sums_.try_emplace(operands, shapes_);
    if (is_new) {
      if (shapes_ == UINT32_MAX) give_up("there are too many different sums");
      ++shapes_;
      record(onceover_sum, 0, 0);
      file_.append(operands);
    }
    last_operands_ = operands;
    last_sum_ = at->second;
    return at->second;
  }

  std::string path_;
  bool has_numbers_ = false;
  File file_;
  std::vector<Place> places_;  // by rank
  std::uint32_t call_ = 0;
  std::vector<std::uint32_t> entered_;  // by place of a function: the last call in which it ran, from 1
  std::uint64_t shapes_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> sums_;  // by operands
  std::uint64_t last_operands_ = 0, last_sum_ = 0;
  std::map<std::vector<int>, std::uint32_t> groups_;
  std::map<std::vector<std::uint64_t>, std::uint64_t> sites_;
  std::vector<Run> found_;
};

Ledger ledger;
std::array<bool, onceover_defects> has_defect{};

std::uint64_t pair(int first, std::uint32_t second) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 | second;
}

void log_text(const char* text) {
  const std::size_t bytes = std::strlen(text);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text + at, std::min(sizeof word, bytes - at));
    ledger.word(word);
  }
}

}  // namespace

void onceover_open(const char* path, uint32_t ranks, uint64_t limit) {
  ledger.open(path, ranks, limit);
}

void onceover_has_numbers() {
  ledger.count_zeros();
}

void onceover_begin_call(uint32_t rank, uint32_t call, uint32_t positions) {
  ledger.begin(rank, call, positions);
}

onceover_element onceover_leaf(uint32_t rank, uint32_t position) {
  return ledger.encode(rank, std::uint64_t{onceover_first_leaf + rank} << onceover_position_bits | position);
}

onceover_element onceover_unset(uint32_t rank) {
  return ledger.encode(rank, at_no_position(onceover_nothing));
}

onceover_element onceover_unjudged_element(uint32_t rank) {
  return ledger.encode(rank, at_no_position(onceover_unjudged));
}

onceover_element onceover_zero_element(uint32_t rank) {
  return ledger.encode(rank, at_no_position(onceover_zero));
}

void onceover_join_all(uint32_t rank, uint64_t site, const void* left, void* right, size_t elements) {
  ledger.join_all(rank, site, left, right, elements);
}

uint64_t onceover_site(uint32_t rank, const uint64_t* addresses, int count) {
  const std::uint64_t site = ledger.site(addresses, count);
  onceover_is_at(rank, site);
  return site;
}

void onceover_enter(uint32_t rank, uint64_t address) {
  ledger.enter(rank, address);
}

uint32_t onceover_group(const int* members, int size) {
  return ledger.group(members, size);
}

void onceover_log_send(uint32_t rank, int peer, int tag, uint32_t group, uint32_t serial, uint64_t site,
                       const void* data, size_t bytes) {
  ledger.runs(onceover_send, rank, data, bytes / sizeof(onceover_element),
              {pair(peer, static_cast<std::uint32_t>(tag)), pair(static_cast<int>(group), serial), site});
}

void onceover_log_receive(uint32_t rank, int peer, int tag, uint32_t group, uint32_t serial, uint64_t site) {
  ledger.record(onceover_receive, rank, 0);
  ledger.word(pair(peer, static_cast<std::uint32_t>(tag)));
  ledger.word(pair(static_cast<int>(group), serial));
  ledger.word(site);
}

void onceover_log_done(uint32_t rank, uint32_t serial, int source, int tag) {
  ledger.record(onceover_done, rank, serial);
  ledger.word(pair(source, static_cast<std::uint32_t>(tag)));
}

void onceover_log_wait(uint32_t rank, uint64_t site) {
  ledger.record(onceover_wait, rank, 0);
  ledger.word(site);
}

void onceover_log_enter(uint32_t rank, uint64_t site, const char* name) {
  ledger.record(onceover_entered, rank, static_cast<std::uint32_t>(std::strlen(name)));
  ledger.word(site);
  log_text(name);
}

void onceover_log_leave(uint32_t rank) {
  ledger.record(onceover_left, rank, 0);
}

void onceover_log_on_world(uint32_t rank, uint32_t serial) {
  ledger.record(onceover_on_world, rank, serial);
}

void onceover_log_result(uint32_t rank, const void* data, size_t elements) {
  ledger.runs(onceover_result, rank, data, elements);
}

void onceover_log_numbers(uint32_t rank, const int64_t* numbers, size_t count) {
  ledger.record(onceover_numbers, rank, static_cast<std::uint32_t>(count));
  for (std::size_t k = 0; k < count; ++k) ledger.word(static_cast<std::uint64_t>(numbers[k]));
}

void onceover_log_beyond(uint32_t rank, uint64_t site, const char* text) {
  ledger.record(onceover_beyond, rank, static_cast<std::uint32_t>(std::strlen(text)));
  ledger.word(site);
  log_text(text);
}

void onceover_log_fault(uint32_t rank, const char* text) {
  ledger.record(onceover_fault, rank, static_cast<std::uint32_t>(std::strlen(text)));
  log_text(text);
}

void onceover_log_met(uint32_t rank, int defect, uint64_t site, uint32_t serial) {
  ledger.record(onceover_met, rank, static_cast<std::uint32_t>(defect));
  ledger.word(site);
  ledger.word(serial);
}

void onceover_set_defect(int defect) {
  has_defect[static_cast<std::size_t>(defect)] = true;
}

int onceover_has_defect(int defect) {
  return has_defect[static_cast<std::size_t>(defect)] ? 1 : 0;
}

void onceover_log_end(uint32_t rank) {
  ledger.record(onceover_end, rank, 0);
}
