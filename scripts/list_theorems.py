#!/usr/bin/env python3
"""Prints docs/theorems.md, as `verify prove --all --json` has the theorems.

Usage: scripts/list_theorems.py [VERIFY] >docs/theorems.md
"""

import json
import re
import subprocess
import sys
import textwrap

HEAD = """# Theorems

This page states every theorem that `verify prove` proves, and says who checks which part of it. How
a proof is made and what is trusted: [proofs.md](proofs.md).

```console
$ ./verify prove ring
proved   covering-peers       solver, kernel, words  The reduce-scatter along any peers whose paths cover is exactly once
...
```

`verify prove THEOREM` prints more: the argument in words, the place in the paper, and each
obligation with Z3's answer. Names in brackets, such as (interval-\\*), are obligations. "Algorithms"
are the rows of the [catalogue](algorithms.md) that a theorem covers."""

LEVELS = {"solver": "Z3 shows", "kernel": "Coq also accepts", "words": "Argued in words only"}


def escaped(text):
    return re.sub(r"([*_<])", r"\\\1", text)


def sentences(text, most=30):
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
    return " ".join(capitalised(part) + "." for part in parts)


def capitalised(sentence):
    """Names, such as p and h1(i), stay as they are."""
    begin = re.match(r"a [a-z]{2}|[a-z]{2,}(?![\w(^])", sentence)
    return sentence[0].upper() + sentence[1:] if begin else sentence


def item(name, text, aside=""):
    print(textwrap.fill(f"- **{name}**{aside}: {text}", 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


def names(ids):
    return ", ".join(f"`{i}`" for i in ids)


verify = sys.argv[1] if len(sys.argv) > 1 else "./verify"
document = json.loads(subprocess.run([verify, "prove", "--all", "--json"], capture_output=True, text=True, check=True).stdout)

print(HEAD)
for theorem in document["theorems"]:
    print(f"\n## {theorem['id']}\n")
    print(textwrap.fill(f"**{escaped(theorem['title'])}** ({escaped(theorem['domain'])})", 100, break_on_hyphens=False) + "\n")
    item("Assumes", escaped(sentences(theorem["assumes"])))
    item("Concludes", escaped(sentences(theorem["concludes"])))
    count = f"{len(theorem['obligations'])} obligation{'s' if len(theorem['obligations']) > 1 else ''}"
    for level, what in theorem["levels"].items():
        item(LEVELS[level], escaped(what[0] + sentences(what, 32)[1:]), f" ({count})" if level == "solver" else "")
    if theorem["covers"]:
        item("Algorithms", names(theorem["covers"]) + ".")
    if theorem["uses"]:
        item("Uses", ", ".join(f"[{i}](#{i})" for i in theorem["uses"]) + ".")
