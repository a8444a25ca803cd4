// A schedule is judged block by block (block_windows.h), and the findings become a report.
//
// Transfers are read twice: by step (survey), which finds ranks and blocks that don't exist before anything is
// executed, and by block (traces). Both must count the same block transfers.
//
// Executing takes O(block transfers + ranks * blocks), which is compared with the budget beforehand. Judging results
// takes up to 2 * ranks sums for each different value that a block ends with. These are counted meanwhile, and the
// budget limits them, too.

#include "verifier/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/parallel.h"
#include "base/rows.h"
#include "base/stop.h"
#include "verifier/block_windows.h"
#include "verifier/replay.h"
#include "verifier/symmetry.h"

namespace onceover::verifier {

namespace {

/// With less work than this, a second thread costs more than it saves.
constexpr std::uint64_t worth_a_thread = 1 << 18;

/// Moves, and values that ranks begin and end with, of all blocks: time is proportional to this. The blocks of a group
/// are executed together, once for each promised one. At most 2^64 - 1.
std::uint64_t work(const Schedule& schedule) {
  const Header& h = schedule.header();
  const auto slots = static_cast<std::uint64_t>(schedule.most_slots());
  const std::uint64_t values = static_cast<std::uint64_t>(h.ranks) * static_cast<std::uint64_t>(h.blocks) * slots;
  const bool is_mixed = schedule.groups() != nullptr && schedule.groups()->mixes();
  const auto moves = static_cast<__uint128_t>(schedule.block_transfers()) * (is_mixed ? slots : 1);
  return static_cast<std::uint64_t>(std::min<__uint128_t>(moves + values, UINT64_MAX));
}

bool is_judged(const Property& property, const Schedule& schedule, const VerifyOptions& options) {
  const auto is_it = [&](const Property* measured) { return measured->id == property.id; };
  return is_required(property, options) || work(schedule) <= options.unrequired_up_to ||
         std::any_of(options.measured.begin(), options.measured.end(), is_it);
}

Checks checks_for(const Schedule& schedule, const VerifyOptions& options) {
  Checks checks;
  for (const Property& p : schedule_properties())
    if (p.by_block != nullptr && is_judged(p, schedule, options))
      checks.push_back({&p, p.by_block(schedule.header(), options.bounds, schedule.steps())});
  return checks;
}

/// The team, if it shares the schedule's windows. It does so if the work is worth it and no property is judged block by
/// block, because such findings stay in their process.
Team* team_for(const Schedule& schedule, const VerifyOptions& options) {
  const bool shares = work(schedule) >= worth_a_thread && checks_for(schedule, options).empty();
  return shares ? options.team : nullptr;
}

/// The simplest counterexample in the failing blocks, of which it tries as many as time allows.
std::optional<Counterexample> shortest_counterexample(const Schedule& schedule, const std::vector<Block>& failing) {
  constexpr std::uint64_t most_work = std::uint64_t{1} << 26;  // ranks and moves
  std::optional<Counterexample> best;
  std::uint64_t work = 0;
  for (const Block block : failing) {
    if (work > most_work) break;
    schedule.traces({block, block + 1}, [&](Block b, const Trace& trace) {
      work += static_cast<std::uint64_t>(schedule.header().ranks) + trace.move_count();
      auto found = explain(schedule.header(), b, trace);
      if (!found) throw std::logic_error(fmt::format("block {} failed, but no contribution went wrong", b));
      if (!best || found->simpler_than(*best)) best = std::move(found);
    });
  }
  return best;
}

/// Two different sums of one block: the lowest block that has several.
std::optional<Counterexample> lowest_difference(const Schedule& schedule, const Failures& differing) {
  std::optional<Counterexample> found;
  if (differing.count == 0) return found;
  const Block lowest = differing.lowest.front();
  Replay replay(schedule.header(), Foreign::apart);
  schedule.traces({lowest, lowest + 1}, [&](Block b, const Trace& trace) {
    replay.run(b, trace);
    found = different_sums(replay);
  });
  return found;
}

/// Sorts the findings into the first two properties: a schedule without a defined result is not well-formed, and one
/// that isn't well-formed isn't exactly-once either.
class ReportWriter {
 public:
  ReportWriter(const Schedule& schedule, const VerifyOptions& options) : schedule_(schedule), options_(options) {
    report_.scope = "every block";
  }

  void rests_on(const Symmetry& symmetry) {
    const std::string orbits = "of each orbit of a checked symmetry: " + symmetry.text();
    report_.scope = fmt::format("{} of {} blocks, one {}", blocks_to_execute(schedule_, symmetry),
                                schedule_.header().blocks, orbits);
    report_.scope_of_several = "one block " + orbits;
  }

  Report over_budget(std::uint64_t work) {
    return undecided(
        fmt::format("not judged: {} block transfers and results are more than the budget of {}; see --budget", work,
                    options_.budget));
  }

