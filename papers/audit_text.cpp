// The audit as text, as the page docs/findings.md, and as JSON.
//
// All three say of a claim what its verdict rests on by the same sentence, `grounds`: the cases that were tried, the
// obligations that Z3 discharged, or where it doesn't hold.
//
// Example: a claim that was tried by a formula for s = 0..58 has the grounds "tried by arithmetic, in every case of s =
// 0..58"; with a theorem "for all p, level solver: .." stands before that.
//
// Papers come in the order of their claims; theorems that are cited as wholes come last, once each. O(claims * papers).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "papers/audit.h"
#include "subjects/run.h"

namespace onceover::papers {

namespace {

constexpr std::array verdicts{ClaimVerdict::proved,  ClaimVerdict::checked,  ClaimVerdict::imprecise,
                              ClaimVerdict::refuted, ClaimVerdict::differs,  ClaimVerdict::finding,
                              ClaimVerdict::unknown, ClaimVerdict::unsettled};

/// Are they those of the program?
bool are_ours(const std::vector<Audited>& audited) {
  return audited.empty() || audited.front().claim->file.empty();
}

/// The papers, in their order; of ours all.
std::vector<std::string_view> papers_of(const std::vector<Audited>& audited) {
  std::vector<std::string_view> titles;
  const auto add = [&](const Claim& claim) {
    if (std::find(titles.begin(), titles.end(), claim.paper) == titles.end()) titles.push_back(claim.paper);
  };
  if (are_ours(audited)) std::for_each(claims().begin(), claims().end(), add);
  for (const Audited& a : audited) add(*a.claim);
  return titles;
}

std::size_t count(const std::vector<Audited>& audited, ClaimVerdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(audited.begin(), audited.end(), [&](const Audited& a) { return a.verdict == verdict; }));
}

/// "42 claims: 20 proved, 10 checked".
std::string tally(const std::vector<Audited>& audited) {
  std::vector<std::string> parts;
  for (const ClaimVerdict v : verdicts)
    if (count(audited, v) > 0) parts.push_back(fmt::format("{} {}", count(audited, v), name(v)));
  return fmt::format("{} claim{}: {}", audited.size(), audited.size() == 1 ? "" : "s", fmt::join(parts, ", "));
}

/// The ranges that were tried by such means, each once.
std::string ranges_of(const std::vector<Evidence>& evidence, Means means) {
  std::vector<std::string> ranges;
  for (const Evidence& e : evidence)
    if (e.means == means && std::find(ranges.begin(), ranges.end(), e.range) == ranges.end()) ranges.push_back(e.range);
  return fmt::format("{}", fmt::join(ranges, "; "));
}

/// "in every case of p = 2..64; by arithmetic, in every case of s = 0..58".
std::string tried_text(const std::vector<Evidence>& evidence) {
  std::vector<std::string> parts;
  for (const auto& [means, how] : {std::pair{Means::cases, "in every case of {}"},
                                   {Means::arithmetic, "by arithmetic, in every case of {}"},
                                   {Means::identity, "by arithmetic that can't come out otherwise ({})"}})
    if (const std::string ranges = ranges_of(evidence, means); !ranges.empty())
      parts.push_back(fmt::format(fmt::runtime(how), ranges));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "ring: around-step, around-once; folding, 7 obligations": what Z3 discharged.
std::string obligation_text(const Audited& a) {
  std::vector<std::string> parts;
  for (const Obligations& o : a.obligations)
    parts.push_back(o.names.size() <= 3 ? fmt::format("{}: {}", o.theorem, fmt::join(o.names, ", "))
                                        : fmt::format("{}, {} obligations", o.theorem, o.names.size()));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// By what it is so for all p. Of theorems the page says below what Coq accepts and what is argued in words.
std::string proof_text(const Audited& a) {
  if (!a.claim->coq.empty())
    return fmt::format("level kernel: Coq accepts the whole ({}), Z3 {}", fmt::join(a.claim->coq, ", "),
                       obligation_text(a));
  if (a.claim->lemma.empty()) return fmt::format("level solver: Z3 and words ({})", obligation_text(a));
  return fmt::format("level solver: Z3 ({}){}", obligation_text(a),
                     a.claim->words.empty() ? "" : fmt::format(", in words {}", a.claim->words));
}

/// How the verdict came about.
std::string grounds(const Audited& a) {
  const std::string tried = fmt::format("tried{} {}", a.claim->kind == ClaimKind::measured ? ", in our model," : "",
                                        tried_text(a.claim->says));
  switch (a.verdict) {
    case ClaimVerdict::proved:
      return fmt::format("for all p, {}; {}", proof_text(a), tried);
    case ClaimVerdict::checked:
      if (a.obligations.empty()) return tried;
      return fmt::format(
          "{}; {}, for all p, {}", tried,
          a.claim->file.empty() ? "that it is right" : "that the theorem is this sentence is the file's word",
          proof_text(a));
    case ClaimVerdict::finding:
      return tried;
    case ClaimVerdict::imprecise:
    case ClaimVerdict::refuted:
    case ClaimVerdict::differs:
    case ClaimVerdict::unsettled:
      return fmt::format("{}: {}", a.refutation->where, a.refutation->why);
    case ClaimVerdict::unknown:
      return a.unknown;
  }
  return "";
}

/// The theorems that are cited as wholes, in their order.
std::vector<const Theorem*> cited(const std::vector<Audited>& audited) {
  std::vector<const Theorem*> all;
  for (const Theorem& theorem : theorems())
    if (std::any_of(audited.begin(), audited.end(), [&](const Audited& a) {
          return a.claim->lemma.empty() && std::any_of(a.obligations.begin(), a.obligations.end(),
                                                       [&](const Obligations& o) { return o.theorem == theorem.id; });
        }))
      all.push_back(&theorem);
  return all;
}

std::string_view who(Level level) {
  switch (level) {
    case Level::solver:
      return "Z3";
    case Level::kernel:
      return "Coq";
    case Level::words:
      return "words";
  }
  return "";
}

std::string corrected_text(const Audited& a) {
  if (a.claim->correct.empty()) return "";
  const std::string tried = a.claim->corrected.empty() ? "" : fmt::format(" ({})", tried_text(a.claim->corrected));
  return std::string(a.claim->correct) + tried;
}

std::string command_of(const Audited& a) {
  if (a.refutation && !a.refutation->command.empty()) return a.refutation->command;
  const std::string& file = a.claim->file;
  return fmt::format("verify claims {}{}{}", file.empty() ? "" : "--from ", file.empty() ? "" : file + " ",
                     a.claim->id);
}

std::vector<const Audited*> of_paper(const std::vector<Audited>& audited, std::string_view paper) {
  std::vector<const Audited*> part;
  for (const Audited& a : audited)
    if (a.claim->paper == paper) part.push_back(&a);
  return part;
}

std::string entry_text(const Audited& a) {
  std::string text =
      fmt::format("{:<10} {}  {}\n           {}\n", name(a.verdict), a.claim->id, a.claim->place, a.claim->statement);
  text += fmt::format("           {}\n", grounds(a));
  if (const std::string correct = corrected_text(a); !correct.empty())
    text += fmt::format("           so: {}\n", correct);
  if (a.refutation && !a.refutation->command.empty())
    text += fmt::format("           see: {}\n", a.refutation->command);
  return text;
}

/// Text in a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<' || c == '^' || c == '~') out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_row(const Audited& a) {
  std::string so = cell(grounds(a));
  if (const std::string correct = corrected_text(a); !correct.empty()) so += fmt::format("<br>So: {}", cell(correct));
  return fmt::format("| **{}** | {} | {} | {} | `{}` |\n", name(a.verdict), cell(a.claim->place),
                     cell(a.claim->statement), so, command_of(a));
}

Json entry_json(const Audited& a) {
  Json json{{"id", a.claim->id},          {"paper", a.claim->paper},
            {"place", a.claim->place},    {"statement", a.claim->statement},
            {"verdict", name(a.verdict)}, {"level", name(level_of(a))},
            {"grounds", grounds(a)}};
  if (!a.claim->correct.empty()) json["correct"] = a.claim->correct;
  if (!a.claim->corrected.empty()) json["correct_in"] = tried_text(a.claim->corrected);
  if (a.refutation) json["counterexample"] = {{"where", a.refutation->where}, {"why", a.refutation->why}};
  for (const Obligations& o : a.obligations) json["obligations"][std::string(o.theorem)] = o.names;
  if (!a.claim->coq.empty()) json["coq"] = a.claim->coq;
  if (!a.claim->words.empty()) json["words"] = a.claim->words;
  json["command"] = command_of(a);
  return json;
}

}  // namespace

std::string audit_text(const std::vector<Audited>& audited) {
  std::string text;
  for (const std::string_view paper : papers_of(audited)) {
    const auto part = of_paper(audited, paper);
    if (part.empty()) continue;
    text += fmt::format("{}\n\n", paper);
    for (const Audited* a : part) text += entry_text(*a) + "\n";
  }
  if (!cited(audited).empty()) text += "What the theorems rest on\n\n";
  for (const Theorem* theorem : cited(audited)) {
    for (const LevelPart& part : levels(*theorem))
      text +=
          fmt::format("{:<18} {:<6} {}\n", part.level == Level::solver ? theorem->id : "", who(part.level), part.what);
    text += "\n";
  }
  return text + tally(audited) + "\n";
}

namespace {

constexpr std::string_view markdown_head = R"(# Findings

What five papers claim, in our words, and what is so. `./verify claims` tries every entry anew, and prints this
page with `--markdown`; a test keeps it true. {}.

- **proved**: for all p of the claim, and tried. It says at which level (see [proofs.md](proofs.md)): *kernel*, Coq
  accepts the whole sentence when the files of `verify prove --emit-coq` are checked; *solver*, Z3 discharges
  obligations, which an argument in words joins. What of each theorem Z3 shows, what Coq accepts and what is argued in
  words is [below](#what-the-theorems-rest-on).
- **checked**: tried in every case of the range that is given. *By arithmetic*: a formula was evaluated, and no
  schedule executed.
- **imprecise**: not so to the letter, by a slip in a constant, an index, a rounding or a word; or it leaves open what
  it depends on.
- **refuted**: there is a counterexample, and the smallest of the range is shown.
- **differs**: measured by the text in a simulator, and otherwise in our model.
- **finding**: of ours; no text says it. Tried in every case of the range.

Schedules are executed symbolically (see [how-it-works.md](how-it-works.md)); deficiencies are measured in exact
fractions, gains in the model of synchronous steps (see [networks.md](networks.md), also for other figures of the
papers' evaluations, which are no claims here).
)";

std::string markdown_of(const Theorem& theorem) {
  std::string row = fmt::format("| [`{0}`](theorems.md#{0}) |", theorem.id);
  for (const auto level : {Level::solver, Level::kernel, Level::words}) {
    const auto parts = levels(theorem);
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const LevelPart& p) { return p.level == level; });
    row += fmt::format(" {} |", part == parts.end() ? "" : cell(part->what));
  }
  return row + "\n";
}

}  // namespace

