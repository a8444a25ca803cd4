"""Runs the commands of papers/items/, but for those of claims, and looks in what they print for the values in code there.

A command of `draw` prints a graph. A command with a property that isn't required may say that it fails; none ends with an error.

Usage: check_items.py VERIFY SOURCE_FOLDER
"""

import pathlib
import re
import shlex
import subprocess
import sys

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "scripts"))
from list_papers import PAPERS, items  # noqa: E402

gallery = (source / "docs/gallery.md").read_text()
printed, values, known = {}, 0, {"", "items", "recount", "figures", "figures, recount", "items, recount"}
for name in PAPERS:
    for item in items(name)[1]:
        where = f"papers/items/{name}.txt: {item.what}"
        if item.tests not in known:
            sys.exit(f"{where}: there is no test {item.tests}")
        if item.ours and not item.claim() and not item.tests:
            sys.exit(f"{where}: no test holds {item.ours}")
        if item.claim() or not item.command:
            if "`" in item.ours:
                sys.exit(f"{where}: no command prints {item.ours}")
            continue
        if "figures" in item.tests and f"./verify {item.command} " not in gallery:
            sys.exit(f"{where}: docs/gallery.md has no {item.command}")
        if item.command not in printed:
            ended = subprocess.run([verify, *shlex.split(item.command)], cwd=source, capture_output=True, text=True)
            if ended.returncode != 0:
                sys.exit(f"{where}: {item.command} ends with {ended.returncode}: {ended.stderr}")
            printed[item.command] = " " + " ".join(ended.stdout.split()) + " "
        wanted = re.findall(r"`([^`]+)`", item.ours)
        if item.command.startswith("draw "):
            wanted = ["digraph"]
        elif "items" in item.tests and not wanted:
            sys.exit(f"{where}: no value of {item.ours} is in code, so that nothing can be looked for")
        for value in wanted:
            if not re.search(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\d)", printed[item.command]):
                sys.exit(f"{where}: {item.command} does not print {value}")
            values += 1
print(len(printed), "commands print the", values, "values of papers/items/")