  Report exhausted() {
    if (stop_requested()) return undecided("not judged to the end: " + stop_reason());
    return undecided(fmt::format("not judged: going through the results takes more than the budget of {}; see --budget",
                                 options_.budget));
  }

  /// There are few messages for so many ranks. Whether all of them can be carried out isn't judged.
  Report mostly_idle(const std::optional<Counterexample>& lost) {
    const Header& h = schedule_.header();
    const std::string why = fmt::format(
        "not judged: there are {} ranks and {} blocks, and so few messages that most ranks have none; executing it is "
        "beyond the budget for such a schedule",
        h.ranks, h.blocks);
    if (!lost) return undecided(why);
    report_.metrics.steps = schedule_.steps();
    add(well_formed_property, {Verdict::unknown, why});
    add(exactly_once_property, {Verdict::fail, "some ranks neither send nor receive", lost, 1});
    leave_others(why);
    return finished();
  }

  Report face_faults(const Survey& survey) {
    report_.metrics = survey.metrics;
    const std::string summary =
        fmt::format("{} transfers name a rank or block that doesn't exist, or go from a rank to itself", survey.faults);
    add(well_formed_property, {Verdict::fail, summary, survey.first_fault, survey.faults});
    add(exactly_once_property, {Verdict::fail, std::string(not_well_formed), survey.first_fault, survey.faults});
    leave_others("not judged: not well-formed");
    return finished();
  }

  Report executed(const Survey& survey, const BlockFindings& found) {
    report_.metrics = survey.metrics;
    report_.metrics.term_depth = found.depth;
    if (found.by_orbits) also_rests_on("of ranks with different sums, one of each orbit of a checked symmetry");
    if (found.exhausted) rest_on("the blocks that the budget allowed");
    if (found.undefined.count + found.clashing.count > 0) return ill_formed(found);
    if (found.exhausted)
      add(well_formed_property, {Verdict::unknown, "not judged to the end: " + what_ran_out()});
    else
      add(well_formed_property, {Verdict::pass, fmt::format("all {} block transfers", survey.metrics.block_transfers)});
    if (found.wrong_results > 0)
      add_wrong_results(found);
    else
      add(exactly_once_property,
          {Verdict::pass, postcondition_text(schedule_.header().collective, schedule_.header().root)});
    if (found.exhausted)
      leave_others("not judged: " + what_ran_out());
    else
      add_others(found);
    return finished();
  }

 private:
  /// If every block has a result, wrong results are reported, too.
  Report ill_formed(const BlockFindings& found) {
    const bool has_results = found.undefined.count == 0;
    const Failures& why = has_results ? found.clashing : found.undefined;
    const std::uint64_t blocks = found.undefined.count + found.clashing.count;
    auto shown =
        has_results ? first_clash(schedule_, why.lowest.front()) : shortest_counterexample(schedule_, why.lowest);
    if (shown) shown->owners = owners_that_pass(schedule_);
    const std::string_view what = has_results ? "are copied twice to a rank in a step" : "have no defined result";
    add(well_formed_property,
        {Verdict::fail, fmt::format("{} of {} blocks {}", blocks, schedule_.header().blocks, what), shown, blocks});
    if (has_results && found.wrong_results > 0)
      add_wrong_results(found);
    else
      add(exactly_once_property, {Verdict::fail, std::string(not_well_formed), shown, blocks + found.wrong_results});
    leave_others("not judged: not well-formed");
    return finished();
  }

  void add_wrong_results(const BlockFindings& found) {
    auto why = shortest_counterexample(schedule_, found.wrong.lowest);
    if (why) note_misplaced(schedule_, *why);
    if (why) why->owners = owners_that_pass(schedule_);
    add(exactly_once_property, {Verdict::fail, fmt::format("{} wrong results (rank, block)", found.wrong_results),
                                std::move(why), found.wrong_results});
  }

  Report undecided(const std::string& why) {
    rest_on("nothing");
    for (const Property& p : schedule_properties()) add(p, {Verdict::unknown, why});
    report_.metrics.steps = schedule_.steps();
    return finished();
  }

  static std::string what_ran_out() { return stop_requested() ? stop_reason() : "the budget ran out; see --budget"; }

  void rest_on(std::string_view what) {
    report_.scope = what;
    report_.scope_of_several.clear();
  }

  void also_rests_on(std::string_view what) {
    report_.scope += fmt::format("; {}", what);
    if (!report_.scope_of_several.empty()) report_.scope_of_several += fmt::format("; {}", what);
  }

  /// The properties after the first two; the execution judges those.
  static std::span<const Property> others() { return schedule_properties().subspan(2); }

  void leave_others(const std::string& why) {
    for (const Property& p : others()) add(p, {Verdict::unknown, why});
  }

  void add_others(const BlockFindings& found) {
    for (const Property& p : others()) add(p, judged(p, found));
  }

