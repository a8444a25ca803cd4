// A program is judged in stages: are all messages matched, at which depth does it end, in which order, do operations
// race, what does execution in that order leave, and is that what the collective promises? A stage that fails may leave
// nothing for later ones: if a receive has no send, deadlock-free fails and exactly-once is unknown.
//
// Runtimes run one program in several ways: in place or out of place, with messages whole or in single chunks, the
// first chunk first or the last. Each way is judged separately, and each property keeps its worst finding. Only the
// depth of FIFOs that single chunks need doesn't weigh.
//
// Example: a program for both places, with messages of several chunks that may come in any order, is judged 2 * 3 = 6
// times.
//
// Each way costs what the header says. In single chunks a program may have many more operations; it is judged only up
// to 2^20 of them.

#include "programs/verify_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/sentences.h"
#include "formats/program.h"
#include "programs/program_faults.h"
#include "programs/program_result.h"

namespace onceover::programs {

namespace {

/// What an operation does wrong, and in which slot.
Counterexample told(const FaultKind& kind, const Program& program, OperationId id, const std::string& does,
                    std::string slot = {}) {
  return {.what = Counterexample::Told{kind,
                                       {fmt::format("{} {}", place_text(program, id), does)},
                                       {.slot = std::move(slot), .sites = {site_of(program, id)}}},
          .rank = at(program, id).rank};
}

/// The fault of an operation that names chunks that its buffer lacks, or that reads and writes overlapping chunks.
std::optional<Counterexample> range_fault(const Program& program, const Memory& memory, OperationId id) {
  const Operation& o = at(program, id);
  auto fault = [&](const std::string& why) { return told(range_fault_kind, program, id, why); };
  std::optional<Cell> source, target;
  for (const bool is_source : {true, false}) {
    if (!(is_source ? reads_source(o.instruction) : stores(o.instruction))) continue;
    const ChunkRange& range = is_source ? o.source : o.target;
    const auto cell = memory.cell(o.rank, range);
    if (!cell) {
      const Buffers& b = program.buffers[static_cast<std::size_t>(o.rank)];
      const std::int32_t size = range.buffer == Buffer::input    ? b.input
                                : range.buffer == Buffer::output ? b.output
                                                                 : b.scratch;
      return fault(fmt::format("{} {} from {} of its {} buffer, which has {}", is_source ? "reads" : "writes",
                               counted(static_cast<std::uint64_t>(range.count), "chunk"), range.first,
                               name(range.buffer), size));
    }
    (is_source ? source : target) = cell;
  }
  if (!source || !target || *source == *target) return std::nullopt;
  const std::int64_t distance = std::abs(std::int64_t{*source} - std::int64_t{*target});
  if (distance >= o.target.count) return std::nullopt;
  return fault("reads and writes chunks that overlap but aren't the same, so the result depends on their order");
}

/// How many chunks the operations read or write.
std::uint64_t accesses(const Program& program) {
  std::uint64_t all = 0;
  for (const Operation& o : program.operations)
    all += static_cast<std::uint64_t>(reads_source(o.instruction) ? o.source.count : 0) +
           static_cast<std::uint64_t>(stores(o.instruction) ? o.target.count : 0);
  return all;
}

/// The most accesses to chunks that are judged, whatever the budget: each may take 64 bytes.
constexpr std::uint64_t most_accesses = std::uint64_t{1} << 22;

/// The most chunks of memory that are judged, each of which takes 180 bytes: so many, and more with more operations. So
/// a short file can't take much memory.
std::uint64_t most_memory(const Program& program) {
  return (std::uint64_t{1} << 19) + 16 * program.operations.size();
}

/// The most operations on single chunks that are judged, whatever the budget.
constexpr std::uint64_t most_pieces = std::uint64_t{1} << 20;

/// The depth of FIFOs at which the program is judged.
Depth depth_of(const Program& program, const VerifyOptions& options) {
  return options.fifo ? options.fifo : program.guarantees.fifo;
}

/// Judges a program with its buffers shared or apart.
class Judge {
 public:
  Judge(const Program& program, bool in_place, const VerifyOptions& options)
      : program_(program),
        in_place_(in_place),
        options_(options),
        memory_(program, in_place),
        matching_(match(program)) {}

