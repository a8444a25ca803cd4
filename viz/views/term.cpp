// term: the sum that a rank ends with, or those of two ranks side by side.

#include <fmt/format.h>

#include <optional>

#include "verifier/execution.h"
#include "verifier/term_judgement.h"
#include "viz/block_trace.h"
#include "viz/ink/graph.h"
#include "viz/messages.h"

namespace onceover::viz {

namespace {

constexpr std::size_t most_leaves = 128;
constexpr std::size_t most_ranks = 4;

// Thinned, a picture shows a sum as far as it can be read. Where one contribution after the other is added, what is
// between the first and the last two is a line with dots. Below a few other sums, a box says how many contributions
// there are. The way down to the sum that is marked is always shown.
constexpr int ends_of_chain = 2;
constexpr int most_sums_down = 3;

/// What is in the terms up to a root: how many contributions, and whether the marked sum. O(terms)
class TermContents {
 public:
  TermContents(const TermTable& terms, Term root, std::optional<Term> marked) : terms_(terms), marked_(marked) {
    const auto end = TermTable::id(root) + 1;
    for (std::uint32_t id = 0; id < end; ++id) {
      const auto term = static_cast<Term>(id);
      const bool is_sum = term != Term::nothing && !terms.is_leaf(term);
      counts_.push_back(is_sum ? std::min(count(terms.first(term)) + count(terms.second(term)), most) : 1);
      marks_.push_back(term == marked || (is_sum && (has_mark(terms.first(term)) || has_mark(terms.second(term)))));
    }
  }

  std::uint64_t count(Term term) const { return counts_[TermTable::id(term)]; }
  bool has_mark(Term term) const { return marks_[TermTable::id(term)]; }
  bool is_one(Term term) const { return term == Term::nothing || terms_.is_leaf(term); }

  /// What is left of a sum that adds a single contribution; nothing if it doesn't, or is marked.
  std::optional<Term> rest_of_chain(Term term) const {
    if (is_one(term) || term == marked_) return std::nullopt;
    const Term first = terms_.first(term), second = terms_.second(term);
    if (is_one(first) == is_one(second)) return std::nullopt;
    return is_one(first) ? second : first;
  }

 private:
  static constexpr std::uint64_t most = 1'000'000'000'000;

  const TermTable& terms_;
  std::optional<Term> marked_;
  std::vector<std::uint64_t> counts_;  // by id
  std::vector<bool> marks_;
};

class TermPicture {
 public:
  TermPicture(const Header& header, const TermTable& terms, Graph& graph, bool is_thinned)
      : ranks_(header.ranks), names_(header.names), terms_(terms), graph_(graph), is_thinned_(is_thinned) {}

  bool has_boxes() const { return has_boxes_; }

  /// Adds the sum that a rank holds, with one sum in red. False if it is too large.
  bool add(Rank rank, Term root, std::optional<Term> marked_sum) {
    leaves_ = 0;
    const TermContents contents(terms_, root, marked_sum);
    graph_.begin_cluster("rank " + names_.rank(rank));
    std::vector<Pending> to_draw{{root, ""}};
    while (!to_draw.empty() && leaves_ <= most_leaves) {
      Pending next = to_draw.back();
      to_draw.pop_back();
      if (is_thinned_) leave_out(next, contents);
      const bool is_box = is_thinned_ && next.down >= most_sums_down && !contents.is_one(next.term) &&
                          !contents.has_mark(next.term) && !contents.rest_of_chain(next.term);
      const std::string id =
          is_box ? draw_box(contents.count(next.term)) : draw_node(next.term, next.term == marked_sum);
      join(next.above, id);
      if (is_box || contents.is_one(next.term)) continue;
      const auto rest = contents.rest_of_chain(next.term);
      for (const Term part : {terms_.second(next.term), terms_.first(next.term)})
        to_draw.push_back({part, id, rest ? next.down : next.down + 1, rest == part ? next.in_chain + 1 : 0});
    }
    graph_.end_cluster();
    return leaves_ <= most_leaves;
  }

 private:
  struct Pending {
    Term term;
    std::string above;
    int down = 0;      // sums above that add more than one contribution
    int in_chain = 0;  // sums right above that add one
  };

  void join(const std::string& above, const std::string& below) {
    if (above.empty()) return;
    graph_.add({.from = above, .to = below, .stroke = {.width = 0.6, .head = "none"}, .has_head = false});
  }

