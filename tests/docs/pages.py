"""What a page of the documentation shows: commands with what they print, and files for the reader to write.

A block fenced as ```console holds commands behind "$ ", each followed by exactly what it prints; a line "..." stands
for any lines. A command whose exit code isn't 0 is followed by a line "(exit code N)". Blocks that are to be read, not
run, are fenced otherwise. A file is a block fenced as something else, after a line that ends with its `name`:
"""

import os
import pathlib
import re
import subprocess

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.M | re.S)


def parts(text):
    """Yields ("command", command, expected output) and ("file", name, content) in the order of the page."""
    for block in FENCED.finditer(text):
        language, body = block.groups()
        if language == "console":
            for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
                command, _, expected = part.partition("\n")
                yield "command", command, expected
        elif named := re.search(r"`([\w.-]+)`[\w ]*:\n\n$", text[: block.start()]):
            yield "file", named[1], body


def matches(expected, printed):
    pattern = ".*".join(re.escape(piece) for piece in re.split(r"(?<![^\n])\.\.\.\n", expected))
    return re.fullmatch(pattern, printed, flags=re.S) is not None


def run(command, folder):
    """What a command prints on both outputs, with its exit code if that isn't 0. The gate's cache is the folder's own."""
    ended = subprocess.run(command, shell=True, cwd=folder, text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env={**os.environ, "XDG_CACHE_HOME": str(pathlib.Path(folder).resolve() / ".cache")})
    return ended.stdout + (f"(exit code {ended.returncode})\n" if ended.returncode else "")
