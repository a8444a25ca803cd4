// A certificate of a program is an order of its steps, and what each knows of other threads: how many of their steps
// are certainly over.
//
// The order proves that no run hangs: each step comes after all that it waits for, and its message finds room. What
// steps know proves that nothing races: it is no more than what the rules below give, and of any two uses of a chunk,
// one of them a write, the second knows that the first is over. Then all runs compute what this order computes, which
// is executed.
//
// - A step knows what the step before it in its thread knew, what steps that it waits for knew when they ended, and
//   what the sender of its message knew.
// - A thread counts each step twice: when its message has come and its own is on its way, and when it ends. If
//   the runtime stores before it sends, the first counts for both.
// - LL on RCCL: a send that has ended may still have to read its source. Such reads are chains of their own. Anyone who
//   hears of the message knows of the read. The thread itself knows when the next step begins, if that sends or waits;
//   else when it ends, and where it moves the same chunk of its message, unless it is a reduction, in its middle.

#include "check/cursor.h"
#include "check/program.h"

namespace check {

namespace {

/// What a runtime guarantees.
struct Promises {
  bool reads_before_end, stores_before_sending, chunks_in_order;
};

class ProgramExamination {
 public:
  ProgramExamination(const ProgramFile& file, const Text& certificate) : file_(file), at_(certificate) {}

  std::string run() {
    at_.expect(program_certificate_begin);
    read_profile();
    const bool is_cut = !file_.is_goal && largest_step() > 1;
    std::string rooms = order("whole", Pieces::whole);
    if (is_cut) rooms += "; in single chunks " + order("upward", Pieces::upward);
    if (is_cut && !promises_.chunks_in_order) rooms += "; the last first " + order("downward", Pieces::downward);
    if (!at_.rest().empty()) at_.malformed("expected the end of the certificate");
    return "pass: no run hangs" +
           (file_.has_data ? " or races, and each output is what " + file_.collective + " promises" : std::string()) +
           (profile_.empty() ? "" : ", on " + profile_) + ", " + rooms;
  }

 private:
  void read_profile() {
    if (file_.is_goal) {
      promises_ = {true, true, true};
      return;
    }
    at_.expect("profile ");
    for (const char* name : {"msccl", "rccl", "azure"})
      if (at_.skip(std::string(name) + "\n")) profile_ = name;
    if (profile_.empty()) at_.malformed("expected msccl, rccl or azure");
    const bool is_simple = file_.protocol == "Simple", is_ll128 = file_.protocol == "LL128";
    if (!is_simple && !is_ll128 && file_.protocol != "LL" && !file_.protocol.empty())
      at_.unproven("not covered: the protocol of the file");
    promises_ = {is_simple || is_ll128 || profile_ != "rccl", is_simple, is_simple};
  }

  std::uint64_t largest_step() const {
    std::uint64_t most = 0;
    for (const RankSteps& rank : file_.ranks)
      for (const auto& thread : rank.threads)
        for (const Step& step : thread)
          for (const Part& part : step.parts)
            most = std::max(most, part.source ? part.source->count : part.target->count);
    return most;
  }

  /// Reads an order and executes it. Returns how much room there is for messages, in words.
  std::string order(std::string_view name, Pieces pieces) {
    at_.expect("order " + std::string(name) + " fifo ");
    pieces_ = pieces;
    depth_.reset();
    if (!at_.skip("any")) depth_ = at_.number(0, UINT32_MAX);
    at_.expect("\n");
    begin();
    std::uint64_t open = 0;
    for (const RankSteps& rank : file_.ranks)
      for (const auto& thread : rank.threads)
        for (const Step& step : thread) open += pieces_of(step);
    while (open > 0) open -= line();
    for (const Connection& connection : connections_)
      if (!connection.messages.empty()) at_.unproven("a message is sent that nobody receives");
    for (const ProgramMemory& memory : memories_) memory.check_results(at_);
    if (!depth_) return "with room for all messages";
    return *depth_ == 0 ? "under rendezvous"
                        : "with FIFOs of " + std::to_string(*depth_) + (*depth_ == 1 ? " message" : " messages");
  }

