#include "verifier/verify_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "schedules/single_chunks.h"
#include "verifier/deadlock.h"
#include "verifier/program_result.h"
#include "verifier/races.h"

namespace onceover {

namespace {

const Operation& at(const Program& program, OperationId id) {
  return program.operations[static_cast<std::size_t>(id)];
}

/// An operation that names chunks that its buffer hasn't got, or reads and writes overlapping chunks.
std::optional<Counterexample> slot_fault(const Program& program, const Memory& memory, OperationId id) {
  const Operation& o = at(program, id);
  auto fault = [&](const std::string& why) {
    Counterexample c{.kind = Counterexample::Kind::no_slot, .rank = o.rank};
    c.sites = {site_of(program, id)};
    c.told = {fmt::format("{} {}", place_text(program, id), why)};
    return c;
  };
  std::optional<Cell> source, target;
  for (const bool is_source : {true, false}) {
    if (!(is_source ? reads_source(o.act) : stores(o.act))) continue;
    const Slots& slots = is_source ? o.source : o.target;
    const auto cell = memory.cell(o.rank, slots);
    if (!cell) {
      const Buffers& b = program.buffers[static_cast<std::size_t>(o.rank)];
      const std::int32_t size = slots.buffer == Buffer::input    ? b.input
                                : slots.buffer == Buffer::output ? b.output
                                                                 : b.scratch;
      return fault(fmt::format("{} {} chunk{} from {} of its {} buffer, which has {}", is_source ? "reads" : "writes",
                               slots.count, slots.count == 1 ? "" : "s", slots.first, name(slots.buffer), size));
    }
    (is_source ? source : target) = cell;
  }
  if (!source || !target || *source == *target) return std::nullopt;
  const std::int64_t distance = std::abs(std::int64_t{*source} - std::int64_t{*target});
  if (distance >= o.target.count) return std::nullopt;
  return fault("reads and writes chunks that overlap but aren't the same, so the result depends on their order");
}

/// Chunks that the operations read or write.
std::uint64_t accesses(const Program& program) {
  std::uint64_t all = 0;
  for (const Operation& o : program.operations)
    all += static_cast<std::uint64_t>(reads_source(o.act) ? o.source.count : 0) +
           static_cast<std::uint64_t>(stores(o.act) ? o.target.count : 0);
  return all;
}

/// Chunk accesses that are judged at most, whatever the budget: each may take 64 bytes.
constexpr std::uint64_t most_accesses = std::uint64_t{1} << 22;

/// Operations of one chunk that are judged at most, whatever the budget.
constexpr std::uint64_t most_pieces = std::uint64_t{1} << 20;

/// Judges a program with its buffers shared or apart.
class Judge {
 public:
  Judge(const Program& program, bool in_place, const VerifyOptions& options)
      : program_(program), options_(options), memory_(program, in_place), matching_(match(program)) {}

  Report report() {
    count();
    const bool is_matched = matching_.mismatches.empty() && program_.hangs.empty();
    if (is_matched) report_.program->fifo_depth = smallest_depth(program_, matching_);
    const auto smallest = report_.program->fifo_depth;
    find_slot_faults();
    deadlock_ = judge_deadlock(program_, matching_, smallest, options_.fifo);
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
      if (!sends(o.act)) continue;
      report_.metrics.messages += o.is_part ? 0 : 1;
      report_.metrics.block_transfers += run_size(o);
      sent[static_cast<std::size_t>(o.rank)] += run_size(o);
    }
    report_.metrics.blocks_sent_min = *std::min_element(sent.begin(), sent.end());
    report_.metrics.blocks_sent_max = *std::max_element(sent.begin(), sent.end());
    report_.program = m;
  }

  void find_slot_faults() {
    for (OperationId id = 0; id < static_cast<OperationId>(program_.operations.size()); ++id)
      if (auto fault = slot_fault(program_, memory_, id)) {
        ++faults_;
        if (!fault_) fault_ = std::move(fault);
      }
  }

