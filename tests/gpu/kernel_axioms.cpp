#include "kernel_axioms.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "gpu/memory/synchronization.h"
#include "plain_thread.h"

namespace onceover::gpu {
namespace {

constexpr std::size_t most_events = 512;
using Events = std::bitset<most_events>;
constexpr int initial = -1;  // the write before all

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

/// Words of one buffer.
struct Words {
  std::size_t buffer = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  bool has(std::uint64_t word) const { return first <= word && word < first + count; }
  friend bool operator==(const Words&, const Words&) = default;
};

/// The first operation of a release pattern (section 8.8): a release or a fence.
struct ReleaseStart {
  int event;
  Events before;  // with itself
  Events observed;
  int thread;
  Rank rank;
  std::int64_t block;
  Scope scope;
  Words words;  // none of a fence
};

struct Event {
  int thread = 0;  // a host's is below 0
  Rank rank = 0;
  std::int64_t block = -1;
  bool reads = false;
  bool writes = false;
  bool is_atomic = false;
  Order order = Order::weak;
  Scope scope = Scope::none;
  Words words;                         // none of a fence
  std::vector<PlainWord> written;      // by words
  std::vector<int> sources;            // of a read, by words
  Events before;                       // in base causality
  Events caused;                       // before it in causality
  Events observes;                     // writes, of a read
  std::vector<ReleaseStart> releases;  // patterns that end with this write
  Events known_at_launch;              // of its kernel, if the boundary is granted
  Events reads_before;                 // in the same case: reads that it passes on
  std::uint64_t hash = 0;
  std::string text;

  bool is_strong() const { return order != Order::weak; }
};

struct PendingRelease {
  ReleaseStart start;
  Words words;  // of the read that saw it
};

/// A thread before a read.
struct Point {
  std::int32_t pc;
  std::uint32_t part;
  bool is_strong;
  std::vector<PlainValue> needed;

  friend bool operator==(const Point&, const Point&) = default;
};

struct Thread {
  enum class State : std::uint8_t { runs, chooses, at_barrier, in_vain, spins_weakly, too_often, ended };
  int id = 0;
  PlainThread plain;
  State state = State::runs;
  Events known;     // base causality
  Events observed;  // by these
  Events reads_known;
  Events at_launch;
  std::vector<ReleaseStart> starts;  // fences and releases that later writes may end
  std::vector<PendingRelease> pending;
  std::vector<Point> points;  // since it did anything but read
  std::vector<Point> all_points;
  bool reads_older = false;  // since then
  std::uint32_t part = 0;    // of its instruction
  std::vector<PlainWord> loaded;
  int events = 0;
};

struct Host {
  std::uint32_t call = 0;
  std::size_t kernel = 0;
  bool is_finished = false;
  Events known;
  Events observed;
  Events reads_known;
  int events = 0;
};

struct State {
  std::vector<Thread> threads;
  std::vector<Host> hosts;
  std::vector<const Event*> events;
  std::vector<std::vector<std::vector<int>>> writes;                   // by buffer and word, in coherence order
  std::vector<std::vector<std::vector<int>>> accesses;                 // by buffer and word
  std::map<std::pair<std::uint32_t, Rank>, std::vector<int>> outputs;  // terms, by call and rank
};

/// One access of an instruction.
struct Part {
  Words words;
  bool is_constant = false;
};

struct Instruction {
  enum class Kind : std::uint8_t { load, store, atomic, fence, barrier, end } kind = Kind::end;
  Order order = Order::weak;
  Scope scope = Scope::none;
  std::string operation;  // of an atomic
  std::vector<Part> parts;
  bool is_sum = false;      // multimem.ld_reduce
  bool has_result = false;  // of an atomic
  std::uint32_t bytes = 4;  // of a register
  std::size_t address = 0;  // operands
  std::size_t data = 0;
};

class Executions {
 public:
  Executions(const ConcreteLaunch& concrete, const Description& description, std::uint64_t most_states)
      : concrete_(concrete), launch_(concrete.launch), description_(description), most_states_(most_states) {}

  KernelJudgement judge() {
    try {
      State state = first_state();
      run_on(state);
      visit(state);
      if (judgement_.executions == 0) judgement_.wrong = "no execution ends";
    } catch (const PlainProblem& problem) {
      (problem.is_wrong ? judgement_.wrong : judgement_.unjudged) = problem.what;
    }
    return judgement_;
  }

 private:
  // Memory and hosts.
  State first_state();
  void begin_call(State& state, Rank rank);
  void start_kernel(State& state, Rank rank);
  void end_kernel(State& state, Rank rank);
  void host_access(State& state, Rank rank, std::size_t buffer, const std::vector<PlainWord>* written);
  void check_output(State& state, Rank rank, std::size_t buffer);
  void check_element(Rank rank, std::uint64_t element, std::uint32_t call, int term) const;
  void put(std::vector<std::uint8_t>& bytes, const Bytes& content) const;

  // Threads.
  void run_on(State& state);
  bool run_thread(State& state, Thread& thread);
  void check_barriers(State& state);
  Instruction decoded(const Thread& thread) const;
  Part part_at(std::uint64_t address, std::uint64_t bytes, bool writes) const;
  bool went_round(Thread& thread, bool is_strong);
  std::vector<int> choices(const State& state, const Thread& thread, const Instruction& instruction) const;
  void do_part(State& state, Thread& thread, const Instruction& instruction, int choice);
  void finish(Thread& thread, const Instruction& instruction);
  void fence(State& state, Thread& thread, const Instruction& instruction);

