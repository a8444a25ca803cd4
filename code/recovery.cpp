// Elements are cut where some message, sum or result begins or ends; between two cuts all elements fare alike, and such
// an *interval* is executed as one. Its value on a rank is a term.
//
// An element is identified across ranks by its *atom*: its position in a reduction, whose vectors all ranks share; the
// position after those of lower ranks where data only moves, because there each rank has a vector of its own.
//
// Example: a ring of three ranks sums three elements. Rank 0 sends element 0 to rank 1, which joins it with its own:
// step 0, a reduce of block 0. In step 1, rank 1 sends the sum on. Each element takes another path, so each is a block.

#include "code/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "schedules/block_set.h"
#include "schedules/listed_schedule.h"

namespace onceover::code {

namespace {

using live::CallKind;
using live::Due;

constexpr std::size_t most_cells = std::size_t{1} << 27;

std::size_t at(Rank rank) {
  return static_cast<std::size_t>(rank);
}

/// Atoms, cut into intervals.
class Intervals {
 public:
  Intervals(const live::LiveCall& call, const Record& record) : call_(call), record_(record) {
    std::size_t begin = 0;
    for (Rank r = 0; r < call.ranks; ++r) {
      begins_.push_back(call.collective->reduces() ? 0 : begin);
      begin = call.collective->reduces() ? std::max(begin, given(call, r)) : begin + given(call, r);
    }
    atoms_ = begin;
  }

  std::size_t atoms() const { return atoms_; }
  std::size_t first_of(Rank rank) const { return begins_[at(rank)]; }

  /// The atom of a run's first element; nothing if the run holds no term.
  std::optional<std::size_t> atom(const ElementRun& run) const {
    const Term term = record_.term_of[run.shape];
    if (term == Term::nothing) return std::nullopt;
    if (call_.collective->reduces()) return run.position;
    if (!record_.terms.is_leaf(term)) return std::nullopt;
    const std::size_t atom = first_of(record_.terms.rank_of(term)) + run.position;
    return atom + run.length <= atoms_ ? std::optional(atom) : std::nullopt;
  }

  void cut(std::size_t atom) { cuts_.push_back(atom); }

  void cut(const std::vector<ElementRun>& runs) {
    for (const ElementRun& run : runs)
      if (const auto first = atom(run)) cuts_.insert(cuts_.end(), {*first, *first + run.length});
  }

  void finish() {
    cuts_.insert(cuts_.end(), {0, atoms_});
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
  }

  std::size_t count() const { return cuts_.size() - 1; }
  std::size_t begin(std::size_t interval) const { return cuts_[interval]; }
  std::size_t end(std::size_t interval) const { return cuts_[interval + 1]; }

  /// The interval of an atom.
  std::size_t of(std::size_t atom) const {
    return static_cast<std::size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), atom) - cuts_.begin()) - 1;
  }

 private:
  const live::LiveCall& call_;
  const Record& record_;
  std::vector<std::size_t> begins_;  // by rank: the atom of its position 0
  std::size_t atoms_;
  std::vector<std::size_t> cuts_;
};

/// A transfer of intervals, in a step.
struct Move {
  std::size_t message;
  Op op;
  std::vector<std::size_t> intervals;
};

class Recovery {
 public:
  Recovery(const live::LiveCall& call, Record& record, const CallRecord& made)
      : call_(call), record_(record), made_(made), intervals_(call, record) {
    for (Rank r = 0; r < call.ranks; ++r) dues_.push_back(due(call, r));
    for (const SentMessage& message : made.messages) intervals_.cut(message.elements);
    for (const auto& joins : made.joins)
      for (const auto& [term, runs] : joins) intervals_.cut(runs);
    for (const auto& result : made.results)
      if (result) intervals_.cut(*result);
    for (Rank r = 0; r < call.ranks; ++r) cut_dues(r);
    intervals_.finish();
  }

