"""The theorems of docs/theory.md, theory-properties.md, theory-scratch.md and theory-circulant.md are those of proofs/coq/theorems.txt, each with its file; its counts are what is there.

Usage: check_theory_page.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])


def theorems_of(page):
    named, file = [], None
    for row in re.findall(r"^\|(.*)\|$", page[page.index("## Theorems"):page.index("## What is trusted")], flags=re.M)[2:]:
        first, theorems, _ = (cell.strip() for cell in row.split("|"))
        if first:
            file, path = re.fullmatch(r"\[(\w+)\.v\]\(\.\./(.*)\)", first).groups()
            assert path == f"proofs/coq/{file}.v", first
        named += [f"{file}.{theorem}" for theorem in re.findall(r"`(\w+)`", theorems)]
    return named


page = (source / "docs/theory.md").read_text()
named = theorems_of(page)
for other in ("theory-properties.md", "theory-scratch.md", "theory-circulant.md"):
    named += theorems_of((source / "docs" / other).read_text())

listed = [line for line in (source / "proofs/coq/theorems.txt").read_text().splitlines() if not line.startswith("#")]
assert len(set(listed)) == len(listed), "proofs/coq/theorems.txt names a theorem twice"
assert sorted(named) == sorted(listed), f"only the pages or theorems.txt have {sorted(set(named) ^ set(listed))}"
counted = f"{len(listed)} theorems in {len(list((source / 'proofs/coq').glob('*.v')))} files, no axioms\n"
assert counted in page, f"docs/theory.md does not say '{counted.strip()}'"
print(len(named), "theorems on the pages")