  /// Goes on to the last sums of a chain, and draws dots in place of those before.
  void leave_out(Pending& next, const TermContents& contents) {
    if (next.in_chain != ends_of_chain) return;
    std::vector<Term> chain;
    for (auto rest = contents.rest_of_chain(next.term); rest; rest = contents.rest_of_chain(*rest))
      chain.push_back(*rest);
    const auto left_out = std::ssize(chain) - ends_of_chain;
    if (left_out < 2) return;
    const std::string id = new_id();
    graph_.add({.id = id,
                .label = fmt::format("... {} more, one by one ...", left_out),
                .outline = Graph::Node::Outline::none});
    join(next.above, id);
    next = {chain[static_cast<std::size_t>(left_out) - 1], id, next.down, next.in_chain + 1};
  }

  std::string new_id() { return fmt::format("t{}", nodes_++); }

  /// A sum that isn't shown.
  std::string draw_box(std::uint64_t count) {
    has_boxes_ = true;
    ++leaves_;
    const std::string id = new_id();
    graph_.add({.id = id, .label = fmt::format("{}", count), .outline = Graph::Node::Outline::box});
    return id;
  }

  std::string draw_node(Term term, bool is_marked) {
    const std::string id = new_id();
    if (term == Term::nothing || terms_.is_leaf(term)) {
      ++leaves_;
      const bool is_foreign = term != Term::nothing && terms_.rank_of(term) >= ranks_;
      const std::string label = term == Term::nothing ? "nothing"
                                : is_foreign          ? "another block"
                                                      : fmt::format("x{}", terms_.rank_of(term));
      graph_.add({.id = id, .label = label, .outline = Graph::Node::Outline::none});
    } else {
      graph_.add({.id = id,
                  .label = "+",
                  .radius = 5.8,
                  .border = {is_marked ? palette::vermilion : palette::black, "solid", is_marked ? 2 : 0.6}});
    }
    return id;
  }

  Rank ranks_;
  const Names& names_;
  const TermTable& terms_;
  Graph& graph_;
  bool is_thinned_;
  bool has_boxes_ = false;
  int nodes_ = 0;
  std::size_t leaves_ = 0;
};

/// The first rank that must hold the block, and the first that holds another sum of it.
std::vector<Rank> differing_ranks(const Header& header, Block block, const Execution& execution) {
  std::vector<Rank> ranks;
  for (Rank r = 0; r < header.ranks && ranks.size() < 2; ++r)
    if (header.holds(contract(header.collective).ends, r, block) &&
        (ranks.empty() || execution.value(r) != execution.value(ranks[0])))
      ranks.push_back(r);
  return ranks;
}

/// The first sum that only `mine` adds up, if the two differ.
std::optional<Term> marked(const TermTable& terms, Term mine, Term other) {
  return mine == other ? std::nullopt : std::optional(first_of_its_own(terms, mine, other));
}

Drawn<Picture> draw_term(const Schedule& schedule, const DrawOptions& options) {
  const Header& header = schedule.header();
  const Block block = options.blocks.front();
  Execution execution(header);
  BlockTrace trace(schedule, block);
  if (execution.run(block, trace.before(steps_shown(schedule, options).end)))
    return unsuitable(
        fmt::format("term: block {} can't be executed; --view counterexample shows where it stops", block));
  const auto ranks = options.ranks.empty() ? differing_ranks(header, block, execution) : options.ranks;
  if (ranks.size() > most_ranks) return unsuitable(fmt::format("term: name at most {} ranks, --ranks 0,1", most_ranks));
  Graph graph(options.style, fmt::format("{}, block {}", title_of(header), block));
  if (options.transposes) graph.turn();
  TermPicture picture(header, execution.terms(), graph, options.thinned);
  bool is_any_marked = false;
  for (const Rank rank : ranks) {
    const Term mine = execution.value(rank), other = execution.value(rank == ranks[0] ? ranks.back() : ranks[0]);
    is_any_marked = is_any_marked || mine != other;
    if (!picture.add(rank, mine, marked(execution.terms(), mine, other)))
      return too_large(fmt::format("a sum has more than {} contributions", most_leaves));
  }
  graph.caption(fmt::format("x3 is what rank 3 contributes, + a sum of two parts.{}{}",
                            picture.has_boxes() ? " A box: the sum of so many contributions." : "",
                            is_any_marked ? " Thick and red: a sum that only this rank adds up." : ""));
  return std::move(graph).picture();
}

}  // namespace

const View term_view{
    .name = "term",
    .summary = "the sum that a rank ends with; of two ranks what only one adds up is marked",
    .heeds = "--blocks --ranks --steps --transpose",
    .draw = draw_term,
};

}  // namespace onceover::viz
