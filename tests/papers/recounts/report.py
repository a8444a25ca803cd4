"""Poduval and Kumar's class report: its two programs run, and its tables computed again."""

from fractions import Fraction as F

from recounts.common import Row, hold, metrics, say


def ring(n):
    """Figure 1, rank by rank: the exchanges, and what each rank holds at the end."""
    t = [[{(slot, rank)} for slot in range(n)] for rank in range(n)]
    exchanges = 0
    for i in range(1, n):
        sent = [t[rank][(rank + i) % n] for rank in range(n)]
        for rank in range(n):
            slot = (rank + i + 1) % n
            hold("no contribution twice", not t[rank][slot] & sent[(rank + 1) % n])
            t[rank][slot] = t[rank][slot] | sent[(rank + 1) % n]
        exchanges += 1
    for i in range(1, n):
        sent = [t[rank][(rank + 1 - i) % n] for rank in range(n)]
        for rank in range(n):
            t[rank][(rank - i) % n] = sent[(rank - 1) % n]
        exchanges += 1
    hold(f"figure 1 for {n} ranks", all(len(slots) == n for rank in t for slots in rank))
    return exchanges


def turns(calls):
    """Calls that wait for their partner: the turns until all ranks are done."""
    count = 0
    while any(calls):
        meet = [(r, q) for r in range(len(calls)) if calls[r] for kind, q in calls[r][:1] if kind == "send" and calls[q][:1] == [("recv", r)]]
        hold("somebody can go on", meet)
        for pair in meet:
            for rank in pair:
                calls[rank].pop(0)
        count += 1
    return count


def calls_of_ring(n):
    """Figure 1's reduce-scatter."""
    return [[("send", (r - 1) % n), ("recv", (r + 1) % n)][::1 if r % 2 == 0 else -1] * (n - 1) for r in range(n)]


def calls_of_halving(n):
    """Figures 2 and 3: the lower half of each group sends first."""
    plans = [[q for q, _, _ in halving(rank, 0, n - 1, [])] for rank in range(n)]
    return [[call for q in plan + plan[::-1] for call in [("send", q), ("recv", q)][::1 if r < q else -1]] for r, plan in enumerate(plans)]


def halving(rank, left, right, x):
    """Figure 2: yields (partner, first slot that is sent, last) for each exchange of a rank; x is what it keeps."""
    while left != right:
        middle, half = (left + right) // 2, (right - left + 1) // 2
        low = rank <= middle
        yield (rank + half, middle + 1, right) if low else (rank - half, left, middle)
        left, right = (left, middle) if low else (middle + 1, right)
    x.append(left)


def halve(n):
    """Figures 2 and 3 on n ranks: what each ends the reduce-scatter with, and the exchanges of both halves."""
    slots, kept = [{slot: {rank} for slot in range(n)} for rank in range(n)], [[] for _ in range(n)]
    plans = [list(halving(rank, 0, n - 1, kept[rank])) for rank in range(n)]
    for step in zip(*plans):
        sent = {(rank, q): {s: slots[rank][s] for s in range(a, b + 1)} for rank, (q, a, b) in enumerate(step)}
        for (_, q), part in sent.items():
            for slot, ranks in part.items():
                slots[q][slot] = slots[q][slot] | ranks
    owned = [(kept[rank][0], len(slots[rank][kept[rank][0]])) for rank in range(n)]
    has = [set(k) for k in kept]
    for step in reversed(list(zip(*plans))):
        has = [has[rank] | has[q] for rank, (q, _, _) in enumerate(step)]
    return owned, has, 2 * len(plans[0])


NODES = (2, 4, 8, 16)
FACTORS = dict(zip(NODES, ("1", "4.5", "12.25", "28.125")))
TIMES = dict(zip(NODES, ("0.0658", "0.2908", "0.6178", "1.7568")))
BANDWIDTHS = dict(zip(NODES, ("151.9243252", "34.39278366", "16.18639868", "5.692071611")))
PRODUCTS = dict(zip(NODES, ("151.9243252", "154.7675265", "198.283384", "160.0895141")))  # the third has a digit more
FIGURE_6 = {1: ("0.2186", "0.0975", "0.0727", 22), 10: ("1.1790", "0.5480", "0.5546", 6), 100: ("10.1329", "4.8362", "4.1124", 12)}
ALPHA = {1: "0.00632", 10: "0.018965", 100: "0.083685"}
BETA = {1: "0.0896", 10: "0.5479", 100: "5.0472"}  # rounded, as the times of figure 6 have no more digits