  Report report() {
    count();
    const bool is_matched = matching_.mismatches.empty() && program_.hangs.empty();
    if (is_matched) report_.program->fifo_depth = smallest_depth(program_, matching_);
    const auto smallest = report_.program->fifo_depth;
    find_range_faults();
    deadlock_ = judge_deadlock(program_, matching_, smallest, depth_of(program_, options_));
    race_ = {Verdict::unknown, "not judged: the program never ends"};
    for (Finding* finding : {&exactly_once_, &order_, &bits_}) *finding = race_;
    if (is_matched && smallest) judge_order();
    if (faults_ > 0) fail_all_data();
    return finished();
  }

 private:
  void count() {
    ProgramMetrics m;
    m.operations = program_.operations.size();
    m.connections = program_.connections.size();
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(program_.ranks));
    for (std::size_t k = 0; k < program_.operations.size(); ++k) {
      const Operation& o = program_.operations[k];
      const Operation* before = k > 0 ? &program_.operations[k - 1] : nullptr;
      if (before == nullptr || before->rank != o.rank || before->thread != o.thread) ++m.threads;
      if (!sends(o.instruction)) continue;
      report_.metrics.messages += o.is_part ? 0 : 1;
      report_.metrics.block_transfers += run_size(o);
      sent[static_cast<std::size_t>(o.rank)] += run_size(o);
    }
    report_.metrics.blocks_sent_min = *std::min_element(sent.begin(), sent.end());
    report_.metrics.blocks_sent_max = *std::max_element(sent.begin(), sent.end());
    report_.program = m;
  }

  void find_range_faults() {
    for (OperationId id = 0; id < static_cast<OperationId>(program_.operations.size()); ++id)
      if (auto fault = range_fault(program_, memory_, id)) {
        ++faults_;
        if (!fault_) fault_ = std::move(fault);
      }
  }

  /// Judges what needs an order of the operations.
  void judge_order() {
    const std::vector<Edge> all = edges(program_, matching_, std::nullopt);
    const std::vector<Event> order = *order_of(event_count(program_), all);
    const std::vector<std::uint32_t> before = messages_before(all, order);
    if (!before.empty()) report_.program->rounds = *std::max_element(before.begin(), before.end());
    if (const auto why = beyond_budget()) {
      unexecuted_ = *why;
      for (Finding* finding : {&race_, &exactly_once_, &order_, &bits_})
        *finding = {Verdict::unknown, "not judged: " + unexecuted_};
      return;
    }
    const Races races = find_races(program_, memory_, reliable_edges(program_, matching_), order);
    race_ = judge_races(program_, memory_, races);
    if (faults_ > 0 || !program_.has_data) return;
    ProgramExecution execution(program_, memory_);
    if (const auto unset = execution.run(order, matching_)) return note_unset(*unset);
    is_executed_ = true;
    judge_results(execution);
    if (race_.verdict == Verdict::pass) return;
    for (Finding* finding : {&exactly_once_, &order_, &bits_})
      if (finding->verdict == Verdict::pass)
        *finding = {Verdict::unknown, race_.verdict == Verdict::fail
                                          ? "not judged: operations race, so the result depends on the timing"
                                          : "not judged: it isn't known whether operations race"};
  }

  /// Why executing the program would take too long, or too much memory; nothing if it wouldn't.
  std::optional<std::string> beyond_budget() const {
    if (const std::uint64_t chunks = memory_.cells(), most = most_memory(program_); program_.has_data && chunks > most)
      return fmt::format("the buffers have {} chunks, more than the {} that are judged with {}", chunks, most,
                         counted(program_.operations.size(), "operation"));
    if (const std::uint64_t moved = accesses(program_), most = std::min(options_.budget, most_accesses); moved > most)
      return fmt::format("the operations read and write {} chunks, more than the {} that are judged at most", moved,
                         most);
    return std::nullopt;
  }

