// A thread of PTX, interpreted as plainly as can be, up to its next access of memory. For judges of whole kernels: it
// shares the reader of PTX with the engine, and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gpu/launch/launch.h"

namespace onceover::gpu {

/// Four bytes: bits, and what they are made of. 0: no input had a part in it.
struct PlainWord {
  std::uint32_t bits = 0;
  int term = 0;

  friend bool operator==(const PlainWord&, const PlainWord&) = default;
};

/// A register of up to eight bytes.
struct PlainValue {
  PlainWord low;
  PlainWord high;

  std::uint64_t bits() const { return low.bits | std::uint64_t{high.bits} << 32; }
  bool has_term() const { return low.term != 0 || high.term != 0; }
  friend bool operator==(const PlainValue&, const PlainValue&) = default;
};

/// Terms over input elements; equal ones have equal numbers.
class PlainTerms {
 public:
  enum class Kind : std::uint8_t { none, leaf, unwritten, sum, other };
  struct Node {
    Kind kind = Kind::none;
    std::vector<std::int64_t> of;  // a leaf: buffer, element, call; a sum: two terms; other: what it was made of
    friend auto operator<=>(const Node&, const Node&) = default;
  };

  PlainTerms() : nodes_(1) {}
  int made(const Node& node);
  const Node& operator[](int term) const { return nodes_[static_cast<std::size_t>(term)]; }
  bool is_unwritten(int term) const;

 private:
  std::vector<Node> nodes_;
  std::map<Node, int> known_;
};

/// What can't be judged, or is wrong by itself.
struct PlainProblem {
  bool is_wrong;  // else it can't be judged
  std::string what;
};

/// Where a thread is.
struct PlainPlace {
  Rank rank = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t call = 0;
};

struct PlainThread {
  PlainPlace place;
  const KernelRun* run = nullptr;
  const ptx::Function* function = nullptr;
  std::vector<std::uint8_t> arguments;
  std::vector<PlainValue> registers;
  std::int32_t pc = 0;
};

/// Runs computations and branches, up to an access of memory, a fence, a barrier or the end, where the thread then is.
/// Adds the lines that it comes to. Throws PlainProblem.
void run_plainly(PlainThread& thread, PlainTerms& terms, std::set<std::uint32_t>& lines);

/// The address of an access: of its operand `at`.
std::uint64_t address_at(const PlainThread& thread, const PlainTerms& terms, std::size_t at);
PlainValue value_at(const PlainThread& thread, const ptx::PtxOperand& operand);
PlainWord added(PlainTerms& terms, PlainWord a, PlainWord b);

inline const ptx::PtxInstruction& instruction_of(const PlainThread& thread) {
  return thread.function->instructions[static_cast<std::size_t>(thread.pc)];
}
bool has_word(const ptx::PtxInstruction& instruction, const char* word);

/// By instructions: the registers that are needed when it begins.
std::vector<std::vector<bool>> needed_in(const ptx::Function& function);

}  // namespace onceover::gpu
