#include "verifier/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "schedules/parallel.h"
#include "schedules/stop.h"
#include "verifier/execution.h"
#include "verifier/replay.h"
#include "verifier/result_check.h"
#include "verifier/symmetry.h"

namespace onceover {

namespace {

/// Failing blocks that are looked into for the shortest counterexample; the lowest ones.
constexpr std::size_t explained_blocks = 64;

/// Below this much work a second thread costs more than it brings.
constexpr std::uint64_t worth_a_thread = 1 << 18;

/// Hops that a window of blocks should hold at most, so that sorting a listed schedule by block stays in bounds.
constexpr std::uint64_t window_hops = 1 << 20;

/// Blocks that failed in one way: how many, and the lowest of them, sorted.
struct Failures {
  std::uint64_t count = 0;
  std::vector<Block> lowest = {};

  void add(Block block) {
    ++count;
    if (lowest.size() < explained_blocks) lowest.push_back(block);
  }

  void merge(const Failures& other) {
    count += other.count;
    lowest.insert(lowest.end(), other.lowest.begin(), other.lowest.end());
    std::sort(lowest.begin(), lowest.end());
    if (lowest.size() > explained_blocks) lowest.resize(explained_blocks);
  }
};

/// A property that is judged block by block, and its judge.
struct Check {
  const Property* property;
  std::unique_ptr<BlockCheck> check;
};
using Checks = std::vector<Check>;

/// What executing some windows found.
struct Tally {
  std::uint64_t hops = 0;
  std::uint64_t wrong_results = 0;  // (rank, block) pairs
  std::uint32_t depth = 0;
  bool exhausted = false;   // judging took more than the budget; some blocks were left out
  Failures undefined = {};  // blocks without a defined result
  Failures wrong = {};      // blocks with a wrong result on some rank
  Checks checks = {};

  void merge(const Tally& other) {
    hops += other.hops;
    wrong_results += other.wrong_results;
    depth = std::max(depth, other.depth);
    exhausted = exhausted || other.exhausted;
    undefined.merge(other.undefined);
    wrong.merge(other.wrong);
    for (std::size_t k = 0; k < checks.size(); ++k) checks[k].check->merge(*other.checks[k].check);
  }
};

/// Tallies of several processes, as text. It begins with what all must agree on: processes with different schedules, or
/// that cut them into different windows, would find nothing wrong in a mix.
class TallyText {
 public:
  /// `windows`: how the blocks are cut.
  TallyText(const Schedule& schedule, const std::string& windows)
      : subject_(fmt::format("{} {} {} {} {}", schedule.header().ranks, schedule.header().blocks, schedule.steps(),
                             schedule.block_transfers(), windows)) {}

  std::string write(const Tally& tally) const {
    return fmt::format("{}\n{} {} {} {:d} {} {} {}", subject_, tally.hops, tally.wrong_results, tally.depth,
                       tally.exhausted, write(tally.undefined), write(tally.wrong),
                       tally.exhausted ? stop_reason() : "");
  }

  /// Where the process was told to stop, this one is, too.
  Tally read(const std::string& text) const {
    std::istringstream in(text);
    std::string subject, reason;
    std::getline(in, subject);
    if (subject != subject_)
      throw std::runtime_error(
          "the processes don't judge the same blocks of the same schedule; is a file another one on some machine?");
    Tally tally;
    in >> tally.hops >> tally.wrong_results >> tally.depth >> tally.exhausted;
    read(in, tally.undefined);
    read(in, tally.wrong);
    if (!in) throw std::logic_error("a process's tally can't be read");
    if (std::getline(in >> std::ws, reason)) request_stop(reason);
    return tally;
  }

 private:
  static std::string write(const Failures& failures) {
    return fmt::format("{} {} {}", failures.count, failures.lowest.size(), fmt::join(failures.lowest, " "));
  }

