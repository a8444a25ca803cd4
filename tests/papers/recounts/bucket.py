"""Jain and Sabharwal's bucket algorithm on tori, run with all its data, and their bounds.

A part is the data of a colour, a direction and a node of the torus, at which it is to end. With directions=1 all of a
colour goes one way.
"""

import itertools
import math
from fractions import Fraction as F

from recounts.common import Row, hold, metrics, preset, printed


def ring_steps(size, turn):
    """Of a reduce-scatter on a ring: for each step and place, the place whose data is sent on, by equation (1)'s chains."""
    return [[(place - turn * step) % size for place in range(size)] for step in range(1, size)]


def bucket(dims, directions=2):
    """What is counted of a reduce-scatter: `time`, the most data that a link carries in a phase, summed; `messages` and `added`,
    of a node; `sizes`, the parts of a colour that a node holds, after each phase; `links`, the most that a phase uses."""
    n, nodes = len(dims), list(itertools.product(*map(range, dims)))
    parts = F(1, len(nodes) * n * directions)
    held = {(c, w, x): {b: {x} for b in nodes} for c in range(n) for w in range(directions) for x in nodes}
    messages, added, colours = dict.fromkeys(nodes, 0), dict.fromkeys(nodes, F(0)), dict.fromkeys(range(n), F(0))
    phases, sizes, most_links = [], [len(nodes)], 0
    for phase in range(n):
        links = {}
        for c, w in itertools.product(range(n), range(directions)):
            q, turn = (phase + c) % n, 1 - 2 * w
            for step in ring_steps(dims[q], turn):
                sent = []
                for x in nodes:
                    y = (*x[:q], (x[q] + turn) % dims[q], *x[q + 1:])
                    going = {b: held[c, w, x].pop(b) for b in list(held[c, w, x]) if b[q] == step[x[q]]}
                    sent.append((y, going))
                    messages[x] += 1
                    links[x, q, turn] = links.get((x, q, turn), 0) + len(going) * parts
                for y, going in sent:
                    for b, ranks in going.items():
                        hold("no contribution twice", not ranks & held[c, w, y][b])
                        held[c, w, y][b] = held[c, w, y][b] | ranks
                        added[y] += parts
                        colours[c] += parts
        phases.append(max(links.values()))
        sizes.append(len(held[0, 0, nodes[0]]))
        most_links = max(most_links, len(links))
    hold(f"bucket on {dims}", all(list(b) == [x] and len(b[x]) == len(nodes) for (_, _, x), b in held.items()))
    hold("all nodes do the same work", len(set(messages.values())) == len(set(added.values())) == len(set(colours.values())) == 1)
    return {"time": sum(phases), "messages": messages[nodes[0]], "added": added[nodes[0]], "sizes": sizes, "links": most_links}


def three_nodes():
    """Figures 1 and 3: the vectors abc, def and ghi on a ring of three."""
    data = [list("abc"), list("def"), list("ghi")]
    count = 0
    for step in ring_steps(3, 1):
        sent = [(place, step[place], data[place][step[place]]) for place in range(3)]
        for place, slot, text in sent:
            data[(place + 1) % 3][slot] = "".join(sorted(data[(place + 1) % 3][slot] + text))
        count += 1
    scattered = [data[place][place] for place in range(3)]
    for step in range(2):
        sent = [data[place][(place - step) % 3] for place in range(3)]
        for place in range(3):
            data[(place + 1) % 3][(place - step) % 3] = sent[place]
    return scattered, data, count


def fewest_messages(p, begin, is_done):
    """The fewest messages in which a node sends all that it has of one element, found breadth first."""
    states, count = {begin}, 0
    while not any(map(is_done, states)):
        states = {tuple(s[i] | s[j] if k == j else s[k] for k in range(p)) for s in states
                  for i, j in itertools.permutations(range(p), 2)}
        count += 1
    return count


def bound(dims, directions=2):
    return F(math.prod(dims) - 1, math.prod(dims)) / (len(dims) * directions)


def equation_2(dims, directions=2):
    n, least, most = len(dims), min(dims), max(dims)
    return F(most - 1, most) / (directions * n) * F(least ** n - 1, least ** n) * F(least, least - 1)


def in_preset(torus, column):
    """Of an allreduce, which takes twice the time of a reduce-scatter."""
    return preset("jain-sabharwal")[torus][column]


def sent_by_program(torus, *more):
    """Messages of a rank in our reduce-scatter."""
    counted = metrics("bucket", "--torus", torus, "--lanes", "all", "--collective", "reduce-scatter", *more)
    return counted["messages"] // math.prod(map(int, torus.split("x")))


P, EVERY = 4, frozenset(range(4))
alone = tuple(frozenset([r]) for r in range(P))
reduce = fewest_messages(P, alone, lambda s: s[0] == EVERY)
broadcast = fewest_messages(P, alone, lambda s: all(0 in ranks for ranks in s))
allreduce = fewest_messages(P, alone, lambda s: all(ranks == EVERY for ranks in s))
scattered, gathered, ring_of_3 = three_nodes()
run = {dims: bucket(dims) for dims in ((3, 3), (4, 4), (3, 4), (2, 4), (3, 3, 2), (2, 3, 4), (3, 3, 3))}
one_way = {dims: bucket(dims, 1) for dims in ((3, 3), (3, 4))}
ring_of_8 = bucket((8,), 1)
rectangles = [dims for n in (2, 3) for dims in itertools.combinations_with_replacement(range(2, 25), n)]
colour_of_figure_4 = [4 * node + k for node in range(9) for k in range(2)]
turns_3 = [[(i + j) % 3 for i in range(3)] for j in range(3)]
# Adding parts of a message while others arrive: a reduce-scatter of 64 MiB on 8x8, step by step and part by part.

