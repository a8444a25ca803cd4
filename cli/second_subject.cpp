#include "cli/second_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/table.h"
#include "cli/contention_report.h"
#include "cli/program_messages.h"
#include "schedules/catalogue.h"

namespace onceover::cli {

namespace {

/// A name is an algorithm's before it is a file's.
Result<SubjectOptions> options_named(const std::string& text, const Header& header) {
  if (const Algorithm* row = find_algorithm(text)) return options_beside(*row, header);
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return SubjectOptions{.file = text};
  return no_such("--beside: no file or algorithm", text, mapped(catalogue(), &Algorithm::name));
}

Result<void> check_ranks(Rank ranks, const Header& header) {
  if (ranks == header.ranks) return {};
  return usage_error(fmt::format("--beside: it has {} ranks, and what it stands beside has {}", ranks, header.ranks));
}

Result<Second> second_of(const std::vector<Subject>& subjects, const Header& header, const VerifyOptions* judged) {
  const auto subject = TRY(single(subjects, "--beside takes"));
  TRY(check_ranks(subject.ranks, header));
  auto made = TRY(subject.make());
  Header own = made.schedule->header();
  own.owners.clear();
  Verification run{subject.origin, std::move(own), judged != nullptr ? verify(*made.schedule, *judged) : Report(),
                   made.notes, made.as};
  return Second{std::move(run), std::move(made.schedule)};
}

Result<Second> second_of(ProgramMessages messages, const Header& header) {
  TRY(check_ranks(messages.schedule->header().ranks, header));
  return Second{std::move(messages.run), std::move(messages.schedule), messages.block_bytes};
}

Result<Second> second(const std::string& text, const Header& header, const VerifyOptions* judged) {
  const auto options = TRY(options_named(text, header));
  auto resolved = resolve_sendable(options);
  // The row's own words don't say which of the two subjects they are about.
  if (!resolved && options.file.empty()) resolved.error().message.insert(0, "--beside: ");
  auto sendable = TRY(std::move(resolved));
  if (sendable.program) return second_of(*std::move(sendable.program), header);
  return second_of(sendable.schedules, header, judged);
}

/// What is sent over the network at each step.
std::vector<const StepContention*> by_step(const Side& side) {
  std::vector<const StepContention*> steps;
  for (const int first : side.schedule.alike()) {
    const auto at = std::find_if(side.contention.steps.begin(), side.contention.steps.end(),
                                 [&](const StepContention& s) { return s.kind.step == first; });
    steps.push_back(&*at);
  }
  return steps;
}

Rational amount(const Side& side, const StepContention& s) {
  if (side.block_bytes > 0) return s.load * Rational(side.block_bytes);
  return s.load / Rational(side.schedule.header().blocks);
}

}  // namespace

SubjectOptions options_beside(const Algorithm& row, const Header& header) {
  SubjectOptions options{.algorithms = {&row}, .collective = header.collective};
  if (header.shape.size() > 1)
    options.tori = {header.shape};
  else
    options.ranks = RankList{{header.ranks}, std::to_string(header.ranks)};
  if (header.lanes > 1 && row.has_lanes) options.lanes = Lanes::all;
  if (is_rooted(header.collective)) options.root = header.root;
  return options;
}

Result<Second> unjudged_beside(const std::string& text, const Header& header) {
  return second(text, header, nullptr);
}

Result<Second> judged_beside(const std::string& text, const Header& header, const VerifyOptions& options) {
  return second(text, header, &options);
}

std::pair<std::string, std::string> names_beside(const Verification& one, const Verification& other) {
  const auto name_of = [](const Verification& run) {
    return run.origin.kind == Origin::Kind::catalogue ? run.header.algorithm : run.origin.text;
  };
  const std::string a = name_of(one), b = name_of(other);
  return a == b ? std::pair(a + " (1)", b + " (2)") : std::pair(a, b);
}

Result<std::vector<std::vector<std::string>>> steps_beside(const Side& one, const Side& other) {
  const bool has_bytes = one.block_bytes > 0;
  if (has_bytes != (other.block_bytes > 0))
    return usage_error("--beside: one has sizes in bytes, and the other in parts of a vector");
  const auto ones = by_step(one), others = by_step(other);
  const auto cells = [&](const Side& side, const std::vector<const StepContention*>& steps, std::size_t step) {
    if (step >= steps.size()) return std::vector<std::string>{"-", "-"};
    return std::vector{std::to_string(steps[step]->messages),
                       number_text(static_cast<double>(amount(side, *steps[step])))};
  };
  const auto more = [&](std::size_t step) -> std::string {
    const Rational a = step < ones.size() ? amount(one, *ones[step]) : 0;
    const Rational b = step < others.size() ? amount(other, *others[step]) : 0;
    return a == b ? "equal" : a > b ? one.name : other.name;
  };
  const std::string_view unit = has_bytes ? "bytes" : "vectors";
  std::vector<std::vector<std::string>> rows{{"steps", one.name + ": messages", fmt::format("{} on a link", unit),
                                              other.name + ": messages", fmt::format("{} on a link", unit),
                                              "carries more"}};
  std::size_t first = 0;
  for (std::size_t step = 0; step < std::max(ones.size(), others.size()); ++step) {
    std::vector<std::string> row{std::to_string(step)};
    for (const auto& part : {cells(one, ones, step), cells(other, others, step)})
      row.insert(row.end(), part.begin(), part.end());
    row.push_back(more(step));
    const bool is_alike = step > 0 && std::equal(row.begin() + 1, row.end(), rows.back().begin() + 1);
    if (is_alike) {
      rows.back().front() = fmt::format("{} to {}", first, step);
      continue;
    }
    first = step;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace onceover::cli