  /// A caller who runs a collective out of place wants to keep the input.
  Finding input_preserved() const {
    std::optional<Counterexample> first;
    std::uint64_t writes = 0;
    for (OperationId id = 0; id < static_cast<OperationId>(program_.operations.size()); ++id) {
      const Operation& o = at(program_, id);
      if (!stores(o.instruction) || o.target.buffer != Buffer::input) continue;
      ++writes;
      if (!first) first = overwriting(id);
    }
    if (writes == 0) return {Verdict::pass, "no operation writes to an input"};
    return {Verdict::fail, fmt::format("{} operation{} to an input", writes, writes == 1 ? " writes" : "s write"),
            std::move(first), writes};
  }

  Counterexample overwriting(OperationId id) const {
    const Operation& o = at(program_, id);
    const std::string slot = fmt::format("i[{}]", o.target.first);
    return told(overwritten_fault, program_, id,
                fmt::format("writes {}, the user's input, which an out-of-place call must not change", slot), slot);
  }

  void note_unset(const Unset& unset) {
    const Rank rank = at(program_, unset.operation).rank;
    faults_ = 1;
    const std::string slot = memory_.text(rank, unset.cell);
    fault_ = told(unset_fault, program_, unset.operation,
                  fmt::format("reads {}, which nothing has written by then", slot), slot);
  }

  void judge_results(const ProgramExecution& execution) {
    const ProgramResult result(program_, memory_, execution, options_.budget);
    report_.metrics.term_depth = result.term_depth();
    exactly_once_ = result.exactly_once();
    if (exactly_once_.verdict == Verdict::pass) {
      order_ = result.order_preserving();
    } else {
      order_ = {Verdict::unknown, "not judged: not exactly once"};
    }
    bits_ = result.bitwise_reproducible();
  }

  void fail_all_data() {
    exactly_once_ = {Verdict::fail, std::string(not_well_formed), fault_, faults_};
    order_ = bits_ = {Verdict::unknown, "not judged: not well-formed"};
  }

  Finding well_formed() const {
    if (faults_ > 0)
      return {Verdict::fail, fmt::format("{} operations have no defined meaning", faults_), fault_, faults_};
    if (!is_executed_ && program_.has_data)
      return {
          Verdict::unknown,
          "all chunks that are named exist; whether each is written before it is read isn't judged: " + unexecuted_};
    return {Verdict::pass, fmt::format("all {} operations", program_.operations.size())};
  }

  void add(const Property& p, Finding finding) {
    report_.properties.push_back(result_on(p, std::move(finding), options_));
  }

  Report finished() {
    report_.scope = "every chunk";
    add(well_formed_property, well_formed());
    add(deadlock_free_property, std::move(deadlock_));
    if (program_.has_data) {
      add(race_free_property, std::move(race_));
      if (!in_place_) add(input_preserved_property, input_preserved());
      add(exactly_once_property, std::move(exactly_once_));
      add(order_preserving_property, std::move(order_));
      add(bitwise_reproducible_property, std::move(bits_));
    }
    for (const Property& p : properties())
      if (asks_for(options_.required, p) && report_.find(p) == nullptr && !is_asked_out_of_place(p))
        add(p, {Verdict::unknown, std::string(why_unjudged(p))});
    return std::move(report_);
  }

  /// Is the property judged when the same program is judged out of place?
  bool is_asked_out_of_place(const Property& p) const {
    return program_.either_place && p.id == input_preserved_property.id;
  }

  static std::string_view why_unjudged(const Property& p) {
    if (p.id == input_preserved_property.id) return "not judged: in place, the result takes the place of the input";
    if (p.subjects == Subjects::plans) return "not judged: this is about plans of MSCCL++";
    if (p.subjects == Subjects::messages) return "not judged: this is about sends, which GOAL and code over MPI have";
    return p.subjects == Subjects::libraries
               ? "not judged: this is about running libraries"
               : "not judged: this is about the steps of schedules, and a program has none";
  }

