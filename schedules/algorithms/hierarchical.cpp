// Two algorithms made into one: K nodes of m ranks each, rank r = node * m + place. A phase within the nodes is a row's
// schedule for m ranks, run by each node; a phase across them is one for K ranks, run by the ranks of one place. Blocks
// are products, too: block b * (blocks within) + a, of which the phase within sees a, and the phase across b.
//
// Example: 6 ranks in 3 nodes, rings. The first phase is a reduce-scatter within {0, 1}, {2, 3} and {4, 5}. Then place
// 0 of each node has the node's sum of blocks 0, 2 and 4, and {0, 2, 4} make an allreduce of these, {1, 3, 5} of the
// others. The last phase is the allgather within the nodes.
//
// This is done with patterns: one axis more says "in every node", or "at every place". Cost: the patterns of both
// parts.

#include <fmt/format.h>

#include <map>
#include <span>
#include <variant>

#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank hierarchical_most_ranks = 1 << 18;

constexpr std::string_view hierarchical_description =
    R"(A collective of nodes: p = nodes * m ranks, rank r at place r mod m of node r / m. `within` is the algorithm that m ranks of
a node run, all nodes at once; `across` is the one of the ranks at one place of each node, all places at once. Both can
be any rows that have the collectives below. A row's own settings follow its name: within=rabenseifner:order=far.

  allreduce       reduce-scatter within, allreduce across, allgather within; or, where `within` has no reduce-scatter,
                  reduce within, allreduce across by place 0, broadcast within
  reduce-scatter  within, then across
  allgather       across, then within
  reduce          within, then across by the root's place
  broadcast       across by the root's place, then within

A node's ranks send 1/m of the vector across each, place 0 alone all of it. A part may be hierarchical itself:
within=hierarchical:nodes=2 divides each node in two. Counterexamples and pictures tell places and phases: (node 1,
place 3), allreduce across nodes.

Steps: those of the phases. With `across` of p-1 blocks and `within` likewise, each rank sends (m-1) K blocks within and K-1
across in a reduce-scatter of K nodes, p-1 together, the least possible.
)";

constexpr std::array hierarchical_parameters{
    Parameter{.name = "nodes",
              .summary = "how many nodes; divides p",
              .preset = "2",
              .least = 1,
              .most = hierarchical_most_ranks},
    Parameter{.name = "within",
              .summary = "the algorithm within the nodes, NAME or NAME:setting=value:..",
              .preset = "swing"},
    Parameter{.name = "across", .summary = "the algorithm across the nodes, likewise", .preset = "swing"},
};

constexpr std::array hierarchical_collectives{Collective::allreduce, Collective::reduce_scatter, Collective::allgather,
                                              Collective::broadcast, Collective::reduce};

enum class Level { within, across };

constexpr std::string_view name(Level level) {
  return level == Level::within ? "within" : "across";
}

/// The row that one of the parts names, and its settings.
struct ChosenRow {
  const Algorithm* row;
  std::map<std::string, std::string, std::less<>> settings;
};

/// "NAME:setting=value:..", or why it is none.
std::variant<ChosenRow, std::string> part_of(const Request& request, Level level) {
  const std::string_view text = setting(hierarchical_algorithm, request, name(level));
  const auto words = split(text, ':');
  ChosenRow part{find_algorithm(words[0]), {}};
  if (part.row == nullptr)
    return fmt::format("hierarchical: {}: no algorithm '{}'{}", name(level), words[0],
                       suggestion(words[0], mapped(catalogue(), &Algorithm::name)));
  if (part.row->as_printed) return fmt::format("hierarchical: {}: {} is wrong, as printed", name(level), words[0]);
  for (const std::string_view word : std::span(words).subspan(1)) {
    const auto sign = word.find('=');
    if (sign == std::string_view::npos)
      return fmt::format("hierarchical: {}: a setting is name=value, not '{}'", name(level), word);
    part.settings.insert_or_assign(std::string(word.substr(0, sign)), std::string(word.substr(sign + 1)));
  }
  return part;
}

struct Phase {
  Level level;
  Collective collective;
};

/// "reduce-scatter within nodes".
std::string text(const Phase& phase) {
  return fmt::format("{} {} nodes", name(phase.collective), name(phase.level));
}

