// Evidence has a range in words, and a function that tries the cases one after the other, the smallest first. The
// function ends with the first case that doesn't hold, which is shown. A case that can't be decided leaves the claim
// unknown.
//
// Schedules are judged as a gate judges them, unit by unit. Deficiencies are only measured, so that large tori can be
// tried. Numbers are nested loops over variables, whose ranges may depend on earlier variables. Two rows have the same
// transfers if each step sends the same, in any order within the step.
//
// Example: p = 2..4, s = 0..p-1, "s < p" tries (2,0), (2,1), (3,0), .., (4,3): nine cases. A range without cases
// decides nothing: the claim is unknown, not a pass.
//
// Ranges are finite, so it ends. It costs one formula, or one run of `verify` or `contention`, for each case.

#include "papers/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/rows.h"
#include "subjects/option_values.h"
#include "units/outcome.h"

namespace onceover::papers {

namespace {

/// The cause on one line.
std::string in_one_line(const Cause& cause) {
  std::string text = cause.headline;
  for (const std::string& detail : cause.details) text += "; " + detail.substr(detail.find_first_not_of(' '));
  return text;
}

std::string command_for(const Unit& unit, const Cause& cause) {
  return cause.rule == limit_rule ? "" : command_of(unit);
}

ClaimFinding judge(const Check& check) {
  Checks gate{.name = "claim", .text = "", .checks = {check}};
  Check& checked = gate.checks.front();
  checked.offset = 0;  // the places of its keys are in another text
  checked.at.clear();
  const Wanted wanted = wanted_by(checked.limits);
  const auto units = units_of(gate);
  if (!units) return {.unknown = units.error().message};
  ClaimFinding finding;
  for (const Unit& unit : *units) {
    const Outcome outcome = judged(unit, measure(sure(material_of(unit)), wanted, 1), nullptr);
    for (const Cause& cause : outcome.causes)
      if (cause.verdict == Verdict::fail)
        return {.refutation = Refutation{unit.text, in_one_line(cause), command_for(unit, cause)}};
    if (outcome.verdict != Verdict::pass && finding.unknown.empty())
      finding.unknown = fmt::format("{}: {}", unit.text, outcome.causes.front().headline);
  }
  return finding;
}

/// Measures the deficiencies; nothing if the numbers are too large.
std::optional<Measures> measure_deficiencies(const Schedule& schedule, const std::vector<Rank>& shape) {
  const auto found = contention(schedule, network_of("torus", shape), {});
  if (!found || !found->exact) return std::nullopt;
  const auto& exact = *found->exact;
  Measures measures;
  const auto know = [&](std::string_view name, const Rational& value) { measures.known.emplace(name, value); };
  know("p", schedule.header().ranks);
  know("dimensions", shape.size());
  know("side_min", *std::min_element(shape.begin(), shape.end()));
  know("side_max", *std::max_element(shape.begin(), shape.end()));
  know("steps", found->message_steps);
  know("bandwidth", exact.bandwidth);
  know("congestion", exact.congestion);
  return measures;
}

/// A transfer: its ranks, and each of its blocks with the one in which it lands.
using Sent = std::tuple<Rank, Rank, Op, std::vector<std::pair<Block, Block>>>;

/// What a step sends. The whole vector counts as one block, however many blocks the schedule has.
std::vector<Sent> sent_in(const Schedule& schedule, int step) {
  const Header& header = schedule.header();
  std::vector<Transfer> transfers;
  schedule.transfers(step, transfers);
  std::vector<Sent> sent;
  for (const Transfer& t : transfers) {
    std::vector<std::pair<Block, Block>> blocks;
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      set.for_each_block({0, header.all_blocks()}, [&](Block b) { blocks.emplace_back(b, b + shift); });
    });
    std::sort(blocks.begin(), blocks.end());
    const bool is_vector = t.blocks.size() == header.blocks && t.blocks.inside(header.blocks);
    if (t.landings == nullptr && is_vector) blocks.clear();
    sent.emplace_back(t.src, t.dst, t.op, std::move(blocks));
  }
  std::sort(sent.begin(), sent.end());
  return sent;
}