  void begin() {
    memories_.clear(), threads_.clear(), first_thread_.clear(), ended_.clear(), begun_.clear();
    connections_.assign(file_.connections, {});
    if (file_.has_data)
      for (const bool in_place : file_.places) memories_.emplace_back(file_, in_place, at_);
    for (std::uint64_t r = 0; r < file_.ranks.size(); ++r) {
      const auto& threads = file_.ranks[r].threads;
      first_thread_.push_back(threads_.size());
      const std::size_t count = !file_.is_goal ? threads.size() : threads.empty() ? 0 : threads[0].size();
      for (std::size_t t = 0; t < count; ++t) threads_.push_back({.rank = r, .chain = 2 * threads_.size()});
    }
    first_thread_.push_back(threads_.size());
  }

  std::uint64_t number_below(std::uint64_t end) {
    if (end == 0) at_.malformed("there is none");
    return at_.number(0, end - 1);
  }

  std::uint64_t pieces_of(const Step& step) const {
    if (pieces_ == Pieces::whole || step.parts.empty()) return 1;
    return step.parts[0].source ? step.parts[0].source->count : step.parts[0].target->count;
  }

  /// Returns how many pieces have ended in the line.
  std::uint64_t line() {
    const bool begins = at_.skip("begin "), ends = !begins && at_.skip("end ");
    if (!begins && !ends) at_.expect("run ");
    const std::uint64_t rank = number_below(file_.ranks.size());
    at_.expect(" ");
    ThreadRun& thread = threads_[first_thread_[rank] + number_below(first_thread_[rank + 1] - first_thread_[rank])];
    at_.expect(" ");
    const auto& steps = file_.ranks[rank].threads[file_.is_goal ? 0 : thread_number(thread)];
    const std::size_t step = number_below(steps.size());
    if (!ends) start(thread, steps, step);
    if (!thread.running || thread.running->step != step) at_.unproven("this step isn't running");
    if (!begins) finish(thread);
    at_.expect("\n");
    return begins ? 0 : 1;
  }

  std::size_t thread_number(const ThreadRun& thread) const {
    return static_cast<std::size_t>(&thread - threads_.data()) - first_thread_[thread.rank];
  }

  using StepName = std::pair<std::uint64_t, std::pair<std::size_t, std::size_t>>;  // rank, thread, step

  StepName name_of(const ThreadRun& thread, std::size_t step) const {
    return {thread.rank, {file_.is_goal ? 0 : thread_number(thread), step}};
  }

  bool reads_late(const Step& step) const { return !promises_.reads_before_end && step.sends() && !step.receives(); }

  void start(ThreadRun& thread, const std::vector<Step>& steps, std::size_t step) {
    if (thread.running) at_.unproven("the thread's step before this hasn't ended");
    follow(thread, steps, step);
    const Step& whole = steps[step];
    auto running = std::make_unique<Running>(
        Running{step, thread.piece, pieces_of(whole), piece_of(whole, thread.piece), thread.all_known(), 0, ++uses_});
    const bool is_first = thread.piece == 0;
    if (is_first)
      for (const StepWait& wait : whole.waits) await(thread.rank, wait, running->known);
    const bool meets = whole.sends() || (is_first && !whole.waits.empty());
    if (meets && !thread.open_reads.empty() && thread.reads_step != step) {
      thread.close_reads();
      running->known[thread.chain + 1] = thread.reads_over;
    }
    if (file_.is_goal) begun_[name_of(thread, step)] = running->known;
    if (whole.receives()) take_place(connections_[whole.from], true, thread, *running);
    if (whole.sends()) take_place(connections_[whole.to], false, thread, *running);
    thread.running = std::move(running);
    if (whole.sends() && !whole.receives()) pass_middle(thread);
  }

  /// The step must be the thread's next one; in GOAL, it must require the last.
  void follow(ThreadRun& thread, const std::vector<Step>& steps, std::size_t step) {
    if (!file_.is_goal) {
      if (step != thread.next) at_.unproven("this isn't the next step of the thread block");
      return;
    }
    if (begun_.contains(name_of(thread, step))) at_.unproven("the operation has begun before");
    bool follows = !thread.last;
    for (const StepWait& wait : steps[step].waits) follows = follows || (wait.step == thread.last && !wait.until_begun);
    if (!follows) at_.unproven("the operation doesn't require the one before it in its chain");
  }

  void await(std::uint64_t rank, const StepWait& wait, Known& known) const {
    const auto& past = wait.until_begun ? begun_ : ended_;
    const auto found = past.find({rank, {wait.thread, wait.step}});
    if (found == past.end()) at_.unproven("this waits for a step that comes later");
    join(known, found->second);
  }