  // Events.
  Event event_of(const Thread& thread, const Instruction& instruction) const;
  int add(State& state, Event event);
  void check_races(const State& state, const Event& event) const;
  bool is_superseded(const State& state, int earlier, const Event& event, std::uint64_t word) const;
  int oldest_allowed(const State& state, const Events& caused, int thread, const Words& words) const;
  void read(State& state, Thread& thread, Event& event, int source);
  static void acquire(Thread& thread, Event& event, const ReleaseStart& start);
  static void write(Thread& thread, Event& event);
  const PlainWord& word_of(const State& state, int source, std::size_t buffer, std::uint64_t word) const;

  // The search.
  void visit(const State& state);
  std::uint64_t hash_of(const State& state) const;
  static std::uint64_t behaviour_of(const State& state);

  static bool includes(Scope scope, Rank rank, std::int64_t block, Rank other, std::int64_t other_block) {
    if (scope == Scope::sys) return true;
    if (scope == Scope::none || rank != other) return false;
    return scope == Scope::gpu || block == other_block;
  }
  static bool are_morally_strong(const Event& a, const Event& b) {
    if (a.thread == b.thread) return true;
    return a.is_strong() && b.is_strong() && a.words == b.words &&
           includes(a.scope, a.rank, a.block, b.rank, b.block) && includes(b.scope, b.rank, b.block, a.rank, a.block);
  }
  static bool are_morally_strong(const ReleaseStart& a, const Event& b) {
    if (b.words.count != 0 && a.words.count != 0 && !(a.words == b.words)) return false;
    return includes(a.scope, a.rank, a.block, b.rank, b.block) && includes(b.scope, b.rank, b.block, a.rank, a.block);
  }

