#!/usr/bin/env python3
"""Prints a schedule: a reduce-scatter in which every rank sends each block straight to its owner.

Usage: pairwise.py RANKS
"""

import json
import sys

ranks = int(sys.argv[1])
steps = [
    [{"src": r, "dst": (r + s) % ranks, "blocks": [(r + s) % ranks], "op": "reduce"} for r in range(ranks)]
    for s in range(1, ranks)
]
json.dump(
    {
        "format": "onceover-schedule",
        "version": 1,
        "collective": "reduce-scatter",
        "ranks": ranks,
        "blocks": ranks,
        "algorithm": "pairwise",
        "steps": steps,
    },
    sys.stdout,
)
