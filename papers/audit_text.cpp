// Prints the audit as text, as JSON, and as the page docs/findings.md.
//
// All give the evidence in one sentence, `grounds`: the cases that were tried, the obligations that Z3 discharged, or
// the counterexample.
//
// Example: a claim that was evaluated by a formula for s = 0..58 has the grounds "tried by arithmetic, for s = 0..58".
// If a theorem proves the claim, "proved for all p, level solver: .." comes first.
//
// Papers come in the order of their claims; theorems that are cited as wholes come last, once each. O(claims * papers).
//
// The page docs/findings.md has the claims that don't hold. A row gives the verdict, what holds
// instead, and the id; `verify claims ID` prints the evidence. docs/claims.csv, made by scripts/list_claims.py, has all
// claims.
//
// Example: a claim of section 3.2 that fails at p = 6, where something else holds, has the row
//   |§3.2: Every rank .. | **Refuted**. Every second rank .. | `its-id`|
// Only the first sentences about what holds instead are shown, to keep the page readable. For a user's file, the page
// has all claims. O(claims * papers).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "papers/audit.h"
#include "subjects/run.h"

namespace onceover::papers {

namespace {

/// In the order in which they are counted.
constexpr std::array verdicts{ClaimVerdict::proved,  ClaimVerdict::checked,  ClaimVerdict::imprecise,
                              ClaimVerdict::refuted, ClaimVerdict::differs,  ClaimVerdict::finding,
                              ClaimVerdict::unknown, ClaimVerdict::unsettled};

std::size_t count(const std::vector<Audited>& audited, ClaimVerdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(audited.begin(), audited.end(), [&](const Audited& a) { return a.verdict == verdict; }));
}

/// The ranges that were tried by these means, each once.
std::string ranges_of(const std::vector<Evidence>& evidence, Means means) {
  std::vector<std::string> ranges;
  for (const Evidence& e : evidence)
    if (e.means == means && std::find(ranges.begin(), ranges.end(), e.range) == ranges.end()) ranges.push_back(e.range);
  return fmt::format("{}", fmt::join(ranges, "; "));
}

/// "tried for p = 2..64; tried by arithmetic, for s = 0..58".
std::string tried_text(const std::vector<Evidence>& evidence) {
  std::vector<std::string> parts;
  for (const auto& [means, how] : {std::pair{Means::cases, "tried for {}"},
                                   {Means::arithmetic, "tried by arithmetic, for {}"},
                                   {Means::identity, "checked as an identity, for {}"}})
    if (const std::string ranges = ranges_of(evidence, means); !ranges.empty())
      parts.push_back(fmt::format(fmt::runtime(how), ranges));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "ring (around-step, around-once), folding (7 obligations)": what Z3 discharged.
std::string obligation_text(const Audited& a) {
  std::vector<std::string> parts;
  for (const Obligations& o : a.obligations)
    parts.push_back(o.names.size() <= 3 ? fmt::format("{} ({})", o.theorem, fmt::join(o.names, ", "))
                                        : fmt::format("{} ({} obligations)", o.theorem, o.names.size()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What proves the claim for all p. For a whole theorem, the theorem's own text says which parts Coq accepts and which
/// are argued in words.
std::string proof_text(const Audited& a) {
  if (!a.claim->coq.empty())
    return fmt::format("level kernel: Coq accepts {}{}", fmt::join(a.claim->coq, ", "),
                       a.obligations.empty() ? "" : "; Z3 discharges " + obligation_text(a));
  const std::string solver = fmt::format("level solver: Z3 discharges {}", obligation_text(a));
  if (a.claim->lemma.empty()) return solver + "; the rest is argued in words";
  return a.claim->words.empty() ? solver : fmt::format("{}; argued in words: {}", solver, a.claim->words);
}

/// Are these the program's claims, not those of a user's file?
bool are_ours(const std::vector<Audited>& audited) {
  return audited.empty() || audited.front().claim->file.empty();
}

/// The papers in their order; for our claims all papers.
std::vector<std::string_view> papers_of(const std::vector<Audited>& audited) {
  std::vector<std::string_view> titles;
  const auto add = [&](const Claim& claim) {
    if (std::find(titles.begin(), titles.end(), claim.paper) == titles.end()) titles.push_back(claim.paper);
  };
  if (are_ours(audited)) std::for_each(claims().begin(), claims().end(), add);
  for (const Audited& a : audited) add(*a.claim);
  return titles;
}

/// The claims of one paper, in the order of its text.
std::vector<const Audited*> of_paper(const std::vector<Audited>& audited, std::string_view paper) {
  std::vector<const Audited*> part;
  for (const Audited& a : audited)
    if (a.claim->paper == paper) part.push_back(&a);
  return part;
}

/// "42 claims: 20 proved, 10 checked".
std::string count_text(const std::vector<Audited>& audited) {
  std::vector<std::string> parts;
  for (const ClaimVerdict v : verdicts)
    if (count(audited, v) > 0) parts.push_back(fmt::format("{} {}", count(audited, v), name(v)));
  return fmt::format("{} claim{}: {}", audited.size(), audited.size() == 1 ? "" : "s", fmt::join(parts, ", "));
}

/// The evidence for the verdict.
std::string grounds(const Audited& a) {
  const std::string tried =
      fmt::format("{}{}", a.claim->kind == ClaimKind::measured ? "in our model, " : "", tried_text(a.claim->says));
  switch (a.verdict) {
    case ClaimVerdict::proved: return fmt::format("proved for all p, {}; {}", proof_text(a), tried);
    case ClaimVerdict::checked:
      if (a.obligations.empty() && a.claim->coq.empty()) return tried;
      if (a.claim->file.empty())
        return fmt::format("{}; that the schedules are correct is proved for all p, {}", tried, proof_text(a));
      return fmt::format("{}; the file says that these theorems prove the claim for all p, {}", tried, proof_text(a));
    case ClaimVerdict::finding: return tried;
    case ClaimVerdict::imprecise:
    case ClaimVerdict::refuted:
    case ClaimVerdict::differs:
    case ClaimVerdict::unsettled: return fmt::format("{}: {}", a.refutation->where, a.refutation->why);
    case ClaimVerdict::unknown: return a.unknown;
  }
  return "";
}

/// The command that tries the claim again.
std::string command_of(const Audited& a) {
  if (a.refutation && !a.refutation->command.empty()) return a.refutation->command;
  const std::string& file = a.claim->file;
  return fmt::format("verify claims {}{}{}", file.empty() ? "" : "--from ", file.empty() ? "" : file + " ",
                     a.claim->id);
}

/// The kind of evidence, for people: the label of `grounds`.
std::string_view grounds_label(const Audited& a) {
  if (a.verdict == ClaimVerdict::unknown) return "why unknown";
  return a.refutation ? "counterexample" : "evidence";
}

/// The theorems that are cited as wholes, in order.
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
    case Level::solver: return "Z3";
    case Level::kernel: return "Coq";
    case Level::words: return "words";
  }
  return "";
}

std::string corrected_text(const Audited& a) {
  if (a.claim->correct.empty()) return "";
  const std::string tried = a.claim->corrected.empty() ? "" : fmt::format(" ({})", tried_text(a.claim->corrected));
  return std::string(a.claim->correct) + tried;
}

std::string entry_text(const Audited& a) {
  std::string text = fmt::format("{:<10} {}  ({})\n", name(a.verdict), a.claim->id, a.claim->place);
  const auto add = [&](std::string_view label, std::string_view what) {
    if (!what.empty()) text += fmt::format("  {}: {}\n", label, what);
  };
  add("claim", a.claim->statement);
  add(grounds_label(a), grounds(a));
  add(a.refutation ? "what we found" : "note", corrected_text(a));
  if (a.refutation) add("reproduce", a.refutation->command);
  return text;
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

/// Text in a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<' || c == '^' || c == '~') out += '\\';
    out += c;
  }
  return out;
}

std::string capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty()) out.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(out.front())));
  return out;
}