  const ConcreteLaunch& concrete_;
  const Launch& launch_;
  const Description& description_;
  std::uint64_t most_states_;
  PlainTerms terms_;
  std::vector<std::vector<PlainWord>> initial_;  // by buffer
  std::deque<Event> arena_;
  std::unordered_set<std::uint64_t> visited_;
  std::map<const ptx::Function*, std::vector<std::vector<bool>>> needed_;
  KernelJudgement judgement_;
};

std::uint64_t base_of(std::size_t buffer) {
  return (buffer + 1) << 32;
}
std::uint64_t multicast_base(std::size_t multicast) {
  return (0x8000 + multicast) << 32;
}

void Executions::put(std::vector<std::uint8_t>& bytes, const Bytes& content) const {
  bytes.assign(content.bytes.begin(), content.bytes.end());
  for (const Relocation& relocation : content.relocations) {
    if (relocation.target == RelocationTarget::global) throw PlainProblem{false, "a variable of the module"};
    const std::uint64_t address =
        (relocation.target == RelocationTarget::buffer ? base_of(relocation.index) : multicast_base(relocation.index)) +
        static_cast<std::uint64_t>(relocation.addend);
    std::memcpy(bytes.data() + relocation.at, &address, sizeof address);
  }
}

State Executions::first_state() {
  State state;
  for (std::size_t buffer = 0; buffer < launch_.buffers.size(); ++buffer) {
    const std::uint64_t words = (launch_.buffers[buffer].bytes + 3) / 4;
    PlainWord word;
    if (!launch_.is_zeroed[buffer])
      word = {0xA5A5A5A5, terms_.made({PlainTerms::Kind::unwritten, {static_cast<std::int64_t>(buffer)}})};
    initial_.emplace_back(words, word);
    state.writes.emplace_back(words);
    state.accesses.emplace_back(words);
  }
  for (const MemoryWrite& write : launch_.initial) {
    if (write.target != RelocationTarget::buffer) throw PlainProblem{false, "a variable of the module"};
    std::vector<std::uint8_t> bytes;
    put(bytes, write.content);
    for (std::uint64_t at = 0; at < write.times * bytes.size(); ++at) {
      PlainWord& word = initial_[write.index][(write.offset + at) / 4];
      const std::uint64_t shift = 8 * ((write.offset + at) % 4);
      word.bits = (word.bits & ~(std::uint32_t{0xFF} << shift)) | std::uint32_t{bytes[at % bytes.size()]} << shift;
      word.term = 0;
    }
  }
  state.hosts.resize(static_cast<std::size_t>(launch_.ranks));
  for (Rank rank = 0; rank < launch_.ranks; ++rank) begin_call(state, rank);
  return state;
}

void Executions::host_access(State& state, Rank rank, std::size_t buffer, const std::vector<PlainWord>* written) {
  if (launch_.buffers[buffer].is_constant) return;
  Host& host = state.hosts[static_cast<std::size_t>(rank)];
  Event event;
  event.thread = -1 - rank;
  event.rank = rank;
  event.words = {buffer, 0, initial_[buffer].size()};
  event.before = host.known;
  event.caused = host.known | host.observed;
  event.text = "the host of rank " + std::to_string(rank);
  event.hash = mixed(mixed(0, static_cast<std::uint64_t>(event.thread)), static_cast<std::uint64_t>(host.events++));
  event.writes = written != nullptr;
  event.reads = !event.writes;
  if (written != nullptr) event.written = *written;
  const Events reads_known = host.reads_known;
  event.reads_before = reads_known;
  if (event.reads)
    for (std::uint64_t word = 0; word < event.words.count; ++word) {
      const auto& writes = state.writes[buffer][word];
      event.sources.push_back(writes.empty() ? initial : writes.back());
      if (event.sources.back() != initial)
        event.hash = mixed(event.hash, state.events[static_cast<std::size_t>(event.sources.back())]->hash);
    }
  const int index = add(state, std::move(event));
  if (written != nullptr)
    for (auto& writes : state.writes[buffer]) writes.push_back(index);
  host.known.set(static_cast<std::size_t>(index));
}

void Executions::begin_call(State& state, Rank rank) {
  Host& host = state.hosts[static_cast<std::size_t>(rank)];
  host.kernel = 0;
  if (host.call == launch_.calls.size()) {
    host.is_finished = true;
    return;
  }
  const RankCall& call = launch_.calls[host.call].ranks[static_cast<std::size_t>(rank)];
  if (!call.writes.empty()) throw PlainProblem{false, "the host writes memory before a call"};
  for (const std::size_t buffer : call.fills) {
    std::vector<PlainWord> words;
    for (std::uint64_t at = 0; at < initial_[buffer].size(); ++at) {
      const auto of = static_cast<std::int64_t>(buffer);
      const int term = terms_.made({PlainTerms::Kind::leaf, {of, static_cast<std::int64_t>(at), host.call}});
      const float value = 1.0F + static_cast<float>((buffer * 131 + at * 17 + host.call * 1009) % 4096) / 8;
      words.push_back({std::bit_cast<std::uint32_t>(value), term});
    }
    host_access(state, rank, buffer, &words);
  }
  for (const std::size_t buffer : call.poisons) {
    const int term = terms_.made({PlainTerms::Kind::unwritten, {static_cast<std::int64_t>(buffer), host.call}});
    const std::vector<PlainWord> words(initial_[buffer].size(), PlainWord{0xA5A5A5A5, term});
    host_access(state, rank, buffer, &words);
  }
  start_kernel(state, rank);
}

void Executions::start_kernel(State& state, Rank rank) {
  Host& host = state.hosts[static_cast<std::size_t>(rank)];
  const RankCall& call = launch_.calls[host.call].ranks[static_cast<std::size_t>(rank)];
  if (host.kernel == call.kernels.size()) return end_kernel(state, rank);
  const KernelRun& run = call.kernels[host.kernel];
  if (run.stream != 0) throw PlainProblem{false, "several streams"};
  std::vector<std::uint8_t> arguments;
  put(arguments, run.arguments);
  const ptx::Function& function = launch_.module->functions[run.entry];
  arguments.resize(std::max<std::size_t>(arguments.size(), function.parameter_bytes));
  for (std::uint32_t block = 0; block < run.grid.x; ++block)
    for (std::uint32_t at = 0; at < run.block.x; ++at) {
      Thread thread;
      thread.id = static_cast<int>(
          (((host.call * 8 + host.kernel) * 64 + static_cast<std::size_t>(rank)) * 64 + block) * 64 + at);
      thread.plain = {{rank, block, at, host.call},
                      &run,
                      &function,
                      arguments,
                      std::vector<PlainValue>(function.registers.size()),
                      0};
      thread.known = thread.at_launch = host.known;
      thread.observed = host.observed;
      thread.reads_known = host.reads_known;
      state.threads.push_back(std::move(thread));
    }
}

/// All threads of the rank have ended: its next kernel or call begins.
void Executions::end_kernel(State& state, Rank rank) {
  Host& host = state.hosts[static_cast<std::size_t>(rank)];
  std::erase_if(state.threads, [&](const Thread& thread) {
    if (thread.plain.place.rank != rank) return false;
    host.known |= thread.known;
    host.observed |= thread.observed;
    host.reads_known |= thread.reads_known;
    return true;
  });
  const RankCall& call = launch_.calls[host.call].ranks[static_cast<std::size_t>(rank)];
  if (host.kernel < call.kernels.size()) {
    ++host.kernel;
    return start_kernel(state, rank);
  }
  for (const std::size_t buffer : call.reads) {
    host_access(state, rank, buffer, nullptr);
    check_output(state, rank, buffer);
  }
  ++host.call;
  begin_call(state, rank);
}

void Executions::check_output(State& state, Rank rank, std::size_t buffer) {
  const std::uint32_t call = state.hosts[static_cast<std::size_t>(rank)].call;
  const BufferText& text = description_.buffers.at(concrete_.places[buffer].text);
  const bool is_output = text.name == description_.expects.front().output;
  std::vector<int> terms;
  for (std::uint64_t word = 0; word < initial_[buffer].size(); ++word) {
    const auto& writes = state.writes[buffer][word];
    const PlainWord& held = word_of(state, writes.empty() ? initial : writes.back(), buffer, word);
    terms.push_back(held.term);
    if (is_output) {
      check_element(rank, word, call, held.term);
    } else if (text.role == BufferRole::input) {
      const auto& node = terms_[held.term];
      if (node.kind != PlainTerms::Kind::leaf ||
          node.of !=
              std::vector<std::int64_t>{static_cast<std::int64_t>(buffer), static_cast<std::int64_t>(word), call})
        throw PlainProblem{true, "an input is changed"};
    }
  }
  if (!is_output) return;
  state.outputs[{call, rank}] = terms;
  if (!description_.expects.front().text.starts_with("allreduce")) return;
  for (Rank other = 0; other < launch_.ranks; ++other) {
    const auto found = state.outputs.find({call, other});
    if (found != state.outputs.end() && found->second != terms)
      throw PlainProblem{true, "ranks end with different sums"};
  }
}

/// Is the element what the description's collective says?
void Executions::check_element(Rank rank, std::uint64_t element, std::uint32_t call, int term) const {
  const std::string& promise = description_.expects.front().text;
  const auto n = static_cast<std::uint64_t>(concrete_.size);
  std::multiset<std::pair<Rank, std::int64_t>> wanted;
  const auto want = [&](Rank from, std::uint64_t at) { wanted.insert({from, static_cast<std::int64_t>(at)}); };
  for (Rank from = 0; from < launch_.ranks; ++from) {
    if (promise.starts_with("allreduce")) want(from, element);
    if (promise.starts_with("reduce-scatter")) want(from, static_cast<std::uint64_t>(rank) * n + element);
  }
  if (promise.starts_with("allgather")) want(static_cast<Rank>(element / n), element % n);
  if (promise.starts_with("broadcast")) want(launch_.ranks - 1, element);
  if (wanted.empty()) throw PlainProblem{false, "the promise " + promise};
  std::multiset<std::pair<Rank, std::int64_t>> held;
  std::vector<int> to_visit{term};
  while (!to_visit.empty()) {
    const PlainTerms::Node& node = terms_[to_visit.back()];
    to_visit.pop_back();
    if (node.kind == PlainTerms::Kind::sum) {
      for (const std::int64_t of : node.of) to_visit.push_back(static_cast<int>(of));
    } else if (node.kind == PlainTerms::Kind::leaf && node.of[2] == call) {
      held.insert({concrete_.places[static_cast<std::size_t>(node.of[0])].rank, node.of[1]});
    } else {
      held.insert({-1, 0});
    }
  }
  if (held != wanted)
    throw PlainProblem{true, "element " + std::to_string(element) + " of rank " + std::to_string(rank) + " is wrong"};
}

// Threads.

void Executions::run_on(State& state) {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t at = 0; at < state.threads.size(); ++at)
      while (state.threads[at].state == Thread::State::runs) goes_on = run_thread(state, state.threads[at]) || goes_on;
    check_barriers(state);
    for (Rank rank = 0; rank < launch_.ranks; ++rank) {
      if (state.hosts[static_cast<std::size_t>(rank)].is_finished) continue;
      const bool is_ended = std::all_of(state.threads.begin(), state.threads.end(), [&](const Thread& thread) {
        return thread.plain.place.rank != rank || thread.state == Thread::State::ended;
      });
      if (!is_ended) continue;
      end_kernel(state, rank);
      goes_on = true;
    }
    goes_on = goes_on || std::any_of(state.threads.begin(), state.threads.end(),
                                     [](const Thread& thread) { return thread.state == Thread::State::runs; });
  }
}