/// What the collective is made of, if blocks are scattered within the nodes, or else gathered at place 0.
std::vector<Phase> phases_of(Collective collective, bool scatters) {
  const auto down = scatters ? Collective::reduce_scatter : Collective::reduce;
  const auto up = scatters ? Collective::allgather : Collective::broadcast;
  if (collective == Collective::allreduce)
    return {{Level::within, down}, {Level::across, collective}, {Level::within, up}};
  if (collective == down) return {{Level::within, down}, {Level::across, down}};
  return {{Level::across, up}, {Level::within, up}};
}

using Labels = std::shared_ptr<const std::vector<Rank>>;

/// The collective of nodes that a request asks for. `nodes` divides its ranks.
class Composition {
 public:
  Composition(const Request& request, Rank nodes, ChosenRow within, ChosenRow across)
      : request_(request),
        nodes_(nodes),
        places_(request.ranks() / nodes),
        within_(std::move(within)),
        across_(std::move(across)),
        phases_(phases_of(request.collective, scatters())) {}

  std::optional<std::string> refusal() const {
    for (const Phase& phase : phases_)
      if (auto reason = refusal_of(phase)) return fmt::format("hierarchical: {}: {}", name(phase.level), *reason);
    return std::nullopt;
  }

  SchedulePtr schedule() {
    std::vector<std::shared_ptr<const PatternedSchedule>> made;
    Block copies = 0;  // of the blocks, in scratch
    for (const Phase& phase : phases_) {
      made.push_back(std::dynamic_pointer_cast<const PatternedSchedule>(part(phase).row->make(request_of(phase))));
      if (made.back() == nullptr || !made.back()->header().owners.empty())
        throw std::logic_error(fmt::format("{} can be no part of another algorithm", part(phase).row->name));
      (phase.level == Level::within ? blocks_within_ : blocks_across_) = made.back()->header().blocks;
      copies = std::max(copies, made.back()->header().scratch / made.back()->header().blocks);
    }
    PatternedSchedule::Builder plan;
    Names names{.grid = {{"node", nodes_}, {"place", places_}}};
    int steps = 0;
    for (std::size_t k = 0; k < made.size(); ++k) {
      if (made[k]->steps() > 0) names.phases.push_back({text(phases_[k]), steps});
      steps += made[k]->steps();
      for (int step = 0; step < made[k]->steps(); ++step) {
        plan.begin_step();
        for (Pattern& pattern : made[k]->patterns(step))
          plan.add(phases_[k].level == Level::within ? in_every_node(std::move(pattern))
                                                     : at_places(std::move(pattern)));
      }
    }
    Header header = header_of(hierarchical_algorithm, request_, 1, blocks_within_ * blocks_across_);
    header.scratch = copies * header.blocks;
    header.names = std::move(names);
    return std::make_shared<PatternedSchedule>(std::move(header), std::move(plan));
  }

 private:
  const ChosenRow& part(const Phase& phase) const { return phase.level == Level::within ? within_ : across_; }

  Request request_of(const Phase& phase) const {
    const bool is_within = phase.level == Level::within;
    return {.collective = phase.collective,
            .shape = {is_within ? places_ : nodes_},
            .settings = part(phase).settings,
            .root = is_within ? root_place() : request_.root / places_};
  }

  std::optional<std::string> refusal_of(const Phase& phase) const {
    return schedules::refusal(*part(phase).row, request_of(phase));
  }

  Rank root_place() const { return request_.root % places_; }

  /// Does each place get blocks of its own to combine across the nodes, or the root's place all?
  bool scatters() const {
    return !is_rooted(request_.collective) &&
           (request_.collective != Collective::allreduce || !refusal_of({Level::within, Collective::reduce_scatter}) ||
            refusal_of({Level::within, Collective::reduce}));
  }

  /// A pattern of m ranks, in every node: of all blocks there are across.
  Pattern in_every_node(Pattern pattern) {
    const Axis nodes{.indices = Indices::range(0, nodes_),
                     .ring = nodes_,
                     .blocks = Blocks::all(blocks_across_),
                     .extent = blocks_across_,
                     .rank_step = pattern.labels ? static_cast<Rank>(pattern.labels->size()) : places_};
    for (CopyLanding& landing : pattern.lands) landing.blocks.insert(landing.blocks.begin(), nodes.blocks);
    pattern.axes.insert(pattern.axes.begin(), nodes);
    pattern.labels = seats(nullptr, pattern.labels);
    return pattern;
  }

