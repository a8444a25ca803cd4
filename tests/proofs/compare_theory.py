#!/usr/bin/env python3
"""The functions that the theorems of proofs/coq are about make the schedules that `verify` exports, transfer by transfer.

Usage: compare_theory.py VERIFY CHECK [--more]
"""
import math
import subprocess
import sys

from theory_program import lines, made, schedules

verify, check = sys.argv[1:3]
more = "--more" in sys.argv

BOTH = ["allreduce", "reduce-scatter", "allgather"]
TREES = ["broadcast", "reduce"]
SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17] + ([18, 20, 21, 22, 31, 32, 33, 34, 48, 63, 64, 65, 66] if more else [])
TORI = ["2x2", "2x4", "3x4", "2x5", "3x3", "2x3x4", "1x6"] + (
    ["4x2", "4x3", "5x2", "6x6", "4x4", "2x2x2x2", "5x7", "6x10"] if more else [])

MIRRORED = ["2x2", "4x2", "2x4", "1x4", "2x2x4", "4x8"] + (["8x8", "4x1x2", "2x2x2x2"] if more else [])

CYCLES = ["3x3", "9x3", "3x9", "4x4"] + (["15x3", "3x15", "8x4", "4x8", "5x5", "6x6"] if more else [])


def cases():
    """What the theory is asked for, and what verify is."""
    powers = [p for p in SIZES if p & (p - 1) == 0 and p > 1]
    for collective in BOTH:
        def make(name, p):
            return ["--make", name, collective, str(p)]
        for p in SIZES:
            yield make("swing", p), ["swing", "--p", str(p), "--collective", collective]
            yield make("folding", p), ["generalized", "--p", str(p), "--collective", collective]
            if p <= 17:
                yield make("ring", p), ["ring", "--p", str(p), "--collective", collective]
            if collective != "allreduce":
                for order in ("near", "far"):
                    yield make(f"bruck-{order}", p), ["bruck", "--p", str(p), "--set", f"order={order}", "--collective", collective]
        for p in powers:
            yield (["--group", collective, "x".join("2" * (p.bit_length() - 1))],
                   ["generalized", "--p", str(p), "--set", "group=xor", "--collective", collective])
            for order in ("near", "far"):
                yield (make(f"doubling-{order}", p),
                       ["rabenseifner", "--p", str(p), "--set", f"order={order}", "--collective", collective])
    for name in ("swing-latency", "recursive-doubling"):
        for p in powers:
            yield ["--make", name, "allreduce", str(p)], [name, "--p", str(p), "--collective", "allreduce"]
    for torus in [str(p) for p in powers] + MIRRORED:
        for lanes, option in ((1, "1"), (2 * (torus.count("x") + 1), "all")):
            yield (["--mirrored", torus, str(lanes)],
                   ["mirrored-recursive-doubling", "--torus", torus, "--lanes", option, "--collective", "allreduce"])
    for torus in [str(p) for p in SIZES if p < 33] + CYCLES:
        for lanes, option in ((1, "1"), (2 * (torus.count("x") + 1), "all")):
            yield (["--rings", torus, str(lanes)],
                   ["hamiltonian-ring", "--torus", torus, "--lanes", option, "--collective", "allreduce"])
    for collective in TREES:
        for p in SIZES:
            for name in ("binomial-tree", "chain"):
                yield ["--make", name, collective, str(p)], [name, "--p", str(p), "--collective", collective]
    for torus in TORI + [str(p) for p in SIZES[2:9]]:
        for collective in BOTH + TREES:
            for lanes, option in ((1, "1"), (2 * (torus.count("x") + 1), "all")):
                yield (["--torus", collective, torus, str(lanes)],
                       ["swing", "--torus", torus, "--lanes", option, "--collective", collective])
        for collective in BOTH:
            yield ["--bucket", collective, torus], ["bucket", "--torus", torus, "--collective", collective]
            sides = list(map(int, torus.split("x")))
            if len(sides) > 1 and 1 not in sides:
                yield (["--group", collective, torus],
                       ["generalized", "--p", str(math.prod(sides)), "--set", f"group={torus}", "--collective", collective])


def exported(arguments):
    ended = subprocess.run([verify, "export", "--to", "json", "--algo", *arguments], capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"verify export {' '.join(arguments)} ends with {ended.returncode}: {ended.stderr}")
    return schedules(lines(ended.stdout))[0]


def main():
    asked = list(cases())
    wrong = 0
    for (case, arguments), ours in zip(asked, made(check, [case for case, _ in asked]), strict=True):
        theirs = exported(arguments)
        if ours != theirs:
            wrong += 1
            missing, extra = sorted(set(ours[1]) - set(theirs[1]))[:3], sorted(set(theirs[1]) - set(ours[1]))[:3]
            print(f"different: {' '.join(case)}: {ours[0]} and {theirs[0]}; the theory's alone {missing}, verify's alone {extra}")
    assert len(asked) >= (700 if more else 400), len(asked)
    print(f"{len(asked)} schedules compared, {wrong} different")
    return wrong > 0


sys.exit(main())