  const Program& program_;
  bool in_place_;
  const VerifyOptions& options_;
  Memory memory_;
  Matching matching_;
  std::uint64_t faults_ = 0;
  std::optional<Counterexample> fault_;
  bool is_executed_ = false;
  std::string unexecuted_ = "the program never ends";  // why the program isn't executed, if it isn't
  Finding deadlock_, race_, exactly_once_, order_, bits_;
  Report report_;
};

/// Takes over the findings of another way of running that are worse, or that only this way has.
void worsen(Report& report, Report other, std::string_view way) {
  for (std::size_t k = 0; k < other.properties.size(); ++k) {
    PropertyResult& there = other.properties[k];
    auto here = std::find_if(report.properties.begin(), report.properties.end(),
                             [&](const PropertyResult& p) { return p.id == there.id; });
    if (here != report.properties.end() && worse(there.verdict, here->verdict) == here->verdict) continue;
    if (here == report.properties.end())
      here = report.properties.insert(report.properties.begin() + static_cast<std::ptrdiff_t>(k), std::move(there));
    else
      *here = std::move(there);
    here->summary = fmt::format("{}: {}", way, here->summary);
    if (here->counterexample) here->counterexample->ways.emplace_back(way);
  }
}

/// A property that couldn't be judged can't pass.
void set_unjudged(Report& report, const std::string& why) {
  for (PropertyResult& p : report.properties)
    if (p.verdict == Verdict::pass && p.id != well_formed_property.id && p.id != input_preserved_property.id)
      static_cast<Finding&>(p) = {Verdict::unknown, why};
}

constexpr std::string_view apart = "out of place";
constexpr std::string_view cut = "with messages in single chunks";
constexpr std::string_view cut_downward = "with messages in single chunks, the last first";

/// Judges the program with whole messages.
Report judge_places(const Program& program, const VerifyOptions& options) {
  Report report = Judge(program, program.in_place, options).report();
  if (program.either_place) worsen(report, Judge(program, false, options).report(), apart);
  return report;
}

std::string scope_of(const Program& program, bool is_cut) {
  const std::string_view places = program.either_place ? "in place and out of place"
                                  : program.in_place   ? "in place"
                                                       : "out of place";
  return fmt::format("every chunk, {}{}", places, is_cut ? ", messages whole and in single chunks" : "");
}

/// Mentions the depth that FIFOs need in single chunks, which doesn't weigh. Whether messages come in pieces, and how
/// many of these find room, depends on the sizes of buffers and of the runtime's FIFOs. That the program ends at all
/// weighs.
void tell_depth(Report& report, Report& other, Depth depth) {
  const auto needed = other.program->fifo_depth;
  if (!needed) return;
  *other.find(deadlock_free_property) = *report.find(deadlock_free_property);
  if (depth && *needed > std::max(*depth, report.program->fifo_depth.value_or(*needed)))
    report.find(deadlock_free_property)->summary +=
        fmt::format("; {}, only with {} or more, which doesn't change the verdict", cut, depth_text(*needed));
}

/// Judges the program in single chunks, as runtimes run it if buffers are large. If the chunks of a message don't wait
/// for each other, only what both of their orders order is ordered.
void judge_cut(Report& report, const Program& program, std::uint64_t pieces, const VerifyOptions& options) {
  const std::uint64_t most = std::min(options.budget, most_pieces);
  if (pieces > most)
    return set_unjudged(
        report,
        fmt::format("not judged {}: these would be {}, more than the {} that are judged at most", cut, pieces, most));
  Report upward = judge_places(in_single_chunks(program), options);
  tell_depth(report, upward, depth_of(program, options));
  worsen(report, std::move(upward), cut);
  if (program.guarantees.chunks_in_order) return;
  Report downward = judge_places(in_single_chunks(program, ChunkOrder::downward), options);
  if (downward.program->fifo_depth) *downward.find(deadlock_free_property) = *report.find(deadlock_free_property);
  worsen(report, std::move(downward), cut_downward);
}

}  // namespace

Report verify(const Program& program, const VerifyOptions& options) {
  Report report = judge_places(program, options);
  const std::uint64_t pieces = operations_in_single_chunks(program);
  const bool is_cut = pieces > program.operations.size();
  if (is_cut) judge_cut(report, program, pieces, options);
  report.scope = scope_of(program, is_cut);
  report.verdict = required_verdict(report.properties);
  return report;
}

}  // namespace onceover::programs
