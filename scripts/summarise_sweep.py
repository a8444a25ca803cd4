#!/usr/bin/env python3
"""Prints sweeps as CSV: summarise_sweep.py FILE.json.. > docs/live/LIBRARY.csv

The files are what `verify live --sweep LIBRARY --json-out` writes. Rows of an algorithm with the same verdict share a
line. "order" is a failure for operators that don't commute alone. Of SimGrid, a line is about all three layouts of hosts
unless it names one.
"""
import csv
import json
import sys


def verdict(row):
    in_order_alone = row["verdict"] == "fail" and "operator not commutative: order-preserving" in row["told"]
    return "order" if in_order_alone else row["verdict"]


def text(numbers):
    """[2, 3, 4, 7] as "2..4 7"."""
    runs = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(str(a) if a == b else f"{a} {b}" if b == a + 1 else f"{a}..{b}" for a, b in runs)


rows = {}  # by collective, algorithm and hosts: the numbers of ranks by verdict
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        for row in json.load(file)["rows"]:
            algorithm, _, hosts = row["algorithm"].partition(", ")
            found = rows.setdefault((row["collective"], algorithm), {}).setdefault(hosts or "one rank a host", {})
            found.setdefault(verdict(row), set()).add(row["ranks"])

out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["collective", "algorithm", "hosts", "verdict", "p"])
for (collective, algorithm), by_hosts in rows.items():
    same = all(found == next(iter(by_hosts.values())) for found in by_hosts.values())
    for hosts, found in list(by_hosts.items())[:1] if same else by_hosts.items():
        for what, ranks in found.items():
            out.writerow([collective, algorithm, "" if same else hosts, what, text(ranks)])