  /// Numbers the messages of a connection. In GOAL, those of one end must have one order in every run.
  void take_place(Connection& connection, bool receives, const ThreadRun& thread, Running& running) {
    (receives ? connection.awaited : running.number) = receives ? connection.awaited + 1 : connection.sent;
    if (!file_.is_goal) return;
    auto& last = receives ? connection.last_receive : connection.last_send;
    if (last && known_of(running.known, last->chain) < last->value)
      at_.unproven("nothing orders this and another message of the same tag");
    last = StepUse{thread.chain, 2 * thread.ended + 2, 0};
  }

  /// A step as it moves one of its chunks.
  Step piece_of(const Step& whole, std::uint64_t piece) const {
    Step step = whole;
    if (pieces_ == Pieces::whole || whole.parts.empty()) return step;
    const std::uint64_t k = pieces_ == Pieces::upward ? piece : pieces_of(whole) - 1 - piece;
    for (auto* chunks : {&step.parts[0].source, &step.parts[0].target})
      if (*chunks) *chunks = Chunks{(*chunks)->memory, (*chunks)->first + k, 1};
    return step;
  }

  /// Which of its step's chunks the piece moves.
  std::uint64_t place_of(const Running& running) const {
    return pieces_ == Pieces::downward ? running.pieces - 1 - running.piece : running.piece;
  }

  /// The step takes its message, uses memory, and passes its message on.
  void pass_middle(ThreadRun& thread) {
    Running& running = *thread.running;
    const Step& step = running.work;
    std::vector<std::vector<Summands>> values(memories_.size());
    if (step.receives()) take(connections_[step.from], step, running, values);
    const bool is_reduction = step.adds && !step.receives();
    if (!thread.open_reads.empty() && thread.reads_step != running.step && !is_reduction)
      if (const auto same = thread.open_reads.find(place_of(running)); same != thread.open_reads.end())
        running.known[thread.chain + 1] = std::max(known_of(running.known, thread.chain + 1), same->second);
    claim(thread);
    const bool is_late_read = reads_late(step);
    if (is_late_read) thread.open_read(place_of(running));
    const std::uint32_t past =
        2 * thread.ended + (promises_.reads_before_end && promises_.stores_before_sending ? 2 : 1);
    const StepUse middle{thread.chain, past, running.use};
    const StepUse read = is_late_read ? StepUse{thread.chain + 1, thread.reads, running.use} : middle;
    for (std::size_t m = 0; m < memories_.size(); ++m) move(m, thread, values[m], read, middle);
    if (!step.sends()) return;
    if (step.receives()) check_room(connections_[step.to], running.number);
    Message message{running.known, step.bytes, std::move(values)};
    message.known[read.chain] = read.value;
    connections_[step.to].messages.push_back(std::move(message));
    ++connections_[step.to].sent;
  }

  void take(Connection& connection, const Step& step, Running& running, std::vector<std::vector<Summands>>& values) {
    if (connection.messages.empty()) at_.unproven("the message that this receives comes later");
    Message& message = connection.messages.front();
    if (message.bytes != step.bytes) at_.unproven("the message has another size where it is sent");
    join(running.known, message.known);
    values = std::move(message.values);
    connection.messages.pop_front();
    ++connection.taken;
  }

  /// Is there room for the message when its step ends?
  void check_room(const Connection& connection, std::uint64_t number) const {
    if (!depth_) return;
    const bool has_room = *depth_ == 0 ? connection.awaited > number : connection.taken + *depth_ > number;
    if (!has_room) at_.unproven("there is no room for the message");
  }

  /// Reads what the thread knows of others, of which the certificate tells what is new. It can't be more than what the
  /// rules give. That is all that the step and those after it know.
  void claim(ThreadRun& thread) {
    Known& known = thread.running->known;
    while (at_.skip(" ")) {
      const std::uint64_t rank = number_below(file_.ranks.size());
      at_.expect(".");
      const std::size_t other = first_thread_[rank] + number_below(first_thread_[rank + 1] - first_thread_[rank]);
      const std::uint64_t chain = threads_[other].chain + (at_.skip("r") ? 1 : 0);
      at_.expect(":");
      const auto value = static_cast<std::uint32_t>(at_.number(1, UINT32_MAX));
      if (&threads_[other] == &thread) at_.unproven("a thread knows how far it is itself");
      if (value > known_of(known, chain))
        at_.unproven("this can't be known; it is known to be at " + std::to_string(known_of(known, chain)));
      thread.known[chain] = value;
    }
    Known told = thread.known;
    for (const std::uint64_t own : {thread.chain, thread.chain + 1})
      if (const std::uint32_t value = known_of(known, own); value > 0) told[own] = value;
    known = std::move(told);
  }

