#include "axioms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <optional>

namespace onceover::gpu {
namespace {

using Mask = std::uint32_t;  // a set of events

constexpr Mask bit(int event) {
  return Mask{1} << event;
}

/// Pairs of events: row a has the events after a.
struct Relation {
  std::array<Mask, 32> rows{};

  bool has(int a, int b) const { return (rows[static_cast<std::size_t>(a)] & bit(b)) != 0; }
  void add(int a, int b) { rows[static_cast<std::size_t>(a)] |= bit(b); }
  void close(int events) {
    for (int middle = 0; middle < events; ++middle)
      for (int a = 0; a < events; ++a)
        if (has(a, middle)) rows[static_cast<std::size_t>(a)] |= rows[static_cast<std::size_t>(middle)];
  }
};

bool is_acyclic(Relation relation, int events) {
  relation.close(events);
  for (int event = 0; event < events; ++event)
    if (relation.has(event, event)) return false;
  return true;
}

struct Event {
  Step step;
  int thread;
  int condition = -1;  // an event
  int barrier = -1;    // the how manieth of its thread
};

constexpr int initial = -1;  // the write before all threads

/// A word that an event reads, and the writes that it may be from.
struct ReadWord {
  int event;
  std::uint32_t word;
  std::vector<int> sources;
  int source = initial;
};

/// A pattern of section 8.8: its first and last event, which are one if a single operation is a pattern.
struct Pattern {
  int first;
  int last;
};

class Executions {
 public:
  explicit Executions(const LittleProgram& program);

  AxiomJudgement judge() {
    choose_sources(0);
    return judgement_;
  }

 private:
  // Static properties of events.
  void add_events();
  void add_reads();
  bool overlap(int a, int b) const;
  bool includes(int a, int b) const;
  bool are_morally_strong(int a, int b) const;
  bool is_in_program_order(int a, int b) const { return a < b && events_[at(a)].thread == events_[at(b)].thread; }

  // Values.
  void choose_sources(std::size_t read);
  bool evaluate();
  std::optional<bool> runs(int event, int depth) const;
  std::optional<std::uint32_t> read_value(int event, std::uint32_t word, int depth) const;
  std::optional<std::uint32_t> written_value(int event, std::uint32_t word, int depth) const;
  int source_of(int event, std::uint32_t word) const;
  bool reads_from(int read, int write) const;

  // Orders.
  void choose_fence_order();
  void judge_execution(const std::vector<int>& fences);
  Relation synchronizes(const std::vector<int>& fences) const;
  std::vector<Pattern> release_patterns() const;
  std::vector<Pattern> acquire_patterns() const;
  Relation observation() const;
  bool is_superseded(int a, int b) const;
  std::string race(bool superseded) const;
  bool has_coherence_order() const;
  bool has_coherence_order(std::vector<int> writes, Mask component) const;
  std::optional<Relation> coherence(const std::vector<int>& writes) const;
  bool reads_before(const Relation& coherence, int read, int write) const;
  bool is_atomic(const Relation& coherence, Mask component) const;
  bool is_consistent_per_location(const Relation& coherence, Mask component) const;
  bool respects_causality(const Relation& coherence, Mask component) const;

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  bool happens(int event) const { return (happening_ & bit(event)) != 0; }

  const LittleProgram& program_;
  std::vector<Event> events_;
  int count_ = 0;
  std::vector<Mask> components_;  // memory events that overlap, directly or by others
  std::vector<ReadWord> reads_;
  AxiomJudgement judgement_;