  static void read(std::istream& in, Failures& failures) {
    std::size_t size = 0;
    in >> failures.count >> size;
    failures.lowest.resize(std::min(size, explained_blocks));
    for (Block& block : failures.lowest) in >> block;
  }

  std::string subject_;
};

/// One thread's executor: judges the blocks of the windows that it is given.
class WindowJudge {
 public:
  WindowJudge(const Schedule& schedule, std::uint64_t budget, Checks checks)
      : schedule_(schedule),
        execution_(schedule.header()),
        check_(schedule.header()),
        replay_(schedule.header()),
        budget_(budget) {
    tally_.checks = std::move(checks);
  }

  void judge(BlockRange window) {
    schedule_.traces(window, [&](Block block, const Trace& trace) { judge(block, trace); });
  }

  bool is_exhausted() const { return check_.walked() > budget_ || stop_requested(); }

  Tally tally() {
    tally_.exhausted = is_exhausted();
    return std::move(tally_);
  }

 private:
  void judge(Block block, const Trace& trace) {
    tally_.hops += trace.hop_count();
    if (is_exhausted()) return;
    if (execution_.run(block, trace)) return tally_.undefined.add(block);
    const BlockResult result = check_.judge(block, execution_);
    tally_.wrong_results += result.wrong;
    tally_.depth = std::max(tally_.depth, result.depth);
    if (result.wrong > 0) tally_.wrong.add(block);
    if (tally_.checks.empty()) return;
    replay_.run(block, trace);
    for (Check& each : tally_.checks) each.check->judge(replay_);
  }

  const Schedule& schedule_;
  Execution execution_;
  ResultCheck check_;
  Replay replay_;
  std::uint64_t budget_;
  Tally tally_;
};

/// Block transfers to execute, and values that ranks begin and end with: what the time is proportional to.
std::uint64_t work(const Schedule& schedule) {
  const Header& h = schedule.header();
  return schedule.block_transfers() + static_cast<std::uint64_t>(h.ranks) * static_cast<std::uint64_t>(h.blocks);
}

/// Of all windows those that are a process's: every `processes`-th, from the one with its number.
struct Share {
  int number = 0;
  int processes = 1;
};

/// The blocks to execute, handed out to threads window by window: every block, or one of each orbit.
class Windows {
 public:
  Windows(const Schedule& schedule, const std::optional<Symmetry>& symmetry, int threads, Share share)
      : blocks_(schedule.header().blocks),
        size_(window_size(schedule, threads * share.processes)),
        share_(share),
        next_(share.number) {
    if (!symmetry) return;
    const Rank ranks = schedule.header().ranks;
    size_ = 1;
    symmetry_ = symmetry->text();
    for (Block lane = 0; lane < blocks_ / ranks; ++lane)
      for (const Rank place : symmetry->representatives()) chosen_.push_back(lane * ranks + place);
  }

  /// Number of blocks.
  std::int64_t size() const { return chosen_.empty() ? blocks_ : static_cast<std::int64_t>(chosen_.size()); }

  /// The next window, or nothing after the last one.
  std::optional<BlockRange> next() {
    const std::int64_t first = next_.fetch_add(share_.processes) * size_;
    if (first >= size()) return std::nullopt;
    const Block begin = chosen_.empty() ? static_cast<Block>(first) : chosen_[static_cast<std::size_t>(first)];
    return BlockRange{begin, begin + static_cast<Block>(std::min<std::int64_t>(size_, size() - first))};
  }

  /// Which blocks and how they are cut; processes that share them out must say the same.
  std::string text() const {
    return chosen_.empty() ? fmt::format("by {}", size_) : fmt::format("{} by {}", chosen_.size(), symmetry_);
  }

  double part_begun() const { return std::min(1.0, static_cast<double>(next_ * size_) / static_cast<double>(size())); }

