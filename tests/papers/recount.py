"""Counts numbers of the papers, and of our claims about them, a second time.

recounts/ has a file a paper. Schedules are made anew from the papers' rules; links, steps and times are added up there, with
nothing shared with the program. A row has the paper's number and the recount. Where they differ a claim says so, and its
verdict isn't `checked`; where the program prints the same number, it is the recount. Of texts of claims, those that `say`
names are looked for in papers/claims/.

Usage: recount.py VERIFY SOURCE_FOLDER [--show]    (--show prints the rows)
"""

import sys

sys.dont_write_bytecode = True

from recounts import bucket, generalized, pat, report, swing, swing_gains  # noqa: E402
from recounts.common import check, found, shown  # noqa: E402

PAPERS = {"Swing": swing.ROWS + swing_gains.ROWS, "Kolmakov and Zhang": generalized.ROWS, "Jain and Sabharwal": bucket.ROWS,
          "PAT": pat.ROWS, "class report": report.ROWS}

for paper, rows in PAPERS.items():
    check(paper, rows)
    if "--show" in sys.argv:
        print(*(f"{paper} | {row.place} | {row.what} | {shown(row.paper)} | {shown(row.counted)} | {row.claim}" for row in rows), sep="\n")
print(", ".join(f"{paper} {len(rows)}" for paper, rows in PAPERS.items()), "numbers counted anew, and", len(found), "of",
      len({claim for claim, _ in found}), "claims")
