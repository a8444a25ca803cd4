// Does an allreduce end with every contribution exactly once? Uses a bitset of contributions for each rank and block.
//
//   dense_bitsets SCHEDULE_FILE
//
// Ends with 0 if it does, with 1 if it doesn't. If the operands of a reduction overlap, a contribution counts twice,
// and the check fails at once. Memory: ranks * blocks * ranks bits, and that of the JSON.

#include <cstdint>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

namespace {

struct Arrival {
  std::size_t rank;
  std::size_t block;
  bool reduce;
};

class Contributions {
 public:
  Contributions(std::size_t ranks, std::size_t blocks)
      : ranks_(ranks), blocks_(blocks), words_((ranks + 63) / 64), bits_(ranks * blocks * words_) {
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t block = 0; block < blocks; ++block) at(rank, block)[rank / 64] = std::uint64_t{1} << rank % 64;
  }

  /// Applies a step; what arrives is what its senders held before. False if a contribution arrives where it already is.
  bool apply(const nlohmann::json& step) {
    arrivals_.clear();
    in_flight_.clear();
    for (const auto& transfer : step) send(transfer);
    const std::uint64_t* value = in_flight_.data();
    for (const Arrival& arrival : arrivals_) {
      std::uint64_t* held = at(arrival.rank, arrival.block);
      for (std::size_t word = 0; word < words_; ++word, ++value) {
        if (arrival.reduce && (held[word] & *value) != 0) {
          std::cout << "fail: rank " << arrival.rank << " gets a contribution to block " << arrival.block << " twice\n";
          return false;
        }
        held[word] = arrival.reduce ? held[word] | *value : *value;
      }
    }
    return true;
  }

  bool complete() {
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      for (std::size_t block = 0; block < blocks_; ++block)
        if (!is_full(at(rank, block))) {
          std::cout << "fail: rank " << rank << " ends without all of block " << block << '\n';
          return false;
        }
    return true;
  }

 private:
  std::uint64_t* at(std::size_t rank, std::size_t block) { return &bits_[(rank * blocks_ + block) * words_]; }

  void send(const nlohmann::json& transfer) {
    const auto source = transfer.at("src").get<std::size_t>();
    const auto target = transfer.at("dst").get<std::size_t>();
    const bool reduce = transfer.at("op").get_ref<const std::string&>() == "reduce";
    for (const auto& entry : transfer.at("blocks")) {
      const auto first = (entry.is_array() ? entry.at(0) : entry).get<std::size_t>();
      const auto last = (entry.is_array() ? entry.at(1) : entry).get<std::size_t>();
      for (std::size_t block = first; block <= last; ++block) {
        arrivals_.push_back({target, block, reduce});
        in_flight_.insert(in_flight_.end(), at(source, block), at(source, block) + words_);
      }
    }
  }

  bool is_full(const std::uint64_t* held) const {
    for (std::size_t word = 0; word + 1 < words_; ++word)
      if (held[word] != ~std::uint64_t{0}) return false;
    return held[words_ - 1] == ~std::uint64_t{0} >> (words_ * 64 - ranks_);
  }

  std::size_t ranks_, blocks_, words_;
  std::vector<std::uint64_t> bits_;
  std::vector<Arrival> arrivals_;
  std::vector<std::uint64_t> in_flight_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: dense_bitsets SCHEDULE_FILE\n";
    return 2;
  }
  std::ifstream file(arguments[1]);
  const nlohmann::json schedule = nlohmann::json::parse(file);
  if (schedule.at("collective") != "allreduce") {
    std::cerr << "dense_bitsets: not an allreduce\n";
    return 2;
  }
  Contributions contributions(schedule.at("ranks").get<std::size_t>(), schedule.at("blocks").get<std::size_t>());
  for (const auto& step : schedule.at("steps"))
    if (!contributions.apply(step)) return 1;
  if (!contributions.complete()) return 1;
  std::cout << "pass\n";
}
