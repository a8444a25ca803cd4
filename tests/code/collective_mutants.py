"""Mutants of C collectives of all kinds, judged by `verify code` and by the MPI's own collective beside them.

    python3 collective_mutants.py VERIFY [--all] [--mutants N] [--seed S] [--file NAME] [--p LIST]

Each source of collectives/ is changed at one place that a seed chooses: an operator, a constant, a comparison, an
argument dropped or swapped with its neighbour, a statement left out. There is one mutant of each of three sources, with
--all there are ten of each. N = 0 judges the sources as they are, which are right. beside_mpi.c calls the mutant and the MPI's own collective with random counts, displacements and roots, in place
and not, on two communicators, and compares memory. The two judges must agree, except where only `verify code` can see
what is wrong: a read or write outside a buffer, a leftover message, memory that was never written. These are printed.

Ends with 1 if `verify code` passes what isn't right or fails what is; 77 if the simulator isn't there.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-63" speed="1Gf" bw="1GBps" lat="1us"/></platform>
"""
OPERATORS = {" + ": [" - "], " - ": [" + "], " * ": [" + "], " / ": [" * "], " % ": [" / "], " < ": [" <= "], " <= ": [" < "],
             " > ": [" >= "], " >= ": [" > "], " == ": [" != "], " != ": [" == "], " & ": [" | "], " ^ ": [" | "], " *= ": [" += "],
             " += ": [" = "]}
SAMPLE = ["allgatherv_ring.c", "alltoall_pairwise.c", "reduce_binomial.c"]
# What fails for more than its data, which memory that happens to hold the right values hides from numbers.
SEEN_BY_ONE = re.compile(r"outside|behind|before|never wrote|nobody wrote|freed|not received|unexpected|bitwise-reproducible|"
                         r"writes memory|reads memory|changes|never waited|left over|crash|aborts?|truncat", re.IGNORECASE)


def places(text):
    """Where the body of the function begins and ends."""
    begin = text.index("{\n", text.index("int my_"))
    return begin, text.rindex("return MPI_SUCCESS") if "return MPI_SUCCESS" in text else len(text)


def operator_changes(text, begin, end):
    for operator, others in OPERATORS.items():
        for match in re.finditer(re.escape(operator), text[begin:end]):
            for other in others:
                yield text[:begin + match.start()] + other + text[begin + match.end():]


def constant_changes(text, begin, end):
    for match in re.finditer(r"(?<![\w.])\d+(?![\w.])", text[begin:end]):
        yield text[:begin + match.start()] + str(int(match[0]) + 1) + text[begin + match.end():]


def argument_changes(text, begin, end):
    """Neighbouring arguments of calls swapped, and counts and offsets off by one."""
    for match in re.finditer(r"\b(\w+(?:\[\w+\])?), (\w+(?:\[\w+\])?)(?=[,)])", text[begin:end]):
        if match[1] != match[2]:
            yield text[:begin + match.start()] + f"{match[2]}, {match[1]}" + text[begin + match.end():]
    for match in re.finditer(r"\b(\w*count\w*|\w*displs|displs|n|share|first|TAG|peer|to|from|right|left)(\[\w+\])?(?=[,)])", text[begin:end]):
        yield text[:begin + match.end()] + " + 1" + text[begin + match.end():]


def index_changes(text, begin, end):
    for match in re.finditer(r"\[(rank|given|taken|from|to|r|k)\]", text[begin:end]):
        for other in ("0", "rank"):
            if match[1] != other:
                yield text[:begin + match.start()] + f"[{other}]" + text[begin + match.end():]


def dropped_statements(text, begin, end):
    for match in re.finditer(r"(?<=\n) +(MPI_|memcpy|if \()[^;{]*;", text[begin:end]):
        if "malloc" not in match[0] and "MPI_Comm_" not in match[0]:
            yield text[:begin + match.start()] + text[begin + match.end():]


