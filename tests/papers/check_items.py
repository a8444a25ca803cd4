"""Runs the commands of papers/items/, but for those of claims, and looks in what they print for the values in code there.

A command of `draw` prints a graph; none ends with an error. What stands beside a claim has no number that docs/claims.csv, which
check_findings.py compares, doesn't have for it.
Each day every third command is run, with --all every one.

Usage: check_items.py VERIFY SOURCE_FOLDER [--all]
"""

import functools
import pathlib
import re
import shlex
import subprocess
import sys

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "scripts"))
from list_papers import PAPERS, items, read_claims  # noqa: E402

asked = []
claims, gallery = read_claims(), (source / "docs/gallery.md").read_text()
TESTS = {"", "code", "items", "recount", "figures", "figures, recount", "items, recount"}


def has(text, value):
    """Not as a part of another number or word."""
    return re.search(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", text)


@functools.cache
def is_run(command):
    """Each day one in three, in the order of the papers."""
    asked.append(command)
    return "--all" in sys.argv or len(asked) % 3 == 1


@functools.cache
def printed(command):
    ended = subprocess.run([verify, *shlex.split(command)], cwd=source, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{command} ends with {ended.returncode}: {ended.stderr}")
    return " ".join(ended.stdout.split())


def wrong(item):
    """What is wrong with it, if anything is."""
    values = re.findall(r"`([^`]+)`", item.ours)
    if item.tests not in TESTS:
        return f"there is no test {item.tests}"
    if not item.claim() and not item.ours:
        return "nothing of ours, and no reason"
    if not item.claim() and item.is_left() == bool(item.tests):
        return f"no test holds {item.ours}"
    if item.claim() or not item.command:
        said = " ".join(claims[item.claim()].values()) if item.claim() else item.ours
        left = [number for number in re.findall(r"\d+(?:\.\d+)?", item.ours) if not re.search(rf"(?<![\d.]){number}(?!\d|\.\d)", said)]
        return f"no command prints {item.ours}" if values else f"the claim does not say {left[0]}" if left else None
    if "figures" in item.tests and f"./verify {item.command} " not in gallery:
        return f"docs/gallery.md has no {item.command}"
    if item.command.startswith("draw "):
        values = ["digraph"]
    elif not values:
        return f"nothing of {item.ours} is in code, so that nothing can be looked for"
    missing = [value for value in values if not has(printed(item.command), value)] if is_run(item.command) else []
    return f"{item.command} does not print {missing[0]}" if missing else None


for name in PAPERS:
    for item in items(name)[1]:
        if what := wrong(item):
            sys.exit(f"papers/items/{name}.txt: {item.what}: {what}")
print(printed.cache_info().currsize, "commands print what papers/items/ says")
