#!/usr/bin/env python3
"""Prints docs/optimality.md: how near the catalogue's allreduces come to the lower bounds of networks, in time for large vectors.

Usage: scripts/list_optimality.py VERIFY [RANKS ..] >docs/optimality.md      (default: 16 64 256 1024)
"""

import fractions
import json
import shlex
import subprocess
import sys
import textwrap

verify = sys.argv[1]
sizes = [int(arg) for arg in sys.argv[2:]] or [16, 64, 256, 1024]

RADIX = {16: 8, 64: 16, 256: 16, 1024: 32}
MOST = 5  # ratios in a line
SQUARES = {16: "4x4", 64: "8x8", 256: "16x16", 1024: "32x32"}
NETWORKS = [  # name, options; {p} and {torus} stand for the ranks. Those without a torus take minutes with 1024 ranks
    ("torus {torus}", ["--torus", "{torus}", "--lanes", "all"]),
    ("mesh {torus}", ["--torus", "{torus}", "--lanes", "all", "--topology", "mesh"]),
    ("hyperx {torus}", ["--torus", "{torus}", "--lanes", "all", "--topology", "hyperx"]),
    ("hx2mesh {torus}", ["--torus", "{torus}", "--lanes", "all", "--topology", "hx2mesh"]),
    ("ring of {p}", ["--p", "{p}", "--topology", "torus", "--lanes", "all"]),
    ("full, {p}", ["--p", "{p}", "--topology", "full"]),
    ("fat-tree, radix {radix}, taper 2", ["--p", "{p}", "--topology", "fat-tree:radix={radix},taper=2"]),
    ("dragonfly", ["--p", "{p}", "--topology", "dragonfly"]),
]


def run(*arguments):
    """The JSON of a command, or nothing if it is refused (exit code 2) or comes to no result in time (4). Any other end is an error."""
    command = [verify, *arguments, "--json", "--time-limit", "100s"]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode == 0:
        return json.loads(ended.stdout)
    print(f"{shlex.join(command)} ends with {ended.returncode}: {ended.stderr.strip()}", file=sys.stderr)
    if ended.returncode not in (2, 4):
        sys.exit(1)
    return None


def bound(options):
    """The least time, and whether it is reached."""
    found = run("bound", "--collective", "allreduce", *(o for o in options if o not in ("--lanes", "all")))
    return (fractions.Fraction(found["time"]["vectors"]), found["time"]["is_reached"]) if found and found["time"] else None


def term(row, options):
    """How many vectors at the speed of a port the row takes, without latencies."""
    found = run("cost", "--algo", row["name"], "--collective", "allreduce", "--bytes", "512Gi", "--latency", "0", "--hop-latency", "0", *options)
    if not found:
        return None
    return found["bandwidth_gbps"] / found["sizes"][0]["algorithms"][0]["goodput_gbps"]


def rows():
    for row in json.loads(subprocess.run([verify, "list", "--json"], capture_output=True, text=True, check=True).stdout):
        if "allreduce" in row["collectives"] and not row["as_printed"]:
            yield row


def line(network, options):
    found = bound(options)
    if found is None:
        return None
    least, is_reached = found
    terms = []
    for row in rows():
        taken = options if row["lanes"] else [o for o in options if o not in ("--lanes", "all")]
        found = term(row, taken)
        if found:
            terms.append((round(found / float(least), 2), row["name"]))
    assert all(ratio >= 1 for ratio, _ in terms), (network, least, terms)
    best = {}
    for ratio, name in sorted(terms):
        best.setdefault(ratio, []).append(name)
    schedules = "; ".join(f"{', '.join(names)} {ratio:.2f}" for ratio, names in list(best.items())[:MOST])
    return f"| {network} | {least}{'' if is_reached else ' (?)'} | {schedules} |"


print(textwrap.dedent("""\
    # How near the catalogue comes

    Each number is the time of an allreduce for large vectors, divided by the [lower bound](optimal.md)
    of the network: 1.00 cannot be beaten. The bound is in vectors at the speed of a port. Rows have all
    lanes where they can, and their default settings. The five least are shown. This makes the page:
    `scripts/list_optimality.py build/default/verify`.

    The bound is the least time: many small chunks come as near to it as you like. Where it says (?),
    that isn't known, and a ratio above 1 may be the bound's."""))
for p in sizes:
    print(f"\n## {p} ranks\n\n| network | at least | times that |\n|---|---|---|")
    for name, options in NETWORKS[: 4 if p > 256 else None]:
        fill = lambda text: text.format(p=p, torus=SQUARES[p], radix=RADIX[p])
        made = line(fill(name), [fill(o) for o in options])
        if made:
            print(made, flush=True)