def beta(size):
    """What is left of figure 6's time without the startups, over the tensors that a rank sends: seconds a tensor."""
    owned, _, exchanges = halve(16)
    return (F(FIGURE_6[size][0]) - exchanges * F(ALPHA[size])) / (2 * F(15, 16))


def rate(n):
    """Mb/s of a node: of 80 Mb it sends 2 (n-1)/n in the time of figure 8."""
    return 80 * F(2 * (n - 1), n) / F(TIMES[n])


owned, gathered, _ = halve(4)
alpha_10 = (F(TIMES[16]) - F(FIGURE_6[10][0])) / (ring(16) - halve(16)[2])
hold("alpha by figures 6 and 8", f"{float(alpha_10):.4f}" == "0.0263")
ROWS = [
    *(Row("section 2.1", f"exchanges of the ring on {n} nodes", 2 * (n - 1), ring(n), program=metrics("ring", "--p", str(n))["steps"])
      for n in NODES),
    Row("section 2.1", "turns of an exchange, 16 nodes", 2, F(turns(calls_of_ring(16)), 15)),
    Row("figure 2", "slice and contributions of each of 4 nodes", [(node, 4) for node in range(4)], owned),
    Row("figure 3", "slices of each of 4 nodes at the end", [{0, 1, 2, 3}] * 4, gathered),
    Row("figures 2 and 3", "turns of an exchange, 8 nodes", 2, F(turns(calls_of_halving(8)), 6)),
    *(Row("figure 6", f"per cent that is computing, {size} MB", str(percent), 100 * (F(total) - F(send) - F(recv)) / F(total))
      for size, (total, send, recv, percent) in FIGURE_6.items()),
    *(Row("figure 8", f"bandwidth factor of {n} nodes", FACTORS[n], F(2 * (n - 1) * (n - 1), n)) for n in NODES),
    *(Row("figure 8", f"seconds for 10 MB at the bandwidth of {n} nodes", TIMES[n], 10 / F(BANDWIDTHS[n])) for n in NODES),
    *(Row("figure 8", f"factor times bandwidth, {n} nodes", PRODUCTS[n], F(FACTORS[n]) * F(BANDWIDTHS[n])) for n in NODES),
    *(Row("figure 8, alpha and beta", f"beta of {size} MB from its alpha and figure 6", BETA[size], beta(size)) for size in BETA),
    Row("section 5", "beta for large messages, a MB", "0.05", beta(100) / 100),
    Row("section 5", "alpha, mean of the three small sizes", "0.001", sum(map(F, ("0.001119", "0.000879", "0.00091"))) / 3),
    *(Row("figure 6", f"per cent that is communicating, {size} MB", str(100 - percent), 100 * (F(send) + F(recv)) / F(total))
      for size, (total, send, recv, percent) in FIGURE_6.items()),
    Row("section 4", "MB/s times what 16 nodes send of a tensor: as of 2 nodes", "151.9", F(15, 8) * F(BANDWIDTHS[16]), claim="report-theoretical-bound"),
    Row("section 5", "beta of 100 KB over that of 1 KB", "1.10", F("0.044847") / F("0.040646")),
    Row("section 5", "alpha of 100 MB over that of 10 MB: in proportion", 10, F(ALPHA[100]) / F(ALPHA[10]), claim="report-alpha"),
    Row("section 6", "10 MB in Mb", 80, 10 * 8),
    Row("section 6", "Mb/s of a node, 2 nodes: below the limit", ("<", 100), rate(2), claim="report-interface-limit"),
]

# n = p-1 packets, and what of a tensor a rank sends.
say("report-bandwidth-factor", ", ".join(f"{float(F(2 * (p - 1) ** 2, p)):g}" for p in (2, 4, 8))
    + f" and {float(F(2 * 15 ** 2, 16)):g}")
say("report-theoretical-bound", ", ".join(f"{float(F(2 * (n - 1), n) * F(BANDWIDTHS[n])):.3g}" for n in NODES) + " MB/s")
say("report-alpha", f"{float(F(ALPHA[100]) / F(ALPHA[10])):.1f}-fold for ten times",
    "{:.1f}- and {:.1f}-fold".format(*(float(F(BETA[10 * size]) / F(BETA[size])) for size in (1, 10))))
hold("three-fold", f"{float(F(ALPHA[10]) / F(ALPHA[1])):.1f}" == "3.0")
say("report-interface-limit", "{:.0f}, {:.0f}, {:.0f} and {:.0f}".format(*(float(rate(n)) for n in NODES)))
