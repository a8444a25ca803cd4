#!/usr/bin/env python3
"""The functions that the theorems of proofs/coq are about make the schedules that `verify` exports, transfer by transfer.

Usage: compare_theory.py VERIFY CHECK [--some|--more]     some: one schedule of each kind, and each fortieth
"""
import itertools
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

POWERS = ["2x2", "4x2", "2x4", "1x4", "2x2x4", "4x8"] + (["8x8", "4x1x2", "2x2x2x2"] if more else [])

CYCLES = ["2x2", "4x2", "2x6", "3x3", "9x3", "3x9", "4x4"] + (["8x2", "15x3", "3x15", "8x4", "4x8", "5x5", "6x6"] if more else [])


def power_of_two_cases():
    """What works on powers of two, and what folds onto them."""
    for p in SIZES:
        yield f"rabenseifner allreduce {p} 1 remainder=eliminate-3-2"
        yield f"recursive-doubling allreduce {p} 1 remainder=fold-neighbours"
        for order in ("near", "far"):
            yield f"rabenseifner allreduce {p} 1 remainder=fold-neighbours order={order}"
    for torus in [*TORI, *POWERS, "7x7", "7x3", "3x7x2"]:  # a side of 7 has a rank that no pair has a place for
        yield f"rabenseifner allreduce {torus} 1 remainder=eliminate-3-2"
    for torus in [str(p) for p in SIZES] + TORI + POWERS:
        yield f"recursive-doubling allreduce {torus} 1"
        for order in ("near", "far"):
            yield f"rabenseifner allreduce {torus} 1 order={order}"
        for lanes in (1, all_lanes(torus)):
            yield f"mirrored-recursive-doubling allreduce {torus} {lanes}"
            yield f"mirrored-recursive-doubling allreduce {torus} {lanes} version=latency"
            yield f"swing-latency allreduce {torus} {lanes}"
    for torus in [str(p) for p in SIZES if p & (p - 1) == 0] + POWERS:
        for collective in BOTH:
            if "x" not in torus:
                yield f"recursive-halving-doubling {collective} {torus} 1"
            yield f"recursive-doubling {collective} {torus} 1"
            yield f"mirrored-recursive-doubling {collective} {torus} 1"
            yield f"mirrored-recursive-doubling {collective} {torus} {all_lanes(torus)}"
            for order in ("near", "far"):
                yield f"rabenseifner {collective} {torus} 1 order={order}"


def hierarchical_cases():
    """Each part within nodes and across them."""
    scattering = ["swing", "ring", "ring:order=even-odd", "bruck", "bruck:order=far", "pairwise", "generalized", "bucket", "circulant", "bine:order=doubling"]
    halving = ["rabenseifner", "rabenseifner:order=far", "recursive-halving-doubling"]
    trees = ["swing", "binomial-tree", "binomial-tree:order=far", "chain", "bine", "circulant"]
    pairs = [("allreduce", a, b) for a in [*scattering, *halving, *trees[1:]] for b in [*scattering, *halving, "mirrored-recursive-doubling"]]
    pairs += [(c, a, b) for c in ("reduce-scatter", "allgather") for a, b in zip([*scattering, *halving], [*halving, *reversed(scattering)])]
    pairs += [(c, a, b) for c in ("broadcast", "reduce") for a in trees for b in trees]
    for number, (collective, within, across) in enumerate(pairs):
        for nodes, places in ((3, 4), (4, 2), (1, 6), (5, 1), (6, 4), (2, 2))[number % 3::1 if more else 3]:
            part = {"within": (within, collective if collective != "allreduce" else "reduce-scatter", places),
                    "across": (across, collective, nodes)}
            if all(is_offered(*each) for each in part.values()):
                root = f" root={nodes * places - 2}" if collective in TREES and nodes * places > 2 else ""
                yield f"hierarchical {collective} {nodes * places} 1 nodes={nodes} within={within} across={across}{root}"


def is_offered(part, collective, p):
    """Is a part right for so many ranks?"""
    row = part.split(":")[0]
    is_power = p & (p - 1) == 0
    return is_power or row != "recursive-halving-doubling" and (row != "rabenseifner" or collective == "allreduce")


