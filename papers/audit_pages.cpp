// Prints the audit as the page docs/findings.md: the claims that don't hold. A row gives the verdict, what holds
// instead, and the id; `verify claims ID` prints the evidence. docs/claims.csv, made by scripts/list_claims.py, has all
// claims.
//
// Example: a claim of section 3.2 that fails at p = 6, where something else holds, has the row
//   |§3.2: Every rank .. | **Refuted**. Every second rank .. | `its-id`|
// Only the first sentences about what holds instead are shown, to keep the page readable. For a user's file, the page
// has all claims. O(claims * papers).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "papers/audit_parts.h"

namespace onceover::papers {

namespace {

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
  constexpr std::ptrdiff_t most_words = 24;
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
  return fmt::format("|{}: {} | {} | `{}`|\n", cell(short_place(a.claim->place)), cell(a.claim->statement),
                     found_text(a), a.claim->id);
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
    if (!rows.empty()) text += fmt::format("\n## {}\n\n| claim | what we found | id |\n|---|---|---|\n{}", paper, rows);
  }
  return text;
}

}  // namespace

std::string audit_markdown(const std::vector<Audited>& audited) {
  if (!are_ours(audited)) return fmt::format("# Findings\n\n{}.\n{}", tally(audited), tables(audited, verdicts));
  return fmt::format(head, tally(audited)) + tables(audited, remarkable);
}

}  // namespace onceover::papers
