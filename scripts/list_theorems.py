#!/usr/bin/env python3
"""Prints docs/theorems.md, as `verify prove --all --json` has the theorems.

Usage: scripts/list_theorems.py [VERIFY] >docs/theorems.md. VERIFY is build/default/verify unless given.
"""

import json
import re
import subprocess
import sys

HEAD = """# Theorems

This page lists the theorems that `verify prove` proves, and says who checks which part of each. How
a proof is made and what is trusted: [proofs.md](proofs.md). `verify prove THEOREM` prints more:

```console
$ ./verify prove ring | grep concludes
  concludes  Block b arrives at rank b with every rank's contribution exactly once. Each rank on the way sends it once, after it arrived.
```

Names in brackets, such as (interval-\\*), are obligations or, for Coq, lemmas. "Rows" are those
of the [catalogue](algorithms.md) that a theorem covers.

| theorem | rows | Z3 shows | Coq also accepts | argued in words only |
|---|---|---|---|---|"""


def escaped(text):
    return re.sub(r"([|*_<])", r"\\\1", text)


def sentences(text, most=32):
    """The text, with clauses as sentences of their own where a sentence would have more words."""
    found = []
    for whole in text.split(". "):
        first, *clauses = whole.split("; ")
        found.append(first)
        for clause in clauses:
            if len(f"{found[-1]} {clause}".split()) <= most:
                found[-1] += f"; {clause}"
            else:
                found.append(clause)
    parts = [part for s in found for part in (s.rsplit(": ", 1) if len(s.split()) > most else [s])]
    first, *others = parts
    return escaped(". ".join([first, *map(capitalised, others)]))


def capitalised(sentence):
    """Names, such as p and h1(i), stay as they are."""
    begin = re.match(r"a [a-z]{2}|[a-z]{2,}(?![\w(^])", sentence)
    return sentence[0].upper() + sentence[1:] if begin else sentence


verify = sys.argv[1] if len(sys.argv) > 1 else "build/default/verify"
document = json.loads(subprocess.run([verify, "prove", "--all", "--json"], capture_output=True, text=True, check=True).stdout)

print(HEAD)
for theorem in document["theorems"]:
    name, levels = theorem["id"], theorem["levels"]
    count = f"({len(theorem['obligations'])} obligation{'s' if len(theorem['obligations']) > 1 else ''})"
    cells = [f'<a id="{name}"></a>**{name}**: {escaped(theorem["title"])} ({escaped(theorem["domain"])})',
             ", ".join(f"`{row}`" for row in theorem["covers"]),
             f"{sentences(levels['solver'])} {count}", *(sentences(levels.get(level, "")) for level in ("kernel", "words"))]
    print(f"| {' | '.join(cells)} |")
