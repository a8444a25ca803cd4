#!/usr/bin/env python3
"""The tables of blocks that Träff's search makes for a circulant graph are those of the theory, and each changed entry is found.

Usage: circulant_tables.py CHECK MOST     for 2 to MOST ranks
"""
import subprocess
import sys

check, most = sys.argv[1], int(sys.argv[2])


def skips_of(p):
    """In ascending order, and then p."""
    skips = [p]
    while skips[0] > 1:
        skips.insert(0, (skips[0] + 1) // 2)
    return skips


def received(skips, rank):
    """The depth-first search: for each round the next sum of skips, the largest first, within its reach."""
    q, end = len(skips) - 1, skips[-1] + rank
    first, left = q, rank
    while left > 0:
        first -= 1
        if skips[first] <= left:
            left -= skips[first]
    found, closed, below = [], {first}, 2 * skips[-1]

    def search(total, largest):
        nonlocal below
        for skip in range(largest, -1, -1):
            if len(found) == q:
                return
            longer = total + skips[skip]
            if skip in closed or longer >= below or longer > end - skips[len(found)]:
                continue
            if longer <= end - skips[len(found) + 1]:
                search(longer, skip)
            if len(found) == q or total > end - skips[len(found) + 1]:
                return
            below = longer
            found.append(skip)
            closed.add(skip)

    search(0, q)
    return [first if block == q else block - q for block in found]


def tables(p):
    """Of each rank what it receives and what it sends."""
    skips = skips_of(p)
    rows = [received(skips, rank) for rank in range(p)]
    return [(rows[r], [rows[(r + skip) % p][k] for k, skip in enumerate(skips[:-1])]) for r in range(p)]


def text(p, rank, entries):
    return " ".join(map(str, [p, rank, *entries])) + "\n"


def compared(asked):
    """The exit code, and what is printed."""
    ended = subprocess.run([check, "--circulant-tables"], input=asked, capture_output=True, text=True)
    return ended.returncode, ended.stdout + ended.stderr


def same_as_theory():
    asked = [text(p, r, [*got, *sent]) for p in range(2, most + 1) for r, (got, sent) in enumerate(tables(p))]
    ended = compared("".join(asked))
    assert ended == (0, f"{len(asked)} lines, {most - 1} values of p: 0 differences, in tables of 0 of them\n"), ended


def changed(p):
    """A line for each changed entry that counts, and one for each that doesn't: the root receives nothing."""
    skips, counting, others = skips_of(p), [], []
    q = len(skips) - 1
    for r, (got, sent) in enumerate(tables(p)):
        for place in range(2 * q):
            entries = [*got, *sent]
            entries[place] -= 1
            counts = r > 0 if place < q else (r + skips[place - q]) % p > 0
            (counting if counts else others).append(text(p, r, entries))
    return counting, others


def changes_are_found(p):
    counting, others = changed(p)
    code, printed = compared("".join(counting))
    assert code == 1 and printed.endswith(f": {len(counting)} differences, in tables of 1 of them\n"), printed
    right = "".join(text(p, r, [*got, *sent]) for r, (got, sent) in enumerate(tables(p)))
    assert compared(right + "".join(others))[0] == 0
    for line in counting[:3]:
        assert compared(line)[0] == 1, line


def refused(asked, why):
    assert compared(asked) == (3, why + "\n"), (asked, compared(asked))


same_as_theory()
for p in (2, 5, 9, 17, 33):
    changes_are_found(p)
code, printed = compared("5 1 0 -1 -2 -2 0 0\n")
assert code == 1 and printed.startswith("p = 5, rank 1, round 0: sends -2, not -3\n"), printed
code, printed = compared("2 0 0 0\n")
assert code == 3 and printed.endswith("standard input: p = 2 has no line for rank 1\n"), printed
refused("", "standard input:1: expected a line for each rank, found nothing")
refused("4 1 0 x", "standard input:1: expected a number, found 'x'")
refused("2 0 0 0\n4 1 2\n", "standard input:2: expected 4 numbers after the rank, for 2 rounds each way, found 1")
refused("4 4 0 0 0 0", "standard input:1: expected a rank from 0 to 3, found 4")
refused("1 0", "standard input:1: expected 2 to 65536 ranks, found 1")
print(f"tables of 2 to {most} ranks")