/// Up to the next access, which it does if there is one way to. Did it do anything?
bool Executions::run_thread(State& state, Thread& thread) {
  run_plainly(thread.plain, terms_, judgement_.lines);
  const Instruction instruction = decoded(thread);
  switch (instruction.kind) {
    case Instruction::Kind::end: thread.state = Thread::State::ended; return true;
    case Instruction::Kind::barrier: thread.state = Thread::State::at_barrier; return true;
    case Instruction::Kind::fence: fence(state, thread, instruction); return true;
    default: break;
  }
  const bool is_load = instruction.kind == Instruction::Kind::load;
  if (instruction.kind != Instruction::Kind::store && went_round(thread, instruction.order != Order::weak)) return true;
  const auto ways = choices(state, thread, instruction);
  const bool is_open = ways.size() != 1 || instruction.kind == Instruction::Kind::atomic ||
                       (is_load && instruction.order != Order::weak);
  if (is_open) {
    thread.state = Thread::State::chooses;
    return true;
  }
  do_part(state, thread, instruction, ways.front());
  return true;
}

void Executions::check_barriers(State& state) {
  std::map<std::pair<Rank, std::uint32_t>, std::vector<Thread*>> blocks;
  for (Thread& thread : state.threads)
    if (thread.state != Thread::State::ended)
      blocks[{thread.plain.place.rank, thread.plain.place.block}].push_back(&thread);
  for (auto& [place, threads] : blocks) {
    if (!std::all_of(threads.begin(), threads.end(),
                     [](const Thread* thread) { return thread->state == Thread::State::at_barrier; }))
      continue;
    Events known;
    Events observed;
    Events reads_known;
    for (const Thread* thread : threads) {
      if (thread->plain.pc != threads.front()->plain.pc)  // all are of one warp
        throw PlainProblem{true, "an aligned barrier at different places"};
      known |= thread->known;
      observed |= thread->observed;
      reads_known |= thread->reads_known;
    }
    for (Thread* thread : threads) {
      thread->known = known;
      thread->observed = observed;
      thread->reads_known = reads_known;
      thread->points.clear();
      thread->reads_older = false;
      thread->state = Thread::State::runs;
      ++thread->plain.pc;
    }
  }
}

Order order_in(const std::vector<std::string>& words) {
  const std::map<std::string, Order> orders{{"relaxed", Order::relaxed},  {"acquire", Order::acquire},
                                            {"release", Order::release},  {"acq_rel", Order::acq_rel},
                                            {"volatile", Order::relaxed}, {"sc", Order::sc}};
  for (const std::string& word : words)
    if (const auto found = orders.find(word); found != orders.end()) return found->second;
  return Order::weak;
}

Scope scope_in(const std::vector<std::string>& words) {
  const std::map<std::string, Scope> scopes{{"cta", Scope::cta},
                                            {"cluster", Scope::cluster},
                                            {"gpu", Scope::gpu},
                                            {"sys", Scope::sys},
                                            {"volatile", Scope::sys}};
  for (const std::string& word : words)
    if (const auto found = scopes.find(word); found != scopes.end()) return found->second;
  return Scope::none;
}