  tl::expected<Recovered, std::string> run() {
    if (call_.collective->collective() == Collective::alltoall && !has_all_pairs())
      return tl::unexpected(
          std::string("some ranks exchange nothing, and a schedule's alltoall has a block for each pair"));
    if (intervals_.count() * at(call_.ranks) > most_cells)
      return tl::unexpected(std::string("there are too many elements that travel apart"));
    std::string why = "the sends and receives wait for each other";
    for (const StepRule rule : step_rules) {
      const auto steps = steps_of(made_, call_.ranks, rule);
      if (!steps) continue;
      const auto misfit = execute(*steps);
      if (!misfit) return schedule(*steps);
      why = *misfit;
    }
    return tl::unexpected(why);
  }

 private:
  std::size_t due_atom(const Due& due) const {
    return (call_.collective->reduces() ? 0 : intervals_.first_of(due.first)) + due.position;
  }

  /// Cuts where a rank's results begin and end, so that an interval has one owner.
  void cut_dues(Rank rank) {
    const auto& list = dues_[at(rank)];
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (is_gap(list[k])) continue;
      const std::size_t atom = due_atom(list[k]);
      if (k == 0 || due_atom(list[k - 1]) + 1 != atom) intervals_.cut(atom);
      if (k + 1 == list.size() || due_atom(list[k + 1]) != atom + 1) intervals_.cut(atom + 1);
    }
    intervals_.cut(intervals_.first_of(rank));
    intervals_.cut(intervals_.first_of(rank) + given(call_, rank));
  }

  Term& held(Rank rank, std::size_t interval) { return held_[interval * at(call_.ranks) + at(rank)]; }

  void begin() {
    held_.assign(intervals_.count() * at(call_.ranks), Term::nothing);
    for (Rank r = 0; r < call_.ranks; ++r) {
      const std::size_t first = intervals_.first_of(r), end = first + given(call_, r);
      for (std::size_t k = intervals_.of(first); k < intervals_.count() && intervals_.begin(k) < end; ++k)
        held(r, k) = record_.terms.leaf(r);
    }
  }

  /// Calls visit(interval, term) for the intervals of a message that hold terms.
  template <class Visit>
  void for_each_interval(const SentMessage& message, Visit&& visit) {
    for (const ElementRun& run : message.elements)
      if (const auto first = intervals_.atom(run))
        for (std::size_t k = intervals_.of(*first); k < intervals_.count() && intervals_.begin(k) < *first + run.length;
             ++k)
          visit(k, record_.term_of[run.shape]);
  }

  bool joined(Rank rank, Term sum, std::size_t interval) const {
    const auto& joins = made_.joins[at(rank)];
    const auto found = joins.find(sum);
    if (found == joins.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](const ElementRun& run) {
      return run.position <= intervals_.begin(interval) && intervals_.end(interval) <= run.position + run.length;
    });
  }

  std::string elements_text(std::size_t interval) const {
    const std::size_t first = intervals_.begin(interval), last = intervals_.end(interval) - 1;
    return first == last ? fmt::format("element {}", first) : fmt::format("elements {}..{}", first, last);
  }

  /// Executes the messages in steps. Why this isn't what the run did; nothing if it is.
  std::optional<std::string> execute(const std::vector<std::vector<std::size_t>>& steps) {
    begin();
    moves_.assign(steps.size(), {});
    for (std::size_t step = 0; step < steps.size(); ++step) {
      for (const std::size_t m : steps[step])
        if (const auto misfit = check_sent(made_.messages[m], step)) return misfit;
      for (const std::size_t m : steps[step]) receive(m, moves_[step]);
    }
    return check_results();
  }

  std::optional<std::string> check_sent(const SentMessage& message, std::size_t step) {
    std::optional<std::string> misfit;
    for_each_interval(message, [&](std::size_t k, Term term) {
      if (!misfit && held(message.src, k) != term)
        misfit = fmt::format("rank {} sends {} to rank {} in step {}, and holds two values of it at once", message.src,
                             elements_text(k), message.dst, step);
    });
    return misfit;
  }

  void receive(std::size_t m, std::vector<Move>& moves) {
    const SentMessage& message = made_.messages[m];
    Move reduced{m, Op::reduce, {}}, copied{m, Op::copy, {}};
    for_each_interval(message, [&](std::size_t k, Term term) {
      Term& own = held(message.dst, k);
      const Term sum =
          own == Term::nothing || !call_.collective->reduces() ? Term::nothing : record_.terms.sum(own, term);
      const bool is_sum = sum != Term::nothing && joined(message.dst, sum, k);
      (is_sum ? reduced : copied).intervals.push_back(k);
      own = is_sum ? sum : term;
    });
    for (Move& move : {std::ref(reduced), std::ref(copied)})
      if (!move.intervals.empty()) moves.push_back(std::move(move));
  }

  std::optional<std::string> check_results() {
    for (Rank r = 0; r < call_.ranks; ++r) {
      const auto& list = dues_[at(r)];
      const auto& result = made_.results[at(r)];
      if (!result) return fmt::format("rank {} didn't come to an end", r);
      std::size_t index = 0;
      for (const ElementRun& run : *result)
        for (std::uint32_t k = 0; k < run.length; ++k, ++index) {
          if (index >= list.size()) return "a result is longer than it should be";
          if (is_gap(list[index])) continue;
          const std::size_t atom = due_atom(list[index]);
          const auto there = intervals_.atom({run.shape, run.position + k, 1});
          const Term left = there == atom ? record_.term_of[run.shape] : Term::nothing;
          if (held(r, intervals_.of(atom)) != left)
            return fmt::format("element {} of rank {} is not what they deliver", index, r);
        }
    }
    return std::nullopt;
  }

  /// The rank that owns an interval of a schedule's collective, where it matters. What nobody is due stays with the
  /// root, whose buffer has gaps.
  std::vector<Rank> owners() const {
    std::vector<Rank> owners(intervals_.count(), call_.root);
    const Contract& contract = schedules::contract(*recoverable(call_));
    auto set = [&](Rank rank, std::size_t first, std::size_t end) {
      for (std::size_t k = intervals_.of(first); k < intervals_.count() && intervals_.begin(k) < end; ++k)
        owners[k] = rank;
    };
    for (Rank r = 0; r < call_.ranks; ++r) {
      const std::size_t first = intervals_.first_of(r), end = first + given(call_, r);
      if (contract.begins == Holders::owner && first < end) set(r, first, end);
      if (contract.ends == Holders::owner)
        for (const Due& due : dues_[at(r)])
          if (!is_gap(due)) set(r, due_atom(due), due_atom(due) + 1);
    }
    return owners;
  }

  /// By interval, the numbers of the moves that it takes part in.
  std::vector<std::vector<std::size_t>> moves_of_intervals() const {
    std::vector<std::vector<std::size_t>> moved(intervals_.count());
    std::size_t number = 0;
    for (const auto& step : moves_)
      for (const Move& move : step) {
        for (const std::size_t k : move.intervals) moved[k].push_back(number);
        ++number;
      }
    return moved;
  }

  /// The blocks: by interval, those that it is. Intervals are one block if they have one owner and the same moves.
  std::vector<std::vector<Block>> blocks(const std::vector<Rank>& owners, Header& header) const {
    std::vector<std::vector<std::size_t>> moved = moves_of_intervals();
    std::map<std::pair<Rank, std::vector<std::size_t>>, Block> numbers;
    std::vector<std::vector<Block>> blocks;
    for (std::size_t k = 0; k < intervals_.count(); ++k) {
      const auto [found, is_new] =
          numbers.try_emplace({owners[k], std::move(moved[k])}, static_cast<Block>(numbers.size()));
      if (is_new) header.owners.push_back(owners[k]);
      blocks.push_back({found->second});
    }
    header.blocks = static_cast<Block>(numbers.size());
    const Contract& contract = schedules::contract(header.collective);
    if (contract.begins != Holders::owner && contract.ends != Holders::owner) header.owners.clear();
    return blocks;
  }

  /// The same of an alltoall, in which block s*p + d is what rank s has for rank d. Where such elements travel apart,
  /// each pair of ranks has as many blocks as the pair with the most; elements of other pairs then are several blocks.
  std::vector<std::vector<Block>> blocks_of_pairs(const std::vector<Rank>& owners, Header& header) const {
    const std::vector<std::vector<std::size_t>> moved = moves_of_intervals();
    const Rank p = call_.ranks;
    std::map<std::pair<Rank, Rank>, std::vector<std::vector<std::size_t>>> paths;  // by pair, the different paths
    std::vector<std::size_t> path_of(intervals_.count());
    std::vector<Rank> sources(intervals_.count());
    std::size_t most = 1;
    for (std::size_t k = 0; k < intervals_.count(); ++k) {
      while (intervals_.begin(k) >= intervals_.first_of(sources[k]) + given(call_, sources[k])) ++sources[k];
      auto& known = paths[{sources[k], owners[k]}];
      const auto found = std::find(known.begin(), known.end(), moved[k]);
      path_of[k] = static_cast<std::size_t>(found - known.begin());
      if (found == known.end()) known.push_back(moved[k]);
      most = std::max(most, known.size());
    }
    std::vector<std::vector<Block>> blocks(intervals_.count());
    for (std::size_t k = 0; k < intervals_.count(); ++k)
      for (std::size_t part = path_of[k]; part < most; ++part) {
        const std::size_t own = paths[{sources[k], owners[k]}].size();
        if (part != path_of[k] && (path_of[k] + 1 != own || part < own)) continue;
        blocks[k].push_back(static_cast<Block>(part) * p * p + sources[k] * p + owners[k]);
      }
    header.blocks = static_cast<Block>(most) * p * p;
    return blocks;
  }

  bool has_all_pairs() const {
    for (Rank r = 0; r < call_.ranks; ++r) {
      std::set<Rank> sources;
      for (const Due& due : dues_[at(r)]) sources.insert(due.first);
      if (sources.size() != at(call_.ranks)) return false;
    }
    return true;
  }

  Recovered schedule(const std::vector<std::vector<std::size_t>>& steps) const {
    Header header{.collective = *recoverable(call_), .ranks = call_.ranks};
    if (call_.collective->has_root()) header.root = call_.root;
    const bool has_pairs = header.collective == Collective::alltoall;
    const auto blocks_of = has_pairs ? blocks_of_pairs(owners(), header) : blocks(owners(), header);
    ListedSchedule::Builder builder;
    std::vector<Run> runs;
    for (const auto& step : moves_) {
      builder.begin_step();
      for (const Move& move : step) {
        std::set<Block> sent;
        for (const std::size_t k : move.intervals) sent.insert(blocks_of[k].begin(), blocks_of[k].end());
        runs.clear();
        for (const Block b : sent) runs.push_back({b, b});
        normalise(runs);
        const SentMessage& message = made_.messages[move.message];
        builder.add(message.src, message.dst, runs, move.op);
      }
    }
    Recovered recovered{std::make_shared<ListedSchedule>(header, std::move(builder)), steps, {}};
    recovered.elements.resize(static_cast<std::size_t>(header.blocks));
    for (std::size_t k = 0; k < intervals_.count(); ++k)
      for (const Block block : blocks_of[k])
        recovered.elements[static_cast<std::size_t>(block)].push_back(
            {0, static_cast<std::uint32_t>(intervals_.begin(k)),
             static_cast<std::uint32_t>(intervals_.end(k) - intervals_.begin(k))});
    return recovered;
  }

  const live::LiveCall& call_;
  Record& record_;
  const CallRecord& made_;
  Intervals intervals_;
  std::vector<std::vector<Due>> dues_;    // by rank
  std::vector<Term> held_;                // by interval and rank
  std::vector<std::vector<Move>> moves_;  // by step
};

}  // namespace

std::optional<Collective> recoverable(const live::LiveCall& call) {
  return call.collective->collective();
}

tl::expected<Recovered, std::string> recover(const live::LiveCall& call, Record& record, const CallRecord& made) {
  if (!recoverable(call)) return tl::unexpected(fmt::format("schedules have no {}", call.name()));
  if (call.count == 0) return tl::unexpected(std::string("there is nothing to send"));
  if (made.unseen > 0)
    return tl::unexpected(fmt::format("{} received whose sends weren't seen",
                                      made.unseen == 1 ? "a message is" : fmt::format("{} messages are", made.unseen)));
  return Recovery(call, record, made).run();
}

}  // namespace onceover::code
