// The text has a line for each number of steps that was tried, and the verdict last.

#include <fmt/format.h>

#include "base/counted.h"
#include "base/rows.h"
#include "cli/optimum.h"

namespace onceover::cli {

namespace {

constexpr std::size_t most_words_shown = 4;

std::string subject_text(const Optimum& o) {
  const Header& header = o.question.header;
  const auto many = [](auto n, std::string_view one) { return counted(static_cast<std::uint64_t>(n), one); };
  std::string text = fmt::format("{}, p = {}, {}: a rank sends and receives at most {} a step", name(header.collective),
                                 header.ranks, many(header.blocks, "block"), many(*o.question.ports, "message"));
  if (o.question.volume) text += fmt::format(", and sends at most {}", many(*o.question.volume, "block"));
  if (!o.network.empty()) text += fmt::format(", to neighbours on {} only", o.network);
  return text + "\n";
}

/// Which schedules there are none of.
std::string_view none_of(Assumed assumed) {
  return assumed == Assumed::knowledge ? "whatever ranks keep and combine" : "in which a rank holds one value a block";
}

std::string finding_text(const FoundSchedule& found) {
  return fmt::format("pass  {}\n", found.report.find(exactly_once_property)->summary);
}

std::string tried_text(const Optimum& o, const TriedSteps& tried) {
  const std::string steps = counted(static_cast<std::uint64_t>(tried.steps), "step");
  switch (tried.answer) {
    case Answer::unsatisfiable: return fmt::format("  {}: none, {}\n", steps, none_of(tried.assumed));
    case Answer::satisfiable: return fmt::format("  {}: found, and judged: {}", steps, finding_text(*o.found));
    case Answer::unknown: return fmt::format("  {}: {}\n", steps, tried.reason);
  }
  return "";
}

std::string trust_text(const Optimum& o) {
  if (o.control_steps == 0) return "";
  return fmt::format("  none: says {}; the same clauses accept a known schedule of {}\n",
                     fmt::join(o.solvers, ", and so does "),
                     counted(static_cast<std::uint64_t>(o.control_steps), "step"));
}

std::string verdict_text(const Optimum& o) {
  const auto steps = static_cast<std::uint64_t>(o.tried.back().steps);
  switch (o.answer()) {
    case Answer::satisfiable:
      return fmt::format("{} {}\n", o.is_least ? "least:" : "possible with", counted(steps, "step"));
    case Answer::unsatisfiable: return fmt::format("impossible with {} or fewer\n", counted(steps, "step"));
    case Answer::unknown: return fmt::format("unknown with {}\n", counted(steps, "step"));
  }
  return "";
}

Json tried_json(const TriedSteps& tried) {
  Json json{{"steps", tried.steps},
            {"answer", name(tried.answer)},
            {"assumed", tried.assumed == Assumed::knowledge ? "nothing" : "one value a block"}};
  if (tried.answer == Answer::unknown) json["reason"] = tried.reason;
  return json;
}

Json schedule_json(const FoundSchedule& found) {
  return {{"verdict", name(found.report.verdict)},
          {"scope", found.report.scope},
          {"steps", found.report.metrics.steps},
          {"messages", found.report.metrics.messages},
          {"blocks_sent_max", found.report.metrics.blocks_sent_max}};
}

Json head_json() {
  return {{"schema_version", 1}, {"tool", {{"name", "onceover"}, {"version", ONCEOVER_VERSION}}}};
}

std::string word_text(const Word& word) {
  std::string text;
  for (const int letter : word) text += fmt::format("{}{}", text.empty() ? "" : " ", letter);
  return text;
}

}  // namespace

std::string optimum_text(const Optimum& o) {
  std::string text = subject_text(o);
  for (const TriedSteps& tried : o.tried) text += tried_text(o, tried);
  return text + trust_text(o) + verdict_text(o);
}

Json optimum_json(const Optimum& o) {
  Json json = head_json();
  const Header& header = o.question.header;
  json["collective"] = name(header.collective);
  json["ranks"] = header.ranks;
  json["blocks"] = header.blocks;
  if (is_rooted(header.collective)) json["root"] = header.root;
  json["ports"] = *o.question.ports;
  json["volume"] = o.question.volume ? Json(*o.question.volume) : Json();
  json["network"] = o.network.empty() ? Json() : Json(o.network);
  json["asked"] = o.is_least ? "least" : "steps";
  json["solvers"] = o.solvers;
  json["control_steps"] = o.control_steps == 0 ? Json() : Json(o.control_steps);
  json["tried"] = mapped(o.tried, tried_json);
  json["answer"] = name(o.answer());
  json["schedule"] = o.found ? schedule_json(*o.found) : Json();
  return json;
}

std::string words_text(const WordsFound& words) {
  const LeastWords& least = words.least;
  std::string text =
      fmt::format("reduce-scatter, p = {}, in which {}, on {}\n", words.ranks, words.letters->about, words.network);
  text += fmt::format("  least sum over the steps of blocks on the hottest link: {}\n", least.load.str());
  for (std::size_t k = 0; k < std::min(most_words_shown, least.words.size()); ++k)
    text += fmt::format("  f = {}\n", word_text(least.words[k]));
  if (least.count > most_words_shown)
    text += fmt::format("  and {} more, see --json\n", least.count - most_words_shown);
  text += fmt::format("  the first, judged: {}", finding_text(words.first));
  return text + fmt::format("least of all: {} tried\n", counted(least.tried, "beginning"));
}

Json words_json(const WordsFound& words) {
  Json json = head_json();
  json["group"] = words.letters->name;
  json["collective"] = name(Collective::reduce_scatter);
  json["ranks"] = words.ranks;
  json["network"] = words.network;
  json["load"] = words.least.load.str();
  json["count"] = words.least.count;
  json["words"] = words.least.words;
  json["tried"] = words.least.tried;
  json["schedule"] = schedule_json(words.first);
  return json;
}

}  // namespace onceover::cli
