// An operation is one line, in which its three events happen, or two if others may come between them: then a plain send
// has sent when it has begun, and all others do everything when they end.
//
// At its middle, an operation says what it knows of other threads, as far as that is new. Most ranks are ordered
// by their own operations alone; then nobody else need know of their threads.

#include "programs/program_certificate.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/program.h"
#include "programs/races.h"
#include "programs/verify_program.h"

namespace onceover::programs {

namespace {

using Reason = tl::unexpected<std::string>;

/// Writes the order of a program, and the knowledge that orders its accesses.
class ProgramOrder {
 public:
  ProgramOrder(const Program& program, Depth depth)
      : program_(program),
        matching_(match(program)),
        edges_(edges(program, matching_, depth)),
        reliable_(reliable_edges(program, matching_)),
        claims_(program.operations.size()) {}

  tl::expected<std::string, std::string> text() {
    const auto order = order_of(event_count(program_), edges(program_, matching_, std::nullopt));
    if (!order) return Reason("its operations have no order");
    const ClockMaker clocks(program_, reliable_, *order);
    name_operations(clocks.marks());
    if (program_.has_data && !claim_all(clocks, *order)) return Reason("the program is too large");
    auto lines = sorted_lines();
    if (!lines) return Reason("its operations wait for parts of each other");
    return *std::move(lines);
  }

 private:
  OperationId size() const { return static_cast<OperationId>(program_.operations.size()); }
  bool is_goal() const { return !program_.threads_are_ordered; }

  /// In MSCCL XML by thread block and step; in GOAL by chain and place in the rank's text.
  void name_operations(const ThreadMarks& marks) {
    names_.resize(program_.operations.size());
    for (Rank r = 0; r < program_.ranks; ++r) {
      std::vector<ChainName>& chains = chains_.emplace_back(marks.chains(r));
      std::vector<OperationId> whole;
      for (OperationId id = marks.begin(r); id < marks.end(r); ++id) {
        if (!at(program_, id).is_part) whole.push_back(id);
        ChainName& own = chains[marks.thread(id)];
        own.thread = is_goal() ? marks.thread(id) : static_cast<std::uint32_t>(at(program_, id).thread);
        own.lines.push_back((own.lines.empty() ? 0 : own.lines.back()) + (at(program_, id).is_part ? 0 : 1));
        if (ends_early(program_, id)) chains[marks.at(middle_of(id)).chain] = {own.thread, true};
      }
      if (is_goal())
        std::sort(whole.begin(), whole.end(), [&](OperationId a, OperationId b) {
          return std::pair(at(program_, a).line, at(program_, a).column) <
                 std::pair(at(program_, b).line, at(program_, b).column);
        });
      for (std::size_t k = 0; k < whole.size(); ++k) {
        const Operation& o = at(program_, whole[k]);
        names_[static_cast<std::size_t>(whole[k])] = is_goal() ? fmt::format("{} {} {}", r, marks.thread(whole[k]), k)
                                                               : fmt::format("{} {} {}", r, o.thread, o.number);
      }
    }
  }

  /// For each rank, how its accesses are ordered, whether or not input and output share memory.
  bool claim_all(const ClockMaker& clocks, const std::vector<Event>& order) {
    std::vector<OrderedBy> by(static_cast<std::size_t>(program_.ranks), OrderedBy::threads);
    for (const bool in_place : {true, false}) {
      if (in_place ? !program_.in_place : program_.in_place && !program_.either_place) continue;
      const Races races = find_races(program_, Memory(program_, in_place), reliable_, order);
      if (races.is_too_large) return false;
      for (std::size_t r = 0; r < by.size(); ++r) by[r] = std::max(by[r], races.ordered_by[r]);
    }
    for (Rank r = 0; r < program_.ranks; ++r)
      if (by[static_cast<std::size_t>(r)] != OrderedBy::threads &&
          !claim(clocks, r, by[static_cast<std::size_t>(r)] == OrderedBy::rank))
        return false;
    return true;
  }

  /// Adds what operations know of a rank's threads that they haven't known before.
  bool claim(const ClockMaker& clocks, Rank rank, bool is_home) {
    const ThreadMarks& marks = clocks.marks();
    const OperationId begin = is_home ? marks.begin(rank) : 0, end = is_home ? marks.end(rank) : size();
    std::vector<Event> kept;
    for (OperationId id = begin; id < end; ++id) kept.push_back(middle_of(id));
    const auto known = is_home ? clocks.at_home(rank, kept) : clocks.everywhere(rank, kept);
    if (!known) return false;
    std::vector<std::uint32_t> last;
    for (OperationId id = begin; id < end; ++id) {
      const bool goes_on =
          id > begin && at(program_, id).rank == at(program_, id - 1).rank && marks.thread(id) == marks.thread(id - 1);
      if (!goes_on) last.assign(marks.chains(rank), 0);
      if (at(program_, id).is_part) continue;
      for (std::uint32_t chain = 0; chain < marks.chains(rank); ++chain) {
        const ChainName& name = chains_[static_cast<std::size_t>(rank)][chain];
        const bool is_own = at(program_, id).rank == rank &&
                            name.thread == chains_[static_cast<std::size_t>(rank)][marks.thread(id)].thread;
        if (is_own) continue;
        const std::uint32_t now = in_lines(name, known->known(middle_of(id), chain));
        if (now > last[chain])
          claims_[static_cast<std::size_t>(id)] +=
              fmt::format(" {}.{}{}:{}", rank, name.thread, name.is_of_reads ? "r" : "", now);
        last[chain] = std::max(last[chain], now);
      }
    }
    return true;
  }