/// "section 3.2, table 2" is "§3.2, table 2", and "sections 2.1 and 6" is "§2.1, 6".
std::string short_place(std::string_view place) {
  for (const std::string_view section : {"section ", "sections "})
    if (place.starts_with(section)) {
      std::string text = fmt::format("§{}", place.substr(section.size()));
      if (const std::size_t at = text.find(" and "); at != std::string::npos) text.replace(at, 5, ", ");
      return text;
    }
  return capitalised(place);
}

/// The first sentence, and further ones as long as all of them together have few words.
std::string_view opening(std::string_view text) {
  constexpr std::ptrdiff_t most_words = 20;
  std::string_view kept;
  for (std::size_t end = 0; end < text.size();) {
    end = text.find(". ", end + 1);
    if (end != std::string_view::npos && text[end - 1] == '.') continue;  // "0, .., N"
    const std::string_view more = text.substr(0, end == std::string_view::npos ? end : end + 1);
    if (!kept.empty() && std::count(more.begin(), more.end(), ' ') >= most_words) break;
    kept = more;
  }
  return kept;
}

/// What we found, in short: the verdict, and what holds instead.
std::string found_text(const Audited& a) {
  const std::string bold = fmt::format("**{}**", capitalised(name(a.verdict)));
  switch (a.verdict) {
    case ClaimVerdict::proved: return fmt::format("{} ({}).", bold, name(level_of(a)));
    case ClaimVerdict::checked:
      return fmt::format(
          "{}{}.{}", bold, a.claim->kind == ClaimKind::measured ? " in our model" : "",
          (a.obligations.empty() && a.claim->coq.empty()) || !a.claim->file.empty() ? "" : " Proved correct.");
    case ClaimVerdict::finding: return bold + ".";
    case ClaimVerdict::imprecise:
    case ClaimVerdict::refuted:
    case ClaimVerdict::differs:
      return a.claim->correct.empty() ? fmt::format("{}: {}.", bold, cell(a.refutation->where))
                                      : fmt::format("{}. {}", bold, cell(opening(a.claim->correct)));
    case ClaimVerdict::unknown:
    case ClaimVerdict::unsettled: break;
  }
  return fmt::format("{}: {}", bold, cell(grounds(a)));
}