def in_parts(parts, size=2 ** 26, alpha=1000, beta=F(4, 100), gamma=F(2, 100)):
    """ns; in each step four messages of a quarter of what a node has still to reduce over 8 nodes."""
    time = F(0)
    for left in [size] * 7 + [F(size, 8)] * 7:
        part, added = F(left, 4 * 8 * parts), F(0)
        for arrived in range(1, parts + 1):
            added = max(added, arrived * part * beta) + 4 * part * gamma
        time += 4 * parts * alpha + added
    return time


parts = min(range(1, 30), key=in_parts)
row = printed("cost", "--preset", "jain-times", "--torus", "8x8", "--bytes", "64Mi", "--alpha", "1000", "--beta", "0.04", "--gamma",
              "0.02", "--json")["presets"][0]["rows"][0]
hold("a message in the best number of parts", F(row["parts"]) == parts and abs(F(row["in_parts_ns"]) - in_parts(parts)) < 1)

ROWS = [
    Row("figure 1", "reduce-scatter of three nodes", ["adg", "beh", "cfi"], scattered),
    Row("figure 1", "allreduce of three nodes", [["adg", "beh", "cfi"]] * 3, gathered),
    Row("figure 3", "steps on a ring of three", 2, ring_of_3,
        program=metrics("ring", "--p", "3", "--collective", "reduce-scatter")["steps"]),
    Row("equation (1)", "startups on a ring of 8", 7, ring_of_8["messages"]),
    Row("equation (1)", "n beta on a ring of 8", F(7, 8), ring_of_8["time"]),
    Row("equation (1)", "n gamma on a ring of 8", F(7, 8), ring_of_8["added"]),
    Row("theorem 3.1", "messages for one element, reduced on 4 nodes", P - 1, reduce),
    Row("theorem 3.2", "messages for one element, gathered by 4 nodes", P - 1, broadcast),
    Row("theorem 3.3", "messages for one element, on all of 4 nodes", 2 * (P - 1), allreduce),
    Row("theorem 3.1", "links used one way, 3x3: pN", 9 * 2, one_way[3, 3]["links"]),
    Row("section 3", "links used both ways, 3x3x3: 2pN", 2 * 27 * 3, run[3, 3, 3]["links"]),
    Row("section 2.1", "sends and receives of a node at once, three dimensions", 4 * 3, 2 * run[3, 3, 3]["links"] // 27),
    Row("figure 2", "bound of an allreduce on 8x8, both ways", 2 * F(63, 64) / 4, 2 * bound((8, 8)), program=in_preset("8x8", "lower_bound")),
    Row("figure 2", "bound of a reduce-scatter one way, over that both ways", 2, bound((3, 4), 1) / bound((3, 4))),
    Row("figure 4", "elements of colour 1", list(range(0, 36, 2)), colour_of_figure_4, claim="bucket-figure-4"),
    Row("figure 5", "parts of a node on 3x3x2 after each phase", [18, 9, 3, 1], bucket((2, 3, 3))["sizes"]),
    Row("section 4", "permutation 1 of 1, 2, 3", {1, 2, 3}, set(turns_3[1]), claim="bucket-permutations"),
    Row("section 4", "colours with the same dimension in a phase", 0, sum(3 - len(set(phase)) for phase in zip(*turns_3))),
    *(Row("equation (2)", f"startups on {'x'.join(map(str, dims))}", 2 * len(dims) * sum(d - 1 for d in dims), run[dims]["messages"])
      for dims in ((3, 4), (2, 3, 4))),
    *(Row("equation (2)", f"n beta of an allreduce on {'x'.join(map(str, dims))}", 2 * equation_2(dims), 2 * run[dims]["time"])
      for dims in ((3, 4), (2, 4))),
    Row("equation (2)", "n beta of an allreduce on 2x3x4", 2 * equation_2((2, 3, 4)), 2 * run[2, 3, 4]["time"], claim="bucket-equation-2",
        program=in_preset("2x3x4", "bucket")),
    Row("equation (2)", "n gamma on 2x3x4", F(23, 24), run[2, 3, 4]["added"]),
    Row("section 4", "most that equation (2) is over the bound, sides 2 to 24", ("<=", 2), max(equation_2(d) / bound(d) for d in rectangles)),
    Row("section 4", "n beta/(2N) on 1000 x 1000 x 2000: its limit 1", "1.00", equation_2((1000, 1000, 2000)) * 6),
    *(Row("equation (3)", f"startups on {'x'.join([str(d)] * n)}", 2 * n ** 2 * (d - 1), run[(d,) * n]["messages"],
          program=sent_by_program("x".join([str(d)] * n))) for d, n in ((3, 2), (4, 2), (3, 3))),
    *(Row("equation (3)", f"n beta on {'x'.join([str(d)] * n)}", F(d ** n - 1, d ** n) / (2 * n), run[(d,) * n]["time"])
      for d, n in ((3, 2), (4, 2), (3, 3))),
    Row("equation (4)", "startups on 3x4, one way", 2 * 5, one_way[3, 4]["messages"]),
    Row("equation (4)", "n beta on 3x4, one way", equation_2((3, 4), 1), one_way[3, 4]["time"]),
    Row("equation (5)", "startups on 3x3, one way", 2 ** 2 * 2, one_way[3, 3]["messages"], program=sent_by_program("3x3", "--set", "directions=one")),
    Row("equation (5)", "n beta on 3x3, one way", F(8, 9) / 2, one_way[3, 3]["time"]),
    Row("section 5.1", "MB/s of a node, both directions of six links", 5100, 6 * 850),
    Row("section 5.1", "payload of a packet", 240, 256 - 8 - 8),
]