std::optional<std::string> difference(const Schedule& one, const Schedule& other, Direction direction) {
  if (one.steps() != other.steps()) return fmt::format("it has {} steps, the other has {}", one.steps(), other.steps());
  for (int step = 0; step < one.steps(); ++step)
    if (sent_in(one, step) != sent_in(other, direction == Direction::forwards ? step : one.steps() - 1 - step))
      return fmt::format("step {} differs from that of the other", step);
  return std::nullopt;
}

/// A sentence about numbers, tried on all values of its variables.
class NumberTrial {
 public:
  NumberTrial(const std::vector<Variable>& variables, std::string_view sentence, std::string_view given)
      : variables_(variables) {
    for (const Variable& v : variables) names_.push_back(v.name);
    sentence_.emplace(parse(sentence));
    given_.emplace(parse(given));
    for (const Variable& v : variables) {
      first_.push_back(parse(v.first));
      last_.push_back(parse(v.last));
    }
    values_.assign(names_.size(), 0);
  }

  ClaimFinding find() {
    ClaimFinding finding;
    try_from(0, finding);
    if (cases_ == 0) finding.unknown = "there is no case";
    return finding;
  }

 private:
  Formula parse(std::string_view text) const { return sure(Formula::parse("claim", text, names_)); }

  /// The formula's value; nothing if it has none.
  std::optional<std::int64_t> value(const Formula& formula) const {
    const auto found = formula.evaluate(values_);
    return found ? std::optional(*found) : std::nullopt;
  }

  void try_from(std::size_t variable, ClaimFinding& finding) {
    if (variable == names_.size()) return try_values(finding);
    const auto first = value(first_[variable]);
    const auto last = value(last_[variable]);
    if (!first || !last) finding.unknown = fmt::format("the range of {} has no value", names_[variable]);
    for (std::int64_t v = first.value_or(0); !is_done(finding) && v <= *last; ++v) {
      stop_point();
      values_[variable] = v;
      try_from(variable + 1, finding);
      if (v == *last) break;  // it may be the largest number there is
    }
    values_[variable] = 0;
  }

  static bool is_done(const ClaimFinding& finding) { return finding.refutation || !finding.unknown.empty(); }

  void try_values(ClaimFinding& finding) {
    const auto is_given = value(*given_);
    if (is_given && *is_given == 0) return;
    ++cases_;
    const auto holds = is_given ? value(*sentence_) : std::nullopt;
    if (!holds)
      finding.unknown = fmt::format("{}: no value", values_text());
    else if (*holds == 0)
      finding.refutation = Refutation{values_text(), fmt::format("{} does not hold (arithmetic)", sentence_->text())};
  }

  std::string values_text() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < names_.size(); ++i) texts.push_back(fmt::format("{} = {}", names_[i], values_[i]));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  std::vector<Variable> variables_;
  std::vector<std::string_view> names_;
  std::optional<Formula> sentence_;
  std::optional<Formula> given_;
  std::vector<Formula> first_;
  std::vector<Formula> last_;
  std::vector<std::int64_t> values_;
  std::uint64_t cases_ = 0;
};

}  // namespace

Check check_of(const Schedules& subject) {
  Check check{.name = "claim"};
  if (!subject.ranks.empty()) check.ranks = sure(parse_ranks(subject.ranks));
  for (const std::string& torus : subject.tori) check.tori.push_back(sure(parse_torus(torus)));
  if (!subject.lanes.empty()) check.lanes = sure(parse_lanes(subject.lanes));
  check.kind = subject.peer.empty() ? SubjectKind::algorithms : SubjectKind::formula;
  if (!subject.peer.empty()) check.peer = sure(parse_peer(subject.peer));
  if (subject.algorithm == "all")
    check.algorithms.all = true;
  else if (!subject.algorithm.empty())
    check.algorithms.named = {find_algorithm(subject.algorithm)};
  if (!subject.collective.empty()) check.collectives.named = {sure(parse_collective(subject.collective))};
  if (!subject.settings.empty()) check.settings.emplace_back();
  for (const std::string& setting : subject.settings) check.settings.front().push_back(sure(parse_setting(setting)));
  if (!subject.topology.empty()) check.network.topology = topology_choice(subject.topology);
  return check;
}

std::string range_of(const Check& check) {
  const std::string_view who = check.algorithms.all ? "the whole catalogue, " : "";
  if (check.ranks) return fmt::format("{}p = {}", who, check.ranks->text);
  return fmt::format("{}tori {}", who, fmt::join(mapped(check.tori, torus_text), ", "));
}

