"""Each example of examples/code is right, and each bug of bugs.tsv is what the table says: wrong there, right elsewhere.

Run by SMPI with one rank a host; ends with 77, which CTest takes as skipped, where SimGrid isn't there. Each day two sizes of each
example and one of its bugs are tried, with --all everything.

Usage: seeded_bugs.py EXAMPLES [FILE..] [--all]
"""

import csv
import pathlib
import sys
import tempfile

import judging

examples = pathlib.Path(sys.argv[1])
asked = [name for name in sys.argv[2:] if name != "--all"]
tries_all = "--all" in sys.argv
failures = []


def check(what, holds, said=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what}\n{said}")


def is_asked(name):
    """One file in three each day."""
    return name in asked if asked else tries_all or names.index(name) % 3 == 1


if not judging.is_there("simgrid"):
    print("skipped: apt-get install libsimgrid-dev")
    sys.exit(77)

with open(examples / "bugs.tsv", newline="") as table:
    bugs = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
names = sorted(path.name for path in examples.glob("*.c"))
for name in names:
    numbers = [bug["number"] for bug in bugs if bug["file"] == name]
    check(f"{name} has bugs 1 to 5", numbers == ["1", "2", "3", "4", "5"], numbers)
check("each bug is of an example", {bug["file"] for bug in bugs} == set(names))

with tempfile.TemporaryDirectory() as folder:
    program = pathlib.Path(folder) / "program"
    for name in filter(is_asked, names):
        check(f"{name} compiles", judging.compiled("simgrid", examples / name, program, name))
        for p in (1, 2, 3, 5, 6, 8, 13, 16) if tries_all else (6, 8):
            verdict, said = judging.run("simgrid", program, p, [0, 1, max(p - 1, 1), p, p + 1, 33], 1 + p % 4)
            check(f"{name} is right at p = {p}", verdict == "pass", said)

    for bug in filter(lambda bug: is_asked(bug["file"]), bugs):
        if not tries_all and int(bug["number"]) != (names.index(bug["file"]) + 1) % 5 + 1:
            continue
        what, text = f"bug {bug['number']} of {bug['file']}", (examples / bug["file"]).read_text()
        check(f"the text of {what} occurs once", text.count(bug["text"]) == 1)
        source = pathlib.Path(folder) / bug["file"]
        source.write_text(text.replace(bug["text"], bug["becomes"]))
        check(f"{what} compiles", judging.compiled("simgrid", source, program, bug["file"]))
        for where in ("wrong", "right"):
            p, count = map(int, bug[f"{where} at p, count"].split())
            verdict, said = judging.run("simgrid", program, p, [count])
            check(f"{what} is {where} at p = {p}, count {count}", (verdict == "pass") == (where == "right"), said)

sys.exit(1 if failures else 0)