def as_printed_cases():
    """What is wrong as printed, where it is."""
    yield "bruck-as-printed allgather 7 1"
    for p in SIZES:
        if p % 2 == 0 and p >= 4:
            yield f"swing-figure-3 reduce-scatter {p} 1"
        for collective in ("allreduce", "reduce-scatter"):
            if p % 2 == 0 and p >= 4:
                yield f"swing-delta {collective} {p} 1"
            if p & (p - 1):
                yield f"generalized-as-printed {collective} {p} 1"
            if p % 2 == 0 and p & (p - 1):
                yield f"swing-keep-first {collective} {p} 1"
                yield f"swing-final-step {collective} {p} 1"
        if p % 2 == 0 and p & (p - 1):
            yield f"swing-latency-unfolded allreduce {p} 1"


def removed_cases():
    """Folding with steps removed from its distribution."""
    for p in SIZES:
        for removed in range((p - 1).bit_length() + 1):
            yield f"generalized allreduce {p} 1 removed-steps={removed}"
    for group in ["3x5", "5x2", "2x3x4", "2x2x2x2"] + (["3x3x3", "6x7", "7x3x2"] if more else []):
        sides = list(map(int, group.split("x")))
        for removed in range(sum((n - 1).bit_length() for n in sides) + 1):
            yield f"generalized allreduce {math.prod(sides)} 1 group={group} removed-steps={removed}"


def merged_cases():
    """One exchange in the middle of an allreduce. The theorems' own functions take long."""
    for p in (p for p in SIZES if p <= 24):
        if p == 1 or p % 2 == 0:
            yield f"swing allreduce {p} 1 merge=yes"
            yield f"bine allreduce {p} 1 order=doubling merge=yes"
        for order in ("near", "far"):
            yield f"rabenseifner allreduce {p} 1 order={order} merge=yes"
            yield f"rabenseifner allreduce {p} 1 order={order} remainder=fold-neighbours merge=yes"
    for torus in ("2x2", "4x2", "2x6", "1x6", "2x2x4"):
        yield f"swing allreduce {torus} {all_lanes(torus)} merge=yes"
    for torus in ("3x4", "2x5", "2x2x4"):
        yield f"mirrored-recursive-doubling allreduce {torus} {all_lanes(torus)} merge=yes"
    for group in ("2", "3x2", "2x3x2", "2x2x2x2"):
        yield f"generalized allreduce {math.prod(map(int, group.split('x')))} 1 group={group} merge=yes"


def spread_cases():
    """Whole vectors in ceil(log2 p) steps, where there is room."""
    for p in (6, 10, 12, 18, 20, 22):
        yield f"recursive-doubling allreduce {p} 1 remainder=spread"


