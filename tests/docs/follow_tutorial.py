"""Follows docs/tutorial.md to the letter in an empty folder: writes its files, runs its commands, in its order.

How the page shows both: pages.py. Variables of the shell last to its end. Every picture that a command names must be there afterwards.

Usage: follow_tutorial.py VERIFY SOURCE_FOLDER
"""

import pathlib
import re
import sys
import tempfile

import pages

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
text = (source / "docs" / "tutorial.md").read_text()

written, ran, variables = [], 0, ""
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "verify").symlink_to(verify)
    for kind, what, content in pages.parts(text):
        if kind == "file":
            (folder / what).write_text(content)
            written.append(what)
            continue
        if re.match(r"\w+=", what):
            variables += what + "\n"
            continue
        printed = pages.run(variables + what, folder)
        ran += 1
        assert pages.matches(content, printed), f"\n\n$ {what}\n--- says\n{content}--- prints\n{printed}"
    for picture in re.findall(r"(?:-o|--draw-counterexample) (\S+)", text):
        assert (folder / picture).stat().st_size > 0, picture

assert written == ["whole.py", "fold.py", "gate.toml"], written
assert ran >= 15, ran
print(f"{ran} commands of the tutorial print what it says")
