// Prints the audit as the three pages docs/findings*.md: the claims that don't hold, those that are proved, those that
// are checked. A row gives the verdict and one short reason; the command in it prints the evidence.
//
// Example: a claim tried for p = 2..64, 100 and 128 has the row
//   |§3.2: Every rank .. | **Checked**: p = 2..64, 100, 128. | `verify claims its-id`|
// Long ranges are cut, and of the notes the first sentences are kept, so that a page stays one that is read. The claims
// of a user's file are one page. O(claims * papers).

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

/// A range with its long lists cut: "p = 2,4,6,8,10" is "p = 2, .., 10".
std::string short_range(std::string_view range) {
  const auto is_number = [](std::string_view item) {
    return item.find_first_not_of("0123456789x^.") == std::string_view::npos;
  };
  std::vector<std::string_view> items;
  for (std::size_t begin = 0; begin < range.size();) {
    const std::size_t end = std::min(range.find(',', begin), range.size());
    items.push_back(range.substr(begin, end - begin));
    begin = range.find_first_not_of(' ', std::min(end + 1, range.size()));
  }
  std::vector<std::string_view> kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    kept.push_back(items[i]);
    std::size_t last = i;
    while (last + 1 < items.size() && is_number(items[last + 1])) ++last;
    if (last - i < 3) continue;
    kept.insert(kept.end(), {"..", items[last]});
    i = last;
  }
  return fmt::format("{}", fmt::join(kept, ", "));
}

/// "p = 2..64; torus 6x6": the cases in which the claim itself was tried; of more than two ranges the first.
std::string short_ranges(const Audited& a) {
  std::vector<std::string> ranges;
  for (const Evidence& e : a.claim->says)
    if (const std::string range = short_range(e.range); std::find(ranges.begin(), ranges.end(), range) == ranges.end())
      ranges.push_back(range);
  const std::size_t left_out = ranges.size() > 2 ? ranges.size() - 1 : 0;
  ranges.resize(ranges.size() - left_out);
  const std::string text = fmt::format("{}", fmt::join(ranges, "; "));
  return left_out == 0 ? text : fmt::format("{}; {} more", text, left_out);
}

/// The first sentence, and those after it as long as all of them have few words.
std::string_view opening(std::string_view text, std::ptrdiff_t most_words) {
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

/// What we found, in short: the verdict and what it covers, and what holds instead or what else there is to know.
std::string found_text(const Audited& a) {
  const std::string bold = fmt::format("**{}**", capitalised(name(a.verdict)));
  const std::string tried = cell(short_ranges(a));
  const std::string note =
      a.claim->correct.empty() ? "" : " " + cell(opening(a.claim->correct, a.refutation ? 24 : 16));
  switch (a.verdict) {
    case ClaimVerdict::proved:
      return fmt::format("{} ({}); tried for {}.{}", bold, name(level_of(a)), tried, note);
    case ClaimVerdict::checked:
      return fmt::format("{}{}: {}.{}{}", bold, a.claim->kind == ClaimKind::measured ? " in our model" : "", tried,
                         a.obligations.empty() || !a.claim->file.empty() ? "" : " Proved correct.", note);
    case ClaimVerdict::finding:
      return fmt::format("{}: tried for {}.{}", bold, tried, note);
    case ClaimVerdict::imprecise:
    case ClaimVerdict::refuted:
    case ClaimVerdict::differs:
      return note.empty() ? fmt::format("{}: {}.", bold, cell(a.refutation->where)) : fmt::format("{}.{}", bold, note);
    case ClaimVerdict::unknown:
    case ClaimVerdict::unsettled:
      break;
  }
  return fmt::format("{}: {}", bold, cell(grounds(a)));
}

std::string markdown_row(const Audited& a) {
  return fmt::format("|{}: {} | {} | `{}`|\n", cell(short_place(a.claim->place)), cell(a.claim->statement),
                     found_text(a), command_of(a));
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
Other pages list the claims that are [proved](findings-proved.md) or [checked](findings-checked.md).

```sh
./verify claims swing-least-steps
```

tries one claim again. It prints the evidence: the counterexample, and the cases in which we tried
what we say instead. Without an id it tries all of them, and `--json` prints the same for programs.
`./verify claims --markdown` prints these pages, and a test compares them.

{}.
Claims are in our words.

- **Imprecise**: the claim does not hold to the letter. A constant, an index, a rounding or a word
  is wrong, or the claim leaves open what it depends on.
- **Refuted**: there is a counterexample; the command shows the smallest one of the range.
- **Differs**: the paper measured it in a simulator. Our model gives another result.
- **Finding**: our own; no paper says it. It holds in every case that we tried.

We execute schedules symbolically ([how-it-works.md](how-it-works.md)). Deficiencies are exact
fractions. Gains come from the model of synchronous steps ([networks.md](networks.md));
[networks-papers.md](networks-papers.md) has more figures of the papers beside that model.
)"},
    Page{{ClaimVerdict::proved}, R"(# Claims that are proved

This page lists the claims of five papers that are proved for all p that they speak of.
[findings.md](findings.md) lists those that do not hold.

```sh
./verify claims swing-theorem-a5
```

proves one claim again, also tries it, and prints the obligations and the cases.

A proof has one of two levels ([proofs.md](proofs.md#what-is-trusted)):

- *kernel*: Coq accepts the whole claim when you check the files of `verify prove --emit-coq`.
- *solver*: Z3 discharges obligations, and an argument in words joins them.
  [theorems.md](theorems.md) says what of each theorem Z3 shows, what Coq accepts, and what is
  argued in words.

A range with `..` between commas has gaps, and "2 more" counts the ranges left out. Claims about
numbers alone, such as s or a, were tried by arithmetic: no schedule was executed.
)"},
    Page{{ClaimVerdict::checked}, R"(# Claims that are checked

This page lists the claims of five papers that hold in every case of a range.
[findings.md](findings.md) lists those that do not hold.

```sh
./verify claims swing-figure-6
```

tries one claim again, and prints all ranges and notes.

- A range with `..` between commas has gaps, and "2 more" counts the ranges left out.
- *Proved correct*: a theorem proves, at level *solver*, that the schedules are correct for all p
  ([proofs.md](proofs.md#what-is-trusted)). The rest of the claim was only tried.
- *In our model*: the paper measured this in a simulator.
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
      text += fmt::format("\n## {}\n\n| claim | what we found | reproduce |\n|---|---|---|\n{}",
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