Instruction Executions::decoded(const Thread& thread) const {
  Instruction made;
  const PlainThread& plain = thread.plain;
  if (plain.pc == static_cast<std::int32_t>(plain.function->instructions.size())) return made;
  const ptx::PtxInstruction& instruction = instruction_of(plain);
  const auto& words = instruction.words;
  const std::string& name = words.front();
  made.order = order_in(words);
  made.scope = scope_in(words);
  const auto refuse = [&] { throw PlainProblem{false, "unknown: " + launch_.module->text_of(instruction)}; };
  if (name == "bar") {
    made.kind = Instruction::Kind::barrier;
    const bool is_plain =
        words[1] == "sync" && instruction.operands.size() == 1 && instruction.operands[0].immediate == 0;
    if (!is_plain) refuse();
    return made;
  }
  if (name == "fence") {
    made.kind = Instruction::Kind::fence;
    if (made.order != Order::acq_rel || made.scope == Scope::cluster) refuse();
    return made;
  }
  if (has_word(instruction, "shared") || has_word(instruction, "local") || has_word(instruction, "nc")) refuse();
  const bool is_multicast = name == "multimem";
  made.has_result = name == "atom";
  made.is_sum = is_multicast && words[1] == "ld_reduce";
  const bool is_store = name == "st" || (is_multicast && words[1] == "st");
  const bool is_atomic = name == "atom" || name == "red" || (is_multicast && words[1] == "red");
  made.kind = is_store ? Instruction::Kind::store : is_atomic ? Instruction::Kind::atomic : Instruction::Kind::load;
  if (is_atomic && made.order == Order::weak) made.order = Order::relaxed;
  if (made.is_sum && made.order == Order::weak) made.order = Order::relaxed;
  if (is_atomic)
    for (const char* operation : {"add", "exch", "cas"})
      if (has_word(instruction, operation)) made.operation = operation;
  if (is_atomic && made.operation.empty()) refuse();
  made.bytes = words.back().ends_with("64") ? 8 : 4;
  if (!words.back().ends_with("32") && made.bytes == 4) refuse();
  made.address = is_store || (is_atomic && !made.has_result) ? 0 : 1;
  made.data = made.kind == Instruction::Kind::load ? 0 : made.has_result ? 2 : 1;
  const ptx::PtxOperand& data = instruction.operands[made.data];
  const std::uint64_t elements = data.kind == ptx::OperandKind::vector ? data.parts.size() : 1;
  const std::uint64_t address = address_at(plain, terms_, made.address);
  const std::uint64_t bytes = elements * made.bytes;
  const bool writes = made.kind != Instruction::Kind::load;
  if (is_multicast) {
    const std::uint64_t multicast = (address >> 32) - 0x8000;
    if (multicast >= launch_.multicasts.size()) throw PlainProblem{true, "a multicast address is wrong"};
    for (const std::size_t buffer : launch_.multicasts[multicast].buffers)
      made.parts.push_back(part_at(base_of(buffer) + (address & 0xFFFFFFFF), bytes, writes));
    return made;
  }
  const Part whole = part_at(address, bytes, writes);
  if (elements == 1 || (made.order != Order::weak && description_.grants.whole_vectors)) {
    made.parts.push_back(whole);
    return made;
  }
  for (std::uint64_t at = 0; at < elements; ++at)
    made.parts.push_back(
        {{whole.words.buffer, whole.words.first + at * made.bytes / 4, made.bytes / 4}, whole.is_constant});
  return made;
}

Part Executions::part_at(std::uint64_t address, std::uint64_t bytes, bool writes) const {
  const std::uint64_t buffer = (address >> 32) - 1;
  const std::uint64_t offset = address & 0xFFFFFFFF;
  if (buffer >= launch_.buffers.size() || offset + bytes > launch_.buffers[buffer].bytes)
    throw PlainProblem{true, "an access out of bounds"};
  if (offset % bytes != 0) throw PlainProblem{true, "a misaligned access"};
  if (launch_.buffers[buffer].is_constant && writes) throw PlainProblem{true, "a write of constant memory"};
  return {{buffer, offset / 4, bytes / 4}, launch_.buffers[buffer].is_constant};
}

/// Does it come back to a read as it was, without having done anything else?
bool Executions::went_round(Thread& thread, bool is_strong) {
  auto& needed = needed_[thread.plain.function];
  if (needed.empty()) needed = needed_in(*thread.plain.function);
  Point point{thread.plain.pc, thread.part, is_strong, {}};
  const auto& here = needed[static_cast<std::size_t>(thread.plain.pc)];
  for (std::size_t reg = 0; reg < here.size(); ++reg)
    if (here[reg]) point.needed.push_back(thread.plain.registers[reg]);
  const auto found = std::find(thread.points.begin(), thread.points.end(), point);
  if (found != thread.points.end()) {
    const bool has_strong = std::any_of(found, thread.points.end(), [](const Point& each) { return each.is_strong; });
    thread.state = has_strong ? Thread::State::in_vain : Thread::State::spins_weakly;
    return true;
  }
  constexpr std::ptrdiff_t most_rounds = 3;
  if (std::count(thread.all_points.begin(), thread.all_points.end(), point) == most_rounds) {
    thread.state = Thread::State::too_often;
    judgement_.is_bounded = true;
    return true;
  }
  thread.all_points.push_back(point);
  thread.points.push_back(std::move(point));
  return false;
}

/// For a read and an atomic the places in coherence order of the writes that it may read, the latest first; for a store
/// the places where it may come.
std::vector<int> Executions::choices(const State& state, const Thread& thread, const Instruction& instruction) const {
  const Part& part = instruction.parts[thread.part];
  if (part.is_constant) return {initial};
  const auto& writes = state.writes[part.words.buffer][part.words.first];
  const auto last = static_cast<int>(writes.size()) - 1;
  if (instruction.order == Order::weak) return {last};
  for (std::uint64_t word = 1; word < part.words.count; ++word)
    if (state.writes[part.words.buffer][part.words.first + word] != writes)
      throw PlainProblem{false, "parts of an access have different writes"};
  const int oldest = oldest_allowed(state, thread.known | thread.observed, thread.id, part.words);
  const auto is_pair = [&](int at) {  // an atomic, and the write that it read
    if (at + 1 > last) return false;
    const Event& next = *state.events[static_cast<std::size_t>(writes[static_cast<std::size_t>(at + 1)])];
    return next.is_atomic && next.sources.front() == (at < 0 ? initial : writes[static_cast<std::size_t>(at)]);
  };
  std::vector<int> ways;
  for (int at = last; at >= oldest; --at)
    if (instruction.kind != Instruction::Kind::store || !is_pair(at)) ways.push_back(at);
  if (instruction.kind == Instruction::Kind::atomic && instruction.operation != "cas") std::erase_if(ways, is_pair);
  return ways;
}