  Finding judged(const Property& p, const BlockFindings& found) {
    if (p.id == bitwise_reproducible_property.id)
      return same_sums(found.differing.count, found.most_sums, lowest_difference(schedule_, found.differing));
    if (!is_judged(p, schedule_, options_))
      return {Verdict::unknown, fmt::format("not judged: not required, and more than {} block transfers and results",
                                            options_.unrequired_up_to)};
    if (p.of_schedule != nullptr) return p.of_schedule(schedule_, options_.bounds);
    return std::find_if(found.checks.begin(), found.checks.end(),
                        [&](const JudgedCheck& c) { return c.property == &p; })
        ->check->finding();
  }

  void add(const Property& p, Finding finding) {
    if (auto& why = finding.counterexample) {
      if (why->block) why->route = route_of(schedule_.header(), *why->block);
      why->names = schedule_.header().names;
    }
    report_.properties.push_back(result_on(p, std::move(finding), options_));
  }

  Report finished() {
    report_.verdict = required_verdict(report_.properties);
    return std::move(report_);
  }

  const Schedule& schedule_;
  const VerifyOptions& options_;
  Report report_;
};

int thread_count(const Schedule& schedule, const VerifyOptions& options) {
  if (options.threads > 0) return options.threads;
  if (work(schedule) < worth_a_thread) return 1;
  if (options.team != nullptr) return options.team->threads();
  return cores();
}

void require_same_transfers(const Schedule& schedule, const Survey& survey, const BlockFindings& found) {
  const std::uint64_t by_rank = survey.moves;
  if (by_rank == found.moves && by_rank == schedule.block_transfers()) return;
  throw std::logic_error(fmt::format("{} block transfers by step, but {} by block", by_rank, found.moves));
}

/// The symmetry on which the verdict may rest, if the schedule is large and has one.
SymmetrySearch symmetry_to_use(const Schedule& schedule, int threads, const VerifyOptions& options) {
  if (work(schedule) <= options.without_symmetry_up_to || !checks_for(schedule, options).empty()) return {};
  return find_symmetry(schedule, threads, options.budget);
}

/// The cost of executing, with what the search for a symmetry took. Blocks have about equally many transfers.
std::uint64_t work_left(const Schedule& schedule, const SymmetrySearch& search) {
  const std::uint64_t all = work(schedule);
  if (!search.found) return all;
  const auto places = static_cast<std::uint64_t>(search.found->places());
  const auto orbits = static_cast<std::uint64_t>(search.found->orbits());
  return search.messages + all / places * orbits + all % places * orbits / places;
}

/// Where ranks are folded, only what is right is alike for all blocks of an orbit.
Report verify_every_block(const Schedule& schedule, VerifyOptions options) {
  options.without_symmetry_up_to = UINT64_MAX;
  return verify(schedule, options);
}

}  // namespace

const PropertyResult* Report::find(const Property& property) const {
  return row_with(properties, &PropertyResult::id, property.id);
}

Verdict required_verdict(std::span<const PropertyResult> properties) {
  std::optional<Verdict> verdict;
  for (const PropertyResult& p : properties)
    if (p.required) verdict = worse(verdict.value_or(Verdict::pass), p.verdict);
  return verdict.value_or(Verdict::unknown);
}

bool is_required(const Property& property, const VerifyOptions& options) {
  return (property.required_by_default && !asks_for(options.waived, property)) ||
         asks_for(options.required, property) || bound_of(property, options.bounds).has_value();
}

PropertyResult result_on(const Property& property, Finding finding, const VerifyOptions& options) {
  return {std::move(finding), property.id, is_required(property, options), asks_for(options.waived, property)};
}

Report verify(const Schedule& schedule, const VerifyOptions& options) {
  ReportWriter report(schedule, options);
  if (is_mostly_idle(schedule)) return report.mostly_idle(lost_by_idle_rank(schedule));
  const int threads = thread_count(schedule, options);
  const SymmetrySearch search = symmetry_to_use(schedule, threads, options);
  if (const std::uint64_t left = work_left(schedule, search); left > options.budget) return report.over_budget(left);
  const Survey seen = survey(schedule, threads);
  if (seen.faults > 0) return report.face_faults(seen);
  if (search.found) report.rests_on(*search.found);
  const BlockFindings found = execute_blocks(schedule, {.symmetry = search.found,
                                                        .threads = threads,
                                                        .team = team_for(schedule, options),
                                                        .budget = options.budget,
                                                        .every_rank_up_to = options.without_symmetry_up_to,
                                                        .checks = [&] { return checks_for(schedule, options); },
                                                        .on_progress = options.on_progress});
  const bool failed = found.has_failures();
  if (search.found && search.found->folded > 0 && (failed || found.is_uneven))
    return verify_every_block(schedule, options);
  if (found.exhausted && !failed) return report.exhausted();
  if (!found.exhausted) require_same_transfers(schedule, seen, found);
  return report.executed(seen, found);
}

}  // namespace onceover::verifier
