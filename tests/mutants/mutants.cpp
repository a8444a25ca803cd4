#include "mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <stdexcept>

#include "agreement.h"
#include "check/certificate.h"
#include "formats/lowering.h"
#include "formats/schedule_file.h"
#include "mutator.h"
#include "plain_schedule.h"
#include "program_agreement.h"
#include "program_mutator.h"
#include "programs/verify_program.h"
#include "reference_interpreter.h"
#include "schedules/catalogue.h"
#include "verifier/certificate.h"
#include "written.h"

namespace onceover::support {

namespace {

/// Programs of which the interpreter tries more orders than this, as they are, aren't changed.
constexpr std::size_t most_states_of_original = 1000;

/// A schedule as `verify-check` sees it: its file, and the verifier's certificate.
struct Certified {
  std::string file, certificate;
  bool passes;
};

Certified certified(const Schedule& schedule) {
  const Report report = verify(schedule, {.threads = 1});
  if (const std::string why = no_certificate(schedule, report); !why.empty()) throw std::runtime_error(why);
  return {written([&](std::FILE* file) { return write_schedule(schedule, file); }),
          written([&](std::FILE* file) { return write_certificate(schedule, report, file); }),
          report.verdict == Verdict::pass};
}

/// Does verify-check say that the certificate proves this verdict on the schedule?
bool proves(const std::string& file, const std::string& certificate, std::string_view verdict) {
  const check::Outcome outcome = check::check_certificate({"schedule", file}, {"certificate", certificate});
  return outcome.kind == check::Outcome::Kind::proved && outcome.message.starts_with(verdict);
}

/// What the judges don't agree on, or nothing.
std::string trouble_with(const Schedule& mutant, const Certified& own, const Certified& original) {
  if (const std::string what = disagreement(mutant); !what.empty()) return what;
  if (!proves(own.file, own.certificate, own.passes ? "pass: " : "fail: "))
    return "verify-check rejects the certificate";
  if (own.passes) return "";
  if (proves(own.file, original.certificate, "")) return "verify-check accepts the certificate of the original";
  if (proves(original.file, own.certificate, "")) return "verify-check accepts the certificate for the original";
  return "";
}

/// What is right in the catalogue, in an order that the seed fixes.
std::vector<std::pair<const Algorithm*, Request>> shuffled_requests(const std::vector<std::vector<Rank>>& shapes,
                                                                    std::mt19937& random) {
  std::vector<std::pair<const Algorithm*, Request>> all;
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const auto& shape : shapes)
        for (const bool all_lanes : {false, true}) {
          const Request request{collective, shape, all_lanes, {}};
          if (!row.as_printed && !refusal(row, request)) all.emplace_back(&row, request);
        }
  // std::shuffle may differ from library to library.
  for (std::size_t k = all.size(); k > 1; --k) std::swap(all[k - 1], all[random() % k]);
  return all;
}

/// One step of direct messages, for collectives that the catalogue hasn't got; with owners and a root of their own.
PlainSchedule direct(Collective collective, Rank p) {
  const Block blocks = collective == Collective::alltoall ? p * p : p;
  PlainSchedule plain{{.collective = collective, .ranks = p, .blocks = blocks}, {{}}};
  Header& h = plain.header;
  if (collective != Collective::alltoall) {
    h.root = p / 2;
    for (Block b = 0; b < blocks; ++b) h.owners.push_back((b + 1) % p);
  }
  const Contract& c = contract(collective);
  for (Block b = 0; b < blocks; ++b)
    if (const Rank src = h.holder(c.begins, b), dst = h.holder(c.ends, b); src != dst)
      plain.steps[0].push_back({src, dst, {b}, Op::copy});
  return plain;
}

std::vector<std::vector<Rank>> schedule_shapes() {
  std::vector<std::vector<Rank>> shapes{{2, 2}, {2, 3}, {3, 3}, {4, 2}, {4, 4}, {3, 5}, {2, 2, 3}, {2, 4, 2}};
  for (Rank p = 2; p <= 16; ++p) shapes.push_back({p});
  return shapes;
}

/// The schedules that are changed: one of the catalogue after another, and now and then one of the other collectives.
class Originals {
 public:
  /// An allreduce that keeps two sums of some blocks, if p is no power of two.
  static PlainSchedule with_scratch(Rank p) {
    return plain(*find_algorithm("generalized")->make({Collective::allreduce, {p}, false, {{"removed-steps", "1"}}}));
  }

  explicit Originals(unsigned seed) : random_(seed), requests_(shuffled_requests(schedule_shapes(), random_)) {}

  PlainSchedule next() {
    if (count_ % 12 == 5) {
      ++count_;
      return with_scratch(static_cast<Rank>(3 + random_() % 6));
    }
    constexpr std::array others{Collective::gather, Collective::scatter, Collective::alltoall};
    if (const auto k = count_++; k % 12 == 11) return direct(others[k / 12 % 3], static_cast<Rank>(2 + random_() % 7));
    const auto& [row, request] = requests_[at_++ % requests_.size()];
    return plain(*row->make(request));
  }