 private:
  static Block window_size(const Schedule& schedule, int threads) {
    const auto blocks = static_cast<std::uint64_t>(schedule.header().blocks);
    const std::uint64_t hops_a_block = schedule.block_transfers() / blocks + 1;
    const std::uint64_t even_share = blocks / (8 * static_cast<std::uint64_t>(threads)) + 1;
    return static_cast<Block>(std::clamp<std::uint64_t>(window_hops / hops_a_block, 1, even_share));
  }

  Block blocks_;
  Block size_;
  std::vector<Block> chosen_;
  std::string symmetry_;  // in words
  Share share_;
  std::atomic<std::int64_t> next_;  // in windows
};

/// Is the property required by default, or by the user, who requires a bound by asking for it?
bool is_required(const Property& property, const VerifyOptions& options) {
  const auto& ids = options.required;
  return property.required_by_default || std::find(ids.begin(), ids.end(), property.id) != ids.end() ||
         (property.id == ports_property.id && options.limits.ports) ||
         (property.id == staging_property.id && options.limits.staging);
}

bool is_judged(const Property& property, const Schedule& schedule, const VerifyOptions& options) {
  return is_required(property, options) || work(schedule) <= options.courtesy;
}

Checks checks_for(const Schedule& schedule, const VerifyOptions& options) {
  Checks checks;
  for (const Property& p : schedule_properties())
    if (p.by_block != nullptr && is_judged(p, schedule, options))
      checks.push_back({&p, p.by_block(schedule.header(), options.limits, schedule.steps())});
  return checks;
}

/// The team, if the schedule's windows are shared out to it: it must be worth it, and what was judged block by block
/// stays where it is.
Team* team_for(const Schedule& schedule, const VerifyOptions& options) {
  const bool shares = work(schedule) >= worth_a_thread && checks_for(schedule, options).empty();
  return shares ? options.team : nullptr;
}

Share share_of(const Team* team) {
  return team == nullptr ? Share{} : Share{team->number(), team->size()};
}

/// What all processes found.
Tally merged(const Tally& mine, Team& team, const Schedule& schedule, const std::string& windows) {
  const TallyText text(schedule, windows);
  Tally all;
  for (const std::string& each : team.gather(text.write(mine))) all.merge(text.read(each));
  return all;
}

/// `budget`: what judging may take in all threads.
Tally execute(const Schedule& schedule, Windows& windows, int threads, std::uint64_t budget,
              const VerifyOptions& options) {
  std::vector<Tally> tallies(static_cast<std::size_t>(threads));
  run_workers(threads, [&](int k) {
    WindowJudge judge(schedule, budget / static_cast<std::uint64_t>(threads), checks_for(schedule, options));
    while (!judge.is_exhausted()) {
      const std::optional<BlockRange> window = windows.next();
      if (!window) break;
      judge.judge(*window);
      if (k == 0 && options.on_progress) options.on_progress(windows.part_begun());
    }
    tallies[static_cast<std::size_t>(k)] = judge.tally();
  });
  for (std::size_t k = 1; k < tallies.size(); ++k) tallies[0].merge(tallies[k]);
  return std::move(tallies[0]);
}

/// All blocks of the orbits whose representatives failed.
Failures in_whole_orbits(const Failures& representatives, const Symmetry& symmetry, const Header& header) {
  Failures all;
  all.count = representatives.count * static_cast<std::uint64_t>(header.ranks / symmetry.orbits());
  for (Block b = 0; b < header.blocks && all.lowest.size() < std::min<std::uint64_t>(explained_blocks, all.count);
       ++b) {
    const Block representative = b - b % header.ranks + symmetry.representative_of(b % header.ranks);
    if (std::binary_search(representatives.lowest.begin(), representatives.lowest.end(), representative))
      all.lowest.push_back(b);
  }
  return all;
}

/// What executing every block would have found, from one of each orbit.
Tally in_whole_orbits(Tally tally, const Symmetry& symmetry, const Header& header) {
  const auto size = static_cast<std::uint64_t>(header.ranks / symmetry.orbits());
  tally.hops *= size;
  tally.wrong_results *= size;
  tally.undefined = in_whole_orbits(tally.undefined, symmetry, header);
  tally.wrong = in_whole_orbits(tally.wrong, symmetry, header);
  return tally;
}

std::optional<Counterexample> shortest_counterexample(const Schedule& schedule, const std::vector<Block>& failing) {
  std::optional<Counterexample> best;
  for (const Block block : failing)
    schedule.traces({block, block + 1}, [&](Block b, const Trace& trace) {
      auto found = explain(schedule.header(), b, trace);
      if (!found) throw std::logic_error(fmt::format("block {} failed, but no contribution went wrong", b));
      if (!best || found->simpler_than(*best)) best = std::move(found);
    });
  return best;
}

std::string promise(const Header& header) {
  const Contract& c = contract(header.collective);
  auto who = [&](Holders holders) -> std::string {
    switch (holders) {
      case Holders::everyone:
        return "every rank";
      case Holders::owner:
        return "its owner";
      case Holders::root:
        return fmt::format("rank {}", header.root);
      case Holders::origin:
        return "its origin";
    }
    return "";
  };
  const std::string what =
      c.begins == Holders::everyone ? "each rank's contribution" : fmt::format("the contribution of {}", who(c.begins));
  return fmt::format("{} to every block reaches {} exactly once", what, who(c.ends));
}

/// Sorts what was found into the two properties: what has no defined meaning is not well-formed, and a schedule that
/// isn't well-formed is not exactly once either.
class ReportWriter {
 public:
  ReportWriter(const Schedule& schedule, const VerifyOptions& options) : schedule_(schedule), options_(options) {
    report_.scope = "every block";
  }