  /// A chain as certificates know it: a thread, or its reads that may come after their operations.
  struct ChainName {
    std::uint32_t thread = 0;
    bool is_of_reads = false;
    std::vector<std::uint32_t> lines = {};  // by operation of the thread: how many operations up to it aren't parts
  };

  /// How far the chain is in lines, if it is so far in operations. A line may be several: the parts of a message.
  std::uint32_t in_lines(const ChainName& name, std::uint32_t value) const {
    if (!is_goal() || value == 0) return value;
    const std::size_t last = (value - 1) / 2;
    const bool is_whole = last + 1 == name.lines.size() || name.lines[last + 1] > name.lines[last];
    return 2 * (is_whole ? name.lines[last] : name.lines[last] - 1);
  }

  /// May something come between the events of an operation?
  bool are_cut() const {
    return std::any_of(edges_.begin(), edges_.end(), [](const Edge& e) { return e.why == Why::partner; }) ||
           std::any_of(program_.dependencies.begin(), program_.dependencies.end(),
                       [](const Dependency& d) { return d.on_start; });
  }

  std::optional<std::string> sorted_lines() const {
    CertificateLines lines(event_count(program_));
    const bool cut = are_cut();
    for (OperationId id = 0; id < size();) {
      const OperationId end = id + static_cast<OperationId>(parts_of(program_, id).size());
      const std::string& name = names_[static_cast<std::size_t>(id)];
      const bool is_sent_first = at(program_, id).instruction == Instruction::send;
      const std::string& known = claims_[static_cast<std::size_t>(id)];
      const std::size_t first =
          lines.add((cut ? "begin " : "run ") + name + (cut && !is_sent_first ? std::string() : known));
      const std::size_t last = cut ? lines.add("end " + name + (is_sent_first ? std::string() : known)) : first;
      lines.order(first, last);
      for (Event e = begin_of(id); e < begin_of(end); ++e) {
        const bool is_first = e == begin_of(id) || (is_sent_first && e != end_of(end - 1));
        lines.put(e, is_first ? first : last);
      }
      id = end;
    }
    return lines.sorted(edges_);
  }

  const Program& program_;
  const Matching matching_;
  const std::vector<Edge> edges_;
  const std::vector<Edge> reliable_;
  std::vector<std::string> names_;              // by operation
  std::vector<std::string> claims_;             // by operation
  std::vector<std::vector<ChainName>> chains_;  // by rank
};

std::string fifo_text(Depth depth) {
  return depth ? fmt::format("{}", *depth) : "any";
}

/// Adds the order of a program at a depth, or says why there is none.
std::optional<std::string> add_order(std::string& text, std::string_view pieces, const Program& program, Depth depth) {
  if (!program.hangs.empty() || !match(program).mismatches.empty()) return "its messages or waits don't match";
  const auto lines = ProgramOrder(program, depth).text();
  if (!lines) return lines.error();
  text += fmt::format("order {} fifo {}\n{}", pieces, fifo_text(depth), *lines);
  return std::nullopt;
}

}  // namespace

tl::expected<std::string, std::string> program_certificate(const Program& program, Depth fifo) {
  if (!program.initial_copies.empty()) return Reason("chunks are copied before the start");
  const Depth depth = fifo ? fifo : program.guarantees.fifo;
  std::string text = fmt::format("onceover-program-certificate 1\nprofile {}\n", program.runtime->profile);
  if (const auto why = add_order(text, "whole", program, depth)) return Reason(*why);
  if (operations_in_single_chunks(program) == program.operations.size()) return text;
  for (const ChunkOrder chunks : {ChunkOrder::upward, ChunkOrder::downward}) {
    if (chunks == ChunkOrder::downward && program.guarantees.chunks_in_order) continue;
    const Program cut = in_single_chunks(program, chunks);
    const auto smallest = smallest_depth(cut, match(cut));
    const Depth deep = depth && smallest ? std::max(depth, smallest) : depth;
    if (const auto why = add_order(text, chunks == ChunkOrder::upward ? "upward" : "downward", cut, deep))
      return Reason(*why);
  }
  return text;
}

tl::expected<std::string, std::string> program_certificate(const GoalFile& goal, Depth fifo) {
  const Program program = goal.program.has_data ? goal.program : without_data(goal);
  std::string text = "onceover-program-certificate 1\n";
  if (const auto why = add_order(text, "whole", program, fifo ? fifo : program.guarantees.fifo)) return Reason(*why);
  return text;
}

}  // namespace onceover::programs
