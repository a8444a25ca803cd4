#!/usr/bin/env python3
"""The functions that the theorems of proofs/coq are about make the schedules that proofs/routes makes, byte by byte as both print them.

Usage: compare_routes.py PRINT_THEOREM_SCHEDULE CHECK GROUP..     groups of `GROUPS`
"""
import itertools
import math
import random
import resource
import subprocess
import sys
import tempfile

routes, check = sys.argv[1:3]

THREE = ["reduce-scatter", "allgather", "allreduce"]
HALVES = THREE[:2]
TREES = ["broadcast", "reduce"]


def is_power(p):
    return p & (p - 1) == 0


def all_lanes(torus):
    return 2 * (torus.count("x") + 1)


def has_cycles(sides):
    """Of c ranks in each of r rows, or turned: c >= 2 divides r, and r and c-1 are coprime."""
    def fits(r, c):
        return c >= 2 and r % c == 0 and math.gcd(r, c - 1) == 1
    return len(sides) == 2 and (fits(*sides) or fits(*reversed(sides)))


ORDERS = [" order=near", " order=far"]
KNOMIAL = [order + f" radix={k}" for order in ORDERS for k in (2, 3, 4, 7)]
BINE = [" order=halving", " order=doubling"]
FOLDS = [" remainder=fold", " remainder=fold-neighbours"]

# One line for each row: ROW, its COLLECTIVES, on which sizes, and its SETTINGS.
LINES = [  # the first one is tried on the most sizes
    ("swing", THREE, None, [""]),
    ("ring", THREE, None, [""]),
    ("ring", THREE, None, [" order=even-odd"]),
    ("generalized", THREE, None, [""]),
    ("generalized", THREE, is_power, [" group=xor"]),
    ("bruck", THREE, None, ORDERS),
    ("pairwise", THREE, None, [""]),
    ("circulant", THREE, None, [""]),
    ("bine", THREE, None, BINE),
    ("hamiltonian-ring", HALVES, None, [""]),
    ("mirrored-recursive-doubling", HALVES, is_power, [""]),
    ("rabenseifner", HALVES, is_power, ORDERS),
    ("recursive-doubling", HALVES, is_power, [""]),
    ("recursive-halving-doubling", THREE, is_power, [""]),
]
FOLDED_LINES = [  # allreduces alone
    ("rabenseifner", ["allreduce"], None, [order + fold for order in ORDERS for fold in FOLDS]),
    ("mirrored-recursive-doubling", ["allreduce"], None, [""]),
    ("hamiltonian-ring", ["allreduce"], None, [""]),
]
SEGMENTS = ["", " segments=2", " segments=7"]
SMALL_LINES = [  # of a few blocks
    ("swing", TREES, None, [""]),
    ("binomial-tree", TREES, None, KNOMIAL),
    ("chain", TREES, None, [""]),
    ("circulant", TREES, None, SEGMENTS),
    ("bine", TREES, None, BINE),
    ("swing-latency", ["allreduce"], None, [""]),
    ("recursive-doubling", ["allreduce"], None, FOLDS),
    ("mirrored-recursive-doubling", ["allreduce"], None, [" version=latency"]),
]
PAT_LINES = [  # whose functions are asked for each rank and step
    ("pat", HALVES, None, [f" aggregation={a} order={order}" for a in ["full", 1, 2, 16] for order in ("far", "near")]),
]
ELIMINATION_LINES = [  # of which the theorem's own function runs, which tries all sequences of steps
    ("rabenseifner", ["allreduce"], None, [" remainder=eliminate-3-2"]),
]


