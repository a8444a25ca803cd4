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

class TermPicture {
 public:
  TermPicture(const Header& header, const TermTable& terms, Graph& graph)
      : ranks_(header.ranks), names_(header.names), terms_(terms), graph_(graph) {}

  /// Adds the sum that a rank holds, with one sum in red. False if it is too large.
  bool add(Rank rank, Term root, std::optional<Term> marked_sum) {
    leaves_ = 0;
    graph_.begin_cluster("rank " + names_.rank(rank));
    std::vector<Pending> to_draw{{root, ""}};
    while (!to_draw.empty() && leaves_ <= most_leaves) {
      const Pending next = to_draw.back();
      to_draw.pop_back();
      const std::string id = draw_node(next.term, next.term == marked_sum);
      if (!next.above.empty())
        graph_.add({.from = next.above, .to = id, .stroke = {.width = 0.6, .head = "none"}, .has_head = false});
      if (next.term == Term::nothing || terms_.is_leaf(next.term)) continue;
      to_draw.push_back({terms_.second(next.term), id});
      to_draw.push_back({terms_.first(next.term), id});
    }
    graph_.end_cluster();
    return leaves_ <= most_leaves;
  }

 private:
  struct Pending {
    Term term;
    std::string above;
  };

  std::string draw_node(Term term, bool is_marked) {
    const std::string id = fmt::format("t{}", nodes_++);
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
  TermPicture picture(header, execution.terms(), graph);
  bool is_any_marked = false;
  for (const Rank rank : ranks) {
    const Term mine = execution.value(rank), other = execution.value(rank == ranks[0] ? ranks.back() : ranks[0]);
    is_any_marked = is_any_marked || mine != other;
    if (!picture.add(rank, mine, marked(execution.terms(), mine, other)))
      return too_large(fmt::format("a sum has more than {} contributions", most_leaves));
  }
  graph.caption(fmt::format("x3 is what rank 3 contributes, + a sum of two parts.{}",
                            is_any_marked ? " Thick and red: a sum that only this rank adds up." : ""));
  return std::move(graph).picture();
}

}  // namespace

const View term_view{
    .name = "term",
    .summary = "the sum that a rank ends with; of two ranks what only one adds up is marked",
    .heeds = "--blocks --ranks --steps",
    .draw = draw_term,
};

}  // namespace onceover::viz
