"""What the recounts share: how a row is compared with the paper, with the program and with a claim.

A number that is printed as text counts as equal if rounding gives it: "1.19" equals 1.1852. A pair of a relation and a
bound, such as ("<=", 2), is a statement. Where paper and recount differ, the row names the claim that says so.
"""

import csv
import json
import operator
import pathlib
import re
import subprocess
import sys
import tomllib
from fractions import Fraction as F
from typing import NamedTuple

verify, source = sys.argv[1], pathlib.Path(sys.argv[2])
claims = {claim["id"]: claim for file in sorted((source / "papers/claims").glob("*.toml"))
          for claim in tomllib.loads(file.read_text())["claim"]}
with (source / "docs/claims.csv").open() as table:  # check_findings.py holds it to the program
    verdicts = {row["id"]: row["verdict"] for row in csv.DictReader(table)}
found = []
RELATIONS = {"<": operator.lt, "<=": operator.le}


class Row(NamedTuple):
    place: str
    what: str
    paper: object
    counted: object
    claim: str = ""         # says that the paper differs
    program: object = None  # the same number, as the program prints it


def same(printed, counted):
    if isinstance(printed, list):
        return len(printed) == len(counted) and all(map(same, printed, counted))
    if isinstance(printed, tuple) and printed[0] in RELATIONS:
        return RELATIONS[printed[0]](counted, F(printed[1]))
    if isinstance(printed, str) and re.fullmatch(r"-?\d+(\.\d+)?", printed) and not isinstance(counted, str):
        digits = 9 if printed.endswith(".0") else len(printed.partition(".")[2])
        return abs(F(printed) - F(counted)) <= F(1, 2 * 10 ** digits)
    return printed == counted


def check(paper, rows):
    """Ends the run at a row that is wrong."""
    for row in rows:
        where = f"{paper}, {row.place}: {row.what}"
        if row.claim and verdicts.get(row.claim) in (None, "checked", "proved"):
            sys.exit(f"{where}: the claim {row.claim} is {verdicts.get(row.claim)}, but the paper has {row.paper}, and {row.counted} was counted")
        if same(row.paper, row.counted) == bool(row.claim):
            sys.exit(f"{where}: the paper has {row.paper}, counted was {row.counted}" + (f", so {row.claim} is wrong" if row.claim else ""))
        if row.program is not None and not same(row.program, row.counted):
            sys.exit(f"{where}: the program says {row.program}, counted was {row.counted}")
    if len(rows) < 20:
        sys.exit(f"{paper}: only {len(rows)} numbers are counted anew")


def say(claim, *texts):
    """These texts are computed; the claim has them in its words."""
    words = claims[claim]["says"] + "\n" + claims[claim].get("correct", "")
    for text in texts:
        if text not in words:
            sys.exit(f"{claim}: '{text}' was counted, but the claim says: {words}")
        found.append((claim, text))


def hold(what, is_so):
    if not is_so:
        sys.exit(f"{what} does not hold when counted anew")


def printed(*arguments):
    """The JSON that a command prints; decimals stay texts."""
    ended = subprocess.run([verify, *arguments], capture_output=True, text=True, check=True)
    return json.loads(ended.stdout, parse_float=str)


def metrics(algorithm, *arguments):
    """The program's counts of one schedule."""
    return printed("--algo", algorithm, *arguments, "--json")["runs"][0]["metrics"]


def preset(name):
    """The rows of a preset's first table, by their first value."""
    return {next(iter(row.values())): row for row in printed("cost", "--preset", name, "--json")["presets"][0]["rows"]}


def log2_up(n):
    return (n - 1).bit_length()


def shown(number):
    if isinstance(number, list):
        return ", ".join(map(shown, number))
    if isinstance(number, tuple) and number[0] in RELATIONS:
        return f"{number[0]} {shown(number[1])}"
    return f"{number:.6g}" if isinstance(number, float) else str(number)