def has_room_to_spread(p):
    n = (p - 1).bit_length()
    return all((p + 2 ** s - 1) // 2 ** s * ((p + 2 ** (n - s) - 1) // 2 ** (n - s)) <= p for s in range(n + 1))


SPREAD_LINES = [("recursive-doubling", ["allreduce"], lambda p: p & (p - 1) and has_room_to_spread(p), [" remainder=spread"])]

# Those with one exchange in the middle, of which the theorem's own function runs, too.
MERGED = " merge=yes"
MERGED_LINES = [
    ("swing", ["allreduce"], lambda p: p % 2 == 0, [MERGED]),
    ("generalized", ["allreduce"], is_power, [" group=xor" + MERGED]),
    ("bine", ["allreduce"], lambda p: p % 2 == 0, [order + MERGED for order in BINE]),
    ("rabenseifner", ["allreduce"], None, [order + fold + MERGED for order in ORDERS for fold in FOLDS]),
    ("mirrored-recursive-doubling", ["allreduce"], None, [MERGED]),
]


def nodes(most):
    """Each two parts, one within nodes and one across them."""
    scattering = ["swing", "bruck:order=far", "pairwise", "generalized", "circulant"]
    for k, m in itertools.product(range(1, most + 1), repeat=2):
        rows = f"{k * m} 1 nodes={k}"
        for within, across in itertools.product(scattering, repeat=2):
            yield f"hierarchical reduce-scatter {rows} within={within} across={across}"
        for within, across in itertools.product(["swing", "bucket", "binomial-tree", "chain"], ["ring", "rabenseifner", "hamiltonian-ring"]):
            yield f"hierarchical allreduce {rows} within={within} across={across}"
        for within, across in itertools.product(["swing", "binomial-tree:order=far", "bine"], repeat=2):
            for collective, root in zip(TREES, (k * m - 1, k * m // 2)):
                yield f"hierarchical {collective} {rows} within={within} across={across} root={root}"


def removed(sizes, groups=()):
    """Folding with steps removed from its distribution, as many as there are."""
    for p in sizes:
        for steps in range(1, (p - 1).bit_length() + 1):
            yield f"generalized allreduce {p} 1 removed-steps={steps}"
    for sides in groups:
        for steps in range(1, sum((n - 1).bit_length() for n in sides) + 1):
            yield f"generalized allreduce {math.prod(sides)} 1 group={'x'.join(map(str, sides))} removed-steps={steps}"


CARRIED = [  # p blocks, or p^2
    ("binomial-tree", ["scatter", "gather"], None, KNOMIAL),
    ("bruck", ["alltoall"], None, [" order=near", " order=far"]),
    ("pairwise", ["alltoall"], None, [""]),
    ("spread-out", ["alltoall"], None, ["", " batch=1", " batch=2", " batch=3", " batch=7"]),
]


ROOTED = [  # for every root
    ("swing", TREES, None),
    ("binomial-tree", [*TREES, "scatter", "gather"], KNOMIAL),
    ("chain", TREES, None),
    ("circulant", TREES, SEGMENTS),
    ("bine", TREES, BINE),
]


def rooted(sizes):
    for p in sizes:
        for row, collectives, settings in ROOTED:
            for collective, setting, root in itertools.product(collectives, settings or [""], range(1, p)):
                yield f"{row} {collective} {p} 1{setting} root={root}"


def lines(table, sizes, only=None):
    for row, collectives, fits, settings in table:
        for collective, setting, p in itertools.product(only or collectives, settings, sizes):
            if collective in collectives and (fits is None or fits(p)):
                yield f"{row} {collective} {p} 1{setting}"


WITH_ONES = [[1, 1], [1, 6], [6, 1], [1, 2, 3], [5, 1, 2], [2, 4, 1], [1, 1, 7]]


def shapes(most):
    """Sides > 1 of all tori of at most so many ranks, in any order."""
    for side in range(2, most + 1):
        yield [side]
        for rest in shapes(most // side):
            yield [side, *rest]


def on_torus(sides, lanes=None):
    """All rows on a torus. Allgather and allreduce are the reduce-scatter's routes backwards; the lines have them, too."""
    torus, p = "x".join(map(str, sides)), math.prod(sides)
    for collective in ["reduce-scatter", *TREES]:
        yield f"swing {collective} {torus} {lanes or all_lanes(torus)}"
    for collective in TREES:
        yield f"swing {collective} {torus} {lanes or all_lanes(torus)} root={5 * p // 7}"
    yield f"bucket reduce-scatter {torus} 1"
    yield f"bucket reduce-scatter {torus} {lanes or all_lanes(torus)}"
    if all(map(is_power, sides)):
        yield f"recursive-doubling reduce-scatter {torus} 1"
        yield f"mirrored-recursive-doubling reduce-scatter {torus} {lanes or all_lanes(torus)}"
        yield f"mirrored-recursive-doubling allgather {torus} {lanes or all_lanes(torus)}"
    for order in ORDERS:
        yield f"rabenseifner allreduce {torus} 1{order}"
        if order == ORDERS[0] and p <= 64:
            yield f"rabenseifner allreduce {torus} 1 remainder=eliminate-3-2"
    if p <= 24:
        if all(side == 1 or side % 2 == 0 for side in sides):
            yield f"swing allreduce {torus} {lanes or all_lanes(torus)} merge=yes"
        yield f"rabenseifner allreduce {torus} 1 merge=yes"
        yield f"mirrored-recursive-doubling allreduce {torus} {lanes or all_lanes(torus)} merge=yes"
    yield f"recursive-doubling allreduce {torus} 1"
    for row in ["mirrored-recursive-doubling", "swing-latency"]:
        yield f"{row} allreduce {torus} {lanes or all_lanes(torus)}"
    yield f"mirrored-recursive-doubling allreduce {torus} {lanes or all_lanes(torus)} version=latency"
    if has_cycles(sides):
        for collective in THREE:
            yield f"hamiltonian-ring {collective} {torus} {lanes or all_lanes(torus)}"
    if 1 not in sides:
        yield f"generalized reduce-scatter {p} 1 group={torus}"


def tori(most):
    """With all lanes, of which the first one is that of one lane."""
    for sides in [*WITH_ONES, *shapes(most)]:
        if len(sides) > 1:
            yield from on_torus(sides)


def ascending_tori(least, most):
    for sides in shapes(most):
        if len(sides) > 1 and math.prod(sides) >= least and sides == sorted(sides):
            yield from on_torus(sides, 1)


def larger():
    random.seed(23)
    yield from random.sample(list(lines(LINES, range(513, 641))), 80)
    yield from random.sample(list(lines(FOLDED_LINES, range(513, 641))), 20)
    yield from random.sample(list(lines(SMALL_LINES, range(513, 4097))), 40)
    for _ in range(80):
        sides = [random.randint(1, 12) for _ in range(random.randint(2, 4))]
        while not 257 <= math.prod(sides) <= 400:
            sides = [random.randint(1, 12) for _ in range(random.randint(2, 4))]
        torus = "x".join(map(str, sides))
        yield random.choice([f"{row} {collective} {torus} {random.randint(1, 3)}" for row in ["swing", "bucket"]
                             for collective in THREE + (TREES if row == "swing" else [])]
                            + [f"{row} allreduce {torus} 1" for row in ["rabenseifner", "recursive-doubling", "swing-latency"]])


def lines_to(most, most_of_others):
    yield from lines(LINES[:1], range(1, most + 1), ["reduce-scatter"])
    yield from lines(LINES[1:], range(1, most_of_others + 1), ["reduce-scatter"])
    yield from lines(LINES, range(1, 97), ["allgather", "allreduce"])
    yield from lines(LINES, [most], THREE)
    yield from lines(FOLDED_LINES, range(1, most_of_others + 1))
    yield from lines(PAT_LINES, range(1, 97))
    yield from lines(ELIMINATION_LINES, range(1, most_of_others // 5 * 2))
    yield from lines(MERGED_LINES, range(1, 37))
    yield from lines(SPREAD_LINES, range(1, most_of_others * 2 // 3))
    yield from lines(SMALL_LINES, range(1, most + 1))
    yield from lines(CARRIED, range(14, 41))
    yield from lines(CARRIED[:1], range(41, 129))
    yield from nodes(9)
    yield from removed([*range(34, 41), 63, 65, 96], [[3, 5, 4], [7, 7], [2, 3, 2, 5]])


def some(most, most_of_others, most_on_tori):
    yield from lines([*LINES, *SPREAD_LINES, *SMALL_LINES], range(1, most))
    yield from lines([*FOLDED_LINES, *PAT_LINES, *ELIMINATION_LINES, *MERGED_LINES], range(1, most_of_others))
    yield from lines(CARRIED, range(1, 14))
    yield from rooted(range(1, most_of_others))
    yield from nodes(4)
    yield from tori(most_on_tori)
    yield from removed(range(1, most_of_others), shapes(most_on_tori))


GROUPS = {
    "some": lambda: some(33, 20, 16),
    "lines": lambda: [*some(129, 34, 30), *lines_to(256, 96)],
    "more lines": lambda: lines_to(512, 160),
    "tori": lambda: [*tori(96), *ascending_tori(97, 256)],
    "larger": larger,
    # These take too long for a test.
    "all lines": lambda: lines_to(512, 512),
    "all tori": lambda: tori(256),
}


def streams(cases):
    """Both programs, printing the schedules of these cases."""
    asked = tempfile.TemporaryFile("w+")
    asked.write("".join(case + "\n" for case in cases))
    for program in (check, routes):
        asked.seek(0)
        yield subprocess.Popen([program, "--batch"], stdin=open(f"/proc/self/fd/{asked.fileno()}"), stdout=subprocess.PIPE)


def same(cases):
    """How many lines both print, or None if they differ, or if one fails."""
    count, programs = 0, list(streams(cases))
    while True:
        ours, theirs = (program.stdout.read(1 << 20) for program in programs)
        if ours != theirs:
            for program in programs:
                program.kill()
                program.wait()
            return None
        if not ours:
            return count if all(program.wait() == 0 for program in programs) else None
        count += ours.count(b"\n")


def compare(name):
    cases = list(dict.fromkeys(GROUPS[name]()))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    count = same(cases)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if count is None:
        different = [case for case in cases if same([case]) is None]
        print(f"{name}: {len(different)} of {len(cases)} schedules differ, or aren't made by both: {', '.join(different[:5])}")
        return False
    assert count >= sum(math.prod(map(int, case.split()[2].split("x"))) for case in cases), "too few transfers"
    print(f"{name}: {len(cases)} schedules with {count - len(cases)} transfers compared, 0 different; {seconds:.0f} s of both programs")
    return True


sys.exit(not all([compare(name) for name in sys.argv[3:]]))
