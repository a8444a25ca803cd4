"""Counts the numbers in the texts of claims a second time, and looks for them in the claims.

Covered are the claims that `say` names below, and of them the numbers that it says; the end tells how many. The numbers of
other claims come from the program alone.

Schedules are made anew from the papers' rules, links and steps are added up here, in fractions, and texts are read from
papers/claims/. Nothing of that shares code with the program. Of 3-2 elimination and of removed steps, only the schedules
are the program's, read from what `verify export` writes.

Usage: recount.py VERIFY SOURCE_FOLDER
"""

import collections
import json
import math
import pathlib
import subprocess
import sys
import tomllib
from fractions import Fraction as F

verify, source = sys.argv[1], pathlib.Path(sys.argv[2])
claims = {claim["id"]: claim for file in sorted((source / "papers/claims").glob("*.toml"))
          for claim in tomllib.loads(file.read_text())["claim"]}
found = []


def say(claim, *texts):
    """These texts are computed; the claim has them in its words."""
    words = claims[claim]["says"] + "\n" + claims[claim].get("correct", "")
    for text in texts:
        if text not in words:
            sys.exit(f"{claim}: '{text}' was counted, but the claim says: {words}")
        found.append((claim, text))


def hold(what, is_so):
    if not is_so:
        sys.exit(f"{what} does not hold when counted anew")


def log2_up(n):
    return (n - 1).bit_length()


# Swing on a line of even p: whom ranks send to, and which blocks.

def rho(s):
    return (1 - (-2) ** (s + 1)) // 3


def peer(r, s, p):
    return (r + rho(s) if r % 2 == 0 else r - rho(s)) % p


def swing(p):
    """By step and rank: the peer, and the blocks of the reduce-scatter; what is sent later is left out."""
    steps = log2_up(p)
    reach = [{r} for r in range(p)]
    kept = [{r} for r in range(p)]
    by_step = []
    for s in reversed(range(steps)):
        step = [(peer(r, s, p), reach[peer(r, s, p)] - kept[r]) for r in range(p)]
        reach = [reach[r] | reach[peer(r, s, p)] for r in range(p)]
        kept = [kept[r] | step[r][1] for r in range(p)]
        by_step.insert(0, step)
    return by_step


def hottest(messages, d):
    """The most that a link of a ring of d carries; half-way around, a message goes both ways."""
    links = collections.Counter()
    for src, dst, size in messages:
        ahead = (dst - src) % d
        ways = [(1, ahead, F(size))] if 2 * ahead < d else [(-1, d - ahead, F(size))]
        if 2 * ahead == d:
            ways = [(1, ahead, F(size) / 2), (-1, ahead, F(size) / 2)]
        for turn, hops, part in ways:
            for k in range(hops):
                links[(src + turn * k) % d, turn] += part
    return max(links.values(), default=0)


def both_lanes(step, p, plain=1, mirrored=1):
    return [m for r, (q, blocks) in enumerate(step)
            for m in ((r, q, len(blocks) * plain), (-r % p, -q % p, len(blocks) * mirrored))]


def swing_on_ring(p):
    """Bandwidth and congestion deficiency with two lanes."""
    port = sum(max(len(blocks) for _, blocks in step) for step in swing(p))
    return F(port, p - 1), sum(hottest(both_lanes(step, p), p) for step in swing(p)) / port


def swing_on_square(d):
    """Congestion deficiency on d x d, any even d: lines, and what is left of the other coordinate, differ."""
    factor = swing(d)
    left = [[set().union({r}, *(factor[t][r][1] for t in range(s, len(factor)))) for r in range(d)]
            for s in range(len(factor) + 1)]
    port = links = F(0)
    for turn in range(2 * len(factor)):
        s, other = turn // 2, turn // 2 + turn % 2
        links += max(hottest(both_lanes(factor[s], d, len(left[other][c]), len(left[other][-c % d])), d)
                     for c in range(d))
        port += max(len(b) for _, b in factor[s]) * max(len(x) for x in left[other])
    return links / port


