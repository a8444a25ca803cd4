#!/usr/bin/env python3
"""Prints docs/algorithms.md: the catalogue, as `verify list` has it.

Usage: scripts/list_algorithms.py [VERIFY] >docs/algorithms.md. VERIFY is build/default/verify unless given.
"""

import json
import re
import subprocess
import sys
import textwrap

verify = sys.argv[1] if len(sys.argv) > 1 else "build/default/verify"


def listing(*options):
    return subprocess.run([verify, "list", "--as-printed", *options], capture_output=True, text=True, check=True).stdout


rows = json.loads(listing("--json"))


def cell(text):
    return re.sub(r"([|*_<])", r"\\\1", text)


def proved(row):
    """For which p, by which theorem, with a link to it."""
    def link(t):
        return f"../{t['file']}" if t["level"] == "kernel" else f"theorems.md#{t['theorem']}"
    levels = []
    for level in ("kernel", "solver"):
        of_level = [t for t in row["proved"] if t["level"] == level]
        if of_level:
            levels.append(f"{level}: " + ". <br>".join(f"{cell(t['domain'])} ([{cell(t['theorem'])}]({link(t)}))" for t in of_level)
                          + "".join(f"<br>not {cell(gap['part'])}" for gap in row["not_by_kernel"] if level == "kernel"))
    return "<br>".join(levels)


def setting(parameter):
    """A setting with its values, the default in bold."""
    values, default = cell(parameter["values"]), cell(parameter["default"])
    bold = re.sub(rf"\b{re.escape(default)}\b", f"**{default}**", values, count=1)
    return f"`{parameter['name']}`: " + (bold if bold != values else f"{values} (**{default}**)")


def table(header, lines):
    return "\n".join([f"| {' | '.join(header)} |", "|" + "---|" * len(header), *(f"| {' | '.join(line)} |" for line in lines)])


def filled(text):
    return textwrap.fill(text, 100, break_on_hyphens=False)


right = [r for r in rows if not r["as_printed"]]
wrong = [r for r in rows if r["as_printed"]]

print(f"""# The catalogue

This page lists the algorithms that `--algo` takes, with their settings. `verify list NAME` says how
one works, its number of steps, its source, what the source leaves open, and how that was settled.
Its bytes are what the busiest rank sends, for a vector of `size` bytes on a line of `p` ranks:

```
./verify list swing
```

"Proved for" says for which cases a row has a theorem, by [level](proofs.md#what-is-trusted). Everything
else is judged when you ask, and by a [test](how-it-works.md#what-is-tested).
[properties.md](properties.md#which-algorithm-has-which) says which row has which property beyond
exactly-once.

{table(["name", "what it is", "collectives", "where", "proved for"],
       [[f"`{r['name']}`", cell(r["summary"]), ", ".join(r["collectives"]), cell(r["domain"]), proved(r)] for r in right])}

{filled("With a lane for each port (`--lanes all`): " + ", ".join(f"`{r['name']}`" for r in right if r["lanes"]) + ".")}

## Settings

`--set NAME=VALUE` changes one of these. `verify list NAME` says what it means:

```console
$ ./verify --algo rabenseifner --set order=far --set remainder=fold --p 2..64 | tail -n 1
pass  each rank's contribution reaches every rank exactly once (every block)
```

{table(["algorithm", "settings, with the defaults in bold"],
       [[f"`{r['name']}`", "; ".join(map(setting, r["parameters"]))] for r in right if r["parameters"]])}

## As printed

Rules that are wrong as printed are rows, too. A test checks that they fail, or send in vain, for
every p of their domain to 96 and around 256. `verify list --as-printed` shows more,
[findings.md](findings.md) what is right instead.

{table(["name", "what is printed"],
       [[f"`{r['name']}`", cell(r["summary"].removeprefix("as printed: "))] for r in wrong])}""")