 private:
  std::mt19937 random_;
  std::vector<std::pair<const Algorithm*, Request>> requests_;
  std::size_t at_ = 0, count_ = 0;
};

std::vector<MutantRow> rows_of(std::span<const std::string_view> changes) {
  std::vector<MutantRow> rows;
  for (const std::string_view change : changes) rows.push_back({change});
  return rows;
}

void count(MutantRow& row, bool passes) {
  ++row.mutants;
  ++(passes ? row.proved : row.killed);
}

/// Small programs of the catalogue's schedules, in an order that the seed fixes. Each is looked for when it is asked
/// for: telling which are small takes seconds.
class SmallPrograms {
 public:
  explicit SmallPrograms(std::mt19937& random) : requests_(shuffled_requests({{2}, {3}, {4}}, random)) {}

  /// After the last one comes the first again.
  const Program& operator[](std::size_t index) {
    while (programs_.size() <= index && tried_ < requests_.size()) add(requests_[tried_++]);
    return programs_[index % programs_.size()];
  }

 private:
  void add(const std::pair<const Algorithm*, Request>& made) {
    for (const ProgramStyle style : {ProgramStyle::threads, ProgramStyle::requests})
      for (const bool in_place : {true, false}) {
        const auto program = lower(*made.first->make(made.second), {.style = style, .in_place = in_place});
        if (!program || std::any_of(program->operations.begin(), program->operations.end(),
                                    [](const Operation& o) { return o.is_part; }))
          continue;
        if (!reference::interpret(*program, reference::unlimited, most_states_of_original).too_large)
          programs_.push_back(*program);
      }
  }

  std::vector<std::pair<const Algorithm*, Request>> requests_;
  std::size_t tried_ = 0;
  std::vector<Program> programs_;
};

std::string described(const Program& program) {
  std::string text = fmt::format("{} of {} ranks, {}\n", name(program.collective), program.ranks,
                                 program.in_place ? "in place" : "out of place");
  for (const Operation& o : program.operations)
    text += fmt::format("rank {} thread {}: {} {} {}+{} to {} {}+{}, from {} to {}\n", o.rank, o.thread,
                        name(o.instruction), name(o.source.buffer), o.source.first, o.source.count,
                        name(o.target.buffer), o.target.first, o.target.count, o.from, o.to);
  for (const Dependency& o : program.dependencies) text += fmt::format("{} after {}\n", o.after, o.before);
  return text;
}

}  // namespace

MutantRow MutantTable::total() const {
  MutantRow sum{"all"};
  for (const MutantRow& row : rows) {
    sum.mutants += row.mutants;
    sum.killed += row.killed;
    sum.proved += row.proved;
  }
  return sum;
}

std::string MutantTable::text(std::string_view of) const {
  std::string text =
      fmt::format("| change of a {} | mutants | fail | pass, proved right | fail, % |\n|---|--:|--:|--:|--:|\n", of);
  std::vector<MutantRow> all = rows;
  all.push_back(total());
  for (const MutantRow& row : all)
    text += fmt::format("| {} | {} | {} | {} | {:.1f} |\n", row.change, row.mutants, row.killed, row.proved,
                        100.0 * row.killed / std::max(row.mutants, 1));
  return text;
}

MutantTable schedule_mutants(int most, unsigned seed,
                             const std::function<void(const std::string& file, bool passes)>& judged) {
  MutantTable table{rows_of(schedule_changes())};
  Originals originals(seed);
  Mutator mutator(seed);
  for (int made = 0; made < most;) {
    const PlainSchedule plain = originals.next();
    const Certified original = certified(*listed(plain));
    for (std::size_t change = 0; change < table.rows.size() && made < most; ++change) {
      const auto mutant = mutator.mutant_of(plain, change);
      if (!mutant) continue;
      const SchedulePtr schedule = listed(*mutant);
      const Certified own = certified(*schedule);
      if (const std::string what = trouble_with(*schedule, own, original); !what.empty() || !original.passes) {
        table.trouble = fmt::format("{}: {}\n{}{}", table.rows[change].change, what, own.file, own.certificate);
        return table;
      }
      count(table.rows[change], own.passes);
      if (judged) judged(own.file, own.passes);
      ++made;
    }
  }
  return table;
}

MutantTable program_mutants(int most, unsigned seed) {
  MutantTable table{rows_of(program_changes())};
  std::mt19937 random(seed);
  SmallPrograms originals(random);
  ProgramMutator mutator(seed);
  ProgramTally tally;
  std::size_t next = 0;
  for (int made = 0; made < most; ++next)
    for (std::size_t change = 0; change < table.rows.size() && made < most; ++change) {
      const auto mutant = mutator.mutant_of(originals[next], change);
      if (!mutant) continue;
      const int too_large = tally.too_large;
      const std::string what = disagreement(*mutant, tally);
      if (tally.too_large > too_large) continue;
      const Verdict verdict = verify(*mutant, {.fifo = 1}).verdict;
      if (!what.empty() || verdict == Verdict::unknown) {
        table.trouble = fmt::format("{}: {}\n{}", table.rows[change].change, what, described(*mutant));
        return table;
      }
      count(table.rows[change], verdict == Verdict::pass);
      ++made;
    }
  table.too_large = tally.too_large;
  return table;
}

}  // namespace onceover::support
