"""Jeaugey's PAT and Bruck's algorithm: every rank runs the same tree, shifted to the owner of a block.

A node of a tree is an offset: that of rank r for the block of rank r - o is o.
"""

import re
from fractions import Fraction as F

from recounts.common import Row, hold, log2_up, metrics, printed


def bruck(p, far):
    """By step: the distance, and the offsets that are sent. The tree of offsets ends at p."""
    held, steps = {0}, []
    for n in sorted(range(log2_up(p)), reverse=far):
        sent = sorted(o for o in held if o + 2 ** n < p)
        held |= {o + 2 ** n for o in sent}
        steps.append((2 ** n, sent))
    hold(f"Bruck on {p}", held == set(range(p)))
    return steps


def subtree(root, size, p):
    """The edges below a root, one after the other: the far child first, and all of its own children."""
    while size > 1:
        size //= 2
        if root + size < p:
            yield size, root + size
            yield from subtree(root + size, size, p)


def pat(p, trees):
    """By step: the distance, and the offsets that are reached, at the top and then within that many trees."""
    top, size, roots = [], 2 ** log2_up(p), [0]
    while len(roots) < trees:
        size //= 2
        reached = [r + size for r in roots if r + size < p]
        top.append((size, reached))
        roots = sorted(roots + reached)
    inside = [(distance, [r + o for r in roots if r + o < p]) for distance, o in subtree(0, size, size)]
    return top, inside


def run(p, steps):
    """Runs it on all ranks, as allgather and, mirrored, as reduce-scatter; returns the most blocks held for others."""
    holds = [{r} for r in range(p)]
    for distance, reached in steps:
        sent = [(r, (r + distance) % p, {(r + distance - o) % p for o in reached}) for r in range(p)]
        hold("a rank has what it sends", all(blocks <= holds[r] for r, _, blocks in sent))
        for _, q, blocks in sent:
            hold("nothing arrives twice", not blocks & holds[q])
            holds[q] = holds[q] | blocks
    hold(f"PAT on {p}", all(len(blocks) == p for blocks in holds))
    sums = [[{r} for _ in range(p)] for r in range(p)]
    for distance, reached in reversed(steps):
        sent = [((r + distance) % p, r, (r + distance - o) % p) for r in range(p) for o in reached]
        for src, dst, block in sent:
            hold("nothing is added twice", not sums[src][block] & sums[dst][block])
            sums[dst][block] = sums[dst][block] | sums[src][block]
            sums[src][block] = set()
    hold(f"PAT's reduce-scatter on {p}", all(len(sums[r][r]) == p for r in range(p)))
    return max(len(busy) for busy in waiting(steps))


def waiting(steps):
    """After each step, the offsets that have come and have still to be passed on."""
    last = {o - distance: s for s, (distance, reached) in enumerate(steps) for o in reached}
    come = {o: s for s, (_, reached) in enumerate(steps) for o in reached}
    return [{o for o in come if come[o] <= s < last.get(o, -1)} for s in range(len(steps))]


def not_emptied(steps):
    """How often a block comes over a distance while the one that came before over it is still waiting."""
    over = {o: distance for distance, reached in steps for o in reached}
    return sum(1 for s, (distance, _) in enumerate(steps) if s and any(over[o] == distance and o not in steps[s][1]
                                                                      for o in waiting(steps)[s]))


def doubling(p):
    """Recursive doubling as allgather: the messages of each block, step by step."""
    has, steps = [{r} for r in range(p)], [set() for _ in range(p)]
    for s in range(log2_up(p)):
        sent = [(r, r ^ 2 ** s, set(has[r])) for r in range(p)]
        for src, dst, blocks in sent:
            has[dst] |= blocks
            for block in blocks:
                steps[block].add((s, src, dst))
    hold("all have all", all(len(blocks) == p for blocks in has))
    return steps


def runs(numbers):
    return sum(n - 1 not in numbers for n in numbers)


def of_program(p, trees):
    return metrics("pat", "--p", str(p), "--collective", "allgather", "--set", f"aggregation={trees}")


def staging(p, trees):
    """What the program says of the blocks held for others."""
    run_of = printed("--algo", "pat", "--p", str(p), "--collective", "allgather", "--set", f"aggregation={trees}", "--json")["runs"][0]
    summary = next(judged["summary"] for judged in run_of["properties"] if judged["id"] == "staging")
    return int(re.search(r"at most (\d+)", summary)[1])


level_by_level = [(d, [o + d]) for d, sent in bruck(8, True) for o in sent]
hold("the order matters for buffers", not_emptied(level_by_level) > 0)
near, far, seven = bruck(8, False), bruck(8, True), bruck(7, True)
top, inside = pat(8, 2)
sixteen = {trees: [*pat(16, trees)[0], *pat(16, trees)[1]] for trees in (8, 4, 2)}
single = pat(8, 1)[1]
most_held = {p: run(p, pat(p, 1)[1]) for p in (4, 8, 16, 32, 64)}
for p, trees in ((8, 2), (16, 8), (16, 4), (16, 2), (7, 1), (12, 1), (100, 1)):
    run(p, [*pat(p, trees)[0], *pat(p, trees)[1]])
bruck_far = metrics("bruck", "--p", "16", "--collective", "allgather", "--set", "order=far")

