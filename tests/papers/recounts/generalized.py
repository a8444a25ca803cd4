"""Kolmakov and Zhang: distributed vectors folded by the rules of their sections 6 to 9, with the cyclic group, and the formulas
for the cluster of table 2.

A vector is the number of its place, and what is in it a set of the numbers that it adds up.
"""

import math

from recounts.common import Row, hold, log2_up, metrics, printed, say

ALPHA, BETA, GAMMA = 3e-5, 1e-8, 2e-10


def lengths(p):
    """Equation (18): the number of vectors at the start of each step, and at the end."""
    counts = [p]
    while counts[-1] > 1:
        counts.append(-(-counts[-1] // 2))
    return counts


def allreduce(p, removed, results=None):
    """Reduction to the sums that a distribution with fewer steps begins with, at most 2^removed, as in figure 6, and
    distribution: steps, vectors sent and combined by each process.

    A sum that shift `s` makes of N vectors is t^k with what 0 to N-1 hold, all shifted by s. What two shifts have in common is
    sent and combined once.
    """
    results = results or lengths(p)[-1 - removed]
    vectors, sent, combined = {(k, frozenset([k])) for k in range(p)}, 0, 0
    chains = [{k: frozenset([(k + s) % p]) for k in range(p)} for s in range(results)]
    for n in lengths(p)[:-1]:
        half, kept = n // 2, -(-n // 2)
        moves = {((k + s) % p, chains[s][k]) for s in range(results) for k in range(kept, n)}
        sums = {((k - half + s) % p, chains[s][k - half] | chains[s][k]) for s in range(results) for k in range(kept, n)}
        hold("sums join what is apart", all(not chain[k - half] & chain[k] for chain in chains for k in range(kept, n)))
        chains = [{k: chain[k] | (chain[k + half] if kept <= k + half < n else frozenset()) for k in range(kept)} for chain in chains]
        sent += len(moves)
        combined += len(sums)
        vectors = {((k + s) % p, chains[s][k]) for s in range(results) for k in range(kept)}
    hold("all is in every sum", all(chain[0] == frozenset(range(p)) for chain in chains))
    hold("a sum at each of the places", {k for k, _ in vectors} == set(range(results)))
    steps, have = log2_up(p), results
    for n in reversed(lengths(p)[:-1]):
        if n > have:
            sent += n - have
            have, steps = n, steps + 1
    hold("everybody has all", have == p)
    return {"steps": steps, "sent": sent, "combined": combined}


def straightforward(p):
    """Section 6, process by process: vector k, of which process j has part j - k, moves to place 0 in a step of its own, and
    back. Steps, and what each process sent and combined."""
    sums, has = [{part} for part in range(p)], [{part: set() for part in range(p)} for _ in range(p)]
    steps, sent, combined = 0, [0] * p, [0] * p
    for k in range(1, p):
        for j in range(p):
            hold("no contribution twice", j not in sums[(j - k) % p])
            sums[(j - k) % p].add(j)
            sent[j] += 1
            combined[(j - k) % p] += 1
        steps += 1
    for k in range(p):
        for part in range(p):
            has[(part + k) % p][part] = sums[part]
            sent[part] += 1 if k else 0
        steps += 1 if k else 0
    hold("everybody has all", all(len(ranks) == p for parts in has for ranks in parts.values()))
    hold("all do the same", len(set(sent)) == len(set(combined)) == 1)
    return [steps, sent[0], combined[0]]


def cycles(permutation):
    """In the notation of table 1."""
    text, left = "", set(range(len(permutation)))
    while left:
        k, cycle = min(left), []
        while k in left:
            left.remove(k)
            cycle.append(k)
            k = permutation[k]
        if len(cycle) > 1:
            text += "(" + " ".join(map(str, cycle)) + ")"
    return text or "()"


def after(a, b):
    """a after b, which is how the text multiplies."""
    return [a[k] for k in b]


def closure(generators):
    group = {tuple(range(len(generators[0])))}
    while (more := group | {tuple(after(a, b)) for a in group for b in generators}) != group:
        group = more
    return group


def abelian_groups(order, divisor=1):
    """Section 4: how many there are, as products of cyclic groups whose orders d1 | d2 | .. are multiples of the divisor."""
    longer = sum(abelian_groups(order // d, d) for d in range(2, order) if order % d == 0 and d % divisor == 0)
    return longer + (order % divisor == 0)


def placed(h, k):
    """Equation (5): the processes of vector k, with t_k = c^k."""
    return [(process + k) % len(h) for process in h]


def is_group(permutations):
    return all([a[i] for i in b] in permutations for a in permutations for b in permutations)


# Equations (15), (25), (36), (37) and (44) on the cluster of table 2, and the algorithms of figure 1.

def step_time(p, r, m):
    levels, u = log2_up(p), m / p
    if r == levels:
        sent, added, steps = p * levels, p * (2 * levels - 2), levels
    else:
        sent = 2 * (p - 1) + (2 ** r - 1) * (levels - 1)
        added = (p - 1) + (2 ** r - 1) * (2 * levels - 2)
        steps = 2 * levels - r
    return steps * ALPHA + sent * u * BETA + added * u * GAMMA


def others(p, m):
    """Recursive doubling, recursive halving and the ring; the first two reduce p to a power of two first."""
    low = p.bit_length() - 1
    extra = 0 if p == 2 ** low else 1
    doubling = (low + 2 * extra) * ALPHA + (low + 2 * extra) * m * BETA + (low + extra) * m * GAMMA
    most = (2 ** low - 1) / 2 ** low * m
    halving = (2 * low + 2 * extra) * ALPHA + (2 * most + 2 * extra * m) * BETA + (most + extra * m) * GAMMA
    ring = 2 * (p - 1) * ALPHA + (2 * (p - 1) * BETA + (p - 1) * GAMMA) * m / p
    return [doubling, halving, ring]


def by_37(p, m):
    r = math.log2(ALPHA / (m * (BETA + 2 * GAMMA))) + math.log2(p / ((math.log2(p) - 1) * math.log(2)))
    return min(max(round(r), 0), log2_up(p))


def steps_lost(p, m, most):
    """How far (37) is off, and what it loses, among at most that many removed steps."""
    times = [step_time(p, r, m) for r in range(most + 1)]
    best = times.index(min(times))
    said = min(by_37(p, m), most)
    return abs(said - best), times[said] / times[best] - 1


def best_steps(p, m):
    times = [step_time(p, r, m) for r in range(log2_up(p) + 1)]
    return times.index(min(times))


def of_program(p, removed=0):
    return metrics("generalized", "--p", str(p), "--set", f"removed-steps={removed}")


def best_of_program(p, m):
    """The same, by the times that the program has for the formulas."""
    rows = printed("cost", "--preset", "kolmakov-zhang", "--p", str(p), "--bytes", str(m), "--json")["presets"][0]["rows"]
    return min((row for row in rows if row["r"] >= 0), key=lambda row: float(row["time_by_formula_us"]))["r"]


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
    return sum(len(lengths(n)) - 1 for n in groups)


say("generalized-any-group", f"{2 * folded(3, 3, 5)} for 3x3x5", f"(25) has {2 * log2_up(45)}")
say("generalized-any-group-steps", f"takes {folded(3, 3, 3)} steps, not {log2_up(27)}")
counts = [27]
for factor in (9, 3, 1):
    counts += [n * factor for n in lengths(counts[-1] // factor)[1:]]
say("generalized-any-group-steps", ", ".join(map(str, counts)) + " vectors")

turn = [(k + 1) % 8 for k in range(8)]
powers, products = [turn], [[k ^ n for k in range(8)] for n in range(1, 8)]
while len(powers) < 8:
    powers.append(after(turn, powers[-1]))
a, b = [1, 0, 2], [0, 2, 1]
def best_others(p):
    """Which of the others is the fastest, as vectors grow."""
    order = [min((0, 1, 2), key=lambda i: others(p, m)[i]) for m in (32 * 1.1 ** k for k in range(200))]
    hold("doubling, halving, ring", sorted(order) == order)
    return set(order)


hold("two changes", all(len(best_others(p)) - 1 == (2 if p > 8 and p & (p - 1) else 1) for p in range(3, 129)))
H = [4, 5, 2, 6, 1, 0, 3]
hold("figure 3", placed(H, 2) == [6, 0, 4, 1, 3, 2, 5])
hold("14 u with four sums", allreduce(5, 2, 4)["sent"] == 14)
hold("just one takes i to j", all(sorted(placed(H, k)[i] for k in range(7)) == list(range(7)) for i in range(7)))
of_figure_7 = {(row["series"].split(",")[0], float(row["bytes"])): float(row["time, µs"])
               for row in printed("cost", "--preset", "kolmakov-fig7", "--json")["presets"][0]["rows"]}
for m in (32, 2048, 2 ** 19):
    for series, time in zip(("recursive doubling", "recursive halving", "ring"), others(127, m)):
        hold(f"the program's {series} of {m} B", abs(of_figure_7[series, m] / (1e6 * time) - 1) < 1e-9)
near_crossing = [425 * 1.01 ** k for k in range(600)]  # to 160 KiB
both = [[step_time(127, r, m) for r in range(8)] for m in near_crossing]
benefit = [min(times[0], times[7]) / min(times) - 1 for times in both]
crossing = next(m for m, times in zip(near_crossing, both) if times[0] < times[7])
seven = {r: allreduce(7, r) for r in range(4)}
many = {p: allreduce(p, 0) for p in range(2, 65)}
removed = {(p, r): allreduce(p, r) for p in range(3, 40) for r in range(1, log2_up(p))}
extra_sent = [removed[p, r]["sent"] - 2 * (p - 1) - (2 ** r - 1) * (log2_up(p) - 1) for p, r in removed]
extra_sums = [removed[p, r]["combined"] - (p - 1) - (2 ** r - 1) * (2 * log2_up(p) - 2) for p, r in removed]
latency = {p: allreduce(p, log2_up(p)) for p in range(2, 41)}
places_7 = {(i, (i + k) % 7) for k in range(6) for i in range(7)}
ROWS = [
    Row("table 1a", "powers of c, but for e", ["(0 1 2 3 4 5 6 7)", "(0 2 4 6)(1 3 5 7)", "(0 3 6 1 4 7 2 5)", "(0 4)(1 5)(2 6)(3 7)",
        "(0 5 2 7 4 1 6 3)", "(0 6 4 2)(1 7 5 3)", "(0 7 6 5 4 3 2 1)"], [cycles(power) for power in powers[:7]]),
    Row("table 1b", "products of H, but for e", ["(0 1)(2 3)(4 5)(6 7)", "(0 2)(1 3)(4 6)(5 7)", "(0 3)(1 2)(4 7)(5 6)",
        "(0 4)(1 5)(2 6)(3 7)", "(0 5)(1 4)(2 7)(3 6)", "(0 6)(1 7)(2 4)(3 5)", "(0 7)(1 6)(2 5)(3 4)"], [cycles(h) for h in products]),
    Row("table 1", "order of the group that H generates", 8, len(closure([products[0], products[1], products[3]]))),
    Row("table 1", "ways from i to j in each group, over all i and j", [{1}, {1}],
        [{sum(t[i] == j for t in group) for i in range(8) for j in range(8)} for group in ([range(8), *powers[:7]], [range(8), *products])]),
    Row("table 1b", "products that aren't self-inverse", [], [h for h in products if after(h, h) != list(range(8))]),
    Row("section 5", "permutations that exchanges of two of 4 processes generate", math.factorial(4),
        len(closure([[j if k == i else i if k == j else k for k in range(4)] for i in range(4) for j in range(i)]))),
    Row("section 5", "(0 1)(1 2) and (1 2)(0 1)", ["(0 1 2)", "(0 2 1)"], [cycles(after(a, b)), cycles(after(b, a))]),
    Row("equations (2) and (4)", "elements of the vectors k < P-1, P = 7", 7 ** 2, len(places_7), claim="generalized-placements"),
    Row("equation (15)", "steps, u sent, u combined, P = 7", [12, 12, 6], straightforward(7)),
    Row("equation (18)", "vectors of each step, P = 7", [7, 4, 2, 1], lengths(7)),
    Row("figure 5", "steps of the reduction, P = 7", 3, len(lengths(7)) - 1),
    *(Row("equation (25)", f"steps, u sent, u combined, P = {p}", [2 * log2_up(p), 2 * (p - 1), p - 1], list(many[p].values()),
          program=[of_program(p)["steps"], of_program(p)["blocks_sent_max"], p - 1]) for p in (7, 12, 50)),
    Row("equation (25)", "the P from 2 to 64 for which these three differ", [],
        [p for p in many if list(many[p].values()) != [2 * log2_up(p), 2 * (p - 1), p - 1]]),
    Row("equation (20)", "first vector sent of N = 7", 7 // 2, 7 - len(range(lengths(7)[1], 7)), claim="generalized-sets"),
    Row("equation (24)", "vectors before the last step, P = 100", 2, lengths(100)[log2_up(100) - 1]),
    Row("equation (31)", "vectors of step ceil(log P) - 1, P = 100", 1, lengths(100)[log2_up(100) - 1], claim="generalized-last-index"),
    Row("equation (40)", "index added to q_0, P = 8", 4 - 1, lengths(8)[1], claim="generalized-equation-40"),
    Row("figure 6", "u sent and steps, P = 7, one step removed", [14, 5], [seven[1]["sent"], seven[1]["steps"]],
        program=[of_program(7, 1)["blocks_sent_max"], of_program(7, 1)["steps"]]),
    Row("equation (36)", "u sent beyond (36), P = 3 to 39: at most", ("<=", 0), max(extra_sent)),
    Row("equation (36)", "u combined beyond (36), P = 3 to 39: at most", ("<=", 0), max(extra_sums)),
    Row("section 8", "additional u for one removed step, P = 7", 1 * 3, seven[1]["sent"] - seven[0]["sent"], claim="generalized-removed-steps-text"),
    Row("equation (37)", "best r, P = 33 and 1501 B", by_37(33, 1501), best_steps(33, 1501), claim="generalized-optimal-steps",
        program=best_of_program(33, 1501)),
    Row("equation (37)", "best r, P = 127 and 9 KB", by_37(127, 9216), best_steps(127, 9216), program=best_of_program(127, 9216)),
    Row("equation (44)", "steps and u sent, P = 7: at most", [3, ("<=", 7 * 3)], [seven[3]["steps"], seven[3]["sent"]],
        program=[of_program(7, 3)["steps"], of_program(7, 3)["blocks_sent_max"]]),
    Row("equation (44)", "u sent beyond (44), P = 2 to 40: at most", ("<=", 0), max(latency[p]["sent"] - p * log2_up(p) for p in latency)),
    Row("equation (44)", "u combined, P = 2: at most", ("<=", 2 * (2 - 2)), latency[2]["combined"], claim="generalized-latency-optimal-additions"),
    Row("figure 10", "bytes with the biggest benefit, P = 127, over those where the versions cross", "1.00",
        near_crossing[benefit.index(max(benefit))] / crossing),
    Row("figure 11", "the P from 3 to 128 for which another version is faster at 425 B", [], [p for p in range(3, 129) if best_steps(p, 425) != log2_up(p)]),
    Row("figure 1", "changes of the best of the others, P = 127", 2, len(best_others(127)) - 1),
    Row("figure 1", "changes of the best of the others, P = 128", 2, len(best_others(128)) - 1, claim="generalized-figure-1-points"),
    Row("figure 3", "processes with an element of Q_2, each once", list(range(7)), sorted(placed(H, 2))),
    Row("section 4", "the composite orders to 36 with only one abelian group", [],
        [n for n in range(4, 37) if any(n % d == 0 for d in range(2, n)) and abelian_groups(n) == 1], claim="generalized-composite-groups"),
    Row("section 5.2", "is h T_7 a group, with figure 3's h", True, is_group([placed(H, k) for k in range(7)]), claim="generalized-coset"),
    Row("equation (36)", "u sent, P = 5, r = 2", 2 * 4 + 3 * 2, removed[5, 2]["sent"], claim="generalized-removed-steps-data",
        program=of_program(5, 2)["blocks_sent_max"]),
    Row("figure 10", "removed steps of the versions that are slowest at some size, P = 127", [0, 7], sorted({times.index(max(times)) for times in both})),
    Row("section 1", "steps of recursive doubling and halving, P = 8", [3, 6], [log2_up(8), 2 * log2_up(8)],
        program=[metrics("recursive-doubling", "--p", "8")["steps"], metrics("rabenseifner", "--p", "8")["steps"]]),
    Row("section 3", "steps with one port, P = 7: ceil(log_7 1)", 0, folded(7), claim="generalized-multiport"),
    Row("section 7", "steps of a half with the group 3x3x3: ceil(log 27)", log2_up(27), folded(3, 3, 3), claim="generalized-any-group-steps"),
]