std::string markdown_row(const Audited& a) {
  return fmt::format("|{}: {}|{}|`{}`|\n", cell(short_place(a.claim->place)), cell(a.claim->statement), found_text(a),
                     a.claim->id);
}

/// The verdicts of our claims that the page lists.
constexpr std::array remarkable{ClaimVerdict::imprecise, ClaimVerdict::refuted, ClaimVerdict::differs,
                                ClaimVerdict::finding,   ClaimVerdict::unknown, ClaimVerdict::unsettled};

constexpr std::string_view head = R"(# Findings

This page lists what five papers claim that does not hold as written, and what we found besides.
Pass an id to `verify claims` to see the counterexample, what holds instead, and the cases in which
we tried that:

```sh
./verify claims swing-least-steps
```

[claims.csv](claims.csv) has all claims, also those that hold, with the evidence.

{}.
Claims are in our words.

- **Imprecise**: a constant, an index, a rounding or a word is wrong, or the claim leaves open what
  it depends on.
- **Refuted**: there is a counterexample; the command shows the smallest one of the range.
- **Differs**: the paper measured it in a simulator. [Our model](networks.md#beside-the-papers) gives
  another result.
- **Finding**: our own; no paper says it. It holds in every case that we tried.
- **Proved**: for all p that the claim speaks of, at [level](proofs.md#what-is-trusted) kernel or
  solver.
- **Checked**: it holds in every case that we tried. Claims about numbers alone were tried by
  arithmetic.
)";

/// A table for each paper, of the claims with these verdicts, in the order of the text.
std::string tables(const std::vector<Audited>& audited, std::span<const ClaimVerdict> wanted) {
  std::string text;
  for (const std::string_view paper : papers_of(audited)) {
    std::string rows;
    for (const Audited* a : of_paper(audited, paper))
      if (std::find(wanted.begin(), wanted.end(), a->verdict) != wanted.end()) rows += markdown_row(*a);
    if (!rows.empty()) text += fmt::format("\n## {}\n\n|claim|what we found|id|\n|---|---|---|\n{}", paper, rows);
  }
  return text;
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
  if (!cited(audited).empty()) text += "Who checks each part of these theorems\n\n";
  for (const Theorem* theorem : cited(audited)) {
    for (const LevelPart& part : levels(*theorem))
      text +=
          fmt::format("{:<18} {:<6} {}\n", part.level == Level::solver ? theorem->id : "", who(part.level), part.what);
    text += "\n";
  }
  return text + count_text(audited) + "\n";
}

std::string audit_json(const std::vector<Audited>& audited) {
  Json json = result_json({{"claims", Json::array()}});
  for (const Audited& a : audited) json["claims"].push_back(entry_json(a));
  for (const Theorem* theorem : cited(audited)) {
    Json& entry = json["theorems"][std::string(theorem->id)];
    for (const LevelPart& part : levels(*theorem)) entry[std::string(proofs::name(part.level))] = part.what;
  }
  return dump(json);
}

std::string audit_markdown(const std::vector<Audited>& audited) {
  if (!are_ours(audited)) return fmt::format("# Findings\n\n{}.\n{}", count_text(audited), tables(audited, verdicts));
  return fmt::format(head, count_text(audited)) + tables(audited, remarkable);
}

}  // namespace onceover::papers