Event Executions::event_of(const Thread& thread, const Instruction& instruction) const {
  Event event;
  event.thread = thread.id;
  event.rank = thread.plain.place.rank;
  event.block = thread.plain.place.block;
  event.order = instruction.order;
  event.scope = instruction.scope;
  event.before = thread.known;
  event.reads_before = thread.reads_known;
  if (description_.grants.kernel_boundary) event.known_at_launch = thread.at_launch;
  event.text = "rank " + std::to_string(event.rank) + ", block " + std::to_string(event.block) + ", thread " +
               std::to_string(thread.plain.place.thread) + ", call " + std::to_string(thread.plain.place.call) + ": " +
               launch_.module->text_of(instruction_of(thread.plain));
  event.hash = mixed(mixed(1, static_cast<std::uint64_t>(event.thread)), static_cast<std::uint64_t>(thread.events));
  return event;
}

/// Does the part of the instruction that is next, with the write at a place in coherence order.
void Executions::do_part(State& state, Thread& thread, const Instruction& instruction, int choice) {
  const Part& part = instruction.parts[thread.part];
  const auto words_at = [&](int source) {
    std::vector<PlainWord> words;
    for (std::uint64_t word = part.words.first; word < part.words.first + part.words.count; ++word)
      words.push_back(word_of(state, source, part.words.buffer, word));
    return words;
  };
  if (part.is_constant) {
    for (const PlainWord& word : words_at(initial)) thread.loaded.push_back(word);
    return finish(thread, instruction);
  }
  Event event = event_of(thread, instruction);
  event.words = part.words;
  const auto& list = state.writes[part.words.buffer][part.words.first];
  const int source = choice < 0 ? initial : list[static_cast<std::size_t>(choice)];
  bool writes = instruction.kind != Instruction::Kind::load;
  event.reads = instruction.kind != Instruction::Kind::store;
  std::vector<PlainWord> given;
  const ptx::PtxInstruction& text = instruction_of(thread.plain);
  if (writes) {
    const ptx::PtxOperand& data = text.operands[instruction.data];
    const auto add_value = [&](const ptx::PtxOperand& operand) {
      const PlainValue value = value_at(thread.plain, operand);
      given.push_back(value.low);
      if (instruction.bytes == 8) given.push_back(value.high);
    };
    if (data.kind != ptx::OperandKind::vector)
      add_value(data);
    else if (instruction.parts.size() == 1)
      for (const auto& each : data.parts) add_value(each);
    else
      add_value(data.parts[thread.part]);
  }
  if (event.reads) {
    const auto last = static_cast<int>(list.size()) - 1;
    if (choice != last) thread.reads_older = true;
    read(state, thread, event, source);
    std::vector<PlainWord> old = event.order == Order::weak ? std::vector<PlainWord>{} : words_at(source);
    if (event.order == Order::weak)
      for (std::uint64_t word = 0; word < part.words.count; ++word)
        old.push_back(word_of(state, event.sources[word], part.words.buffer, part.words.first + word));
    thread.loaded.insert(thread.loaded.end(), old.begin(), old.end());
    if (instruction.kind == Instruction::Kind::atomic) {
      event.is_atomic = true;
      if (instruction.operation == "add") {
        if (instruction.bytes != 4 || old[0].term != 0 || given[0].term != 0)
          throw PlainProblem{false, "an atomic addition of anything but numbers"};
        given[0].bits += old[0].bits;
      }
      if (instruction.operation == "cas") {
        writes = old == given;
        given.clear();
        const PlainValue value = value_at(thread.plain, text.operands[instruction.data + 1]);
        given.push_back(value.low);
        if (instruction.bytes == 8) given.push_back(value.high);
        if (writes && choice + 1 <= last) {
          const Event& next = *state.events[static_cast<std::size_t>(list[static_cast<std::size_t>(choice + 1)])];
          if (next.is_atomic && next.writes && next.sources.front() == source) {
            thread.state = Thread::State::in_vain;  // two atomics after one write: no execution
            thread.reads_older = true;
            return;
          }
        }
        if (!writes) event.is_atomic = false;
      }
    }
  }
  event.writes = writes;
  if (writes) {
    event.written = given;
    write(thread, event);
    thread.points.clear();
    thread.reads_older = false;
  }
  event.caused = event.before;
  for (std::size_t other = 0; other < state.events.size(); ++other)
    if (event.before.test(other)) event.caused |= state.events[other]->observes;
  const Events observes = event.observes;
  ++thread.events;
  const Words words = event.words;
  const int index = add(state, std::move(event));
  for (ReleaseStart& start : thread.starts)
    if (start.event < 0) start = state.events[static_cast<std::size_t>(index)]->releases.back();
  if (writes)
    for (std::uint64_t word = words.first; word < words.first + words.count; ++word) {
      auto& order = state.writes[words.buffer][word];
      order.insert(order.begin() + (instruction.order == Order::weak ? static_cast<int>(order.size()) : choice + 1),
                   index);
    }
  thread.known.set(static_cast<std::size_t>(index));
  thread.reads_known.set(static_cast<std::size_t>(index));
  thread.observed |= observes;
  finish(thread, instruction);
}