  void rests_on(const Symmetry& symmetry, std::int64_t blocks) {
    report_.scope = fmt::format("{} of {} blocks, one of each orbit of a checked symmetry: {}", blocks,
                                schedule_.header().blocks, symmetry.text());
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

  Report face_faults(const Survey& survey) {
    report_.metrics = survey.metrics;
    const std::string summary = fmt::format("{} transfers name what isn't there, or stay on their rank", survey.faults);
    add(well_formed_property, {Verdict::fail, summary, survey.first_fault, survey.faults});
    add(exactly_once_property, {Verdict::fail, "not well-formed", survey.first_fault, survey.faults});
    leave_others("not judged: not well-formed");
    return finished();
  }

  Report executed(const Survey& survey, const Tally& tally) {
    report_.metrics = survey.metrics;
    report_.metrics.term_depth = tally.depth;
    if (tally.exhausted) report_.scope = "the blocks that the budget allowed";
    if (tally.undefined.count > 0) {
      const auto why = shortest_counterexample(schedule_, tally.undefined.lowest);
      const std::uint64_t blocks = tally.undefined.count;
      add(well_formed_property,
          {Verdict::fail, fmt::format("{} of {} blocks have no defined result", blocks, schedule_.header().blocks), why,
           blocks});
      add(exactly_once_property, {Verdict::fail, "not well-formed", why, blocks + tally.wrong_results});
      leave_others("not judged: not well-formed");
      return finished();
    }
    if (tally.exhausted)
      add(well_formed_property, {Verdict::unknown, "not judged to the end: " + what_ran_out()});
    else
      add(well_formed_property, {Verdict::pass, fmt::format("all {} block transfers", survey.metrics.block_transfers)});
    if (tally.wrong_results > 0)
      add(exactly_once_property, {Verdict::fail, fmt::format("{} wrong results (rank, block)", tally.wrong_results),
                                  shortest_counterexample(schedule_, tally.wrong.lowest), tally.wrong_results});
    else
      add(exactly_once_property, {Verdict::pass, promise(schedule_.header())});
    if (tally.exhausted)
      leave_others("not judged: " + what_ran_out());
    else
      add_others(tally);
    return finished();
  }

 private:
  Report undecided(const std::string& why) {
    report_.scope = "nothing";
    for (const Property& p : schedule_properties()) add(p, {Verdict::unknown, why});
    report_.metrics.steps = schedule_.steps();
    return finished();
  }

  static std::string what_ran_out() { return stop_requested() ? stop_reason() : "the budget ran out; see --budget"; }

  /// The properties after the first two, which the execution judges.
  static std::span<const Property> others() { return schedule_properties().subspan(2); }

  void leave_others(const std::string& why) {
    for (const Property& p : others()) add(p, {Verdict::unknown, why});
  }

  void add_others(const Tally& tally) {
    for (const Property& p : others()) add(p, judged(p, tally));
  }

  Finding judged(const Property& p, const Tally& tally) {
    if (!is_judged(p, schedule_, options_))
      return {Verdict::unknown,
              fmt::format("not judged: not required, and more than {} block transfers and results", options_.courtesy)};
    if (p.by_step != nullptr) return p.by_step(schedule_, options_.limits);
    return std::find_if(tally.checks.begin(), tally.checks.end(), [&](const Check& c) { return c.property == &p; })
        ->check->finding();
  }

  void add(const Property& p, Finding finding) {
    report_.properties.push_back({std::move(finding), p.id, is_required(p, options_)});
  }

  Report finished() {
    report_.verdict = Verdict::pass;
    for (const PropertyResult& p : report_.properties) {
      if (!p.required) continue;
      if (p.verdict == Verdict::fail) report_.verdict = Verdict::fail;
      if (p.verdict == Verdict::unknown && report_.verdict == Verdict::pass) report_.verdict = Verdict::unknown;
    }
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
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void require_same_transfers(const Schedule& schedule, const Survey& survey, const Tally& tally) {
  const std::uint64_t by_rank = survey.metrics.block_transfers;
  if (by_rank == tally.hops && by_rank == schedule.block_transfers()) return;
  throw std::logic_error(fmt::format("{} block transfers by step, but {} by block", by_rank, tally.hops));
}

/// The symmetry that the verdict may rest on, if the schedule is large and has one.
SymmetrySearch symmetry_to_use(const Schedule& schedule, int threads, const VerifyOptions& options) {
  if (work(schedule) <= options.explicit_up_to || !checks_for(schedule, options).empty()) return {};
  return find_symmetry(schedule, threads, options.budget);
}

/// What executing takes, after the search for a symmetry. The blocks of an orbit have as many transfers each.
std::uint64_t work_left(const Schedule& schedule, const SymmetrySearch& search) {
  if (!search.found) return work(schedule);
  return search.messages +
         work(schedule) / static_cast<std::uint64_t>(schedule.header().ranks / search.found->orbits());
}

}  // namespace

Report verify(const Schedule& schedule, const VerifyOptions& options) {
  ReportWriter report(schedule, options);
  const int threads = thread_count(schedule, options);
  const SymmetrySearch search = symmetry_to_use(schedule, threads, options);
  if (const std::uint64_t left = work_left(schedule, search); left > options.budget) return report.over_budget(left);
  const Survey seen = survey(schedule, threads);
  if (seen.faults > 0) return report.face_faults(seen);
  Team* const team = team_for(schedule, options);
  const Share share = share_of(team);
  Windows windows(schedule, search.found, threads, share);
  if (search.found) report.rests_on(*search.found, windows.size());
  Tally tally =
      execute(schedule, windows, threads, options.budget / static_cast<std::uint64_t>(share.processes), options);
  if (team != nullptr) tally = merged(tally, *team, schedule, windows.text());
  if (search.found) tally = in_whole_orbits(std::move(tally), *search.found, schedule.header());
  const bool failed = tally.undefined.count > 0 || tally.wrong.count > 0;
  if (tally.exhausted && !failed) return report.exhausted();
  if (!tally.exhausted) require_same_transfers(schedule, seen, tally);
  return report.executed(seen, tally);
}

}  // namespace onceover