def swing_on_power(d, dimensions):
    """The same on squares of powers of two, from the distances alone."""
    steps = dimensions * log2_up(d)
    return sum(F(abs(rho(s // dimensions)), 2 ** (s + 1)) for s in range(steps)) / (1 - F(1, d ** dimensions))


hold("a congestion of 1 on 4x4", swing_on_square(4) == swing_on_power(4, 2) == 1)
hold("23/21 on 8x8, counted in two ways", swing_on_square(8) == swing_on_power(8, 2) == F(23, 21))
hold("no bandwidth deficiency", swing_on_ring(10)[0] == swing_on_ring(16)[0] == 1)
say("swing-even-p-deficiencies", f"{swing_on_ring(10)[1]} for 10 ranks", f"{swing_on_ring(16)[1]} for 16",
    f"{2 * log2_up(6) / math.log2(6):.2f} for p = 6")
say("swing-congestion-grows", f"10x10 has {float(swing_on_square(10)):.3f}")
hold("128x128 above 1.19, 64x64 below", swing_on_power(64, 2) < F(119, 100) < swing_on_power(128, 2) < F(6, 5))
say("swing-congestion-2d", "6/5", "128x128 is already above 1.19")
hold("1.03 is passed on 16x16x16", swing_on_power(8, 3) < F(103, 100) < swing_on_power(16, 3) < F(28, 27))
hold("1.008 is passed in 4D", swing_on_power(2 ** 12, 4) > F(1008, 1000))
limits = {d: sum(F(abs(rho(s)), 2 ** (d * s)) for s in range(60)) * (1 - F(1, 2 ** d)) for d in (2, 3, 4)}
for d, limit in {2: F(6, 5), 3: F(28, 27), 4: F(120, 119)}.items():
    hold(f"the limit {limit}", 0 < limit - limits[d] < F(1, 10 ** 9))
say("swing-congestion-3d", "28/27", "120/119")
say("swing-congestion-1003", f"28/27, about {28 / 27:.3f}")
say("swing-latency-congestion", f"{sum(abs(rho(s)) for s in range(6)) // 6} on 64x64", f"bound is {4 * 2 * 64 / 3:.0f}")
say("swing-peak-81", f"{int(100 / 1.19)} %: 1/1.19")
hold("half of (p-1)/p on 4x4", sum(F(abs(rho(s // 2)), 2 ** (s + 1)) for s in range(4)) == F(15, 16))


# Odd p: the last rank exchanges with half of those that remain, rounded up, and in the last step with all.

def odd_bandwidth(p):
    step_sizes = [max(len(blocks) for _, blocks in step) for step in swing(p - 1)]
    remain, time = p - 1, 0
    for k, size in enumerate(step_sizes):
        directly = remain if k == len(step_sizes) - 1 else -(-remain // 2)
        remain -= directly
        time += max(size + 1, directly)  # on two lanes and two ports; one message to the last rank
    return F(time, p - 1)


say("swing-odd-p-bandwidth", f"{float(odd_bandwidth(5))} for p = 5", f"{odd_bandwidth(19)} for p = 19")
hold("below 8/5", all(odd_bandwidth(p) < F(8, 5) for p in range(5, 200, 2)))
hold("more than 1/p", odd_bandwidth(5) > 1 + F(1, 5))
halves = [math.ceil(6 / 2), math.ceil(3 / 2), 1]
say("swing-odd-p-blocks", "{}, {} and {} for p = 7".format(*halves))
hold("printed numbers, from step 1 and rounded up", sum(-(-6 // 2 ** s) for s in (1, 2, 3)) == 6
     and sum(-(-4 // 2 ** s) for s in (1, 2)) < 4)

# A step of all four lanes along the longer side of 2x4, a message of 1/32 each; and its part by equation (3).
say("swing-equation-3", f"exactly {F(2 * 2, 32) * 2}", f"gives {F(1, 6 * 2)}")

# Distances.
least = min(p for p in range(4, 40, 2) for s in range(log2_up(p)) if abs(rho(s)) > p - abs(rho(s)))
hold("p = 18 is the first with a shorter way around", least == 18 and abs(rho(4)) == 11)

# Swing's peers and one wrong last step: all of A.2's premises, and ranks that are never reached.
p, reached = 12, [{r} for r in range(12)]
last = [r ^ 1 for r in range(p)]
for s in range(3):
    reached = [reached[r] | {peer(q, s, p) for q in reached[r]} for r in range(p)]
hold("p'-1 others before the last step", all(len(ranks) == 8 for ranks in reached) and len(set(last)) == p)
hold("some of 12 ranks never reached", any(len(ranks | {last[q] for q in ranks}) < p for ranks in reached))


# The pair of Hamiltonian cycles.

def is_pair(r, c):
    walks = [[(i // c % r, (i % c - i // c) % c) for i in range(r * c)],
             [((i // c * (c - 1) + i % c) % r, i // c % c) for i in range(r * c)]]
    edges = [{frozenset(pair) for pair in zip(w, w[1:] + w[:1])} for w in walks]
    near = all(sorted(((a - b) % n in (1, n - 1)) + 2 * (a == b) for a, b, n in ((x[0], y[0], r), (x[1], y[1], c)))
               == [1, 2] for w in walks for x, y in zip(w, w[1:] + w[:1]))
    return near and all(len(set(w)) == r * c for w in walks) and not edges[0] & edges[1]


hold("the condition of the cycles", all(is_pair(r, c) == (r % c == 0 and math.gcd(r, c - 1) == 1)
                                        for r in range(3, 13) for c in range(3, 13)))

# Bucket on 2x4, rings at their own pace until all are done: 1/4 of the vector a direction and colour.
phases = max(F(1, 4) * F(1, 2), F(1, 4) * F(3, 4)) + max(F(1, 8) * F(3, 4), F(1, 16) * F(1, 2))
jain = F(3, 4) * F(1, 4) * F(2 ** 2 - 1, 2 ** 2) * 2
hold("equation (2) on 2x4", phases == jain)
say("swing-bucket-on-rectangles", f"{jain / (F(7, 8) / 4)} of the bound")


# Kolmakov and Zhang: equations (36), (37) and (44) on the cluster of table 2.

def step_time(p, r, m):
    levels, u = log2_up(p), m / p
    if r == levels:
        sent, added, steps = p * levels, p * (2 * levels - 2), levels
    else:
        sent = 2 * (p - 1) + (2 ** r - 1) * (levels - 1)
        added = (p - 1) + (2 ** r - 1) * (2 * levels - 2)
        steps = 2 * levels - r
    return steps * 3e-5 + sent * u * 1e-8 + added * u * 2e-10


def by_37(p, m):
    r = math.log2(3e-5 / (m * (1e-8 + 4e-10))) + math.log2(p / ((math.log2(p) - 1) * math.log(2)))
    return min(max(round(r), 0), log2_up(p))


def steps_lost(p, m, most):
    """How far (37) is off, and what it loses, among at most that many removed steps."""
    best = min(range(most + 1), key=lambda r: step_time(p, r, m))
    said = min(by_37(p, m), most)
    return abs(said - best), step_time(p, said, m) / step_time(p, best, m) - 1


hold("4 and 6", by_37(33, 1501) == 4 and steps_lost(33, 1501, 6)[0] == 2)
say("generalized-optimal-steps", "P = 33 and 1501 B it gives 4, and 6 is faster",
    f"4 loses {100 * steps_lost(33, 1501, 6)[1]:.1f} %")
sizes = [*range(425, 6000, 4), *range(6000, 65537, 512)]
off = {p: [steps_lost(p, m, log2_up(p)) for m in sizes] for p in range(7, 129)}
hold("28 of P = 7 to 41", sum(max(d for d, _ in off[p]) >= 2 for p in range(7, 42)) == 28)
hold("never more than two", all(d <= 2 for losses in off.values() for d, _ in losses))
worst = max(off, key=lambda p: max(loss for _, loss in off[p]))
loss = max(steps_lost(worst, m, log2_up(worst))[1] for m in range(425, 6000))
say("generalized-optimal-steps", "{} of the {} P".format(sum(max(d for d, _ in off[p]) == 2 for p in off), len(off)),
    f"loses {100 * loss:.1f} % at most, for P = {worst}")
hold("one without (44)", all(steps_lost(p, m, log2_up(p) - 1)[0] <= 1 for p in range(7, 129, 3) for m in sizes[::7]))


def folded(*groups):
    vectors = []
    for n in groups:
        while n > 1:
            vectors.append(n)
            n = -(-n // 2)
    return len(vectors)


say("generalized-any-group", f"{2 * folded(3, 3, 5)} for 3x3x5", f"(25) has {2 * log2_up(45)}")
say("generalized-any-group-steps", f"takes {folded(3, 3, 3)} steps, not {log2_up(27)}")
counts, n = [27], 27
for factor in (9, 3, 1):
    n = counts[-1] // factor
    while n > 1:
        n = -(-n // 2)
        counts.append(n * factor)
say("generalized-any-group-steps", ", ".join(map(str, counts)) + " vectors")

# Gains in the model of synchronous steps, sides 2^k: 50 bytes a ns, and 400 ns a link. Of each step count the hottest
# link, what a rank sends on all its ports, and the longest way.

def in_turn(shape, first):
    """The dimension and its step, for each step of a lane that begins in dimension `first`."""
    done, turn = [0] * len(shape), first
    while sum(done) < sum(map(log2_up, shape)):
        if done[turn] < log2_up(shape[turn]):
            yield turn, done[turn]
            done[turn] += 1
        turn = (turn + 1) % len(shape)


def timed(link_bytes, rank_bytes, ports, hops):
    return max(link_bytes, rank_bytes / ports) / 50 + 400 * hops


def swing_time(shape, size, halves):
    ports, time = 2 * len(shape), 0
    for k, lanes in enumerate(zip(*(in_turn(shape, first) for first in range(len(shape))))):
        message = size / ports / (2 ** (k + 1) if halves else 1)
        links = collections.Counter()  # a plain and a mirrored lane together load both ways alike
        for dimension, s in lanes:
            links[dimension] += abs(rho(s)) * message
        time += timed(max(links.values()), ports * message, ports, max(abs(rho(s)) for _, s in lanes))
    return time * (2 if halves else 1)


def doubling_time(shape, size, halves):
    time = 0
    for k, (dimension, s) in enumerate(in_turn(shape, 0)):
        message = size / (2 ** (k + 1) if halves else 1)
        shared = 2 ** s / (2 if 2 ** (s + 1) == shape[dimension] else 1)
        time += timed(shared * message, message, 2 * len(shape), 2 ** s)
    return time * (2 if halves else 1)


def bucket_time(shape, size):
    time, left = 0, [size / (2 * len(shape))] * len(shape)
    steps = max(shape) - 1
    for phase in range(len(shape)):  # what a lane sends in it is spread over the steps
        sides = [shape[(lane + phase) % len(shape)] for lane in range(len(shape))]
        sent = max(part * (side - 1) / side for part, side in zip(left, sides))
        time += 2 * steps * timed(sent / steps, 0, 1, 1)
        left = [part / side for part, side in zip(left, sides)]
    return time


def ring_time(shape, size):
    """Along Hamiltonian cycles; the tori below have them unless they have three sides or more."""
    p = math.prod(shape)
    return 2 * (p - 1) * timed(size / 4 / p, 0, 1, 1) if len(shape) == 2 else math.inf


def gains(*shape):
    def gain(size):
        own = min(swing_time(shape, size, False), swing_time(shape, size, True))
        others = (doubling_time(shape, size, False), doubling_time(shape, size, True), bucket_time(shape, size),
                  ring_time(shape, size))
        return 100 * (min(others) / own - 1)
    return [gain(32 * 4 ** k) for k in range(13)]


squares = {side: max(gains(side, side)) for side in (8, 16, 32, 64, 128)}
say("swing-gain-with-size", f"between {min(squares.values()):.0f} and {max(squares.values()):.0f} %",
    "largest on {0}x{0}".format(max(squares, key=squares.get)))
hold("20 %", min(min(gains(side, side)) for side in squares) > -20)
hold("less than 3 % behind in 3D and 4D", -3 < min(gains(8, 8, 8)) < 0 and -3 < min(gains(8, 8, 8, 8)) < 0)
on_64x64 = gains(64, 64)
say("swing-figure-7-at-2-mib", f"gains {on_64x64[8]:.0f} %")
say("swing-figure-7-small", f"gains {on_64x64[0]:.0f} to {on_64x64[3]:.0f} %", f"gains {on_64x64[5]:.0f} %")
say("swing-figure-11-large", f"loses {-gains(256, 4)[12]:.0f} %")
say("swing-figure-12-twice", f"{max(gains(8, 8, 8)):.0f} and {max(gains(8, 8, 8, 8)):.0f} %")
rectangles = {shape: max(gains(*shape)) for shape in ((64, 16), (128, 8), (256, 4))}
best = max(rectangles, key=rectangles.get)
say("swing-gain-on-rectangles", "largest on {}x{}, {:.0f} %".format(*best, rectangles[best]))

# The class report: n = p-1 packets, and what of a tensor a rank sends.
say("report-bandwidth-factor", ", ".join(f"{float(F(2 * (p - 1) ** 2, p)):g}" for p in (2, 4, 8))
    + f" and {float(F(2 * 15 ** 2, 16)):g}", f"{2 * 15} of 16 blocks", f"{2 * 15 / 16:g}")


# What needs our schedules: read from their files, on a network where all are joined, with a port each.

def exported(*arguments):
    return json.loads(subprocess.run([verify, "export", "--to", "json", *arguments], capture_output=True, text=True,
                                     check=True).stdout)


def blocks_of(transfer):
    return sum(b[1] - b[0] + 1 if isinstance(b, list) else 1 for b in transfer["blocks"])


def one_port(schedule):
    """The time of all steps over the least, 2 (p-1)/p vectors."""
    time = F(0)
    for step in schedule["steps"]:
        sent, received = collections.Counter(), collections.Counter()
        for t in step:
            sent[t["src"]] += blocks_of(t)
            received[t["dst"]] += blocks_of(t)
        time += max([*sent.values(), *received.values()], default=0)
    return time / schedule["blocks"] / F(2 * (schedule["ranks"] - 1), schedule["ranks"])


elimination = {p: one_port(exported("--algo", "rabenseifner", "--set", "remainder=eliminate-3-2", "--p", str(p)))
               for p in (3, 5, 6, 7, 9, 12, 17, 33)}
hold("3/2", elimination[3] == elimination[6] == elimination[12] == F(3, 2))
say("swing-elimination", f"{elimination[7]} for p = 7", f"at most {max(elimination[p] for p in (5, 9, 17, 33))}")


def most_sent(schedule):
    """The blocks that a rank sends; one that the receiver adds to two places travels once."""
    sent = collections.Counter()
    for step in schedule["steps"]:
        travels = {(t["src"], t["dst"], n) for t in step if t["src"] != t["dst"] for b in t["blocks"]
                   for n in (range(b[0], b[1] + 1) if isinstance(b, list) else [b])}
        sent.update(src for src, _, _ in travels)
    return max(sent.values())


hold("14 u in figure 6", most_sent(exported("--algo", "generalized", "--set", "removed-steps=1", "--p", "7")) == 14)
print(len(found), "numbers of", len({claim for claim, _ in found}), "claims counted anew")
