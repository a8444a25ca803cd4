"""Mutants of examples/code, judged by several judges, which must agree: python3 mutants.py EXAMPLES JUDGE.. [options].

A mutant is an example with one change that a person might make: an operator, a bound, a peer, a tag, a count or an
offset. Which ones there are depends on the text alone. They are spread over the kinds of changes and the lines.

A JUDGE is simgrid or openmpi (judging.py), or a command that is called with SOURCE P COUNTS, such as x.c 4 3,4,11, and
prints pass, fail or hang as its last word. "fail" and "hang" are the same to the comparison: both are not "pass". What
doesn't compile is no mutant.

  --file NAME       of this example alone; may come several times
  --mutants N       of each example (30)
  --p LIST          numbers of ranks (2,3,4,5,6,7,8)
  --every K         take each K-th mutant only, to be quick
  --no-hangs        ask the other judges nothing about what hangs for the first, since they wait in vain, with all ranks busy

Ends with 1 if judges differ, 77 if one isn't there.
"""

import argparse
import itertools
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import judging

# What becomes what; a pattern matches what is exchanged. Each kind has its turn.
KINDS = {
    "operator": [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" / ", " * "), (r" % ", " / "), (r" \^ ", " | "),
                 (r" & ", " | "), (r" == ", " != "), (r" != ", " == "), (r" \+= ", " = "), (r"\*= ", "+= ")],
    "bound": [(r" < ", " <= "), (r" <= ", " < "), (r" >= ", " > "), (r" > ", " >= "), (r"= 0;", "= 1;"), (r"= 1;", "= 2;")],
    "peer": [(r"rank \+ 1\b", "rank + 2"), (r"rank - 1\b", "rank - 2"), (r"\bright\b(?=, )", "left"), (r"\bleft\b(?=, )", "right"),
             (r"\bpeer\b(?=, )", "rank"), (r"\bparent\b(?=, )", "root"), (r"\bchild\b(?=, )", "(child - 1)"),
             (r"rank \+ distance\b", "rank + distance + 1"), (r"rank - distance\b", "rank"), (r"\bto\b(?=, TAG)", "from")],
    "tag": [(r"\bTAG\b(?=[,)])", "TAG + 1"), (r"\b([A-Z]+_TAG)\b(?=[,)])", r"\1 + 1"), (r"\bTAG\b(?=[,)])", "TAG + rank")],
    "count": [(r"\bcount\b(?=, (?:w->)?type)", "count - 1"), (r"(?<=, )n(?=, )", "n - 1"), (r"(?<=, )m(?=, )", "m - 1"),
              (r"\bkept_count\b(?=, )", "given_count"), (r"\bgiven_count\b(?=, )", "kept_count"),
              (r"size_of\(v, out\)", "size_of(v, in)"), (r"size_of\(v, in\)", "size_of(v, out)"),
              (r"size_of\(w, taken\)", "size_of(w, given)"), (r"size_of\(w, b\)", "size_of(w, 0)")],
    "offset": [(r"at\(v, in\)", "at(v, out)"), (r"at\(v, out\)", "at(v, in)"), (r"at\(w, b\)", "at(w, 0)"), (r"\* extent\b", ""),
               (r"block \+ 1\b", "block + 2"), (r"\.low\b", ".middle"), (r"\.middle\b", ".high"), (r"\* block_bytes\b", ""),
               (r"\bout \* ", "in * "), (r"\bin \* ", "out * "), (r"\bgiven \* ", "taken * "), (r"\+ bytes\b", "")],
}


def code_lines(text):
    """The numbers of the lines that may be changed: within functions, no comments, no checks of memory."""
    inside = False
    for number, line in enumerate(text.split("\n")):
        inside = inside or bool(re.match(r"(static )?\w.*\) \{$", line)) or bool(re.match(r"(static |int my_).*[(,]$", line))
        if inside and not re.match(r"\s*(/\*|\*|#|typedef)", line) and not re.search(r"malloc|NULL|memcpy\(recvbuf", line):
            yield number
        if line == "}":
            inside = False