std::string audit_markdown(const std::vector<Audited>& audited) {
  std::string text = are_ours(audited) ? fmt::format(markdown_head, tally(audited))
                                       : fmt::format("# Findings\n\n{}.\n", tally(audited));
  for (const std::string_view paper : papers_of(audited)) {
    text += fmt::format("\n## {}\n\n| | where | the text says | what is so | see |\n|---|---|---|---|---|\n", paper);
    for (const Audited* a : of_paper(audited, paper)) text += markdown_row(*a);
  }
  text +=
      "\n## What the theorems rest on\n\n| theorem | Z3 shows | Coq accepts | argued in words |\n|---|---|---|---|\n";
  for (const Theorem* theorem : cited(audited)) text += markdown_of(*theorem);
  return text;
}

std::string audit_json(const std::vector<Audited>& audited) {
  Json json{{"schema_version", 1},
            {"tool", {{"name", "onceover"}, {"version", ONCEOVER_VERSION}}},
            {"claims", Json::array()}};
  for (const Audited& a : audited) json["claims"].push_back(entry_json(a));
  for (const Theorem* theorem : cited(audited)) {
    Json& entry = json["theorems"][std::string(theorem->id)];
    for (const LevelPart& part : levels(*theorem)) entry[std::string(proofs::name(part.level))] = part.what;
  }
  return dump(json);
}

}  // namespace onceover::papers