def cases():
    """What the theory is asked for: ROW COLLECTIVE SIDES LANES [SETTING=VALUE ..]."""
    yield from power_of_two_cases()
    yield from hierarchical_cases()
    yield from as_printed_cases()
    yield from removed_cases()
    yield from merged_cases()
    yield from spread_cases()
    powers = [p for p in SIZES if p & (p - 1) == 0 and p > 1]
    for p in SIZES:
        for collective in BOTH:
            for row in ("swing", "ring", "generalized", "circulant", "bine"):
                yield f"{row} {collective} {p} 1"
            for order in ("near", "far"):
                yield f"bruck {collective} {p} 1 order={order}"
            yield f"ring {collective} {p} 1 order=even-odd"
            yield f"bine {collective} {p} 1 order=doubling"
            yield f"pairwise {collective} {p} 1"
            if collective != "allreduce":
                for aggregation in ["full"] + [2 ** a for a in range((p - 1).bit_length() + 1)]:
                    yield f"pat {collective} {p} 1 aggregation={aggregation}"
                    yield f"pat {collective} {p} 1 aggregation={aggregation} order=near"
        for root in sorted({0, 1 % p, p // 2, p - 1}):
            for collective in TREES:
                yield f"chain {collective} {p} 1 root={root}"
                yield f"circulant {collective} {p} 1 root={root}"
                yield f"circulant {collective} {p} 1 segments={root + 2} root={root}"
                for order in ("halving", "doubling"):
                    yield f"bine {collective} {p} 1 order={order} root={root}"
                yield f"swing {collective} {p} 2 root={root}"
            for order, collective in itertools.product(("near", "far"), [*TREES, "scatter", "gather"]):
                yield f"binomial-tree {collective} {p} 1 order={order} root={root}"
                yield f"binomial-tree {collective} {p} 1 order={order} radix={root + 2} root={root}"
        for order in ("near", "far"):
            if p < 20:
                yield f"bruck alltoall {p} 1 order={order}"
        if p < 20:
            yield f"pairwise alltoall {p} 1"
            for batch in ("all", 1, 2, 5):
                yield f"spread-out alltoall {p} 1 batch={batch}"
    for p in powers:
        for collective in BOTH:
            yield f"generalized {collective} {p} 1 group=xor"
    for torus in [str(p) for p in SIZES if p < 33] + CYCLES:
        for lanes in (1, all_lanes(torus)):
            for collective in BOTH:
                yield f"hamiltonian-ring {collective} {torus} {lanes}"
    for torus in TORI + [str(p) for p in SIZES[2:9]]:
        for collective in BOTH + TREES:
            for lanes in (1, all_lanes(torus)):
                yield f"swing {collective} {torus} {lanes}"
        for root in (1, math.prod(map(int, torus.split("x"))) - 1):
            for collective in TREES:
                yield f"swing {collective} {torus} {all_lanes(torus)} root={root}"
        for collective in BOTH:
            yield f"bucket {collective} {torus} 1"
            yield f"bucket {collective} {torus} {all_lanes(torus)}"
            yield f"bucket {collective} {torus} {all_lanes(torus) // 2} directions=one"
            sides = list(map(int, torus.split("x")))
            if len(sides) > 1 and 1 not in sides:
                yield f"generalized {collective} {math.prod(sides)} 1 group={torus}"


def all_lanes(torus):
    return 2 * (torus.count("x") + 1)


def arguments_of(case):
    """What verify is asked for."""
    row, collective, sides, lanes, *settings = case.split()
    yield from ("--algo", row, "--collective", collective, "--p" if sides.isdigit() else "--torus", sides)
    if int(lanes) > 1:
        assert int(lanes) == all_lanes(sides) // (2 if "directions=one" in settings else 1), case
        yield from ("--lanes", "all")
    for setting in settings:
        yield from ("--root", setting[5:]) if setting.startswith("root=") else ("--set", setting)


def exported(case):
    ended = subprocess.run([verify, "export", "--to", "json", *arguments_of(case)], capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"verify export of {case} ends with {ended.returncode}: {ended.stderr}")
    return schedules(lines(ended.stdout))[0]


def kind_of(case):
    row, collective, sides, lanes, *settings = case.split()
    return row, collective, sides.isdigit(), lanes == "1", tuple(setting.split("=")[0] for setting in settings)


def sample(cases):
    """One of each kind, and every fortieth."""
    first = {kind_of(case): case for case in reversed(cases)}
    kept = {*first.values(), *cases[::40]}
    return [case for case in cases if case in kept]


def main():
    asked = list(dict.fromkeys(cases()))
    assert len(asked) >= (700 if more else 400), len(asked)
    if "--some" in sys.argv:
        asked = sample(asked)
    wrong = 0
    for case, ours in zip(asked, made(check, asked), strict=True):
        theirs = exported(case)
        if ours != theirs:
            wrong += 1
            missing, extra = sorted(set(ours[1]) - set(theirs[1]))[:3], sorted(set(theirs[1]) - set(ours[1]))[:3]
            print(f"different: {case}: {ours[0]} and {theirs[0]}; the theory's alone {missing}, verify's alone {extra}")
    print(f"{len(asked)} schedules compared, {wrong} different")
    return wrong > 0


sys.exit(main())