ROWS = [
    Row("section 1", "distances of Bruck on 8 ranks", [1, 2, 4], [distance for distance, _ in near]),
    Row("section 1", "part of all data in Bruck's last step, 64 ranks", F(1, 2), F(len(bruck(64, False)[-1][1]), 64)),
    Row("section 1", "part of all data in Bruck's last step, 9 ranks", F(1, 2), F(len(bruck(9, False)[-1][1]), 9), claim="pat-bruck-last-step"),
    Row("section 1", "the p from 2 to 64 for which recursive doubling has all partners", [2 ** a for a in range(1, 7)],
        [p for p in range(2, 65) if all(r ^ 2 ** s < p for s in range(log2_up(p)) for r in range(p))]),
    Row("section 2", "blocks of 8 whose tree in recursive doubling isn't the first one mirrored", [],
        [b for b in range(8) if doubling(8)[b] != {(s, src ^ b, dst ^ b) for s, src, dst in doubling(8)[0]}]),
    Row("section 2", "messages, far first, one for each contiguous run, 8 ranks: as in a ring", 7, sum(runs(sent) for _, sent in far)),
    Row("section 5", "the a for which 1000 (log p) is less than p-1, p = 2^a", list(range(14, 41)), [a for a in range(1, 41) if 1000 * a < 2 ** a - 1]),
    Row("section 1", "part of all data in recursive doubling's last step, 64 ranks", F(1, 2), F(2 ** 5, 64)),
    Row("section 2", "what step 1 receives, in ranks below mine", [1], [o + 1 for o in near[0][1]]),
    Row("section 2", "what step 2 sends", [0, 1], near[1][1]),
    Row("section 2", "what step 2 receives", [2, 3], [o + 2 for o in near[1][1]]),
    Row("section 2", "what step 3 sends", [0, 1, 2, 3], near[2][1]),
    Row("section 2", "what step 3 receives", [4, 5, 6, 7], [o + 4 for o in near[2][1]]),
    Row("section 2", "what dimension 5 sends, 64 ranks", list(range(2 ** 5)), bruck(64, False)[5][1]),
    Row("figure 1", "steps on 8 ranks", 3, len(near), program=metrics("bruck", "--p", "8", "--collective", "allgather")["steps"]),
    Row("figure 3", "chunks in the third step, far first", 4, len(far[2][1])),
    Row("figure 3", "ranks that do the third step of one tree", 4, len({o + far[2][0] for o in far[2][1]})),
    Row("section 2", "chunks of the three steps on 7 ranks", [1, 2, 3], [len(sent) for _, sent in seven]),
    Row("section 2", "what the second step on 7 ranks sends", [0, 4], seven[1][1]),
    Row("section 2, figure 4", "what the third step on 7 ranks sends", [0, 4, 6], seven[2][1], claim="pat-seven-ranks"),
    Row("section 2, figure 4", "whose data rank 0 of 7 sends last", [0, 4, 6], sorted(-o % 7 for o in seven[2][1]), claim="pat-seven-ranks-example"),
    Row("section 2, figure 4", "messages that end the tree of rank 0 of 7", [(0, 1), (2, 3), (4, 5)], [(o, o + 1) for o in seven[2][1]]),
    Row("figures 5 and 6", "steps at the top, 8 ranks, aggregation 2", 1, len(top)),
    Row("figures 5 and 6", "steps within the trees", 3, len(inside)),
    Row("figures 5 and 6", "trees side by side", 2, max(len(reached) for _, reached in inside)),
    Row("figures 5 and 6", "steps in all", 1 + 3, len(top) + len(inside), program=of_program(8, 2)["steps"]),
    Row("figure 7", "steps with 8 trees and 16 ranks, those of Bruck far first", len(bruck(16, True)), len(sixteen[8]), program=bruck_far["steps"]),
    *(Row(f"figure {figure}", f"blocks in a message within {trees} trees, 16 ranks", trees, max(len(reached) for _, reached in sixteen[trees]))
      for figure, trees in ((7, 8), (8, 4), (9, 2))),
    *(Row(f"figure {figure}", f"steps at the top with {trees} trees, 16 ranks", trees.bit_length() - 1, len(pat(16, trees)[0]),
          program=of_program(16, trees)["steps"] - (16 // trees - 1)) for figure, trees in ((8, 4), (9, 2))),
    Row("figure 10", "blocks in a message, one tree of 8 ranks", 1, max(len(reached) for _, reached in single)),
    Row("section 3", "steps of one tree: linear, p - 1", 7, len(single), program=of_program(8, 1)["steps"]),
    Row("section 3", "distances over which the root of one tree of 8 sends", [4, 2, 1], [distance for distance, (o,) in single if o == distance]),
    Row("section 3", "distance of the first and last step of one tree", [4, 1], [single[0][0], single[-1][0]]),
    Row("section 3", "buffers that aren't empty when their dimension comes again, one tree of 64", 0, not_emptied(pat(64, 1)[1])),
    Row("section 3", "blocks of a step within 2 trees of 5 ranks: a full buffer", 2, min(len(reached) for _, reached in pat(5, 2)[1]), claim="pat-full-buffers"),
    *(Row("abstract", f"most blocks held for others, {p} ranks: at most log2 p", ("<=", log2_up(p)), most, program=staging(p, 1)) for p, most in most_held.items()),
]