/// Behind the last part: sets registers.
void Executions::finish(Thread& thread, const Instruction& instruction) {
  if (++thread.part < instruction.parts.size()) return;
  thread.part = 0;
  const ptx::PtxInstruction& text = instruction_of(thread.plain);
  if (instruction.kind == Instruction::Kind::load || instruction.has_result) {
    if (instruction.is_sum) {
      PlainWord sum = thread.loaded.front();
      for (std::size_t at = 1; at < thread.loaded.size(); ++at) sum = added(terms_, sum, thread.loaded[at]);
      thread.loaded = {sum};
    }
    const ptx::PtxOperand& to = text.operands[0];
    const std::size_t step = instruction.bytes / 4;
    const auto set = [&](const ptx::PtxOperand& operand, std::size_t at) {
      if (operand.kind != ptx::OperandKind::reg) return;
      const PlainWord high = step == 2 ? thread.loaded[at + 1] : PlainWord{};
      thread.plain.registers[static_cast<std::size_t>(operand.reg)] = {thread.loaded[at], high};
    };
    if (to.kind == ptx::OperandKind::vector)
      for (std::size_t at = 0; at < to.parts.size(); ++at) set(to.parts[at], at * step);
    else
      set(to, 0);
  }
  thread.loaded.clear();
  ++thread.plain.pc;
}

/// Takes part in patterns both ways: an acquire of what relaxed reads saw, and the start of a release.
void Executions::fence(State& state, Thread& thread, const Instruction& instruction) {
  Event event = event_of(thread, instruction);
  for (const PendingRelease& pending : thread.pending)
    if (are_morally_strong(pending.start, event)) acquire(thread, event, pending.start);
  ++thread.events;
  const Rank rank = event.rank;
  const std::int64_t block = event.block;
  const int index = add(state, std::move(event));
  thread.known.set(static_cast<std::size_t>(index));
  ReleaseStart start{index, thread.known, thread.observed, thread.id, rank, block, instruction.scope, {}};
  std::erase_if(thread.starts,
                [&](const ReleaseStart& known) { return known.words.count == 0 && known.scope == start.scope; });
  thread.starts.push_back(start);
  ++thread.plain.pc;
}

// Events.

int Executions::add(State& state, Event event) {
  if (state.events.size() == most_events) throw PlainProblem{false, "too many events"};
  for (std::size_t other = 0; event.thread < 0 && other < state.events.size(); ++other)
    if (event.before.test(other)) event.caused |= state.events[other]->observes;
  event.caused |= event.before;
  check_races(state, event);
  const auto index = static_cast<int>(state.events.size());
  for (std::uint64_t word = event.words.first; word < event.words.first + event.words.count; ++word)
    state.accesses[event.words.buffer][word].push_back(index);
  for (ReleaseStart& start : event.releases)
    if (start.event < 0) {
      start.event = index;
      start.before.set(static_cast<std::size_t>(index));
    }
  arena_.push_back(std::move(event));
  state.events.push_back(&arena_.back());
  return index;
}

/// Section 8.7.1. Writes of the same value are harmless.
void Executions::check_races(const State& state, const Event& event) const {
  for (std::uint64_t word = event.words.first; word < event.words.first + event.words.count; ++word)
    for (const int at : state.accesses[event.words.buffer][word]) {
      const Event& other = *state.events[static_cast<std::size_t>(at)];
      if ((!other.writes && !event.writes) || are_morally_strong(other, event)) continue;
      if (event.caused.test(static_cast<std::size_t>(at))) continue;
      if (!other.writes && event.reads_before.test(static_cast<std::size_t>(at))) continue;
      if (other.writes && event.writes &&
          other.written[word - other.words.first] == event.written[word - event.words.first])
        continue;
      if (is_superseded(state, at, event, word)) continue;
      throw PlainProblem{true, "race: " + other.text + " | " + event.text};
    }
}

bool Executions::is_superseded(const State& state, int earlier, const Event& event, std::uint64_t word) const {
  if (!state.events[static_cast<std::size_t>(earlier)]->writes) return false;
  for (const int between : state.writes[event.words.buffer][word])
    if (event.caused.test(static_cast<std::size_t>(between)) &&
        state.events[static_cast<std::size_t>(between)]->caused.test(static_cast<std::size_t>(earlier)))
      return true;
  return false;
}

/// The place in coherence order of the latest write that the thread did or that is before in causality.
int Executions::oldest_allowed(const State& state, const Events& caused, int thread, const Words& words) const {
  const auto& writes = state.writes[words.buffer][words.first];
  for (auto at = static_cast<int>(writes.size()) - 1; at >= 0; --at) {
    const int write = writes[static_cast<std::size_t>(at)];
    const bool is_read_by_it = std::any_of(state.accesses[words.buffer][words.first].begin(),
                                           state.accesses[words.buffer][words.first].end(), [&](int other) {
                                             const Event& event = *state.events[static_cast<std::size_t>(other)];
                                             return event.thread == thread && event.reads &&
                                                    event.sources[words.first - event.words.first] == write;
                                           });
    if (caused.test(static_cast<std::size_t>(write)) || is_read_by_it ||
        state.events[static_cast<std::size_t>(write)]->thread == thread)
      return at;
  }
  return initial;
}

const PlainWord& Executions::word_of(const State& state, int source, std::size_t buffer, std::uint64_t word) const {
  if (source == initial) return initial_[buffer][word];
  const Event& event = *state.events[static_cast<std::size_t>(source)];
  return event.written[word - event.words.first];
}

