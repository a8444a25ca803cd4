"""Runs every command that the documentation shows, and compares what it prints with what the page says.

How pages show commands: pages.py. Those that end a row of a table must run and come to a verdict, exit code 0 or 1.
`./verify`, `./verify-check` and `./verify-kernel` are the programs, run in a folder that holds copies of examples/ and tests/data/plans/. The tutorial needs a
folder of its own; follow_tutorial.py runs its commands.

Usage: run_commands.py VERIFY SOURCE_FOLDER
"""

import pathlib
import re
import shutil
import sys
import tempfile

import pages

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])

ran = 0
failures = []
with tempfile.TemporaryDirectory() as folder:
    for copied in "examples", "tests/data/plans":
        shutil.copytree(source / copied, pathlib.Path(folder) / copied)
    for program in [verify, verify.parent / "verify-check", verify.parent / "verify-kernel"]:
        (pathlib.Path(folder) / program.name).symlink_to(program)
    for page in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        needs_coq = page.name == "verify-kernel.md" and not (verify.parent / "verify-kernel").exists()
        if page.name == "tutorial.md" or needs_coq:
            continue
        shutil.rmtree(pathlib.Path(folder) / ".cache", ignore_errors=True)  # as if the page were all that was run
        for command in re.findall(r"^\|.*\| `(\./verify [^`]+)` \|$", page.read_text(), flags=re.M):
            printed = pages.run(command, folder)
            ran += 1
            if (code := re.search(r"\(exit code (\d+)\)\n$", printed)) and code[1] != "1":
                failures.append(f"{page.name}: {command}\n--- prints\n{printed}")
        for kind, command, expected in pages.parts(page.read_text()):
            if kind != "command":
                continue
            printed = pages.run(command, folder)
            ran += 1
            if not pages.matches(expected, printed):
                failures.append(f"{page.name}: $ {command}\n--- says\n{expected}--- prints\n{printed}")

assert ran >= 5, ran
assert not failures, "\n\n" + "\n".join(failures)
print(f"{ran} commands print what the pages say")