def mutants(text, wanted, chance):
    """So many different mutants, the kinds in turn."""
    begin, end = places(text)
    kinds = [list(dict.fromkeys(make(text, begin, end))) for make in
             (operator_changes, constant_changes, argument_changes, index_changes, dropped_statements)]
    for changes in kinds:
        chance.shuffle(changes)
    made = []
    while len(made) < wanted and any(kinds):
        for changes in kinds:
            if changes and len(made) < wanted:
                made.append(changes.pop())
    return made


def collective_of(text):
    return re.search(r"int my_(\w+)\(", text)[1]


class Judges:
    def __init__(self, verify, folder, ranks):
        self.verify, self.folder, self.ranks = verify, folder, ranks
        (folder / "cluster.xml").write_text(CLUSTER)
        (folder / "hosts").write_text("".join(f"n{k}\n" for k in range(64)))
        self.environment = os.environ | {"MALLOC_PERTURB_": "165"}

    def beside(self, source, collective):
        """pass, fail, or None: it doesn't compile."""
        program = self.folder / "judge"
        built = subprocess.run(["smpicc", "-O1", "-w", f"-DCOLLECTIVE_{collective}", "-o", program, source, here / "beside_mpi.c"],
                               capture_output=True, check=False)
        if built.returncode != 0:
            return None
        for p in self.ranks:
            command = ["smpirun", "-np", str(p), "-platform", self.folder / "cluster.xml", "-hostfile", self.folder / "hosts",
                       "--cfg=smpi/simulate-computation:no", "--cfg=smpi/host-speed:1Gf", "--log=root.thres:critical", program]
            try:
                done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=self.environment, timeout=60,
                                      check=False)
            except subprocess.TimeoutExpired:
                return "fail"
            if done.returncode != 0 or "beside: pass" not in done.stdout.splitlines():
                return "fail"
        return "pass"

    def judged(self, source, collective):
        command = [self.verify, "code", source, "--function", f"my_{collective}", "--collective", collective.replace("_", "-"), "--p",
                   ",".join(map(str, self.ranks)), *(["--waive", "bitwise-reproducible"] if collective == "allreduce" else [])]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600, check=False)
        return {0: "pass", 1: "fail", 4: "unknown"}.get(done.returncode, f"exit {done.returncode}"), done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("verify")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--mutants", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--p")
    asked = parser.parse_args()
    if not asked.all and asked.mutants is None:
        asked.file = asked.file or SAMPLE
    if asked.mutants is None:
        asked.mutants = 10 if asked.all else 1
    asked.p = asked.p or ("2,3,5" if asked.all else "3")
    if shutil.which("smpicc") is None:
        print("skipped: no smpicc")
        return 77
    wrong = made = failing = unknown = 0
    with tempfile.TemporaryDirectory() as place:
        judges = Judges(asked.verify, pathlib.Path(place), [int(p) for p in asked.p.split(",")])
        for path in sorted((here / "collectives").glob("*.c")):
            if asked.file and path.name not in asked.file:
                continue
            text, collective = path.read_text(), collective_of(path.read_text())
            source = pathlib.Path(place) / path.name
            all_of_them = mutants(text, asked.mutants, random.Random(f"{asked.seed} {path.name}")) if asked.mutants else [text]
            for mutant in all_of_them:
                source.write_text(mutant)
                right = judges.beside(source, collective)
                if right is None:
                    continue
                made += 1
                verdict, said = judges.judged(source, collective)
                failing += verdict == "fail"
                unknown += verdict == "unknown"
                if verdict == right:
                    continue
                line = next((f"{k + 1}: {b.strip()}   was: {a.strip()}" for k, (a, b) in enumerate(zip(text.split("\n"), mutant.split("\n")))
                             if a != b), "as it is")
                is_known = verdict == "fail" and right == "pass" and SEEN_BY_ONE.search(said)
                wrong += not is_known
                print(f"{'seen by one judge' if is_known else 'DIFFER'}: {path.name}:{line}\n  verify code: {verdict}, beside MPI: {right}\n  " +
                      "\n  ".join(said.strip().split("\n")[:9]), flush=True)
    print(f"{made} judged, {failing} fail, {unknown} unknown, {wrong} on which the judges differ")
    return 1 if wrong else 0


sys.exit(main())
