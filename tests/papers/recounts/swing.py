"""The Swing paper: its schedule from sections 3 and 4, its deficiencies and bounds, and what appendix A counts.

Of 3-2 elimination, only the schedule is the program's, read from what `verify export` writes.
"""

import collections
import itertools
import json
import math
import subprocess
from fractions import Fraction as F

from recounts.common import Row, hold, log2_up, metrics, preset, printed, say, verify


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
    """Does each walk visit every cell, and do both together use no link twice? A side of 2 has two links."""
    walks = [[(i // c % r, (i % c - i // c) % c) for i in range(r * c)],
             [((i // c * (c - 1) + i % c) % r, i // c % c) for i in range(r * c)]]
    links = collections.Counter(frozenset([(a, b), to]) for a in range(r) for b in range(c)
                                for to in [((a + 1) % r, b), (a, (b + 1) % c)])
    hops = collections.Counter(frozenset(pair) for w in walks for pair in zip(w, w[1:] + w[:1]))
    return all(len(set(w)) == r * c for w in walks) and not hops - links


hold("the condition of the cycles", all(is_pair(r, c) == (r % c == 0 and math.gcd(r, c - 1) == 1)
                                        for r in range(2, 13) for c in range(2, 13)))

# Three edge-disjoint Hamiltonian cycles of 3x3x3: one of 27 links, of which no turn of the coordinates makes another.

def turned_cycle(path, links):
    if len(path) == 28:
        return path
    for axis, step in itertools.product(range(3), (1, 2)):
        to = tuple((x + step * (k == axis)) % 3 for k, x in enumerate(path[-1]))
        ends = sorted((turn(path[-1], axis), turn(to, axis)))
        if (to == path[0] if len(path) == 27 else to not in path) and ends not in links:
            if found := turned_cycle(path + [to], links + [ends]):
                return found
    return None


def turn(place, by):
    return place[by:] + place[:by]


cycle = turned_cycle([(0, 0, 0)], [])
hold("three cycles of 3x3x3", len(set(cycle)) == 27 and 81 == len(
    {frozenset(turn(place, by) for place in hop) for by in range(3) for hop in zip(cycle, cycle[1:])}))


# Bucket on 2x4, rings at their own pace until all are done: 1/4 of the vector a direction and colour.
phases = max(F(1, 4) * F(1, 2), F(1, 4) * F(3, 4)) + max(F(1, 8) * F(3, 4), F(1, 16) * F(1, 2))
jain = F(3, 4) * F(1, 4) * F(2 ** 2 - 1, 2 ** 2) * 2
hold("equation (2) on 2x4", phases == jain)
say("swing-bucket-on-rectangles", f"{jain / (F(7, 8) / 4)} of the bound")


# 3-2 elimination: on a network where all are joined, with a port each.

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


# Steps on a torus, of powers of two.

def in_turn(shape, first):
    """The dimension and its step, for each step of a lane that begins in dimension `first`."""
    done, turn = [0] * len(shape), first
    while sum(done) < sum(map(log2_up, shape)):
        if done[turn] < log2_up(shape[turn]):
            yield turn, done[turn]
            done[turn] += 1
        turn = (turn + 1) % len(shape)

def crossing(peers, steps, p):
    """For each step, how many messages cross each link (place, turn) of a ring; no step goes half-way around."""
    loads = []
    for s in range(steps):
        links = collections.Counter()
        for r in range(p):
            ahead = (peers(r, s) - r) % p
            for k in range(min(ahead, p - ahead)):
                links[((r + k) % p, 1) if 2 * ahead < p else ((r - k) % p, -1)] += 1
        loads.append(links)
    return loads


def first_partners(side):
    """Figure 5: whom rank 0 of a square torus meets in the first step, plain and mirrored, in both dimensions."""
    return sorted(turn % side * stride for turn in (peer(0, 0, side), -peer(0, 0, side)) for stride in (1, side))


def last_rank(p):
    """Figure 4: the ranks that the last of an odd p exchanges with, step by step: half of what remains, in order."""
    left, steps = list(range(p - 1)), []
    while left:
        take = -(-len(left) // 2) if len(steps) < log2_up(p - 1) - 1 else len(left)
        steps.append(left[:take])
        left = left[take:]
    return steps


def dimensions_of_lanes(shape, step):
    """The dimension of each plain lane in a step; the mirrored ones have the same."""
    return [list(in_turn(shape, first))[step][0] for first in range(len(shape))]


def congestion_of_doubling(d, dimensions):
    """Of bandwidth-optimized recursive doubling, from the distances; the last step of a dimension goes both ways."""
    steps, levels = dimensions * log2_up(d), log2_up(d)
    hops = [F(2 ** (s // dimensions), 2 if s // dimensions == levels - 1 else 1) for s in range(steps)]
    return sum(F(hop) / 2 ** (s + 1) for s, hop in enumerate(hops)) / (1 - F(1, d ** dimensions))


def doubling_limit(dimensions):
    """The same for ever larger sides, to a millionth."""
    return congestion_of_doubling(2 ** 24, dimensions)


def deficiencies(algorithm, torus, *more):
    measured = printed("contention", "--algo", algorithm, "--torus", torus, *more, "--json")["runs"][0]["metrics"]
    return {name: measured[name + "_deficiency"] for name in ("latency", "bandwidth", "congestion")}


def loads_of_doubling(side):
    """Latency-optimal, on a square: how many links carry how many vectors in all."""
    links = collections.Counter({(line, place, turn): F(0) for line in range(2 * side) for place in range(side) for turn in (1, -1)})
    for s, line, r in itertools.product(range(log2_up(side)), range(2 * side), range(side)):
        ahead = ((r ^ 2 ** s) - r) % side
        for turn, hops in ((1, ahead), (-1, side - ahead)):
            if hops <= side - hops:
                for k in range(hops):
                    links[line, (r + turn * k) % side, turn] += F(1, 2) if 2 * hops == side else 1
    return collections.Counter(links.values())


def reached_by(steps):
    """Section A.1: where a sequence of steps leads from rank 0."""
    return sum((-1) ** k * rho(s) for k, s in enumerate(steps))


def links_on_boards(side, board):
    """One way: wires within boards, and of each line of a board two ends that lead to a switch and back."""
    boards = (side // board) ** 2
    return boards * (2 * board * (board - 1) * 2 + 4 * board * 2)


hold("links", (links_on_boards(64, 2), links_on_boards(64, 4)) == (24576, 20480))
T = (0, 1, 2, 3, 4)  # five steps, beside a sequence of three
say("swing-even-traffic", "{} links carry 2 vectors, {} carry 4".format(loads_of_doubling(8)[2], loads_of_doubling(8)[4]))
say("swing-table-1-sum", f"is {-sum(2 ** i for i in range(2))} for s = 1, where rho is {rho(1)}")
on_16 = {"doubling": crossing(lambda r, s: r ^ 2 ** s, 3, 16), "swing": crossing(lambda r, s: peer(r, s, 16), 3, 16)}
reached_12 = len(reached[0]) - 1
second = {q for q in (peer(0, 0, 16), peer(0, 1, 16), peer(peer(0, 0, 16), 1, 16))}
sent_of_16 = [F(len(swing(16)[s][0][1]), 16) for s in range(3)]
messages_64 = [abs(rho(s)) for s in range(6)]
doubled_64 = [2 ** s for s in range(6)]
swing_64 = deficiencies("swing", "64x64", "--lanes", "all")
ROWS = [
    Row("section 1", "part of the vector in the first three steps, 16 ranks", [F(1, 2), F(1, 4), F(1, 8)], sent_of_16),
    Row("figure 1", "messages of recursive doubling on a link, three steps", [1, 2, 4], [max(step.values()) for step in on_16["doubling"]]),
    Row("figure 1", "messages of Swing on a link, three steps", [1, 1, 2], [max(step.values()) for step in on_16["swing"]]),
    Row("section 1", "messages of recursive doubling from 1 to 2 and from 5 to 6", [2, 2], [on_16["doubling"][1][link, 1] for link in (1, 5)]),
    Row("section 1", "messages of recursive doubling from 3 to 4", 4, on_16["doubling"][2][3, 1]),
    Row("table 1", "rho(1) as the sum of -2^i", -1 - 2, rho(1), claim="swing-table-1-sum"),
    Row("section 2.3.2", "distances of recursive doubling on a ring of 8: i < (log2(p) - 1)/D", len([i for i in range(3) if i < 3 - 1]), log2_up(8),
        claim="swing-doubling-range"),
    Row("section 4.1", "steps on 10x10: as on a ring of 100", 2 * log2_up(100), 2 * 2 * log2_up(10), claim="swing-deficiencies-and-dimensions",
        program=metrics("swing", "--torus", "10x10", "--lanes", "all")["steps"]),
    Row("equation (5)", "where five steps lead, its last sum from t_(k-2) + 1, k = 3", rho(T[0]) + rho(T[2]) - rho(T[1]) + rho(T[4]) - rho(T[1]),
        reached_by(T), claim="swing-equation-5-index"),
    Row("section 6", "different loads of links by recursive doubling on 8x8", 1, len(loads_of_doubling(8)), claim="swing-even-traffic"),
    Row("section 2.3.4", "steps of bucket on 8x8", 2 * 2 * 8, 2 * 2 * (8 - 1), claim="swing-bucket-steps",
        program=metrics("bucket", "--torus", "8x8", "--lanes", "all")["steps"]),
    *(Row("table 2", f"congestion of recursive doubling (B) on {d} to the {n}: as for any sides", F(2 ** n - 1, 2 ** n - 2),
          congestion_of_doubling(d, n), claim="swing-rabenseifner-congestion",
          program=deficiencies("rabenseifner", "x".join([str(d)] * n))["congestion"]) for d, n in ((8, 2), (8, 3))),
    *(Row("table 2", f"congestion of recursive doubling (B) in {n}D: its limit", f"{(2 ** n - 1) / (2 ** n - 2):.6f}", doubling_limit(n))
      for n in (2, 3, 4)),
    Row("table 2", "congestion of recursive doubling (L) on 64x64: at most", ("<=", 2 * 2 * 64), 2 * sum(doubled_64)),
    Row("table 2", "congestion of Swing (L) on 64x64: at most", ("<=", F(4 * 2 * 64, 3)), 2 * sum(messages_64)),
    Row("table 2", "bandwidth deficiency of Swing (L) on 64x64: D log2 p", 2 * 12, F(12, 2), claim="swing-latency-bandwidth"),
    Row("table 2", "congestion of Swing (B) in 2D", "1.19", limits[2], claim="swing-congestion-2d"),
    Row("table 2", "congestion of Swing (B) on 64x64: at most", ("<=", "1.19"), swing_on_power(64, 2), program=swing_64["congestion"]),
    Row("table 2", "congestion of Swing (B) in 3D", "1.03", limits[3], claim="swing-congestion-3d"),
    Row("table 2", "congestion of Swing (B) in 4D: at most", ("<=", "1.008"), limits[4], claim="swing-congestion-3d"),
    Row("table 2", "congestion of Swing (B) in 4D: rounded", "1.008", limits[4]),
    Row("section 4.1", "congestion for D >= 3: less than", ("<", "1.003"), limits[3], claim="swing-congestion-1003"),
    Row("section 3.1.1", "latency deficiency of Swing (B), 64 ranks: log2(p)/2", 3, F(2 * 6, 6), claim="swing-latency-deficiency"),
    Row("section 3.1.1", "delta(0) to delta(9)", [(2 ** (s + 1) - (-1) ** (s + 1)) // 3 for s in range(10)],
        [abs(sum((-2) ** i for i in range(s + 1))) for s in range(10)]),
    Row("section 3.1.1", "the s from 2 to 20 with delta(s) not below 2^s", [], [s for s in range(2, 21) if abs(rho(s)) >= 2 ** s]),
    Row("section 3.2", "blocks of the last rank of 7: (p-1)/2^s", [6, 3, F(3, 2)], [len(ranks) for ranks in last_rank(7)], claim="swing-odd-p-blocks"),
    Row("figure 4", "ranks that the last of 7 meets", [[0, 1, 2], [3, 4], [5]], last_rank(7)),
    Row("section 3.2", "what an odd p adds to the bandwidth deficiency, p = 5", F(1, 5), odd_bandwidth(5) - 1, claim="swing-odd-p-bandwidth"),
    Row("section 3.2", "latency deficiency for p = 6: 2, as for powers", "2.00", 2 * log2_up(6) / math.log2(6), claim="swing-even-p-deficiencies"),
    Row("section 3.2", "bandwidth deficiency for p = 10", 1, swing_on_ring(10)[0]),
    Row("section 4.1", "sigma(2) in 2D", 1, list(in_turn((4, 4), 0))[2][1]),
    Row("figure 5", "partners of rank 0 on 4x4", [1, 3, 4, 12], first_partners(4)),
    Row("section 4.1", "bandwidth term on 4x4 over n/(2D) beta", F(15, 16), 2 * sum(F(abs(rho(s // 2)), 2 ** (s + 1)) for s in range(4)),
        claim="swing-bandwidth-term"),
    Row("figure 6", "dimensions of the lanes of 2x4 in the third step", [1, 1], dimensions_of_lanes((2, 4), 2)),
    Row("equation (3)", "what the longest side of 2x4 adds", F(1, 6 * 2), F(2 * 2, 32) * 2, claim="swing-equation-3", program=preset("swing-eq3")["2x4"]["measured"]),
    Row("section 5", "peak goodput in 2D, Gb/s: D 400", 2 * 400, F(4 * 400, 2)),
    Row("section 5.1", "most of peak in 2D, per cent", "81", 100 / F("1.19"), claim="swing-peak-81"),
    Row("section 5.1.1", "nodes of the smallest and largest square", [64, 16384], [8 ** 2, 128 ** 2]),
    Row("section 1", "nodes of the rectangles", [4096] * 3, [64 * 16, 128 * 8, 256 * 4], claim="swing-rectangle-nodes"),
    *(Row("section 5.4.1", f"links of 64x64 on boards of {b}x{b}: more than a torus has", ("<", links_on_boards(64, b)), 4 * 64 ** 2) for b in (2, 4)),
    Row("section 5.2", "steps of bucket on 4x8: 2 D dmax", 2 * 2 * 8, 2 * 2 * (8 - 1), claim="swing-bucket-rectangle-steps",
        program=metrics("bucket", "--torus", "4x8", "--lanes", "all")["steps"]),
    Row("section 5.2", "time of bucket on 2x4 over the bound", 1, phases / (F(7, 8) / 4), claim="swing-bucket-on-rectangles"),
    Row("figure 11", "nodes of the tori", [1024] * 3, [64 * 16, 32 * 8, 256 * 4], claim="swing-figure-11-shapes"),
    Row("section 5.4.1", "nodes of 32x32 boards of 2x2 and 16x16 of 4x4", [4096, 4096], [32 ** 2 * 2 ** 2, 16 ** 2 * 4 ** 2]),
    Row("appendix A.1", "ranks that rank 0 of 16 has reached after two steps", [1, 2, 15], sorted(second)),
    Row("appendix A.2", "ranks reached before the last step, p = 12: p' - 1", 8 - 1, reached_12),
    Row("appendix A.2", "ranks that remain, p = 12: p - p' - 1", 12 - 8 - 1, 12 - 1 - reached_12, claim="swing-a2-remaining"),
    Row("footnote 2", "2^a as powers of -2, odd a", [2 ** a for a in (1, 3, 5)], [(-2) ** (a + 1) + (-2) ** a for a in (1, 3, 5)]),
]
