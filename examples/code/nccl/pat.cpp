// Prints a schedule of what NCCL's PAT does, from the iterators in a checkout's src/include/collectives.h:
//
//   g++ -std=c++17 -I examples/code/nccl/shim -I CHECKOUT/src/include examples/code/nccl/pat.cpp -o pat
//   verify --exec './pat {p} allgather' --p 2..130
//
// Arguments: p, allgather or reduce-scatter, then optionally how many blocks fit into a message (1), the depth that
// NCCL plans for (8, its NCCL_STEPS), and how many slots each connection really has (the depth).
//
// NCCL's kernels (src/device/prims_simple.h) run the steps that the iterators give out. Here as there a rank waits for
// messages and for empty slots, and what runs between two barriers sees what was before. A message's step in the
// schedule is one more than those of all that its sender had sent and received.
//
// A schedule can't say that a rank takes a slot for another block's, holds two sums of a block, leaves a message
// behind, or waits for ever. That is refused, with exit code 1.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectives.h"

namespace {

int ranks, fits, depth, slots;

struct Message {
  std::map<int, int> blocks = {};  // by their place in the slot
  std::set<int> read = {};
  int step = 0;
};

/// One direction of a pair of ranks. Slots are counted on, and reused modulo `slots`.
struct Connection {
  std::vector<Message> messages = std::vector<Message>(1);
  long sent = 0, taken = 0;

  Message& at(long slot) {
    if (slot >= static_cast<long>(messages.size())) messages.resize(static_cast<std::size_t>(slot) + 1);
    return messages[static_cast<std::size_t>(slot)];
  }
};

std::vector<std::string> steps;  // the transfers of each

void require(bool holds, int rank, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "p = %d, rank %d: %s\n", ranks, rank, what);
  std::exit(1);
}

template <class Algorithm, bool reduces>
class Rank {
 public:
  explicit Rank(int rank) : rank_(rank), algorithm_(fits, depth, 16, 0, 1, 1, 1, rank, ranks) {}

  /// Takes the next steps between two barriers, if all that they wait for is there.
  bool advance(std::vector<Rank>& all) {
    if (batch_.empty() && !is_done_) fetch();
    for (const ncclPatStep& step : batch_)
      if (!is_ready(all, step)) return false;
    if (batch_.empty()) return false;
    reached_before_ = reached_;
    std::set<std::pair<int, long>> written;
    for (const ncclPatStep& step : batch_) run(all, step, written);
    std::set<std::pair<bool, int>> posted;
    for (const ncclPatStep& step : batch_) post(all, step, posted);
    batch_.clear();
    return true;
  }

  void finish() const {
    require(is_done_, rank_, "waits for ever");
    require(has_result_, rank_, "leaves its own block out of its result");
    for (const auto& [dim, in] : in_) require(in.sent == in.taken, rank_, "leaves a message behind");
  }

 private:
  void fetch() {
    for (int k = 0; !is_done_ && (k % algorithm_.getParallelFactor() > 0 || batch_.empty()); ++k) {
      ncclPatStep step = {};
      algorithm_.getNextOp(&step);
      is_done_ = step.last == 2;
      if ((step.flags & PatSkipped) == 0) batch_.push_back(step);
    }
  }

  static int block(const ncclPatStep& step) { return static_cast<int>(reduces ? step.inpIx : step.outIx); }
  static long from_slot(const Connection& in, const ncclPatStep& step) {
    return in.taken + (reduces ? 0 : step.stepOffset);
  }
  static long to_slot(const Connection& out, const ncclPatStep& step) {
    return out.sent + (reduces ? step.stepOffset : 0);
  }
  int peer(int dim) const { return (rank_ + (reduces ? 1 : -1) * (1 << dim) % ranks + ranks) % ranks; }
  Connection& out(std::vector<Rank>& all, int dim) const { return all[static_cast<std::size_t>(peer(dim))].in_[dim]; }

  bool is_ready(std::vector<Rank>& all, const ncclPatStep& step) {
    if (step.recvDim >= 0 && from_slot(in_[step.recvDim], step) >= in_[step.recvDim].sent) return false;
    if (step.sendDim < 0) return true;
    const Connection& to = out(all, step.sendDim);
    return to_slot(to, step) < to.taken + slots;
  }

  /// Is this the first time that the rank comes to this place of a connection, as the kernels find out?
  bool is_new(int dim, long slot, int offset) {
    const long here = slot * fits + offset + 1;
    reached_[dim] = std::max(reached_[dim], here);
    return reached_before_[dim] < here;
  }

  void run(std::vector<Rank>& all, const ncclPatStep& step, std::set<std::pair<int, long>>& written) {
    receive(step);
    if (step.sendDim >= 0) write(all, step, written);
    if (reduces ? step.sendDim >= 0 : step.recvDim >= 0) return;
    require(block(step) == rank_, rank_, "has another block in its result");
    require(!reduces || written.insert({-1, 0}).second, rank_, "writes its result twice at once");
    has_result_ = true;
  }