Evidence schedules(const Check& check) {
  return {range_of(check), [=] { return judge(check); }, check.limits.empty()};
}

Evidence deficiencies(const Check& check, const std::vector<Limit>& limits) {
  return {range_of(check), [=]() -> ClaimFinding {
            for (const Case& c : cases_of(check)) {
              const auto measures = measure_deficiencies(*c.schedule, c.shape);
              if (!measures) return {.unknown = c.text + ": the numbers are too large"};
              for (const Limit& limit : limits) {
                const LimitFinding found = limit.judge(*measures);
                if (found.verdict == Verdict::fail) return {.refutation = Refutation{c.text, found.summary}};
                if (found.verdict != Verdict::pass) return {.unknown = c.text + ": " + found.summary};
              }
            }
            return {};
          }};
}

Evidence numbers(const std::vector<Variable>& variables, std::string_view sentence, std::string_view given) {
  std::vector<std::string> ranges;
  for (const Variable& v : variables)
    ranges.push_back(v.first == v.last ? fmt::format("{} = {}", v.name, v.first)
                                       : fmt::format("{} = {}..{}", v.name, v.first, v.last));
  const std::string text = std::string(sentence);
  const std::string condition = std::string(given);
  return {fmt::format("{}{}", fmt::join(ranges, ", "), given == "1" ? "" : fmt::format(" with {}", given)),
          [=] { return NumberTrial(variables, text, condition).find(); }, true, Means::arithmetic};
}

Evidence identity(const std::vector<Variable>& variables, std::string_view sentence) {
  Evidence evidence = numbers(variables, sentence);
  evidence.means = Means::identity;
  return evidence;
}

Evidence same_transfers(const Check& one, const Check& other, Direction direction) {
  return {range_of(one), [=]() -> ClaimFinding {
            for (const std::vector<Rank>& shape : shapes_of(one))
              if (const auto differs = difference(*made(one, shape), *made(other, shape), direction))
                return {.refutation = Refutation{shape_text(shape), *differs}};
            return {};
          }};
}

Evidence provable(Evidence evidence) {
  evidence.is_provable = true;
  return evidence;
}

Evidence search(std::string range, std::function<ClaimFinding()> find) {
  return {std::move(range), std::move(find)};
}

namespace {

Request request_of(const Algorithm& row, const Check& check, const std::vector<Rank>& shape) {
  const auto& collectives = check.collectives.named;
  Request request{.collective = collectives.empty() ? row.collectives.front() : collectives.front(),
                  .shape = shape,
                  .all_lanes = check.lanes == Lanes::all && row.has_lanes};
  if (!check.settings.empty()) request.settings = by_name(check.settings.front());
  return request;
}

}  // namespace

std::vector<std::vector<Rank>> shapes_of(const Check& check) {
  std::vector<std::vector<Rank>> shapes = check.tori;
  if (check.ranks)
    for (const Rank p : check.ranks->value) shapes.push_back({p});
  return shapes;
}

SchedulePtr made(const Check& check, const std::vector<Rank>& shape) {
  const Algorithm& row = *check.algorithms.named.front();
  const Request request = request_of(row, check, shape);
  if (refusal(row, request)) throw std::logic_error("a claim is about a schedule that the catalogue refuses");
  return row.make(request);
}

std::vector<Case> cases_of(const Check& check) {
  std::vector<Case> cases;
  for (const std::vector<Rank>& shape : shapes_of(check)) {
    if (!check.algorithms.all) {
      const std::string_view name = check.algorithms.named.front()->name;
      cases.push_back({fmt::format("{}, {}", name, shape_text(shape)), shape, made(check, shape)});
      continue;
    }
    for (const Algorithm& row : catalogue()) {
      const Request request = request_of(row, check, shape);
      if (row.as_printed || refusal(row, request)) continue;
      cases.push_back({fmt::format("{}, {}", row.name, shape_text(shape)), shape, row.make(request)});
    }
  }
  return cases;
}

Network network_of(std::string_view topology, const std::vector<Rank>& shape) {
  TopologyRequest request = sure(parse_topology(topology));
  request.shape = shape;
  return sure(make_topology(request));
}

Contention measured(const Schedule& schedule, const Network& network) {
  return sure(contention(schedule, network, {}));
}

}  // namespace onceover::papers