void Executions::read(State& state, Thread& thread, Event& event, int source) {
  event.sources.assign(event.words.count, source);
  if (!event.is_strong())
    for (std::uint64_t word = 0; word < event.words.count; ++word) {
      const auto& writes = state.writes[event.words.buffer][event.words.first + word];
      event.sources[word] = writes.empty() ? initial : writes.back();
    }
  for (const int each : event.sources) {
    if (each == initial) continue;
    const Event& from = *state.events[static_cast<std::size_t>(each)];
    event.hash = mixed(event.hash, from.hash);
    if (!are_morally_strong(event, from)) continue;
    event.observes.set(static_cast<std::size_t>(each));
    if (from.is_atomic) event.observes |= from.observes;
  }
  if (!event.is_strong()) return;
  // The read of `red` is no part of an acquire pattern.
  if (instruction_of(thread.plain).words.front() == "red" || has_word(instruction_of(thread.plain), "red")) return;
  for (std::size_t at = 0; at < state.events.size(); ++at) {
    if (!event.observes.test(at)) continue;
    const Event& from = *state.events[at];
    if (description_.grants.kernel_boundary && from.thread != event.thread) {
      event.before |= from.known_at_launch;
      thread.known |= from.known_at_launch;
      thread.reads_known |= from.reads_before;
      event.reads_before |= from.reads_before;
    }
    for (const ReleaseStart& start : from.releases) {
      if (start.thread == event.thread) continue;
      if (acquires(event.order) && are_morally_strong(start, event))
        acquire(thread, event, start);
      else
        thread.pending.push_back({start, event.words});
    }
  }
  if (!acquires(event.order)) return;
  for (const PendingRelease& pending : thread.pending)
    if (pending.words == event.words && are_morally_strong(pending.start, event)) acquire(thread, event, pending.start);
}

void Executions::acquire(Thread& thread, Event& event, const ReleaseStart& start) {
  thread.known |= start.before;
  thread.observed |= start.observed;
  thread.reads_known |= start.before;
  event.before |= start.before;
  event.reads_before |= start.before;
}

/// Which patterns end with this write.
void Executions::write(Thread& thread, Event& event) {
  if (!event.is_strong()) return;
  for (const ReleaseStart& start : thread.starts)
    if (start.words.count == 0 || start.words == event.words) event.releases.push_back(start);
  if (!releases(event.order)) return;
  Events observed = thread.observed | event.observes;
  ReleaseStart start{-1, event.before, observed, event.thread, event.rank, event.block, event.scope, event.words};
  event.releases.push_back(start);
  thread.starts.push_back(start);
}

// The search.

/// Of all that happens, in whatever order it was added.
std::uint64_t Executions::behaviour_of(const State& state) {
  std::uint64_t sum = 0;
  for (const Event* event : state.events) {
    std::uint64_t hash = mixed(event->hash, static_cast<std::uint64_t>(event->order));
    hash = mixed(hash, static_cast<std::uint64_t>(event->scope) * 4 + (event->reads ? 2 : 0) + (event->writes ? 1 : 0));
    hash = mixed(mixed(mixed(hash, event->words.buffer), event->words.first), event->words.count);
    for (const PlainWord& word : event->written) hash = mixed(hash, word.bits);
    sum += hash;
  }
  return mixed(sum, state.events.size());
}

std::uint64_t Executions::hash_of(const State& state) const {
  std::uint64_t hash = 0;
  for (const Event* event : state.events) hash += mixed(event->hash, 7);
  for (std::size_t buffer = 0; buffer < state.writes.size(); ++buffer)
    for (std::size_t word = 0; word < state.writes[buffer].size(); ++word) {
      std::uint64_t order = mixed(buffer, word);
      for (const int write : state.writes[buffer][word])
        order = mixed(order, state.events[static_cast<std::size_t>(write)]->hash);
      hash += order;
    }
  return hash;
}

void Executions::visit(const State& state) {
  for (const Thread& thread : state.threads)
    if (thread.state == Thread::State::too_often) return;
  if (!visited_.insert(hash_of(state)).second) return;
  if (++judgement_.states > most_states_) throw PlainProblem{false, "too many states"};
  const bool is_finished =
      std::all_of(state.hosts.begin(), state.hosts.end(), [](const Host& host) { return host.is_finished; });
  if (is_finished) {
    ++judgement_.executions;
    judgement_.behaviour += behaviour_of(state);
    return;
  }
  bool progresses = false;
  const auto first_store = std::find_if(state.threads.begin(), state.threads.end(), [&](const Thread& thread) {
    return thread.state == Thread::State::chooses && decoded(thread).kind == Instruction::Kind::store;
  });
  for (std::size_t at = 0; at < state.threads.size(); ++at) {
    if (state.threads[at].state != Thread::State::chooses) continue;
    if (first_store != state.threads.end() && &state.threads[at] != &*first_store) continue;
    const Instruction instruction = decoded(state.threads[at]);
    const auto ways = choices(state, state.threads[at], instruction);
    for (std::size_t way = 0; way < ways.size(); ++way) {
      State next = state;
      Thread& thread = next.threads[at];
      thread.state = Thread::State::runs;
      do_part(next, thread, instruction, ways[way]);
      while (thread.state == Thread::State::runs) run_thread(next, thread);
      // It read in vain: the same as if it hadn't.
      if (thread.state == Thread::State::in_vain) continue;
      progresses = progresses || way == 0;
      if (thread.state == Thread::State::too_often) continue;
      run_on(next);
      visit(next);
    }
  }
  const bool reads_older =
      std::any_of(state.threads.begin(), state.threads.end(), [](const Thread& thread) { return thread.reads_older; });
  if (!progresses && !reads_older) throw PlainProblem{true, "deadlock"};
}

}  // namespace

KernelJudgement judge_kernel(const ConcreteLaunch& launch, const Description& description, std::uint64_t most_states) {
  return Executions(launch, description, most_states).judge();
}

}  // namespace onceover::gpu