  /// What can be said once there is an order of the operations.
  void judge_order() {
    const std::vector<Edge> all = edges(program_, matching_, std::nullopt);
    const std::vector<Event> order = *order_of(program_, all);
    const std::vector<std::uint32_t> before = messages_before(all, order);
    if (!before.empty()) report_.program->rounds = *std::max_element(before.begin(), before.end());
    if (const std::uint64_t moved = accesses(program_), most = std::min(options_.budget, most_accesses); moved > most) {
      unexecuted_ = fmt::format("the operations read and write {} chunks, of which {} are judged at most", moved, most);
      for (Finding* finding : {&race_, &exactly_once_, &order_, &bits_})
        *finding = {Verdict::unknown, "not judged: " + unexecuted_};
      return;
    }
    const Races races = find_races(program_, memory_, all, order);
    race_ = race_finding(races);
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

  void note_unset(const Unset& unset) {
    const Operation& o = at(program_, unset.operation);
    Counterexample c{.kind = Counterexample::Kind::unset, .rank = o.rank};
    c.slot = memory_.text(o.rank, unset.cell);
    c.sites = {site_of(program_, unset.operation)};
    c.told = {fmt::format("{} reads {}, which nobody has set by then", place_text(program_, unset.operation), c.slot)};
    faults_ = 1;
    fault_ = std::move(c);
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

  Finding race_finding(const Races& races) const {
    if (races.example)
      return {Verdict::fail, fmt::format("pairs of accesses that race: {} or more", races.count), told(*races.example),
              races.count};
    if (races.is_too_large)
      return {Verdict::unknown, program_.threads_are_ordered
                                    ? "not judged to the end: too many thread blocks and operations"
                                    : "not judged to the end: too many operations that don't wait for each other"};
    return {Verdict::pass, "all accesses to a chunk, one of them a write, are ordered"};
  }

  Counterexample told(const Race& race) const {
    const Operation& first = at(program_, race.first);
    Counterexample c{.kind = Counterexample::Kind::race, .rank = first.rank};
    c.slot = memory_.text(first.rank, race.cell);
    c.sites = {site_of(program_, race.first), site_of(program_, race.second)};
    auto touches = [](bool writes) { return writes ? "writes" : "reads"; };
    c.told = {fmt::format("no wait or message orders two operations that use {} of rank {}", c.slot, first.rank),
              fmt::format("{} {} it", place_text(program_, race.first), touches(race.first_writes)),
              fmt::format("{} {} it", place_text(program_, race.second), touches(race.second_writes))};
    if (!program_.threads_are_ordered)
      c.told.push_back("neither requires the other to have ended, directly or through other operations and messages");
    else
      c.told.insert(c.told.end(), {known_text(race.second, race.first, race.known_of_first),
                                   known_text(race.first, race.second, race.known_of_second)});
    return c;
  }

  /// Steps of the operation's thread that are done when `known` of its operations are, of which it is none: of a step
  /// in pieces, all must be.
  std::int32_t steps_done(OperationId of_thread, std::int32_t known) const {
    const Operation& like = at(program_, of_thread);
    OperationId next = of_thread;  // the first operation that isn't known to be done
    while (next > 0 && at(program_, next - 1).rank == like.rank && at(program_, next - 1).thread == like.thread) --next;
    next += known;
    assert(next <= of_thread);
    return at(program_, next).number;
  }

  /// How far the other thread is known to be.
  std::string known_text(OperationId now_id, OperationId other_id, std::int32_t known_operations) const {
    const Operation& now = at(program_, now_id);
    const Operation& other = at(program_, other_id);
    const std::int32_t known = steps_done(other_id, known_operations);
    const std::string when = fmt::format("when step {} of thread block {} is done", now.number, now.thread);
    if (known == 0) return fmt::format("{}, no step of thread block {} need be", when, other.thread);
    return fmt::format("{}, of thread block {} only the first {} need be", when, other.thread,
                       known == 1 ? "step" : fmt::format("{} steps", known));
  }

  void fail_all_data() {
    exactly_once_ = {Verdict::fail, "not well-formed", fault_, faults_};
    order_ = bits_ = {Verdict::unknown, "not judged: not well-formed"};
  }

  Finding well_formed() const {
    if (faults_ > 0)
      return {Verdict::fail, fmt::format("{} operations have no defined meaning", faults_), fault_, faults_};
    if (!is_executed_ && program_.has_data)
      return {Verdict::unknown,
              "all chunks that are named are there, but whether they are set isn't judged: " + unexecuted_};
    return {Verdict::pass, fmt::format("all {} operations", program_.operations.size())};
  }

  void add(const Property& p, Finding finding) {
    const auto& ids = options_.required;
    const bool is_required = p.required_by_default || std::find(ids.begin(), ids.end(), p.id) != ids.end();
    report_.properties.push_back({std::move(finding), p.id, is_required});
  }

  Report finished() {
    report_.scope = "every chunk";
    add(well_formed_property, well_formed());
    add(deadlock_free_property, std::move(deadlock_));
    if (program_.has_data) {
      add(race_free_property, std::move(race_));
      add(exactly_once_property, std::move(exactly_once_));
      add(order_preserving_property, std::move(order_));
      add(bitwise_reproducible_property, std::move(bits_));
    }
    for (const Property& p : properties())
      if (std::find(options_.required.begin(), options_.required.end(), p.id) != options_.required.end() &&
          !is_there(p))
        add(p, {Verdict::unknown, p.subjects == Subjects::libraries
                                      ? "not judged: this is about running libraries"
                                      : "not judged: this is about the steps of schedules, and a program has none"});
    return std::move(report_);
  }

  bool is_there(const Property& p) const {
    return std::any_of(report_.properties.begin(), report_.properties.end(),
                       [&](const PropertyResult& r) { return r.id == p.id; });
  }

  const Program& program_;
  const VerifyOptions& options_;
  Memory memory_;
  Matching matching_;
  std::uint64_t faults_ = 0;
  std::optional<Counterexample> fault_;
  bool is_executed_ = false;
  std::string unexecuted_ = "the program never ends";  // why, if it isn't
  Finding deadlock_, race_, exactly_once_, order_, bits_;
  Report report_;
};

int weight(Verdict verdict) {
  return verdict == Verdict::fail ? 2 : verdict == Verdict::unknown ? 1 : 0;
}

/// Puts what is worse in another way in its place.
void worsen(Report& report, Report other, std::string_view way) {
  for (std::size_t k = 0; k < report.properties.size(); ++k) {
    PropertyResult& here = report.properties[k];
    PropertyResult& there = other.properties[k];
    if (weight(there.verdict) <= weight(here.verdict)) continue;
    here = std::move(there);
    here.summary = fmt::format("{}: {}", way, here.summary);
    if (here.counterexample) here.counterexample->told.push_back(fmt::format("that is so {}", way));
  }
}

/// What couldn't be judged can't pass.
void set_unjudged(Report& report, const std::string& why) {
  for (PropertyResult& p : report.properties)
    if (p.verdict == Verdict::pass && p.id != well_formed_property.id)
      static_cast<Finding&>(p) = {Verdict::unknown, why};
}

constexpr std::string_view apart = "out of place";
constexpr std::string_view cut = "with messages in single chunks";

/// With messages as they are.
Report judge_places(const Program& program, const VerifyOptions& options) {
  Report report = Judge(program, program.in_place, options).report();
  if (program.either_place) worsen(report, Judge(program, false, options).report(), apart);
  return report;
}

std::string_view scope_of(bool is_cut, bool either_place) {
  if (!is_cut) return either_place ? "every chunk, in place and out of place" : "every chunk";
  return either_place ? "every chunk, in place and out of place, messages whole and in single chunks"
                      : "every chunk, messages whole and in single chunks";
}

/// How much a FIFO must hold in single chunks is told but doesn't weigh: it depends on the sizes of buffers and of the
/// runtime's FIFOs whether messages come in pieces, and how many of them find room. That it ends at all weighs.
void tell_depth(Report& report, Report& other, const VerifyOptions& options) {
  auto deadlock = [](Report& of) -> PropertyResult& {
    return *std::find_if(of.properties.begin(), of.properties.end(),
                         [](const PropertyResult& p) { return p.id == deadlock_free_property.id; });
  };
  const auto depth = other.program->fifo_depth;
  if (!depth) return;
  deadlock(other) = deadlock(report);
  if (*depth > std::max(options.fifo, report.program->fifo_depth.value_or(*depth)))
    deadlock(report).summary += fmt::format("; {}, which doesn't weigh, only with {} or more", cut, depth_text(*depth));
}

/// As runtimes do it when buffers are large.
void judge_cut(Report& report, const Program& program, std::uint64_t pieces, const VerifyOptions& options) {
  const std::uint64_t most = std::min(options.budget, most_pieces);
  if (pieces > most)
    return set_unjudged(
        report, fmt::format("not judged {}, for these would be {}, of which {} are judged at most", cut, pieces, most));
  Report other = judge_places(in_single_chunks(program), options);
  tell_depth(report, other, options);
  worsen(report, std::move(other), cut);
}

}  // namespace

Report verify(const Program& program, const VerifyOptions& options) {
  Report report = judge_places(program, options);
  const std::uint64_t pieces = operations_in_single_chunks(program);
  const bool is_cut = pieces > program.operations.size();
  if (is_cut) judge_cut(report, program, pieces, options);
  report.scope = scope_of(is_cut, program.either_place);
  report.verdict = Verdict::pass;
  for (const PropertyResult& p : report.properties)
    if (p.required && weight(p.verdict) > weight(report.verdict)) report.verdict = p.verdict;
  return report;
}

}  // namespace onceover