def changes_of(kind, text):
    """All changes of a kind, (line, text), in the order of the lines, each pattern's at a time."""
    lines = text.split("\n")
    for pattern, becomes in KINDS[kind]:
        for number in code_lines(text):
            line = lines[number].split("/*")[0]
            for match in re.finditer(pattern, line):
                # CHECK's own parameters, pointers and declarations aren't arithmetic.
                changed = line[:match.start()] + match.expand(becomes) + line[match.end():]
                if changed != line and not re.match(r"\s*(static|const|void|int my_)\b.*\)( \{|,)?$", line):
                    yield number, "\n".join([*lines[:number], changed, *lines[number + 1:]])


def spread(items, wanted):
    """So many of the items, evenly spaced."""
    return [items[k * len(items) // wanted] for k in range(min(wanted, len(items)))] if len(items) > wanted else items


def mutants(text, wanted):
    """The kinds in turn, each kind's changes spread over the program; no text twice."""
    turns = [iter([(kind, *change) for change in spread(list(changes_of(kind, text)), wanted)]) for kind in KINDS]
    seen = set()
    for mutant in (m for turn in itertools.zip_longest(*turns) for m in turn if m):
        if mutant[2] not in seen:
            seen.add(mutant[2])
            yield mutant


def judge_of(name, folder):
    """judge(source, example, p, counts, seconds): "pass" if all counts pass, else what else happens."""
    if name not in judging.COMPILERS:
        def by_command(source, _, p, counts, seconds):
            command = [*shlex.split(name), source, str(p), ",".join(map(str, counts))]
            said = subprocess.run(command, capture_output=True, text=True, timeout=100 * seconds).stdout.split()
            return said[-1] if said else "fail"
        return by_command
    judged = {}

    def by_mpi(source, example, p, counts, seconds):
        program = folder / f"{name}-program"
        if judged.get("text") != source.read_text():
            judged["text"], judged["links"] = source.read_text(), judging.compiled(name, source, program, example)
        return judging.run(name, program, p, counts, seconds=seconds)[0] if judged["links"] else "fail"
    return by_mpi


def verdicts(judges, source, example, p, waits):
    """What each judge says of counts below, at and beyond p; patiently if they differ."""
    counts = [max(p - 1, 1), p, 2 * p + 3]
    for seconds in (judging.SECONDS, 10 * judging.SECONDS):
        said = {}
        for name, judge in judges.items():
            said[name] = judge(source, example, p, counts, seconds)
            if said[name] == "hang" and not waits:
                return said
        if len({verdict == "pass" for verdict in said.values()}) == 1:
            break
    return said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("examples", type=pathlib.Path)
    parser.add_argument("judges", nargs="+")
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--mutants", type=int, default=30)
    parser.add_argument("--p", default="2,3,4,5,6,7,8")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--no-hangs", action="store_true")
    asked = parser.parse_args()
    for name in asked.judges:
        if name in judging.COMPILERS and not judging.is_there(name):
            print(f"skipped: no {judging.COMPILERS[name]}")
            return 77
    differ = 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        judges = {name: judge_of(name, folder) for name in asked.judges}
        for path in sorted(asked.examples.glob("*.c")):
            if asked.file and path.name not in asked.file:
                continue
            source, made, found = folder / path.name, 0, 0
            for number, (kind, line, text) in enumerate(mutants(path.read_text(), asked.mutants), 1):
                if made == asked.mutants // asked.every:
                    break
                source.write_text(text)
                if number % asked.every or not judging.is_c(source):
                    continue
                made += 1
                said = {p: verdicts(judges, source, path.name, p, not asked.no_hangs) for p in map(int, asked.p.split(","))}
                found += any(verdict != "pass" for each in said.values() for verdict in each.values())
                for p, each in said.items():
                    if len({verdict == "pass" for verdict in each.values()}) > 1:
                        differ += 1
                        print(f"{path.name}:{line + 1}, {kind}, p = {p}: {each}\n  {text.split(chr(10))[line].strip()}", flush=True)
            print(f"{path.name}: {made} mutants, {found} are wrong somewhere", flush=True)
    return 1 if differ else 0


sys.exit(main())