  void receive(const ncclPatStep& step) {
    const int it = block(step);
    if (step.recvDim >= 0) {
      Connection& in = in_[step.recvDim];
      const long slot = from_slot(in, step);
      Message& message = in.at(slot);
      const auto found = message.blocks.find(step.recvOffset);
      require(found != message.blocks.end() && found->second == it, rank_, "takes a place for another block's");
      const bool is_first = message.read.insert(step.recvOffset).second;
      require(reduces ? is_first : is_new(step.recvDim, slot, step.recvOffset) == is_first, rank_,
              "takes a block twice, or never");
      clock_ = std::max(clock_, message.step);
    } else if (!reduces) {
      require(it == rank_, rank_, "sends its own block as another one");
    }
  }

  void write(std::vector<Rank>& all, const ncclPatStep& step, std::set<std::pair<int, long>>& written) {
    const int it = block(step);
    Connection& to = out(all, step.sendDim);
    const long slot = to_slot(to, step);
    require(step.sendOffset >= 0 && step.sendOffset < fits, rank_, "writes beside a slot");
    require(written.insert({step.sendDim, slot * fits + step.sendOffset}).second, rank_,
            "writes a place twice at once");
    const auto [place, is_first] = to.at(slot).blocks.emplace(step.sendOffset, it);
    require(place->second == it, rank_, "writes over another block");
    if (!reduces) return require(is_first, rank_, "writes over a block");
    require(it != rank_, rank_, "sends its result away");
    require(is_new(step.sendDim, slot, step.sendOffset) == is_first && is_first == gone_.insert(it).second, rank_,
            "has two sums of a block");
  }

  void post(std::vector<Rank>& all, const ncclPatStep& step, std::set<std::pair<bool, int>>& posted) {
    if (step.sendDim >= 0 && step.postSend) {
      require(posted.insert({true, step.sendDim}).second, rank_, "posts twice at once");
      Connection& to = out(all, step.sendDim);
      Message& message = to.at(to.sent++);
      message.step = ++clock_;
      tell(message, peer(step.sendDim));
    }
    if (step.recvDim >= 0 && step.postRecv) {
      require(posted.insert({false, step.recvDim}).second, rank_, "posts twice at once");
      Connection& in = in_[step.recvDim];
      const Message& message = in.at(in.taken++);
      require(message.read.size() == message.blocks.size(), rank_, "leaves a block behind");
    }
  }

  void tell(const Message& message, int to) const {
    if (static_cast<int>(steps.size()) < message.step) steps.resize(static_cast<std::size_t>(message.step));
    std::string& text = steps[static_cast<std::size_t>(message.step) - 1];
    std::string blocks;
    for (const auto& [offset, it] : message.blocks) blocks += (blocks.empty() ? "" : ",") + std::to_string(it);
    text += (text.empty() ? "" : ",\n  ") + ("{\"src\":" + std::to_string(rank_)) + ",\"dst\":" + std::to_string(to) +
            ",\"blocks\":[" + blocks + "],\"op\":\"" + (reduces ? "reduce" : "copy") + "\"}";
  }

  int rank_, clock_ = 0;
  Algorithm algorithm_;
  std::vector<ncclPatStep> batch_ = {};
  std::map<int, Connection> in_ = {};                       // by dimension
  std::map<int, long> reached_ = {}, reached_before_ = {};  // before the last barrier
  std::set<int> gone_ = {};                                 // the blocks of which a sum was begun
  bool is_done_ = false, has_result_ = false;
};

template <class Algorithm, bool reduces>
void run() {
  std::vector<Rank<Algorithm, reduces>> all;
  for (int r = 0; r < ranks; ++r) all.emplace_back(r);
  for (bool moves = true; moves;) {
    moves = false;
    for (auto& rank : all)
      while (rank.advance(all)) moves = true;
  }
  for (const auto& rank : all) rank.finish();
}

}  // namespace

int main(int count, char** arguments) {
  const auto number = [&](int k, int preset) { return k < count ? std::atoi(arguments[k]) : preset; };
  const std::string collective = count > 2 ? arguments[2] : "";
  ranks = number(1, 0), fits = number(3, 1), depth = number(4, 8), slots = number(5, depth);
  if (ranks < 2 || fits < 1 || depth < 1 || slots < 1 ||
      (collective != "allgather" && collective != "reduce-scatter")) {
    std::fprintf(stderr, "usage: pat P allgather|reduce-scatter [BLOCKS [DEPTH [SLOTS]]]\n");
    return 2;
  }
  if (collective == "allgather")
    run<PatAGAlgorithm<char>, false>();
  else
    run<PatRSAlgorithm<char>, true>();
  std::printf(
      "{\"format\":\"onceover-schedule\",\"version\":1,\"collective\":\"%s\",\"ranks\":%d,\"blocks\":%d,\n\"steps\":[",
      collective.c_str(), ranks, ranks);
  for (std::size_t k = 0; k < steps.size(); ++k) std::printf("%s\n [%s]", k == 0 ? "" : ",", steps[k].c_str());
  std::printf("\n]}\n");
}