  /// A pattern of as many ranks as there are nodes, at every place that has blocks: of that place's own.
  Pattern at_places(Pattern pattern) {
    Axis places{.indices = Indices::range(0, places_),
                .ring = places_,
                .blocks = Blocks::relative({0}),
                .extent = blocks_within_,
                .rank_step = 1};
    if (!scatters()) {
      places.indices = Indices::only(0);
      places.from = places.to = Place::at(root_place());
      places.blocks = Blocks::all(blocks_within_);
    }
    for (Axis& axis : pattern.axes) axis.rank_step *= places_;
    for (CopyLanding& landing : pattern.lands) landing.blocks.push_back(places.blocks);
    pattern.axes.push_back(std::move(places));
    pattern.labels = seats(pattern.labels, nullptr);
    return pattern;
  }

  /// The seats of the product, if either part has its own.
  Labels seats(const Labels& of_nodes, const Labels& of_places) {
    if (!of_nodes && !of_places) return nullptr;
    Labels& known = known_[{of_nodes, of_places}];
    if (known) return known;
    std::vector<Rank> all;
    const Rank nodes = of_nodes ? static_cast<Rank>(of_nodes->size()) : nodes_;
    const Rank places = of_places ? static_cast<Rank>(of_places->size()) : places_;
    for (Rank n = 0; n < nodes; ++n)
      for (Rank m = 0; m < places; ++m)
        all.push_back((of_nodes ? (*of_nodes)[static_cast<std::size_t>(n)] : n) * places_ +
                      (of_places ? (*of_places)[static_cast<std::size_t>(m)] : m));
    return known = std::make_shared<const std::vector<Rank>>(std::move(all));
  }

  const Request& request_;
  Rank nodes_;
  Rank places_;
  ChosenRow within_;
  ChosenRow across_;
  std::vector<Phase> phases_;
  Block blocks_within_ = 1;
  Block blocks_across_ = 1;
  std::map<std::pair<Labels, Labels>, Labels> known_;
};

/// The composition, or why there is none.
std::variant<Composition, std::string> composed(const Request& request) {
  if (auto reason = refuse_above(hierarchical_algorithm, request, hierarchical_most_ranks)) return *reason;
  const auto nodes = static_cast<Rank>(number_setting(hierarchical_algorithm, request, "nodes"));
  if (request.ranks() % nodes != 0)
    return fmt::format("hierarchical: {} ranks can't be divided into {} equal nodes; see --set nodes=K",
                       request.ranks(), nodes);
  auto within = part_of(request, Level::within);
  auto across = part_of(request, Level::across);
  for (const auto& part : {within, across})
    if (const auto* reason = std::get_if<std::string>(&part)) return *reason;
  Composition whole(request, nodes, std::get<ChosenRow>(std::move(within)), std::get<ChosenRow>(std::move(across)));
  if (auto reason = whole.refusal()) return *reason;
  return whole;
}

std::optional<std::string> hierarchical_outside(const Request& request) {
  const auto made = composed(request);
  const auto* reason = std::get_if<std::string>(&made);
  return reason == nullptr ? std::nullopt : std::optional(*reason);
}

SchedulePtr make_hierarchical(const Request& request) {
  auto made = composed(request);
  return std::get<Composition>(made).schedule();
}

constexpr std::array hierarchical_volumes{
    Volume{Collective::allreduce, "2 * (p-1) * size / p"}, Volume{Collective::reduce_scatter, "(p-1) * size / p"},
    Volume{Collective::allgather, "(p-1) * size / p"},
    Volume{Collective::broadcast, "(ceil(log2(p)) + 1) * size", false}, Volume{Collective::reduce, "size"}};

}  // namespace

const Algorithm hierarchical_algorithm{
    .name = "hierarchical",
    .summary = "any algorithm within nodes, any across them",
    .source = "Open MPI: han; Cho and others, BlueConnect (2019)",
    .collectives = hierarchical_collectives,
    .domain = "p = nodes m up to 262144, if the parts are for m and for `nodes` ranks",
    .steps = "those of the phases",
    .volumes = hierarchical_volumes,
    .description = hierarchical_description,
    .parameters = hierarchical_parameters,
    .is_composed = true,
    .outside = hierarchical_outside,
    .make = make_hierarchical,
};

}  // namespace onceover::schedules
