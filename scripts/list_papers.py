#!/usr/bin/env python3
"""Writes docs/papers.md and a page a paper: each item of it, the command that computes it, our value, the paper's, and the test.

The items are lines of papers/items/; verdicts are those of docs/claims.csv. A claim that no line names has a row at the end of
its paper's page.

Usage: scripts/list_papers.py [FOLDER]    (docs)
"""

import collections
import csv
import pathlib
import re
import sys
from typing import NamedTuple

source = pathlib.Path(__file__).resolve().parent.parent
PAPERS = {"swing": "Swing", "generalized": "Kolmakov and Zhang", "bucket": "Jain and Sabharwal", "pat": "PAT", "report": "class report"}


class Item(NamedTuple):
    what: str
    command: str
    ours: str
    paper: str
    tests: str

    def claim(self):
        """The id, if the command is about a claim."""
        return self.command.removeprefix("claims ") if self.command.startswith("claims ") else None

    def is_left(self):
        """Does nothing of ours cover it?"""
        return self.ours.startswith("nothing: ")


def items(name):
    """The paper's title and its items."""
    head, *lines = (source / "papers" / "items" / f"{name}.txt").read_text().splitlines()
    rows = [Item(*fields) for line in lines if not line.startswith("#") for fields in [[field.strip() for field in line.split("|")]]]
    return head.removeprefix("# "), rows


def read_claims():
    with (source / "docs/claims.csv").open() as table:
        return {claim["id"]: claim for claim in csv.DictReader(table)}


def cell(text):
    """Outside of code, marks of Markdown are escaped."""
    return re.sub(r"`[^`]*`|[*_|^]", lambda m: m[0] if m[0][0] == "`" else "\\" + m[0], text)


def verdict(claim):
    level = f", {claim['level']}" if claim["verdict"] == "proved" else ""
    return f"**{claim['verdict']}**" + level


def row(item, claims):
    ours, tests = cell(item.ours), item.tests
    if item.claim():
        ours = verdict(claims[item.claim()]) + (f": {ours}" if ours else "")
        tests = "claim" + (f", {tests}" if tests else "")
    command = f"`{item.command}`" if item.command else ""
    return f"|{cell(item.what)}|{command}|{ours}|{cell(item.paper)}|{tests}|"


def page(title, rows, claims):
    return "\n".join([f"# {title}", "", "[papers.md](papers.md) says how to read this.", "",
                      "|item|`./verify` ..|ours|the paper|test|", "|---|---|---|---|---|", *(row(item, claims) for item in rows), ""])


def counted(rows, claims):
    """How many of the rows have which outcome."""
    outcomes = collections.Counter(claims[item.claim()]["verdict"] if item.claim() else "nothing" if item.is_left() else "value" for item in rows)
    return [len(rows), outcomes["value"], outcomes["proved"] + outcomes["checked"],
            sum(outcomes[differs] for differs in ("imprecise", "refuted", "differs", "finding")), outcomes["nothing"]]


def index(pages, claims):
    table = [f"|[{name}](papers-{file}.md)|" + "|".join(map(str, counted(rows, claims))) + "|" for file, name, rows in pages]
    return (source / "papers" / "items" / "index.txt").read_text().rstrip("\n") + "\n\n" + "\n".join(
        ["|paper|items|computed|claims that hold|claims that don't, and findings|nothing|", "|---|---|---|---|---|---|", *table, ""])


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else source / "docs")
    claims = read_claims()
    pages, named = [], set()
    for file, name in PAPERS.items():
        title, rows = items(file)
        here = {item.claim() for item in rows if item.claim()}
        if missing := here - claims.keys():
            sys.exit(f"papers/items/{file}.txt: there is no claim {', '.join(sorted(missing))}")
        rows += [Item(claim["place"].capitalize(), f"claims {claim['id']}", "", claim["claim"], "") for claim in claims.values()
                 if claim["paper"] == title and claim["id"] not in here]
        (folder / f"papers-{file}.md").write_text(page(title, rows, claims))
        pages.append((file, name, rows))
        named |= {item.claim() for item in rows if item.claim()}
    if left := claims.keys() - named:
        sys.exit(f"no page has the claims {', '.join(sorted(left))}")
    (folder / "papers.md").write_text(index(pages, claims))


if __name__ == "__main__":
    main()