  /// Does what the step does in one place. `message` is what it takes, and then what it passes on.
  void move(std::size_t m, ThreadRun& thread, std::vector<Summands>& message, const StepUse& read,
            const StepUse& middle) {
    Running& running = *thread.running;
    const Step& step = running.work;
    const bool is_late = step.receives() && step.sends() && !promises_.stores_before_sending;
    std::vector<Summands> passed;
    std::size_t next = 0;
    for (std::size_t p = 0; p < step.parts.size(); ++p) {
      const Part& part = step.parts[p];
      memories_[m].check_ranges(thread.rank, part, at_);
      std::vector<Summands> values;
      if (part.source) values = memories_[m].read(thread.rank, *part.source, read, running.known, at_);
      if (step.receives()) values = received(step, part, std::move(values), message, next);
      if (step.adds && !step.receives()) {
        const auto here = memories_[m].read(thread.rank, *part.target, read, running.known, at_);
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = ProgramMemory::sum(values[k], here[k], at_);
      }
      if (part.target && is_late)
        add_late(running, *part.target, m, values);
      else if (part.target)
        memories_[m].write(thread.rank, *part.target, values, middle, running.known, at_);
      passed.insert(passed.end(), values.begin(), values.end());
    }
    if (step.receives() && next != message.size()) at_.unproven("the message has more chunks where it is sent");
    message = std::move(passed);
  }

  void add_late(Running& running, const Chunks& target, std::size_t m, const std::vector<Summands>& values) const {
    if (running.late.empty()) running.late.push_back({target, {}});
    running.late[0].second.resize(m + 1);
    running.late[0].second[m] = values;
  }

  /// The part of the message that belongs there, with what is added to it.
  std::vector<Summands> received(const Step& step, const Part& part, std::vector<Summands> own,
                                 const std::vector<Summands>& message, std::size_t& next) const {
    const std::uint64_t count = part.target ? part.target->count : part.source->count;
    if (next + count > message.size()) at_.unproven("the message has fewer chunks where it is sent");
    std::vector<Summands> values(message.begin() + static_cast<std::ptrdiff_t>(next),
                                 message.begin() + static_cast<std::ptrdiff_t>(next + count));
    next += count;
    for (std::size_t k = 0; step.adds && k < count; ++k) values[k] = ProgramMemory::sum(values[k], own[k], at_);
    return values;
  }

  void finish(ThreadRun& thread) {
    Running& running = *thread.running;
    const bool is_plain_send = running.work.sends() && !running.work.receives();
    if (is_plain_send)
      check_room(connections_[running.work.to], running.number);
    else
      pass_middle(thread);
    ++thread.ended;
    const StepUse end{thread.chain, 2 * thread.ended, running.use};
    for (const auto& [target, by_place] : running.late)
      for (std::size_t m = 0; m < by_place.size(); ++m)
        memories_[m].write(thread.rank, target, by_place[m], end, running.known, at_);
    const bool is_last = running.piece + 1 == running.pieces;
    if (is_last && thread.reads_step != running.step && !thread.open_reads.empty()) thread.close_reads();
    thread.piece = is_last ? 0 : running.piece + 1;
    thread.next = running.step + (is_last ? 1 : 0);
    thread.last = running.step;
    if (is_last) ended_[name_of(thread, running.step)] = thread.all_known();
    thread.running.reset();
  }

  const ProgramFile& file_;
  Cursor at_;
  std::string profile_;
  Promises promises_ = {};
  Pieces pieces_ = Pieces::whole;
  std::optional<std::uint64_t> depth_;   // messages that a connection holds; none: any number
  std::vector<ProgramMemory> memories_;  // by place
  std::vector<ThreadRun> threads_;
  std::vector<std::size_t> first_thread_;  // by rank, and one past the last
  std::vector<Connection> connections_;
  std::map<StepName, Known> begun_, ended_;  // what was known then
  std::uint64_t uses_ = 0;
};

}  // namespace

Outcome check_program_certificate(const Text& program, const Text& certificate) try {
  const std::size_t first = std::min(program.content.find_first_not_of(" \t\r\n"), program.content.size());
  const bool is_xml = program.content.substr(first, 1) == "<";
  const ProgramFile file = is_xml ? read_msccl(program) : read_goal(program);
  return {Outcome::Kind::proved, ProgramExamination(file, certificate).run()};
} catch (const Outcome& outcome) {
  return outcome;
}

}  // namespace check
