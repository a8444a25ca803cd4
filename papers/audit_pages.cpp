// Prints the audit as the two pages docs/findings.md and docs/findings-hold.md: the claims that don't hold, and those
// that do. A row gives the verdict, what holds instead, and the id; `verify claims ID` prints the evidence.
//
// Example: a claim tried for p = 2..64, 100 and 128 has the row
//   |§3.2: Every rank .. | **Checked**. | `its-id`|
// Of what holds instead the first sentences are kept, so that a page stays one that is read. The claims of a user's
// file are one page. O(claims * papers).

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// The first sentence, and those after it as long as all of them have few words.
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
    case ClaimVerdict::proved:
      return fmt::format("{} ({}).", bold, name(level_of(a)));
    case ClaimVerdict::checked:
      return fmt::format("{}{}.{}", bold, a.claim->kind == ClaimKind::measured ? " in our model" : "",
                         a.obligations.empty() || !a.claim->file.empty() ? "" : " Proved correct.");
    case ClaimVerdict::finding:
      return bold + ".";
    case ClaimVerdict::imprecise:
    case ClaimVerdict::refuted:
    case ClaimVerdict::differs:
      return a.claim->correct.empty() ? fmt::format("{}: {}.", bold, cell(a.refutation->where))
                                      : fmt::format("{}. {}", bold, cell(opening(a.claim->correct)));
    case ClaimVerdict::unknown:
    case ClaimVerdict::unsettled:
      break;
  }
  return fmt::format("{}: {}", bold, cell(grounds(a)));
}

std::string markdown_row(const Audited& a) {
  return fmt::format("|{}: {} | {} | `{}`|\n", cell(short_place(a.claim->place)), cell(a.claim->statement),
                     found_text(a), a.claim->id);
}

/// A page of ours, of the claims with some verdicts.
struct Page {
  std::vector<ClaimVerdict> verdicts;
  std::string_view head;
};

/// The first page has the claims that don't hold, which are what most readers look for.
const std::array pages{
    Page{{ClaimVerdict::imprecise, ClaimVerdict::refuted, ClaimVerdict::differs, ClaimVerdict::finding,
          ClaimVerdict::unknown, ClaimVerdict::unsettled},
         R"(# Findings

This page lists what five papers claim that does not hold as written, and what we found besides.
[Another page](findings-hold.md) lists the claims that hold. An id goes behind `verify claims`:

```sh
./verify claims swing-least-steps
```

This tries the claim again. It prints the counterexample, or the command that does, and the cases in
which we tried what we say instead. Without an id, all claims are tried. `--markdown` prints these
pages, and a test compares them.

{}.
Claims are in our words.

- **Imprecise**: a constant, an index, a rounding or a word is wrong, or the claim leaves open what
  it depends on.
- **Refuted**: there is a counterexample; the command shows the smallest one of the range.
- **Differs**: the paper measured it in a simulator. Our model gives another result.
- **Finding**: our own; no paper says it. It holds in every case that we tried.

We execute schedules symbolically ([how-it-works.md](how-it-works.md)). Deficiencies are exact
fractions. Gains come from our [model of time](networks.md), which
[networks-papers.md](networks-papers.md) compares with the papers.
)"},
    Page{{ClaimVerdict::proved, ClaimVerdict::checked}, R"(# Claims that hold

This page lists the claims of five papers that are proved, or that hold in every case that we tried.
[findings.md](findings.md) lists those that do not hold. An id goes behind `verify claims`:

```sh
./verify claims swing-theorem-a5
```

This proves and tries the claim again. It prints the obligations, the cases and our notes.

- **Proved**: for all p that the claim speaks of, at one of
  [two levels](proofs.md#what-is-trusted). *Kernel*: Coq accepts the whole claim. *Solver*: Z3
  discharges obligations, and an argument in words joins them.
- **Checked**: tried only. *Proved correct*: a theorem, at level *solver*, proves that the schedules
  are correct for all p. *In our model*: the paper measured it in a simulator.
- Claims about numbers alone (s, a) were tried by arithmetic: no schedule was executed.
)"},
};

/// "Rings (Somebody)" without the authors.
std::string_view title_of(std::string_view paper) {
  return paper.substr(0, paper.find(" ("));
}

/// A table a paper, of the claims with such verdicts, in the order of the text.
std::string tables(const std::vector<Audited>& audited, std::span<const ClaimVerdict> wanted, bool is_with_authors) {
  std::string text;
  for (const std::string_view paper : papers_of(audited)) {
    std::string rows;
    for (const Audited* a : of_paper(audited, paper))
      if (std::find(wanted.begin(), wanted.end(), a->verdict) != wanted.end()) rows += markdown_row(*a);
    if (!rows.empty())
      text += fmt::format("\n## {}\n\n| claim | what we found | id |\n|---|---|---|\n{}",
                          is_with_authors ? paper : title_of(paper), rows);
  }
  return text;
}

}  // namespace

std::string audit_markdown(const std::vector<Audited>& audited) {
  if (!are_ours(audited)) return fmt::format("# Findings\n\n{}.\n{}", tally(audited), tables(audited, verdicts, true));
  std::vector<std::string> texts;
  for (const Page& page : pages)
    texts.push_back(fmt::format(fmt::runtime(page.head), tally(audited)) +
                    tables(audited, page.verdicts, &page == &pages.front()));
  return fmt::format("{}", fmt::join(texts, "\n"));
}

}  // namespace onceover::papers
