"""Runs every command that the documentation shows, and compares what it prints with what the page says.

In README.md and docs/*.md a block fenced as ```console holds commands behind "$ ", each followed by exactly what it
prints; a line "..." stands for any lines. `./verify` and
`./verify-check` are the programs, run in a folder that holds a copy of examples/.
A command whose exit code isn't 0 is followed by a line "(exit code N)". Blocks that are to be read, not run, are
fenced otherwise.

Usage: run_commands.py VERIFY SOURCE_FOLDER
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])


def blocks(page):
    return re.findall(r"^```console\n(.*?)^```", page.read_text(), flags=re.M | re.S)


def commands(block):
    """Yields (command, expected output)."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def matches(expected, printed):
    pattern = ".*".join(re.escape(piece) for piece in re.split(r"(?<![^\n])\.\.\.\n", expected))
    return re.fullmatch(pattern, printed, flags=re.S) is not None


ran = 0
failures = []
with tempfile.TemporaryDirectory() as folder:
    shutil.copytree(source / "examples", pathlib.Path(folder) / "examples")
    for program in [verify, verify.parent / "verify-check"]:
        (pathlib.Path(folder) / program.name).symlink_to(program)
    for page in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        for block in blocks(page):
            for command, expected in commands(block):
                ended = subprocess.run(command, shell=True, cwd=folder, text=True, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                printed = ended.stdout + (f"(exit code {ended.returncode})\n" if ended.returncode else "")
                ran += 1
                if not matches(expected, printed):
                    failures.append(f"{page.name}: $ {command}\n--- says\n{expected}--- prints\n{printed}")

assert ran >= 5, ran
assert not failures, "\n\n" + "\n".join(failures)
print(f"{ran} commands print what the pages say")
