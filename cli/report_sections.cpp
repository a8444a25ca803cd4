#include "cli/report_sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/rows.h"
#include "base/stop.h"
#include "base/text.h"
#include "cli/proof_text.h"
#include "gpu/description_judge.h"
#include "papers/papers.h"
#include "proofs/query.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"
#include "subjects/options.h"
#include "subjects/required.h"
#include "viz/html.h"
#include "viz/ink/graph.h"
#include "viz/ink/writers.h"
#include "viz/view.h"

namespace onceover::cli {

namespace {

/// The verdict in a sentence.
std::string verdict_text(const Verification& run) {
  const Report& report = run.report;
  if (report.verdict == Verdict::pass) return subjects::pass_text(run);
  for (const PropertyResult& p : report.properties)
    if (p.required && p.verdict == report.verdict) return subjects::headline(p);
  return "";
}

std::string metrics_text(const Metrics& m) {
  return fmt::format(
      "Steps: {}{}. Messages: {}. Block transfers: {}. Messages that a rank sends at once: up to {}. Blocks "
      "that it sends in all: up to {}. Depth of sums: {}.",
      m.steps, m.local_steps > 0 ? fmt::format(", and {} without messages", m.local_steps) : "", m.messages,
      m.block_transfers, m.max_sends_per_rank_step, m.blocks_sent_max, m.term_depth);
}

std::string finding_html(const PropertyResult& p) {
  std::string html = paragraph_html(p.summary);
  if (!p.counterexample) return html;
  html.clear();
  for (const std::string& line : describe(*p.counterexample)) html += paragraph_html(line);
  if (p.violations > 1) html += paragraph_html(fmt::format("and {} more", p.violations - 1), "soft");
  return html;
}

/// A row for a property. One that isn't required may fail without alarm.
std::string property_row(const PropertyResult& p) {
  const std::string_view tag = p.required ? "strong" : "span";
  return fmt::format("<tr><td>{0}</td><td>{1}</td><td><{2} class=\"{3}\">{3}</{2}></td><td>{4}</td></tr>\n", p.id,
                     p.required ? "required" : "", tag, name(p.verdict), finding_html(p));
}

/// The largest message, in blocks.
Block largest_message(const Schedule& schedule) {
  Block largest = 0;
  for (int step = 0; step < schedule.steps(); ++step)
    schedule.visit_transfers(step, [&](std::span<const Transfer> some) {
      stop_point();
      for (const Transfer& t : some) largest = std::max(largest, t.blocks.size());
    });
  return largest;
}

/// How far what an allgather or a reduce-scatter holds for others is from what PAT would hold, with messages as large.
std::string staging_html(const Reported& reported) {
  const Header& h = reported.schedule.header();
  const PropertyResult* staging = reported.run.report.find(staging_property);
  const bool is_half = h.collective == Collective::allgather || h.collective == Collective::reduce_scatter;
  if (!is_half || h.lanes > 1 || h.blocks != h.ranks || staging == nullptr || staging->peak() == nullptr) return "";
  const Block most = largest_message(reported.schedule);
  if (most < 1 || most >= h.ranks || !is_power_of_two(most)) return "";
  const std::int64_t bound = papers::pat_staging(h.ranks, most);
  const std::int64_t above = static_cast<std::int64_t>(staging->peak()->number) - bound;
  const std::string distance = above == 0  ? "as many as that"
                               : above < 0 ? fmt::format("{} fewer", -above)
                                           : fmt::format("{} more", above);
  return paragraph_html(fmt::format(
      "With messages of up to A = {} of p = {} blocks, PAT holds at most A (L - log2 A) - 1 = {} for others, "
      "where L = ceil(log2 p). This schedule holds {}: {}.",
      most, h.ranks, bound, staging->peak()->number, distance));
}

std::string theorems_table(const std::vector<Proof>& proofs) {
  std::vector<std::vector<std::string>> rows{{"theorem", "status", "says", "for", "obligations", "by"}};
  for (const Proof& proof : proofs)
    rows.push_back({std::string(proof.theorem->id), std::string(verdict_of(proof)), std::string(proof.theorem->title),
                    std::string(proof.theorem->domain), fmt::format("{}", proof.discharges.size()),
                    levels_text(*proof.theorem)});
  return table_html(rows);
}

std::string option(std::string_view flag, std::string_view value) {
  return fmt::format(" {} {}", flag, shell_word(value));
}

std::string requirements(const ReportCommand& command, const Bounds& bounds) {
  std::string text;
  for (const std::string& id : command.required) text += option("--require", id);
  for (const std::string& id : command.waived) text += option("--waive", id);
  for (const Property& p : properties())
    if (const auto bound = bound_of(p, bounds)) text += option(bound_flag(p), std::to_string(*bound));
  return text;
}

}  // namespace

VerifyOptions judging(const ReportCommand& command, const Bounds& bounds) {
  return {.budget = command.budget,
          .required = command.required,
          .waived = command.waived,
          .bounds = bounds,
          .unrequired_up_to = unrequired_up_to};
}

namespace {

/// What the page is about; of a file at an absolute path the name alone, since pages are passed on.
std::string subject_name(const Verification& run) {
  std::string text = subject_text(run);
  const std::string& path = run.origin.text;
  if (run.origin.kind == Origin::Kind::file && path.starts_with('/') && text.starts_with(path))
    text.erase(0, path.rfind('/') + 1);
  return text;
}

}  // namespace

std::string headline(const Verification& run) {
  if (run.launches) return fmt::format("{}, {}", subject_name(run), shape_of(run));
  const Header& h = run.header;
  const std::string lanes = h.lanes == 1 ? "" : fmt::format(", {} lanes", h.lanes);
  return fmt::format("{}, {}{}", subject_name(run), shape_text(h.sides()), lanes);
}

std::string banner_html(Verdict verdict, std::string_view why) {
  return fmt::format("<p class=\"banner {0}\"><strong>{0}</strong> {1}</p>\n", name(verdict), html_escaped(why));
}

std::string banner_html(const Verification& run) {
  return banner_html(run.report.verdict, verdict_text(run));
}

ReportSection verdict_section(const Reported& reported) {
  const Report& report = reported.run.report;
  std::string html;
  if (reported.run.launches)
    html += fmt::format("<pre>{}</pre>\n", html_escaped(gpu::report_text(reported.run.launches->report, false)));
  else if (report.program)
    html += fmt::format("<pre>{}</pre>\n",
                        html_escaped(program_headline(reported.run) + program_metrics_text(reported.run)));
  else if (report.verdict != Verdict::unknown)
    html += paragraph_html(metrics_text(report.metrics));
  for (const Note& note : reported.run.notes) html += paragraph_html(note.text);
  html +=
      "<div class=\"table\"><table>\n<thead><tr><th scope=\"col\">property</th><th scope=\"col\"></th>"
      "<th scope=\"col\">verdict</th><th scope=\"col\">what was found</th></tr></thead>\n<tbody>\n";
  for (const PropertyResult& p : report.properties) html += property_row(p);
  html += "</tbody></table></div>\n" + staging_html(reported);
  if (reported.run.repair) html += fmt::format("<pre>{}</pre>\n", html_escaped(repair_text(*reported.run.repair)));
  html += paragraph_html("`verify explain PROPERTY` says what a property means and why it matters.", "soft");
  return {"verdict", "Verdict", html};
}

ReportSection player_section(const Drawn<Player>& player, const Header& header, std::string_view about) {
  return {"steps", "Step by step",
          (about.empty() ? "" : paragraph_html(about)) +
              (player ? player_html(*player, header)
                      : paragraph_html(player.error().message) +
                            paragraph_html("`verify draw` draws parts of it: some ranks, some steps.", "soft"))};
}

std::string picture_html(const Drawn<Picture>& drawn, std::string_view label) {
  const auto picture = drawn ? placed(*drawn) : drawn;
  if (picture) return fmt::format("<figure class=\"paper\">{}</figure>\n", svg_in_page(*picture, label, 1.5));
  const std::string& why = picture.error().message;
  return paragraph_html(fmt::format("Not drawn. `verify draw` says: {}", why.substr(0, why.find('\n'))));
}

std::optional<ReportSection> counterexample_section(const Reported& reported) {
  for (const PropertyResult& p : reported.run.report.properties) {
    if (!p.required || !p.counterexample) continue;
    const auto picture = draw(
        counterexample_view, reported.schedule,
        {.counterexample = p.counterexample, .repair = reported.run.repair, .style = {.width = 6, .font_size = 9}});
    if (!picture) return std::nullopt;
    const auto html = picture_html(picture, describe(*p.counterexample).front());
    return ReportSection{"counterexample", "What goes wrong", html};
  }
  return std::nullopt;
}

Result<std::optional<ReportedCalls>> blocking_section(const Reported& reported, const ReportCommand& command) {
  if (command.blocking.empty()) return std::nullopt;
  const Schedule& schedule = reported.schedule;
  if (const auto why = why_not_run(schedule))
    return tl::unexpected(Failure{ExitCode::unknown, "--blocking: not judged: " + *why});
  std::vector<std::vector<std::string>> rows{{"order of calls", "rounds"}};
  std::vector<CallOrder> wrong;
  for (const CallOrder order : command.blocking) {
    const BlockingRun run = run_blocking(schedule, order);
    if (!run.ends()) wrong.push_back(order);
    rows.push_back({std::string(name(order)), run.ends() ? fmt::format("{}", run.rounds) : "deadlock"});
  }
  std::string html = table_html(rows, "Under rendezvous: a call returns when its message has been received.");
  for (const CallOrder order : wrong)
    html += picture_html(draw(deadlock_view, schedule, {.calls = {order}, .style = {.width = 6, .font_size = 9}}),
                         fmt::format("the deadlock of {}", name(order)));
  if (wrong.empty()) return ReportedCalls{{"blocking", "As blocking calls it ends", html}, ""};
  return ReportedCalls{{"blocking", "As blocking calls it deadlocks", html},
                       fmt::format("with blocking calls ({}) ranks wait for each other for ever. Without: {}",
                                   fmt::join(mapped(wrong, [](CallOrder order) { return name(order); }), ", "),
                                   verdict_text(reported.run))};
}

ReportSection waits_section(const Drawn<Picture>& picture) {
  const auto html = picture_html(picture, "what waits for what");
  return ReportSection{"waits", "What waits for what", html};
}

ReportSection sums_section(const Reported& reported) {
  DrawOptions options{.style = {.width = 10.6, .font_size = 9}};
  const PropertyResult* same = reported.run.report.find(bitwise_reproducible_property);
  if (same != nullptr && same->counterexample) options.blocks = {*same->counterexample->block};
  const Block block = options.blocks.front();
  const auto picture = draw(term_view, reported.schedule, options);
  const auto html = picture_html(picture, fmt::format("the sum of block {} that a rank ends with", block));
  return ReportSection{
      "sums", fmt::format("How block {} is added up", block),
      paragraph_html("The final sum of rank 0. If another rank's sum differs, both are shown and the difference is "
                     "marked.") +
          html};
}

namespace {

/// What the kernel's theorem says, and whether it is about this very schedule.
std::string kernel_html(const Citation& citation) {
  const KernelTheorem& theorem = *citation.theorem;
  if (citation.compared == Compared::different)
    return paragraph_html(
        fmt::format("No theorem of the kernel is cited: the transfers are not those of the function of {}: {}.",
                    theorem.name, citation.why));
  Comparisons comparisons;
  comparisons.add(citation);
  return paragraph_html(
             fmt::format("Theorem {} (level kernel, for {}): {}. Coq's kernel accepts it without axioms, the whole "
                         "statement{}.",
                         theorem.name, citation.domain, theorem.says, comparisons.text(true))) +
         fmt::format("<pre>{}</pre>\n", html_escaped(std::string(theorem.coq))) +
         paragraph_html(
             "Trusted: Coq's kernel, the definitions in `proofs/coq`, and, for this run, `proofs/routes`, where the "
             "theorem's function is written a second time. `proofs/coq/check.sh` compiles all proofs again.");
}

std::string solver_html(const Reported& reported, const Theorem& theorem) {
  const auto proofs = prove(theorems_for(reported.run.header.algorithm), {z3()}, 0);
  return paragraph_html(fmt::format(
             "Theorem {} (level solver) covers {}. It is named for the algorithm; nothing compares this schedule with "
             "the one that it speaks of. It and the theorems that it uses were put to a solver while this page was "
             "written. Proved means that every obligation holds, that a mutant of each is refuted, and that its "
             "hypotheses can be met. Trusted: {}, and the arguments in words, `verify prove {} --full`.",
             theorem.id, theorem.domain, z3_version(), theorem.id)) +
         theorems_table(proofs) + (stop_requested() ? paragraph_html(stop_reason()) : "");
}

bool has_theorem(const Verification& run) {
  return run.citation || solver_theorem(run) != nullptr;
}

}  // namespace

ReportSection proofs_section(const Reported& reported) {
  const std::string heading = "For every p";
  if (reported.run.citation) return {"proofs", heading, kernel_html(*reported.run.citation)};
  if (const Theorem* theorem = solver_theorem(reported.run))
    return {"proofs", heading, solver_html(reported, *theorem)};
  return {"proofs", heading,
          paragraph_html("No theorem covers this schedule: the verdict is about it alone. `verify prove` lists the "
                         "theorems; `verify prove --peer` looks for a proof of a formula.")};
}

ReportSection reproduction_section(const Reported& reported, const ReportCommand& command) {
  const std::string subject = subject_arguments(command.subject),
                    network = arguments(network_options(), command.network);
  const std::string beside = command.beside.empty() ? "" : option("--beside", command.beside);
  const std::string calls =
      command.blocking.empty()
          ? ""
          : option("--blocking",
                   fmt::format("{}", fmt::join(mapped(command.blocking, [](CallOrder o) { return name(o); }), ",")));
  std::string commands = fmt::format("verify{}{}\nverify report{}{}{}{}{} -o report.html\n", subject,
                                     requirements(command, reported.bounds), subject, network,
                                     requirements(command, command.bounds), calls, beside);
  if (!calls.empty()) commands += fmt::format("verify{}{}\n", subject, calls);
  if (reported.schedule.steps() > 0)
    commands += fmt::format("verify contention{0}{1}\nverify cost{0}{1}\n", subject, network);
  if (has_theorem(reported.run))
    commands += fmt::format("verify prove --algo {}\n", names_text(command.subject.algorithms));
  return {"reproduce", "How to reproduce",
          fmt::format("<pre>{}</pre>\n", html_escaped(commands)) +
              paragraph_html("The same version writes the same page.") +
              "<details><summary>The run as JSON, as <code>verify --json</code> prints it</summary><pre "
              "id=\"run-json\"></pre></details>\n"};
}

}  // namespace onceover::cli