  // Of the candidate at hand.
  Mask happening_ = 0;
  Observed observed_;
  bool is_in_order_ = true;
  Relation causality_;
};

Executions::Executions(const LittleProgram& program) : program_(program) {
  add_events();
  add_reads();
}

void Executions::add_events() {
  for (std::size_t thread = 0; thread < program_.size(); ++thread) {
    const auto first = static_cast<int>(events_.size());
    int barriers = 0;
    for (const Step& step : program_[thread].steps) {
      Event event{step, static_cast<int>(thread)};
      if (step.condition >= 0) event.condition = first + step.condition;
      if (step.action == Action::barrier) event.barrier = barriers++;
      events_.push_back(event);
    }
  }
  count_ = static_cast<int>(events_.size());
  REQUIRE(count_ <= 32);
  for (int event = 0; event < count_; ++event) {
    if (!events_[at(event)].step.is_memory()) continue;
    Mask component = bit(event);
    for (int other = 0; other < count_; ++other)
      if (overlap(event, other)) component |= bit(other);
    std::erase_if(components_, [&](Mask known) {
      if ((known & component) == 0) return false;
      component |= known;
      return true;
    });
    components_.push_back(component);
  }
}

void Executions::add_reads() {
  for (int event = 0; event < count_; ++event) {
    const Step& step = events_[at(event)].step;
    if (!step.is_memory() || !step.reads()) continue;
    for (std::uint32_t word = step.word; word < step.word + step.words; ++word) {
      ReadWord read{event, word, {initial}};
      for (int write = 0; write < count_; ++write) {
        const Step& other = events_[at(write)].step;
        const bool has_word =
            other.is_memory() && other.writes() && other.word <= word && word < other.word + other.words;
        if (has_word && write != event && !is_in_program_order(event, write)) read.sources.push_back(write);
      }
      reads_.push_back(read);
    }
  }
}

bool Executions::overlap(int a, int b) const {
  const Step& one = events_[at(a)].step;
  const Step& other = events_[at(b)].step;
  return one.is_memory() && other.is_memory() && one.word < other.word + other.words &&
         other.word < one.word + one.words;
}

/// Does the scope of a include the thread of b?
bool Executions::includes(int a, int b) const {
  const LittleThread& mine = program_[at(events_[at(a)].thread)];
  const LittleThread& other = program_[at(events_[at(b)].thread)];
  switch (events_[at(a)].step.scope) {
    case Scope::none: return false;
    case Scope::cta:
    case Scope::cluster: return mine.rank == other.rank && mine.block == other.block;
    case Scope::gpu: return mine.rank == other.rank;
    case Scope::sys: return true;
  }
  return false;
}

/// Section 8.7.
bool Executions::are_morally_strong(int a, int b) const {
  const Step& one = events_[at(a)].step;
  const Step& other = events_[at(b)].step;
  if (one.is_memory() && other.is_memory() && (one.word != other.word || one.words != other.words)) return false;
  if (events_[at(a)].thread == events_[at(b)].thread) return true;
  return one.order != Order::weak && other.order != Order::weak && includes(a, b) && includes(b, a);
}

void Executions::choose_sources(std::size_t read) {
  if (read == reads_.size()) {
    if (evaluate()) choose_fence_order();
    return;
  }
  for (const int source : reads_[read].sources) {
    reads_[read].source = source;
    choose_sources(read + 1);
  }
}

int Executions::source_of(int event, std::uint32_t word) const {
  for (const ReadWord& read : reads_)
    if (read.event == event && read.word == word) return read.source;
  return initial;
}

bool Executions::reads_from(int read, int write) const {
  return std::any_of(reads_.begin(), reads_.end(),
                     [&](const ReadWord& word) { return word.event == read && word.source == write; });
}

// Values follow from the sources. One that depends on itself is out of thin air (section 8.10.4), and is none.

std::optional<bool> Executions::runs(int event, int depth) const {
  const Event& made = events_[at(event)];
  if (made.condition < 0) return true;
  if (depth > 4 * count_) return std::nullopt;
  const Step& condition = events_[at(made.condition)].step;
  for (std::uint32_t word = condition.word; word < condition.word + condition.words; ++word) {
    const auto value = read_value(made.condition, word, depth + 1);
    if (!value) return std::nullopt;
    if (*value != made.step.wanted) return false;
  }
  return true;
}

std::optional<std::uint32_t> Executions::read_value(int event, std::uint32_t word, int depth) const {
  if (depth > 4 * count_) return std::nullopt;
  const auto is_run = runs(event, depth + 1);
  if (!is_run) return std::nullopt;
  if (!*is_run) return unread;
  const int source = source_of(event, word);
  return source == initial ? std::optional<std::uint32_t>(0) : written_value(source, word, depth + 1);
}

std::optional<std::uint32_t> Executions::written_value(int event, std::uint32_t word, int depth) const {
  const auto is_run = runs(event, depth + 1);
  if (!is_run || !*is_run) return std::nullopt;
  const Step& step = events_[at(event)].step;
  if (step.action == Action::store || step.action == Action::exchange) return step.value;
  const auto before = read_value(event, word, depth + 1);
  if (!before) return std::nullopt;
  return *before + step.value;
}

bool Executions::evaluate() {
  happening_ = 0;
  observed_.clear();
  for (int event = 0; event < count_; ++event) {
    const auto is_run = runs(event, 0);
    if (!is_run) return false;
    if (*is_run) happening_ |= bit(event);
  }
  Relation order;
  for (const ReadWord& read : reads_) {
    const auto value = read_value(read.event, read.word, 0);
    if (!value) return false;
    if (!happens(read.event) && read.source != initial) return false;
    if (happens(read.event) && read.source != initial) order.add(read.source, read.event);
    if (events_[at(read.event)].step.returns()) observed_.push_back(*value);
  }
  for (int a = 0; a < count_; ++a)
    for (int b = a + 1; b < count_; ++b)
      if (happens(a) && happens(b) && is_in_program_order(a, b)) order.add(a, b);
  is_in_order_ = is_acyclic(order, count_);
  return true;
}

void Executions::choose_fence_order() {
  std::vector<int> fences;
  for (int event = 0; event < count_; ++event) {
    const Step& step = events_[at(event)].step;
    if (happens(event) && step.action == Action::fence && step.order == Order::sc) fences.push_back(event);
  }
  do judge_execution(fences);
  while (std::next_permutation(fences.begin(), fences.end()));
}

void Executions::judge_execution(const std::vector<int>& fences) {
  Relation base = synchronizes(fences);
  for (int a = 0; a < count_; ++a)
    for (int b = a + 1; b < count_; ++b)
      if (happens(a) && happens(b) && is_in_program_order(a, b)) base.add(a, b);
  base.close(count_);
  const Relation observed = observation();
  causality_ = base;
  for (int a = 0; a < count_; ++a)
    for (int middle = 0; middle < count_; ++middle)
      if (observed.has(a, middle)) causality_.rows[at(a)] |= base.rows[at(middle)];
  for (std::size_t later = 0; later < fences.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (are_morally_strong(fences[earlier], fences[later]) && causality_.has(fences[later], fences[earlier])) return;
  const std::string race = this->race(false);
  const bool is_superseded_race = !this->race(true).empty();
  const bool is_new = !judgement_.allowed.contains(observed_) ||
                      (is_in_order_ && !judgement_.allowed_in_order.contains(observed_)) ||
                      (!race.empty() && (!judgement_.has_race || (is_in_order_ && !judgement_.has_race_in_order))) ||
                      (is_superseded_race && !judgement_.has_superseded_race);
  if (!is_new || !has_coherence_order()) return;
  judgement_.allowed.insert(observed_);
  if (is_in_order_) judgement_.allowed_in_order.insert(observed_);
  judgement_.has_superseded_race = judgement_.has_superseded_race || is_superseded_race;
  if (race.empty()) return;
  judgement_.has_race = true;
  if (is_in_order_) judgement_.has_race_in_order = true;
  judgement_.race = race;
}

/// Section 8.9.4.
Relation Executions::synchronizes(const std::vector<int>& fences) const {
  Relation relation;
  for (std::size_t later = 0; later < fences.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (are_morally_strong(fences[earlier], fences[later])) relation.add(fences[earlier], fences[later]);
  for (int a = 0; a < count_; ++a) {
    for (int b = 0; b < count_; ++b) {
      const Event& one = events_[at(a)];
      const Event& other = events_[at(b)];
      const LittleThread& mine = program_[at(one.thread)];
      const LittleThread& its = program_[at(other.thread)];
      if (one.barrier >= 0 && one.barrier == other.barrier && one.thread != other.thread && mine.rank == its.rank &&
          mine.block == its.block)
        relation.add(a, b);
    }
  }
  const Relation observed = observation();
  const std::vector<Pattern> acquires = acquire_patterns();
  for (const Pattern& release : release_patterns())
    for (const Pattern& acquire : acquires)
      if (observed.has(release.last, acquire.first) && are_morally_strong(release.first, acquire.last) &&
          release.first != acquire.last)
        relation.add(release.first, acquire.last);
  return relation;
}

std::vector<Pattern> Executions::release_patterns() const {
  std::vector<Pattern> patterns;
  for (int write = 0; write < count_; ++write) {
    const Step& last = events_[at(write)].step;
    if (!happens(write) || !last.is_memory() || !last.writes() || last.order == Order::weak) continue;
    if (releases(last.order)) patterns.push_back({write, write});
    for (int first = 0; first < write; ++first) {
      const Step& step = events_[at(first)].step;
      if (!happens(first) || !is_in_program_order(first, write)) continue;
      const bool is_on_it = step.is_memory() && step.writes() && step.word == last.word && step.words == last.words;
      if ((is_on_it || step.action == Action::fence) && releases(step.order)) patterns.push_back({first, write});
    }
  }
  return patterns;
}

std::vector<Pattern> Executions::acquire_patterns() const {
  std::vector<Pattern> patterns;
  for (int read = 0; read < count_; ++read) {
    const Step& first = events_[at(read)].step;
    if (!happens(read) || !first.is_memory() || !first.returns() || first.order == Order::weak) continue;
    if (acquires(first.order)) patterns.push_back({read, read});
    for (int last = read + 1; last < count_; ++last) {
      const Step& step = events_[at(last)].step;
      if (!happens(last) || !is_in_program_order(read, last)) continue;
      const bool is_on_it = step.is_memory() && step.returns() && step.word == first.word && step.words == first.words;
      if ((is_on_it || step.action == Action::fence) && acquires(step.order)) patterns.push_back({read, last});
    }
  }
  return patterns;
}

/// Section 8.9.2.
Relation Executions::observation() const {
  Relation direct;
  for (const ReadWord& read : reads_)
    if (happens(read.event) && read.source != initial && are_morally_strong(read.event, read.source))
      direct.add(read.source, read.event);
  Relation relation = direct;
  for (int round = 0; round < count_; ++round)
    for (int write = 0; write < count_; ++write)
      for (int atomic = 0; atomic < count_; ++atomic)
        if (relation.has(write, atomic) && events_[at(atomic)].step.is_atomic())
          relation.rows[at(write)] |= direct.rows[at(atomic)];
  return relation;
}

/// Does causality have a write of the same bytes between the write a and b? By 8.10.1 and 8.10.6 b then neither reads a
/// nor comes before it, though causality, which isn't transitive, doesn't order the two.
bool Executions::is_superseded(int a, int b) const {
  if (!events_[at(a)].step.writes()) return false;
  const auto words = [&](int event) {
    const Step& step = events_[at(event)].step;
    return ((Mask{1} << step.words) - 1) << step.word;
  };
  for (int between = 0; between < count_; ++between)
    if (happens(between) && events_[at(between)].step.is_memory() && events_[at(between)].step.writes() &&
        causality_.has(a, between) && causality_.has(between, b) && (words(a) & words(b) & ~words(between)) == 0)
      return true;
  return false;
}

/// Section 8.7.1, of pairs that are superseded or of those that aren't.
std::string Executions::race(bool superseded) const {
  for (int a = 0; a < count_; ++a) {
    for (int b = a + 1; b < count_; ++b) {
      const Event& one = events_[at(a)];
      const Event& other = events_[at(b)];
      if (!happens(a) || !happens(b) || !overlap(a, b) || (!one.step.writes() && !other.step.writes())) continue;
      if (are_morally_strong(a, b) || causality_.has(a, b) || causality_.has(b, a)) continue;
      if ((is_superseded(a, b) || is_superseded(b, a)) != superseded) continue;
      return "events " + std::to_string(a) + " and " + std::to_string(b);
    }
  }
  return "";
}

/// Axioms other than those of fences concern overlapping operations only, so each component has its own order.
bool Executions::has_coherence_order() const {
  return std::all_of(components_.begin(), components_.end(), [&](Mask component) {
    std::vector<int> writes;
    for (int event = 0; event < count_; ++event)
      if ((component & bit(event)) != 0 && happens(event) && events_[at(event)].step.writes()) writes.push_back(event);
    return has_coherence_order(std::move(writes), component & happening_);
  });
}

bool Executions::has_coherence_order(std::vector<int> writes, Mask component) const {
  do {
    const auto order = coherence(writes);
    if (order && is_atomic(*order, component) && is_consistent_per_location(*order, component) &&
        respects_causality(*order, component))
      return true;
  } while (std::next_permutation(writes.begin(), writes.end()));
  return false;
}

/// Sections 8.9.6 and 8.10.1: of a total order what coherence relates; nothing if causality contradicts it.
std::optional<Relation> Executions::coherence(const std::vector<int>& writes) const {
  Relation relation;
  for (std::size_t later = 0; later < writes.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const int a = writes[earlier];
      const int b = writes[later];
      if (!overlap(a, b)) continue;
      if (causality_.has(b, a)) return std::nullopt;
      if (are_morally_strong(a, b) || causality_.has(a, b)) relation.add(a, b);
    }
  }
  relation.close(count_);
  return relation;
}

/// Section 8.9.7: does the read return, for some word, what a write before this one wrote?
bool Executions::reads_before(const Relation& coherence, int read, int write) const {
  const Step& step = events_[at(write)].step;
  return read != write && step.is_memory() && step.writes() &&
         std::any_of(reads_.begin(), reads_.end(), [&](const ReadWord& word) {
           return word.event == read && step.word <= word.word && word.word < step.word + step.words &&
                  (word.source == initial || coherence.has(word.source, write));
         });
}

/// Section 8.10.3.
bool Executions::is_atomic(const Relation& coherence, Mask component) const {
  for (int read = 0; read < count_; ++read) {
    for (int write = 0; write < count_; ++write) {
      if ((component & bit(read)) == 0 || (component & bit(write)) == 0 || read == write) continue;
      if (!events_[at(write)].step.writes() || !overlap(read, write) || !are_morally_strong(read, write)) continue;
      if (!reads_before(coherence, read, write)) continue;
      if (reads_from(read, write)) return false;
      if (events_[at(read)].step.is_atomic() && coherence.has(write, read)) return false;
    }
  }
  return true;
}

/// Section 8.10.5: of events that are pairwise morally strong.
bool Executions::is_consistent_per_location(const Relation& coherence, Mask component) const {
  Relation order;
  Relation strong;
  for (int a = 0; a < count_; ++a) {
    for (int b = 0; b < count_; ++b) {
      if ((component & bit(a)) == 0 || (component & bit(b)) == 0 || a == b || !overlap(a, b)) continue;
      if (!are_morally_strong(a, b)) continue;
      strong.add(a, b);
      if (is_in_program_order(a, b) || reads_from(b, a) || coherence.has(a, b) || reads_before(coherence, a, b))
        order.add(a, b);
    }
  }
  if (is_acyclic(order, count_)) return true;
  for (Mask set = component; set != 0; set = (set - 1) & component) {
    Relation within;
    bool is_pairwise = true;
    for (int a = 0; a < count_ && is_pairwise; ++a) {
      if ((set & bit(a)) == 0) continue;
      is_pairwise = (set & ~bit(a) & ~strong.rows[at(a)]) == 0;
      within.rows[at(a)] = order.rows[at(a)] & set;
    }
    if (is_pairwise && !is_acyclic(within, count_)) return false;
  }
  return true;
}

/// Section 8.10.6.
bool Executions::respects_causality(const Relation& coherence, Mask component) const {
  for (int a = 0; a < count_; ++a) {
    for (int b = 0; b < count_; ++b) {
      if ((component & bit(a)) == 0 || (component & bit(b)) == 0 || !overlap(a, b) || !causality_.has(a, b)) continue;
      if (events_[at(b)].step.writes() && reads_from(a, b)) return false;
      if (events_[at(a)].step.writes() && events_[at(b)].step.reads() && reads_before(coherence, b, a)) return false;
    }
  }
  return true;
}

}  // namespace

AxiomJudgement judge_by_axioms(const LittleProgram& program) {
  return Executions(program).judge();
}

}  // namespace onceover::gpu
